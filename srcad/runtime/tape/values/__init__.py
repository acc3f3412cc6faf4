"""Values that become tensors, or stand for some: `constant`, lists with tensors, `IndexedSlices`.

Input        arrays, numbers, lists.
Output       tensors, recorded as computed from the tensors among them.
Invariant    a value without tensors in it is copied, so that nobody can change it.
Elsewhere    `Tensor` and `Variable` (`core`).
"""
