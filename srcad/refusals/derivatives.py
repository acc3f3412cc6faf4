"""Refused derivatives: of derivatives, and inside `@njit`."""

from __future__ import annotations

from srcad.errors import NotDifferentiable, UnsupportedSyntax
from srcad.refusals.refusal import Refusal

THIRD_DERIVATIVE = Refusal(
    NotDifferentiable,
    "Third derivatives",
    "{what} of {function} is not supported",
    "use grad(grad(f)), jacobian(grad(f)), hessian(f) or hvp(f) for second derivatives; there are no third ones",
    """
    def f(x):
        return x**4
    """,
    "srcad.hvp(srcad.hvp(f))(2.0, 1.0)",
)

DERIVATIVE_OF_MANY = Refusal(
    NotDifferentiable,
    "Second derivatives of other derivatives",
    "{what} of {function} is not supported",
    "use srcad.hessian or srcad.hvp of the function itself",
    """
    def f(x):
        return x**4
    """,
    "srcad.jacobian(srcad.value_and_grad(f))(2.0)",
)

NOT_INSIDE_NJIT = Refusal(
    NotDifferentiable,
    "Jacobians inside `@njit`",
    "{function} cannot be called inside @njit",
    "call it from Python, or use srcad.hvp of the function",
    """
    import numba

    def g(x):
        return x * x


    slopes = srcad.jacobian(g)


    @numba.njit
    def f(x):
        return slopes(x)
    """,
    "f(np.ones(3))",
)

NESTED_RESULT = Refusal(
    NotDifferentiable,
    "Jacobians of nested results",
    "{function}: the result is a nested structure",
    "return one tuple, list or dictionary of numbers and arrays",
    """
    def f(p):
        return {'a': {'b': p['x'], 'c': 2.0 * p['x']}}
    """,
    "srcad.jacobian(f)({'x': 2.0})",
)

SECOND_BY_STRUCTURE = Refusal(
    NotDifferentiable,
    "`grad(grad(f))` of arrays",
    "{function}: the gradient that it differentiates is not a number, or is taken by a structure",
    "use jacobian(grad(f)) or hessian(f), which compute all second derivatives",
    """
    def f(x):
        return np.sum(x**3)
    """,
    "srcad.grad(srcad.grad(f))(np.ones(3))",
)

JACOBIAN_OF_STRUCTURES = Refusal(
    NotDifferentiable,
    "`jacobian(grad(f))` by structures",
    "the jacobian of {function} is not supported for structures",
    "use srcad.hessian, which takes structures",
    """
    def f(p):
        return p['x'] ** 3
    """,
    "srcad.jacobian(srcad.grad(f))({'x': 2.0})",
)

JACOBIAN_BY_LONG_LIST = Refusal(
    NotDifferentiable,
    "Hessians by long lists",
    "{function} by a list of more than {count} elements is not supported",
    "pass an array instead of the list, or use srcad.hvp",
    """
    def f(values):
        return np.sum(np.array(values) ** 3)
    """,
    "srcad.hessian(f)([1.0] * 100)",
)

JACOBIAN_BY_RECORDS = Refusal(
    NotDifferentiable,
    "Hessians by records",
    "{function} by structured arrays is not supported",
    "pass the fields as arguments, or use srcad.hvp",
    """
    def f(p):
        return np.sum(p['x'] ** 3)
    """,
    "srcad.hessian(f)(np.ones(3, dtype=[('x', float)]))",
)

RUNTIME_FUNCTION_ARGUMENT = Refusal(
    UnsupportedSyntax,
    "Functions as arguments inside `@njit`, known only at run time",
    "the argument '{name}' of {function} is one of several functions, known only at run time",
    "pass one function, or choose between calls with `if`",
    unshown="Numba makes such a type only for first-class functions, which take a program of some length",
)

RUNTIME_OPTION = Refusal(
    UnsupportedSyntax,
    "Derivatives inside `@njit` with a computed option",
    "`{option}` is known only at run time, in a derivative that is made inside @njit",
    "write a constant, or make the derivative outside",
    """
    import numba


    @numba.njit
    def g(x):
        return x * x


    @numba.njit
    def f(x, k):
        return srcad.grad(g, k)(x)
    """,
    "f(2.0, 0)",
)

NOT_A_NJIT_FUNCTION = Refusal(
    UnsupportedSyntax,
    "Derivatives inside `@njit` of other functions",
    "a derivative is made inside @njit of {what}, which is not a function under @njit",
    "put @njit on the function, or make the derivative outside",
    """
    import numba


    @numba.njit
    def f(x):
        return srcad.grad(np.sin)(x)
    """,
    "f(2.0)",
)

NOT_CALLABLE_INSIDE_NJIT = Refusal(
    UnsupportedSyntax,
    "Other functions of srcad inside `@njit`",
    "srcad.{function} cannot be called inside @njit",
    "call it from Python; inside @njit you can use srcad.grad, value_and_grad, hvp and function",
    """
    import numba


    @numba.njit
    def g(x):
        return x * x


    @numba.njit
    def f(x):
        return srcad.jacobian(g)(x)
    """,
    "f(np.ones(3))",
)

COMPLEX_SECOND_BY_TAPE = Refusal(
    NotDifferentiable,
    "Complex second derivatives by a tape",
    "{function}: a tape does not compute complex second derivatives",
    "differentiate the real and the imaginary part separately",
    unshown="it takes two nested tapes around a compiled function of complex numbers",
)

NO_DIFFERENTIABLE_RESULT = Refusal(
    NotDifferentiable,
    "Functions without a differentiable result on a tape",
    "{function} has no result that can have a derivative",
    "return a float, or an array of floats",
    unshown="it takes two nested tapes around a compiled function of integers",
)

OTHER_RESULTS = Refusal(
    NotDifferentiable,
    "Second derivatives of functions whose results change",
    "the second derivative of {function} is not supported, because it returns another number of results than it did",
    "return the same number of results for all arguments",
    unshown="the number of results is fixed by types before this is checked",
)
