"""Tools for looking at generated code: the command `srcad`, printed source, explanations, checks, timings.

Input        a function or `FILE.py:FUNC`, and argument types or arguments.
Output       text for a person, or an exit status.
Invariant    no other package imports these modules; `srcad` re-exports `source`, `explain` and `check_grads`.
Elsewhere    anything that a derivative needs in order to run.
"""
