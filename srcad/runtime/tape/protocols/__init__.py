"""Python's and NumPy's protocols for tensors and variables: each operation is the call of one primitive.

    arithmetic          `x + y`, `x[0]`, `x.sum()`
    array_protocols     `np.sin(x)`, `np.asarray(x)`, `len(x)`, `float(x)`

Input        an operation on operands.
Output       a call of `arithmetic.hook`, with the primitive, its arguments and its keywords.
Invariant    nothing here knows tapes.
"""
