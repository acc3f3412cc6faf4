"""How a derivative rule is stated and found: `partial`, `adjoint`, `tangent`, `linear`, `define`.

Input        rule functions, read as text.
Output       templates that the compiler splices into generated code and the tape executes.
Invariant    a rule states one contribution; adding up and undoing broadcasts are not its concern.
Elsewhere    the rules themselves (`runtime.rules`).
"""
