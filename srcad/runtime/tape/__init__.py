"""The tape: `GradientTape`, `Variable` and related classes, which behave as their TensorFlow namesakes.

Input        operations on tensors and variables in a `with` block.
Output       gradients, Jacobians, directional derivatives of what was recorded.
Invariant    one node for each recorded call; a tensor never changes.
Elsewhere    rules (`runtime.rules`), compiled functions (`driver`, `api`).
"""
