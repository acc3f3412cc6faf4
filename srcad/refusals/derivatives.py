"""Refused derivatives: of derivatives, and inside `@njit`."""

from __future__ import annotations

from srcad.errors import BadArgument, BadType, NotDifferentiable, UnsupportedSyntax
from srcad.refusals.refusal import Refusal

CUSTOM_GRADIENT_OF_TAPE = Refusal(
    NotDifferentiable,
    "Functions with a gradient for the tape",
    "{what} of {function} is not supported: its own gradient is for a tape",
    "use a tape, or differentiate a function without `custom_gradient`",
    """
    @srcad.custom_gradient
    def f(x):
        return x * x, lambda upstream: 2.0 * x * upstream
    """,
    "srcad.grad(f)(2.0)",
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

HOLOMORPHIC = Refusal(
    BadArgument,
    "`holomorphic=True`",
    "srcad.{transform} has no option `holomorphic`: it differentiates functions that return one real number",
    "the derivative of a complex function is srcad.jvp(f, (z,), (1.0,))[1]; gradients of real functions are conjugated",
    """
    def f(z):
        return z * z
    """,
    "srcad.grad(f, holomorphic=True)(2.0 + 1.0j)",
)

NOT_HOLOMORPHIC = Refusal(
    NotDifferentiable,
    "Jacobians of functions of complex numbers that are not holomorphic",
    "{function}: the function is not holomorphic here, so that it has no complex derivative",
    "take srcad.jvp along 1.0 and along 1.0j, or make the real and the imaginary part arguments of their own",
    """
    def f(z):
        return np.conj(z) * 2.0
    """,
    "srcad.jacobian(f)(np.array([1.0 + 2.0j]))",
)

SECOND_BY_COMPLEX = Refusal(
    NotDifferentiable,
    "`grad(grad(f))` by a complex argument and another one",
    "{function}: second derivatives by a complex argument and another one are not one number",
    "use srcad.hvp, or srcad.hessian",
    """
    def f(z, x):
        return np.real(z * np.conj(z)) * x
    """,
    "srcad.grad(srcad.grad(f), 1)(1.0 + 2.0j, 3.0)",
)

NO_AUXILIARY = Refusal(
    BadType,
    "`has_aux=True` of a function that returns no pair",
    "with has_aux=True, {function} has to return a pair, a tuple of two",
    "return the value to differentiate, and what else was computed, or leave has_aux out",
    """
    def f(x):
        return x * x
    """,
    "srcad.grad(f, has_aux=True)(2.0)",
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

COMPLEX_INNER_DERIVATIVE = Refusal(
    NotDifferentiable,
    "Derivatives by complex numbers inside a function",
    "the derivative of {function} is by '{name}', which is complex, inside a function",
    "differentiate by the real and the imaginary part",
    """
    def g(z):
        return np.real(z * z)


    def f(x):
        return np.real(srcad.grad(g)(x + 1j))
    """,
    "srcad.grad(f)(2.0)",
)

INNER_ARGUMENT = Refusal(
    NotDifferentiable,
    "Derivatives by integers inside a function",
    "the derivative of {function} is by '{name}', which is {kind}",
    "pass a float, or an array of floats",
    """
    def g(x):
        return x * x


    def f(x):
        return x * srcad.grad(g)(2)
    """,
    "srcad.grad(f)(2.0)",
)

INNER_RESULT = Refusal(
    NotDifferentiable,
    "Gradients of functions with other results inside a function",
    "the gradient of {function} is asked for, whose result is {kind}",
    "use srcad.jacobian, or return one float",
    """
    def g(x):
        return x * np.ones(3)


    def f(x):
        return x * srcad.grad(g)(x)
    """,
    "srcad.grad(f)(2.0)",
)

UNKNOWN_INNER_FUNCTION = Refusal(
    UnsupportedSyntax,
    "Derivatives of a function that is chosen at run time",
    "srcad.{transform} is called with a function that is known only at run time",
    "pass a function by its name; choose between the results with `if`",
    """
    def f(x):
        return srcad.grad(x)(2.0)
    """,
    "srcad.grad(f)(2.0)",
)

INNER_OPTION = Refusal(
    UnsupportedSyntax,
    "Options of derivatives inside a function",
    "srcad.{transform} has an argument here that is not supported: {option}",
    "inside a function, give the function and `wrt`, constants that name whole parameters",
    """
    def g(p):
        return p[0] * p[1]


    def f(x):
        return srcad.grad(g, wrt='p[0]')((x, 2.0))
    """,
    "srcad.grad(f)(2.0)",
)

NOT_COMPILED_INSIDE_NJIT = Refusal(
    UnsupportedSyntax,
    "Functions that Numba cannot compile, inside `@njit`",
    "{function} is called inside `@njit`, and Numba cannot compile it: {reason}",
    "call it in a block of `with numba.objmode(y='float64[:]')`, which gives the type of its result",
    """
    import numba


    @srcad.function
    def g(x):
        return np.sum(np.squeeze(x))


    @numba.njit
    def f(x):
        return g(x)
    """,
    "f(np.ones((2, 2)))",
)

INNER_NOT_COMPILED = Refusal(
    UnsupportedSyntax,
    "Derivatives inside a function that Numba cannot type",
    "{function} calls derivatives, and Numba cannot type it: {reason}",
    "use what Numba knows in functions that call derivatives, and in those that are differentiated there",
    unshown="what Numba cannot type differs from version to version",
)

INNER_DRAW = Refusal(
    UnsupportedSyntax,
    "Derivatives inside a function of functions that draw random numbers",
    "{function}, whose derivative is taken inside a function, draws random numbers, which would be drawn several times",
    "draw the numbers before, and pass them as arguments",
    """
    def g(x):
        return x * x * np.random.normal()


    def f(x):
        return srcad.grad(g)(x)
    """,
    "srcad.grad(f)(2.0)",
)
