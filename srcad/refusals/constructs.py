"""Refused syntax: statements and expressions that the compiler does not take, whatever the values are."""

from __future__ import annotations

from srcad.errors import EntersTape, UnsupportedSyntax
from srcad.refusals.refusal import Refusal

GENERATOR = Refusal(
    UnsupportedSyntax,
    "Generators",
    "a generator cannot be differentiated",
    "write the values into an array and return it",
    """
    def f(x):
        yield x * x
    """,
)

COROUTINE = Refusal(
    UnsupportedSyntax,
    "Coroutines",
    "a coroutine cannot be differentiated",
    "differentiate an ordinary function and call it from the coroutine",
    """
    async def f(x):
        return x * x
    """,
)

FINALLY_LEFT_EARLY = Refusal(
    UnsupportedSyntax,
    "`finally` that is left early",
    "a `finally` block cannot be differentiated if `return`, `break`, `continue` or `raise` leaves it",
    "move the `return`, `break`, `continue` or `raise` after the `try` statement",
    """
    def f(x):
        try:
            y = x * x
        finally:
            return 2.0 * x
    """,
)

TRY_STAR = Refusal(
    UnsupportedSyntax,
    "`except*`",
    "`except*` cannot be differentiated",
    "use `except`",
    unshown="it is syntax of Python 3.11",
)

UNKNOWN_HANDLER = Refusal(
    UnsupportedSyntax,
    "Computed classes of exceptions",
    "`except` names what is not known to be a class of exceptions while compiling",
    "name the class",
    """
    def f(x, kind):
        try:
            return np.linalg.inv(x)[0, 0]
        except kind:
            return 0.0
    """,
    "srcad.grad(f)(np.ones((2, 2)), ValueError)",
)

WRITTEN_BEFORE_EXCEPTION = Refusal(
    UnsupportedSyntax,
    "Functions that write into an array and then raise",
    "a function has written into an array before it raised the exception that is caught here",
    "check before writing, or write into a copy",
    """
    def halve(x):
        x[0] = 0.5 * x[0]
        if x[0] < 1.0:
            raise ValueError


    def f(x):
        y = x.copy()
        try:
            halve(y)
        except ValueError:
            y[1] = 0.0
        return np.sum(y * y)
    """,
    "srcad.grad(f, jit=False)(np.ones(2))",
)

DEL = Refusal(
    UnsupportedSyntax,
    "`del` of slices and attributes",
    "`del` is supported only for names, and for one element of a list or dictionary",
    "build a list or array of the elements that remain",
    """
    def f(x):
        values = [x, 2.0 * x, 3.0 * x]
        del values[:2]
        return values[0]
    """,
)

CLASS_DEFINITION = Refusal(
    UnsupportedSyntax,
    "Class definitions",
    "a class definition inside the function cannot be differentiated",
    "define the class outside the function",
    """
    def f(x):
        class Point:
            pass

        return x
    """,
)

IMPORT = Refusal(
    UnsupportedSyntax,
    "Imports inside the function that fail",
    "this import fails: {problem}",
    "import what is needed at the top of the file, and leave the import out of the function",
    """
    def f(x):
        import no_such_module

        return no_such_module.sin(x)
    """,
)

OBJECT_PATTERN = Refusal(
    UnsupportedSyntax,
    "Some patterns that take objects apart",
    "a pattern with `**`, or with positional patterns of a class that is not known while compiling, is not supported",
    "name the attributes, as in `case Point(x=a)`, or read what is left over from the subject",
    """
    def f(x, p):
        match p:
            case {'rate': r, **others}:
                return r * x + others['shift']
        return x
    """,
    "srcad.grad(f)(2.0, {'rate': 3.0, 'shift': 1.0})",
)

DECORATED_INNER_FUNCTION = Refusal(
    UnsupportedSyntax,
    "Decorated inner functions",
    "a decorated function inside the function is not supported",
    "define the decorated function outside",
    """
    def f(x):
        @njit
        def square(y):
            return y * y

        return square(x)
    """,
)

RAISE_FROM = Refusal(
    UnsupportedSyntax,
    "`raise` from a call",
    "`raise` from a call is not supported",
    "remove `from` and what follows it",
    """
    def f(x):
        if x < 0.0:
            raise ValueError('negative') from KeyError('x')
        return np.sqrt(x)
    """,
)

PRIVATE_ATTRIBUTE = Refusal(
    UnsupportedSyntax,
    "Private attributes",
    "the private attribute `{name}` of a class is not supported",
    "give it a name that begins with one underscore",
    """
    class Model:
        def __init__(self, rate):
            self.__rate = rate

        def f(self, x):
            return self.__rate * x
    """,
    "srcad.grad(Model(3.0).f)(2.0)",
)

UNKNOWN_SYNTAX = Refusal(
    UnsupportedSyntax,
    "Syntax that srcad does not know",
    "the syntax `{kind}` is not supported",
    "write it with assignments, loops and branches",
    unshown="all syntax of the Python versions that srcad supports is either allowed or has a row of its own",
)

WITH = Refusal(
    UnsupportedSyntax,
    "`with`",
    "`with` is supported only with managers that touch no values: your own, np.errstate, contextlib's, warnings'",
    "enter the context in the caller",
    """
    def f(x):
        with open('x.txt') as file:
            return x * len(file.read())
    """,
)

MANAGER_YIELDS = Refusal(
    UnsupportedSyntax,
    "Context managers with a `yield` in a loop or branch",
    "the generator of a context manager must have one `yield`, outside of loops and branches, and no `return`",
    "enter the context in the caller, or write the manager as a class",
    """
    import contextlib


    @contextlib.contextmanager
    def noted(x):
        if x > 0.0:
            yield 2.0
        else:
            yield 3.0


    def f(x):
        with noted(x) as factor:
            return factor * x
    """,
)

TAPE_INSIDE = Refusal(
    EntersTape,
    "Tapes inside the function",
    "a tape cannot be entered inside a compiled function",
    "enter the tape in the caller, around the call, which it records and differentiates to any order; or call the "
    "function itself, decorated with srcad.function or not: its operations are then recorded one by one",
    """
    def f(x):
        with srcad.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x)
    """,
)

ERRSTATE_RAISES = Refusal(
    UnsupportedSyntax,
    "`np.errstate` that raises",
    "np.errstate cannot be differentiated if it raises or calls a function",
    "use 'ignore' or 'warn', or enter the context in the caller",
    """
    def f(x):
        with np.errstate(divide='raise'):
            return 1.0 / x
    """,
)

STARRED_PARAMETERS = Refusal(
    UnsupportedSyntax,
    "`*args` and `**kwargs` of the differentiated function",
    "the parameters `*args` and `**kwargs` of the differentiated function are not supported here",
    "give each parameter a name, or use srcad.grad, srcad.value_and_grad or srcad.jacobian, called from Python",
    """
    def f(*args):
        return args[0]
    """,
    "srcad.hvp(f)(2.0, 1.0)",
)

WRAPPED_FUNCTION = Refusal(
    UnsupportedSyntax,
    "Decorators whose wrapper takes `*args`",
    "{name} is wrapped by a decorator whose wrapper takes *args or **kwargs",
    "differentiate the function itself, `{name}.__wrapped__`",
    """
    import functools


    def logged(function):
        @functools.wraps(function)
        def wrapper(*args):
            print(args)
            return function(*args)

        return wrapper


    @logged
    def f(x):
        return x * x
    """,
)

CHANGE_IN_CONDITION = Refusal(
    UnsupportedSyntax,
    "Changes inside a condition",
    "changing a list, dictionary or object inside a condition is not supported",
    "change it in a statement before the condition",
    """
    def f(x):
        values = [x, 2.0 * x]
        if x > 0.0 and values.pop() > 1.0:
            return values[0] * x
        return x
    """,
)

DEEP_EXPRESSION = Refusal(
    UnsupportedSyntax,
    "Expressions that are nested too deeply",
    "this expression is nested too deeply to be taken apart",
    "store parts of it in variables, or compute it in a loop",
    unshown="it would have to be nested in itself about sixty times, or have hundreds of operators",
)
