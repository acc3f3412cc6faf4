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
    "`try` with `finally` that is left early",
    "`try` with `finally` cannot be differentiated if `return`, `break`, `continue` or `raise` leaves it",
    "move the `return`, `break`, `continue` or `raise` after the `try` statement",
    """
    def f(x):
        try:
            return x * x
        finally:
            print('done')
    """,
)

TRY = Refusal(
    UnsupportedSyntax,
    "`try` with `except`",
    "`try` with `except` cannot be differentiated",
    "test with `if` before the operation that may fail, or catch the exception in the caller",
    """
    def f(x):
        try:
            return 1.0 / x
        except ZeroDivisionError:
            return 0.0
    """,
)

GLOBAL = Refusal(
    UnsupportedSyntax,
    "`global`",
    "`global` cannot be differentiated",
    "pass the value as an argument and return the new one",
    """
    def f(x):
        global count
        count += 1
        return x
    """,
)

DEL = Refusal(
    UnsupportedSyntax,
    "`del`",
    "`del` is supported only for one element of a list or dictionary",
    "remove the `del` statement, or build a list or array of the elements that remain",
    """
    def f(x):
        y = x * x
        del x
        return y
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
    "Imports inside the function",
    "an import inside the function is not supported",
    "import it at the top of the file",
    """
    def f(x):
        import math

        return math.sin(x)
    """,
)

OBJECT_PATTERN = Refusal(
    UnsupportedSyntax,
    "Patterns that take objects apart",
    "a pattern that takes an object apart is not supported",
    "match on constants, or test with `if` and `elif`",
    """
    def f(x, p):
        match p:
            case {'rate': r}:
                return r * x
        return x
    """,
    "srcad.grad(f)(2.0, {'rate': 3.0})",
)

SEQUENCE_PATTERN = Refusal(
    UnsupportedSyntax,
    "Patterns that take sequences apart",
    "a pattern that takes apart anything but a tuple or list that is written out after `match` is not supported",
    "match on constants, or test with `if` and `elif`",
    """
    def f(x):
        match x:
            case [a, b]:
                return a * b
        return x[0]
    """,
    "srcad.grad(f)(np.ones(2))",
)

NAMED_PATTERN_WITH_IF = Refusal(
    UnsupportedSyntax,
    "Patterns that bind a name and have an `if`",
    "a pattern that binds a name, tests a value and has an `if` is not supported",
    "write the test as an `if` in the body of the case, or the `match` with `if` and `elif`",
    """
    def f(x, k):
        match (k, x):
            case (1, y) if y > 0.0:
                return y * y
        return x
    """,
    "srcad.grad(f)(2.0, 1)",
)

SET = Refusal(
    UnsupportedSyntax,
    "Sets",
    "a set is supported only after `in`",
    "use an array or a tuple",
    """
    def f(x):
        return x * len({1, 2})
    """,
)

F_STRING = Refusal(
    UnsupportedSyntax,
    "f-strings, except in messages",
    "an f-string is supported only inside `print`, `assert` and `raise`",
    "make the text outside the function",
    """
    def f(x):
        name = f'{x}'
        return x
    """,
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
    "`raise` with `from`",
    "`raise` with `from` is not supported",
    "remove `from` and what follows it",
    """
    def f(x):
        if x < 0.0:
            raise ValueError('negative') from None
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

ELEMENT_AS_LOOP_VARIABLE = Refusal(
    UnsupportedSyntax,
    "Loop variables that are array elements",
    "a loop whose variable is an array element is not supported",
    "use a name as the loop variable and assign it to the element inside the loop",
    """
    def f(x):
        for x[0] in range(3):
            x[1] += x[0]
        return x[1]
    """,
    "srcad.grad(f)(np.ones(2))",
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
    "`with` is supported only with `np.errstate(...)` and without `as`",
    "enter the context in the caller",
    """
    def f(x):
        with open('x.txt'):
            return x * x
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
    "the parameters `*args` and `**kwargs` of the differentiated function itself are not supported",
    "give each parameter a name",
    """
    def f(*args):
        return args[0]
    """,
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

CHECKPOINTED_RANGE = Refusal(
    UnsupportedSyntax,
    "`srcad.checkpointed` of anything but a `range`",
    "the argument of srcad.checkpointed must be a call of `range` that is written out",
    "write `for i in srcad.checkpointed(range(n), snapshots=10):`",
    """
    def f(x):
        steps = range(10)
        for i in srcad.checkpointed(steps):
            x = np.sin(x)
        return x
    """,
)

CHECKPOINTED_ELSE = Refusal(
    UnsupportedSyntax,
    "`else` of a checkpointed loop",
    "`else` of a checkpointed loop is not supported",
    "move the statements of `else` after the loop",
    """
    def f(x):
        for i in srcad.checkpointed(range(10)):
            x = np.sin(x)
        else:
            x = 2.0 * x
        return x
    """,
)

CHECKPOINTED_ELSEWHERE = Refusal(
    UnsupportedSyntax,
    "`srcad.checkpointed` outside the header of a loop",
    "srcad.checkpointed is supported only in the header of a `for` loop",
    "write `for i in srcad.checkpointed(range(n)):`, and compute other indices from `i`",
    """
    def f(x):
        for k, i in enumerate(srcad.checkpointed(range(10))):
            x = np.sin(x)
        return x
    """,
)

CHECKPOINTED_ARGUMENTS = Refusal(
    UnsupportedSyntax,
    "Other arguments of `srcad.checkpointed`",
    "srcad.checkpointed takes a range and `snapshots`",
    "remove the other arguments",
    """
    def f(x):
        for i in srcad.checkpointed(range(10), 3, 4):
            x = np.sin(x)
        return x
    """,
)

CHECKPOINTED_CARRIED_VALUE = Refusal(
    UnsupportedSyntax,
    "Values that a checkpointed loop assigns more than once",
    "`{name}` is assigned in a checkpointed loop in a way that is not supported",
    "assign it once in each iteration, as the last step and outside any `if`",
    unshown="variables that a checkpointed loop carries are assigned once after lowering",
)

CHECKPOINTED_LEFT_EARLY = Refusal(
    UnsupportedSyntax,
    "Checkpointed loops that are left early",
    "a checkpointed loop cannot be left early in reverse mode",
    "let the remaining iterations change nothing, or loop over the plain `range`",
    """
    def f(x):
        for i in srcad.checkpointed(range(10)):
            x = np.sin(x)
            break
        return x
    """,
)

CHECKPOINTED_EFFECTS = Refusal(
    UnsupportedSyntax,
    "Checkpointed loops that print or draw random numbers",
    "a checkpointed loop runs its iterations again in reverse mode, so it must neither print nor draw random numbers",
    "print after the loop; draw random numbers before it",
    """
    def f(x):
        for i in srcad.checkpointed(range(10)):
            x = x + np.random.normal()
        return x
    """,
)

UNBOUNDED_TRACE = Refusal(
    UnsupportedSyntax,
    "`max_trace_bytes` for loops of unknown length",
    "max_trace_bytes cannot be kept: how often this {what} records values is not known before it runs",
    "loop over a `range` without `break`, or remove max_trace_bytes",
    """
    @srcad.function(max_trace_bytes=10_000)
    def f(x):
        while x > 1.0:
            x = np.sin(x) * x
        return x
    """,
)

ND_ITERATOR = Refusal(
    UnsupportedSyntax,
    "`np.ndindex` and `np.ndenumerate` inside other iterators",
    "`{function}` is not supported inside another iterator or with this target",
    "loop over `np.ndindex(x.shape)` alone, with a name for each index, or over `range`",
    """
    def f(x):
        s = 0.0
        for k, (i, j) in enumerate(np.ndindex(x.shape)):
            s += k * x[i, j]
        return s
    """,
    "srcad.grad(f)(np.ones((2, 2)))",
)

ND_AXES = Refusal(
    UnsupportedSyntax,
    "`np.ndindex` without a name for each index",
    "the number of axes that the loop runs over is not known",
    "name as many indices as there are axes: `for i, j in np.ndindex(x.shape)`",
    """
    def f(x):
        s = 0.0
        for place in np.ndindex(x.shape):
            s += x[place] ** 2
        return s
    """,
    "srcad.grad(f)(np.ones((2, 2)))",
)

NDINDEX_CALL = Refusal(
    UnsupportedSyntax,
    "Other calls of `np.ndindex`",
    "this call of np.ndindex is not supported",
    "call it with the shape as one tuple, or with the length of each axis",
    """
    def f(x):
        s = 0.0
        for i, j in np.ndindex(*x.shape, 2):
            s += x[i]
        return s
    """,
    "srcad.grad(f)(np.ones(3))",
)

NDENUMERATE_TARGET = Refusal(
    UnsupportedSyntax,
    "`np.ndenumerate` with another target",
    "a loop over np.ndenumerate needs a name for each index and one for the element",
    "write `for (i, j), v in np.ndenumerate(x)`",
    """
    def f(x):
        s = 0.0
        for item in np.ndenumerate(x):
            s += item[1] ** 2
        return s
    """,
    "srcad.grad(f)(np.ones((2, 2)))",
)

ZIP_OF_STARRED = Refusal(
    UnsupportedSyntax,
    "`zip(*rows)` inside other iterators",
    "`zip` of starred arguments is supported only as `for a, b in zip(*rows)`",
    "name the elements, as in `for a, b in zip(*rows)`, or loop over `range(n)` and use the index",
    """
    def f(x):
        s = 0.0
        for k, (a, b) in enumerate(zip(*x)):
            s += k * a * b
        return s
    """,
    "srcad.grad(f)(np.ones((2, 3)))",
)

RANGE_STEP = Refusal(
    UnsupportedSyntax,
    "`range` with a computed step inside other iterators",
    "a `range` whose step is not a literal is not supported inside `zip`, `enumerate` or `reversed`",
    "loop over the `range` alone, and count with a variable of your own",
    """
    def f(x, step):
        s = 0.0
        for k, i in enumerate(range(0, 3, step)):
            s += k * x[i]
        return s
    """,
    "srcad.grad(f)(np.ones(3), 2)",
)

ITERATOR_CALL = Refusal(
    UnsupportedSyntax,
    "Other calls of `enumerate`, `zip` and `reversed`",
    "this call of `{name}` is not supported",
    "loop over `range(n)` and use the index",
    """
    def f(x):
        s = 0.0
        for v in reversed(x, x):
            s += v
        return s
    """,
    "srcad.grad(f)(np.ones(3))",
)

FILTER_INSIDE_ITERATOR = Refusal(
    UnsupportedSyntax,
    "`filter` inside other iterators",
    "`filter` inside another iterator is evaluated before the loop and would not see what the loop changes",
    "loop over `filter(...)` alone, or over a list of it: `list(filter(...))`",
    """
    def f(x):
        s = 0.0
        for k, v in enumerate(filter(lambda v: v > s, x)):
            s += k * v
        return s
    """,
    "srcad.grad(f)(np.ones(3))",
)

KEPT_ITERATOR = Refusal(
    UnsupportedSyntax,
    "Iterators that are kept",
    "the iterator of `{function}` is supported only in a loop",
    "write it after `in` of a `for`, or make a list of it: `list(map(f, x))`; use indices for the elements of an array",
    """
    def f(x):
        values = iter(x)
        return next(values) * next(values)
    """,
    "srcad.grad(f)(np.ones(3))",
)

GENERATOR_EXPRESSION = Refusal(
    UnsupportedSyntax,
    "Generator expressions that are kept",
    "a generator expression is supported only as the argument of a builtin function",
    "write it as a list, in square brackets",
    """
    def f(x):
        squares = (v * v for v in x)
        return x[0]
    """,
    "srcad.grad(f)(np.ones(3))",
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

WRITE_AHEAD_OF_LOOP = Refusal(
    UnsupportedSyntax,
    "Loops over a list that write to its elements",
    "the loop writes to elements that it reads later",
    "loop over a copy, `for v in list(...)`, or over `range(n)` and use the index",
    """
    def f(x):
        parts, s = {'a': x[0], 'b': x[1]}, 0.0
        for v, w in zip(parts.values(), x):
            parts['b'] = v * w
            s += v
        return s
    """,
    "srcad.grad(f)(np.ones(2))",
)

RESIZED_IN_LOOP = Refusal(
    UnsupportedSyntax,
    "Loops over a list that becomes longer or shorter",
    "a list or dictionary that becomes longer or shorter while a loop runs over it is not supported",
    "loop over a copy of it, `for v in list(values)`, and change the original",
    """
    def f(x):
        values = [x, 2.0 * x]
        for v in values:
            if v < 10.0:
                values.append(v * v)
        return values[0]
    """,
)
