"""The compiler between front end and printer: passes from core form to core form, and analyses from it to facts.

Input        units in core form (`ir`), built by `lowering`.
Output       functions ready to be printed: forward and reverse sweep, tangent, or both in one.
Invariant    imports point from later stages to earlier ones; pyproject.toml lists the layers.
Elsewhere    the order in which passes run (`driver.passes`), derivative rules (`runtime.rules`).
"""
