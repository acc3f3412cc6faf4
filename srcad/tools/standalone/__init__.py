"""`srcad.export`: a derivative as a module of its own, which runs without srcad.

Input        a function, a mode, argument types or example arguments.
Output       the text of a module: the generated functions, the helpers that they call, a check against differences.
Invariant    the same function, types, options and versions give the same text; nothing in it imports srcad.
Elsewhere    what is generated (`srcad.driver`); the helpers themselves (`srcad.runtime.kernels`).
"""
