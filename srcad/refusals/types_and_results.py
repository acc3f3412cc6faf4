"""Refusals about the types of arguments, variables and results."""

from __future__ import annotations

from srcad.errors import NotDifferentiable, UnsupportedSyntax
from srcad.refusals.refusal import Refusal

TYPE_CHANGES = Refusal(
    UnsupportedSyntax,
    "Variables that are a number and an array in turn",
    "the variable {name} is {one} in one place and {other} in another",
    "let it be of one type from the start (np.zeros for an array), or use two variables",
    """
    def f(x):
        s = 0.0
        for k in range(4):
            s = s + x if k % 2 else np.sum(s) * x[0]
        return np.sum(s)
    """,
    "srcad.grad(f)(np.ones(3))",
)

MAY_BE_NONE = Refusal(
    UnsupportedSyntax,
    "Tests of variables that may be None",
    "{name} may be None here",
    "compare it with None first: `if ... is None`",
    """
    def f(x):
        best = None
        for i in range(x.size):
            if x[i] > 0.5:
                best = x[i]
        if best:
            return best * best
        return 0.0
    """,
    "srcad.grad(f)(np.ones(3))",
)

IDENTITY = Refusal(
    UnsupportedSyntax,
    "Identity of numbers and arrays",
    "`is` asks whether numbers or arrays are one object, and generated code keeps no objects",
    "compare values with ==; in place of `test is True` write `test`",
    """
    def f(x):
        return np.sum(x) if (x[0] > 1.0) is True else np.sum(x * x)
    """,
    "srcad.grad(f)(np.ones(3))",
)

NUMPYS_SCALAR = Refusal(
    UnsupportedSyntax,
    "`isinstance` of numbers that may be NumPy's",
    "`isinstance` tells NumPy's numbers from Python's, and generated code does not",
    "convert first, as in `k = int(k)`, or leave the test out",
    """
    def f(x, where):
        return x[0] if isinstance(where[0], int) else x[1]
    """,
    "srcad.grad(f)(np.ones(3), np.arange(3))",
)

RETURNS_NONE = Refusal(
    UnsupportedSyntax,
    "Paths that return None",
    "None is returned on this path: there is nothing to be differentiated",
    "end this path with a `return` of the same kind of value as the others",
    """
    def f(x):
        if x > 1.0:
            return x * x
    """,
    "srcad.grad(f)(0.5)",
)

ENDS_IN_ERROR = Refusal(
    UnsupportedSyntax,
    "Code that runs in Python only",
    "this is not supported: Python gives a value here, but the generated code ends in {problem}",
    "write it with operations on numbers and arrays, or compute it in the caller",
    unshown="it catches whatever no other row foresees",
)

OBJECT_VALUE = Refusal(
    UnsupportedSyntax,
    "Objects and strings between numbers",
    "the derivative depends on a value that is neither a number nor an array",
    "keep numbers in an array rather than in a tuple whose length changes; if the value is meant to be a constant, "
    "compute it from srcad.stop_gradient(...)",
    """
    def f(x):
        return float(str(x)) * x
    """,
)

ZERO_DIMENSIONAL_WRITE = Refusal(
    UnsupportedSyntax,
    "Arrays without dimensions that are written into",
    "a write into an array without dimensions cannot be differentiated",
    "use a number, or an array of one element",
    """
    def f(x):
        s = np.zeros(())
        s[...] = x[0] * x[1]
        return x[0] * s
    """,
    "srcad.grad(f)(np.ones(3))",
)

TUPLE_VALUE = Refusal(
    UnsupportedSyntax,
    "Tuples of differentiated values",
    "a tuple of differentiated values that cannot be taken apart while compiling is not supported",
    "use its elements by constant index, or separate variables",
    """
    def f(x):
        values = x.shape + (x[0], x[1] * x[2])
        return values[1]
    """,
    "srcad.grad(f, jit=False)(np.ones(3))",
)

ALWAYS_RAISES = Refusal(
    NotDifferentiable,
    "Functions that always raise",
    "{function} always raises for arguments of these types: {problem}",
    "the statements after it are never reached",
    """
    def f(x):
        raise ValueError('not yet')
    """,
)

RESULT_NOT_SCALAR = Refusal(
    NotDifferentiable,
    "Gradients of functions that return more than a number",
    "{function} returns {what}; a gradient needs one real number",
    "{way}",
    """
    def f(x):
        return x[0] * x[1], x[2]
    """,
    "srcad.grad(f)(np.ones(3))",
)

ARGUMENT_TYPE = Refusal(
    NotDifferentiable,
    "Gradients by integers",
    "argument '{name}' of {function} is of type {kind}, which has no derivative",
    "{cure}, or leave '{name}' out of wrt",
    """
    def f(n):
        return 2.0 * n
    """,
    "srcad.grad(f)(2)",
)

RECORD_WRITE = Refusal(
    NotDifferentiable,
    "Writes to Numba's records and dictionaries",
    "{function} writes to a record or to one of Numba's dictionaries",
    "use an array for each field, or an ordinary dictionary or dataclass",
    unshown="it needs a dictionary that is made by compiled code",
)

NO_NUMBA_TYPE = Refusal(
    NotDifferentiable,
    "Arguments that Numba has no type for",
    "the argument '{name}' is of type {type}, which has no Numba type",
    "pass numbers and NumPy arrays",
    """
    import datetime


    def f(x, d):
        return x * x
    """,
    "srcad.grad(f)(2.0, datetime.date(2000, 1, 1))",
)

UNTYPED = Refusal(
    NotDifferentiable,
    "Functions that Numba cannot type",
    "Numba has no types for this: {reason}",
    "check the types of the arguments; a function that Numba cannot compile runs uncompiled, and is shown for `args`",
    """
    def f(x):
        return np.sum(np.nextafter(x + 'a', 9.0))
    """,
    "srcad.source(f, signature='f8[:]')",
)

HALF_PRECISION = Refusal(
    NotDifferentiable,
    "Arrays of float16",
    "the argument '{name}' of {function} is of type float16, with which Numba does not calculate",
    "convert it with .astype(np.float32)",
    """
    def f(x):
        return np.sum(x * x)
    """,
    "srcad.grad(f)(np.ones(3, dtype=np.float16))",
)

ARGUMENT_DTYPE = Refusal(
    NotDifferentiable,
    "Arrays of other dtypes: long double, foreign byte order, objects",
    "the argument '{name}' is of dtype {dtype}, {why}",
    "{cure}",
    """
    def f(x):
        return np.sum(x * x)
    """,
    "srcad.grad(f)(np.ones(3, dtype='>f8'))",
)

MASKED_ARGUMENT = Refusal(
    NotDifferentiable,
    "Masked arrays",
    "the argument '{name}' is a masked array of {dtype}, whose operations leave out elements",
    "pass its elements, {name}.compressed(), or {name}.filled(0.0) and the mask np.ma.getmaskarray({name})",
    """
    def f(x):
        return np.sum(x * x)
    """,
    "srcad.grad(f)(np.ma.masked_equal(np.array([1.0, -9.0]), -9.0))",
)

NUMBER_ARGUMENT = Refusal(
    NotDifferentiable,
    "Fractions and decimal numbers",
    "the argument '{name}' is a {type}, with which Numba does not calculate",
    "pass float({name})",
    """
    from fractions import Fraction


    def f(x):
        return x * x
    """,
    "srcad.grad(f)(Fraction(1, 2))",
)

MATRIX_ARGUMENT = Refusal(
    NotDifferentiable,
    "np.matrix",
    "the argument '{name}' is an np.matrix, whose operators are not those of arrays",
    "pass np.asarray({name})",
    """
    def f(x):
        return np.sum(x * x)
    """,
    "srcad.grad(f)(np.asmatrix(np.ones((2, 2))))",
)

DEVICE_ARGUMENT = Refusal(
    NotDifferentiable,
    "Arrays in the memory of a GPU",
    "an argument is a {type}, an array in the memory of a GPU: this derivative runs on the CPU",
    "use srcad.cuda.grad, srcad.cuda.value_and_grad (kernels: srcad.cuda.adjoint), or copy it to the host "
    "(`x.copy_to_host()`, `cupy.asnumpy(x)`)",
    """
    class DeviceArray:
        __cuda_array_interface__ = {'shape': (2,), 'typestr': '<f8', 'data': (0, True), 'version': 3}

    def f(x):
        return np.sum(x * x)
    """,
    "srcad.grad(f)(DeviceArray())",
)

LIST_ARGUMENT = Refusal(
    NotDifferentiable,
    "Numba's lists as arguments",
    "the argument '{name}' of {function} is a list",
    "{way}",
    """
    import numba


    @numba.njit
    def g(values):
        return values[0]


    @numba.njit
    def f(x):
        return srcad.grad(g)([x, x])
    """,
    "f(2.0)",
)

NOTHING_DIFFERENTIABLE = Refusal(
    NotDifferentiable,
    "Gradients by structures without floats",
    "the argument '{name}' of {function} holds nothing that can have a derivative",
    "differentiate by an argument that holds floats, or arrays of floats",
    """
    def f(p):
        return 2.0 * p['n']
    """,
    "srcad.grad(f)({'n': 2})",
)

ARGUMENT_HOLDS = Refusal(
    NotDifferentiable,
    "Arguments that hold other objects",
    "the argument '{name}' holds a {type}, which is not supported",
    "use tuples, lists, dictionaries, dataclasses or plain objects",
    """
    import collections


    def f(p):
        return p['a'][0]
    """,
    "srcad.grad(f)({'a': collections.deque([2.0, 1.0])})",
)

DICTIONARY_KEYS = Refusal(
    NotDifferentiable,
    "Dictionaries whose keys are not constants",
    "the argument '{name}' holds a dictionary whose keys are not constants",
    "use strings or numbers as keys",
    """
    def f(p):
        return p['a']
    """,
    "srcad.grad(f)({'a': 2.0, frozenset(): 1.0})",
)
