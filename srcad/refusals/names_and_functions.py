"""Refusals about names: what a function captures, which functions it calls, and with which arguments."""

from __future__ import annotations

from srcad.errors import MissingRule, UnsupportedSyntax
from srcad.refusals.refusal import Refusal

UNDEFINED_NAME = Refusal(
    UnsupportedSyntax,
    "Names that are not defined",
    "the name `{name}` is not defined",
    "define it before the function is compiled",
    """
    def f(x):
        return rate * x
    """,
)

NO_SUCH_ATTRIBUTE = Refusal(
    UnsupportedSyntax,
    "Attributes of captured objects that do not exist",
    "{owner} has no attribute `{name}`",
    "check the spelling",
    """
    def f(x):
        return np.sinus(x)
    """,
)

ASSIGNED_CAPTURE = Refusal(
    UnsupportedSyntax,
    "Assignments to variables of the enclosing scope",
    "`{name}` belongs to the scope around the function and cannot be assigned in it",
    "return the new value and assign it outside",
    """
    def make():
        total = 0.0

        def f(x):
            nonlocal total
            total = total + x
            return total

        return f


    f = make()
    """,
)

WRITTEN_CAPTURE = Refusal(
    UnsupportedSyntax,
    "Writes into captured objects",
    "writing to {what} of a captured object is not supported",
    "pass the object as an argument, or return the value that you want to keep",
    """
    class State:
        last = 0.0


    def f(x):
        State.last = x
        return x * x
    """,
)

UNSUPPORTED_CAPTURE = Refusal(
    UnsupportedSyntax,
    "Captured objects of other classes",
    "`{name}` is of type {type}, which cannot be captured",
    "pass the values that you need as arguments: numbers, arrays, or tuples of them",
    """
    rates = bytearray([1, 2])


    def f(x):
        return max(rates) * x
    """,
)

LARGE_CAPTURE = Refusal(
    UnsupportedSyntax,
    "Captured lists, dictionaries and objects of many elements",
    "`{name}` has {count} parts, which is too many for a captured structure",
    "make an array of it",
    """
    class Point:
        def __init__(self, x):
            self.x = x


    points = [Point(float(k)) for k in range(1000)]


    def f(x):
        return points[2].x * x
    """,
)

FUNCTION_ASSIGNED_TWICE = Refusal(
    UnsupportedSyntax,
    "Names of functions that are assigned again",
    "`{name}` is defined as a function and also assigned elsewhere",
    "give each function a name of its own, and choose between them with `if` around the calls",
    """
    def f(x, g):
        def g(y):
            return y * y

        return g(x)
    """,
    "srcad.grad(f)(2.0, 1.0)",
)

COMPUTED_DEFAULT = Refusal(
    UnsupportedSyntax,
    "Lambdas with `*` and a computed default",
    "a computed default is not supported for a lambda with `*`, or for one of several functions with `*`",
    "define one function with `def`, or read the variable in its body",
    """
    def f(x):
        return (lambda y, scale=2.0 * x, *more: scale * y)(x)
    """,
)

SUPER_WITHOUT_METHOD = Refusal(
    UnsupportedSyntax,
    "`super()` of a method that is not written in Python",
    "`super()` of `{owner}` has no method `{name}` that is written in Python",
    "call a method of a class of your own",
    """
    class Vector(dict):
        def f(self, x):
            return x * super().__len__()
    """,
    "srcad.grad(Vector().f)(2.0)",
)

SUPER_OUTSIDE_METHOD = Refusal(
    UnsupportedSyntax,
    "`super()` outside of methods",
    "`super()` is supported only directly in methods",
    "name the class: `Base.method(self, ...)`",
    """
    def f(x):
        return super().scale(x)
    """,
)

FUNCTION_AS_VALUE = Refusal(
    UnsupportedSyntax,
    "Functions as values",
    "the function `{name}` cannot be used as a value",
    "call it; choose between functions with `if` around the calls",
    """
    def f(x):
        return x * np.sin
    """,
)

HANDED_FUNCTION = Refusal(
    UnsupportedSyntax,
    "Functions that are handed to a library",
    "{function} is given the function `{handed}`, and no derivative is known of what it does with it",
    "write the loop that calls `{handed}`, or state a rule for a function that calls {function} (srcad.custom_vjp)",
    """
    import scipy.ndimage


    def f(x):
        return np.sum(scipy.ndimage.generic_filter(x, np.mean, 2))
    """,
    "srcad.grad(f)(np.ones(3))",
)

RUNTIME_FUNCTION = Refusal(
    UnsupportedSyntax,
    "Functions that are known only at run time",
    "a call of a function that is known only at run time cannot be differentiated",
    "call it by its name, capture it, or pass the function itself as an argument, from Python",
    """
    def f(x):
        return np.frompyfunc(2, 1, 1)(x)
    """,
)

UNKNOWN_FORM = Refusal(
    UnsupportedSyntax,
    "Variables whose form depends on the path",
    "the form of `{name}` is not known while compiling: it is {forms}",
    "let it have the same form on all paths: as many elements, the same keys, the same kinds of values",
    """
    def f(x):
        if x > 1.0:
            values = [x]
        else:
            values = [x, x]
        return values[0]
    """,
)

CHANGED_AND_READ = Refusal(
    UnsupportedSyntax,
    "Captured objects that the function changes and reads",
    "what is changed here is also read by the function, which reads it while it is compiled",
    "read it in the caller, or pass it as an argument and return the new value",
    """
    history = []


    def f(x):
        history.append(x)
        return x * len(history)
    """,
)

CALL_WITHOUT_RESULT = Refusal(
    UnsupportedSyntax,
    "Calls whose result is not used",
    "a call whose result is not used cannot be differentiated, because the compiler does not know what it changes",
    "assign the result, write to the array with an index, or remove the call",
    """
    def f(a):
        np.random.shuffle(a)
        return a[0]
    """,
    "srcad.grad(f)(np.ones(3))",
)

WRONG_CALL = Refusal(
    UnsupportedSyntax,
    "Calls with wrong arguments",
    "this call is not supported ({problem})",
    "check the arguments of each function in it",
    """
    def f(x):
        return x * len()
    """,
)

UNPACKED_COUNT = Refusal(
    UnsupportedSyntax,
    "Assignments of too many or too few values",
    "{values} values cannot be assigned to {targets} targets",
    "write as many targets as there are values",
    """
    def f(x):
        a, b = x, x, x
        return a * b
    """,
)

TOO_MANY_ARGUMENTS = Refusal(
    UnsupportedSyntax,
    "Calls with too many arguments",
    "`{function}` is given too many arguments: {given} instead of {count}",
    "give each parameter one argument",
    """
    def square(y):
        return y * y


    def f(x):
        return square(x, x)
    """,
)

NO_SUCH_PARAMETER = Refusal(
    UnsupportedSyntax,
    "Calls with an unknown keyword",
    "`{function}` has no parameter `{name}`",
    "give each parameter one argument",
    """
    def square(y):
        return y * y


    def f(x):
        return square(z=x)
    """,
)

ARGUMENT_GIVEN_TWICE = Refusal(
    UnsupportedSyntax,
    "Calls with an argument twice",
    "`{function}` is given `{name}` twice",
    "give each parameter one argument",
    """
    def square(y):
        return y * y


    def f(x):
        return square(x, y=x)
    """,
)

MISSING_ARGUMENT = Refusal(
    UnsupportedSyntax,
    "Calls without an argument",
    "`{function}` needs the argument `{name}`",
    "give each parameter one argument",
    """
    def product(y, z):
        return y * z


    def f(x):
        return product(x)
    """,
)

STARRED_ARRAY = Refusal(
    UnsupportedSyntax,
    "Arguments from an array",
    "the starred argument is an array whose number of elements is not known",
    "give the number, as in `*x[:3]`, call a function with a fixed number of parameters, or write the elements one by "
    "one",
    """
    def f(x):
        return max(*x[x > 0.0])
    """,
    "srcad.grad(f)(np.ones(3))",
)

STARRED_KEYWORDS = Refusal(
    UnsupportedSyntax,
    "Keyword arguments from anything but a dictionary",
    "keyword arguments with `**` must come from a dictionary",
    "write the keyword arguments one by one",
    """
    def scaled(y, scale):
        return scale * y


    def f(x):
        return scaled(**x)
    """,
)

DEEP_CALLS = Refusal(
    UnsupportedSyntax,
    "Calls that are nested too deeply",
    "calls of `{function}` are nested too deeply",
    "write the recursion as a loop",
    """
    def deeper(g, x):
        return deeper(lambda v: g(v) + 1.0, x) if x > 0.0 else g(x)


    def f(x):
        return deeper(lambda v: v, x)
    """,
)

PARTIAL_OF_UNKNOWN = Refusal(
    UnsupportedSyntax,
    "`functools.partial` of an unknown function",
    "the first argument of functools.partial is not known to be a function",
    "name the function",
    """
    import functools


    def f(x):
        return functools.partial(x, 2.0)()
    """,
)

READS_NAMES = Refusal(
    UnsupportedSyntax,
    "`eval`, `exec`, `locals` and the like",
    "`{function}` is not supported, because the names that it would read are those of the generated code",
    "write out what it computes, or keep named values in a dictionary",
    """
    def f(x):
        return eval('x * x')
    """,
)

NO_RULE = Refusal(
    MissingRule,
    "Functions without a derivative rule",
    "{function} has no derivative rule",
    "state a rule of your own (srcad.extend, srcad.custom_vjp), rewrite it with functions that have a rule, or keep it "
    "out of the gradient with srcad.stop_gradient",
    """
    def f(x):
        return np.nextafter(x, 9.0)[0]
    """,
    "srcad.grad(f)(np.ones(3))",
)

NO_REVERSE_RULE = Refusal(
    MissingRule,
    "Functions without a rule for reverse mode",
    "{function} has no rule for reverse mode",
    "wrap it in a function with a rule of your own (srcad.custom_vjp), rewrite it with functions that have a rule, or "
    "keep it out of the gradient with srcad.stop_gradient",
    unshown="every rule of srcad's own has an adjoint; only a rule that you state with a tangent alone lacks one",
)

NO_FORWARD_RULE = Refusal(
    MissingRule,
    "Functions without a rule for forward mode",
    "{function} has no rule for forward mode",
    "use reverse mode (srcad.grad or srcad.vjp), state a rule for forward mode (srcad.extend.tangent), or rewrite it "
    "with functions that have one",
    unshown="every rule of srcad's own has a tangent; only a rule that you state with an adjoint alone lacks one",
)

NO_RULE_BY_ARGUMENT = Refusal(
    MissingRule,
    "Arguments by which a derivative is not known",
    "{function} has no derivative rule by its argument {argument!r}",
    "pass a constant, or keep the argument out of the gradient with srcad.stop_gradient",
    """
    import scipy.special


    def f(order, x):
        return scipy.special.jv(order, x)
    """,
    "srcad.grad(f)(1.5, 2.0)",
)

NO_COMPLEX_RULE = Refusal(
    MissingRule,
    "Functions whose rule does not cover complex numbers",
    "the derivative rule of {function} does not cover complex numbers",
    "write it with np.real(z) and np.real(-1j * z), such as np.hypot of the two for np.abs(z)",
    """
    import scipy.special


    def f(x):
        return np.real(np.sum(scipy.special.spence(x + 1j)))
    """,
    "srcad.grad(f)(np.ones(2))",
)

ARGUMENT_WITHOUT_RULE = Refusal(
    MissingRule,
    "Arguments that a derivative rule does not cover",
    "the derivative rule of {function} does not cover {argument}",
    "leave it out: the rule covers {covered}",
    """
    def f(x):
        return np.pad(x, 1, mode='linear_ramp', end_values=1.0)[0]
    """,
    "srcad.grad(f)(np.ones(3))",
)
