"""NumPy functions and arguments that Numba lacks or compiles slowly, taught to it.

Input        types of arguments, when Numba asks.
Output       implementations that Numba compiles.
Invariant    gives what NumPy gives, the type of the result included.
Elsewhere    functions that only derivatives need (`arrays`, `linear_algebra`).
"""
