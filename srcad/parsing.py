"""Python source as a tree: the only module that parses, in one thread or in many."""

from __future__ import annotations

import ast
from typing import Any

import gast

ATTEMPTS = 20  # where each fails once in ten times, as made to happen, one of 10^20 fails in all


def python_tree(text: str, file: str = "<unknown>", mode: str = "exec") -> Any:
    """The text as a tree of `ast`: a module, or with the mode "eval" an expression in a tree of its own.

    CPython 3.11 counts the depth of the tree for all threads at once, so it may find the count wrong where another
    thread had parsed meanwhile (https://github.com/python/cpython/issues/106905). It is asked again then.

    Raises SyntaxError for what is not Python, ValueError for a text with a null byte.

    >>> python_tree("x + 1", mode="eval").body.right.value
    1
    """
    for _ in range(ATTEMPTS - 1):
        try:
            return ast.parse(text, file, mode)
        except SystemError:
            continue
    return ast.parse(text, file, mode)


def syntax_tree(text: str, mode: str = "exec") -> Any:
    """The same as a tree of `gast`, which is one for all versions of Python.

    >>> syntax_tree("y = x").body[0].targets[0].id
    'y'
    """
    return gast.ast_to_gast(python_tree(text, mode=mode))
