"""From a Python function to core form: load its source, refuse what is outside the language, lower the rest.

Input        a function (plain, `@njit`, a method, a closure, a `functools.partial`).
Output       `load_source.load` gives a `Source` (tree, text, meaning of free names); `lower.prepare` gives a `Unit` in
core
             form.
Invariant    every statement of the unit knows its place in the user's file; nothing is typed yet.
Elsewhere    the rewriting of single constructs (`transforms.lowering`), types (`transforms.inference`), the order of
             stages (`driver`).
"""
