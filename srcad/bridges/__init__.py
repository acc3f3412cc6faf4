"""Bridges to other libraries: functions of srcad as functions of SciPy, PyTorch, JAX, PyTensor and TensorFlow.

Input: a function of NumPy arrays, or of structures of them, and what the other library passes to it.
Output: objects that the other library calls and differentiates, or, for SciPy, solvers that get exact derivatives.
Invariant: no module here imports its library before the bridge is used, and nothing else in srcad imports a bridge.
Elsewhere: derivatives are made by `srcad.api`.
"""
