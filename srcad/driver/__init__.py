"""The order of all stages and passes, and the functions that they make for one request.

Input        a `Unit`, a `Request` (mode, wrt, options) and argument types.
Output       `pipeline.derive` gives `Generated` source; `version.Version` keeps what was generated from one function;
             `compiled_routines` compiles it when it is called.
Invariant    the order of passes is that of `passes.STAGES`, and stated nowhere else.
Elsewhere    what a pass does (`transforms`), the callables that users hold (`api`).
"""
