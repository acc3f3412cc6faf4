"""The callables that users get: `grad`, `vjp`, `function`, Jacobians, and their calls with structured arguments.

Input        a user's function, `wrt`, options; at each call, arguments.
Output       derivatives that can be called from Python and inside `@njit`.
Invariant    a call with plain arguments costs one call of a Numba dispatcher.
Elsewhere    generating and compiling source (`driver`), the tape (`runtime.tape`), printing and checking (`tools`).
"""
