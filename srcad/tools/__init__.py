"""What people use to look at srcad's work: the command `srcad`, printed source, explanations, checks, timings.

Input        a function or `FILE.py:FUNC`, and argument types or arguments.
Output       text for a person, or an exit status.
Invariant    nothing imports these modules, but for the names that `srcad` re-exports.
Elsewhere    anything that a derivative needs in order to run.
"""
