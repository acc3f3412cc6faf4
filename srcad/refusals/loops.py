"""Refused loops and iterators."""

from __future__ import annotations

from srcad.errors import UnsupportedSyntax
from srcad.refusals.refusal import Refusal

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

CHECKPOINTED_RANGE = Refusal(
    UnsupportedSyntax,
    "`srcad.checkpointed` of anything but a `range`",
    "the argument of srcad.checkpointed in a `for` loop must be a call of `range` that is written out",
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
    "srcad.checkpointed is supported only in the header of a `for` loop, or as the whole test of a `while` loop",
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
    "srcad.checkpointed takes a range or a test, `snapshots`, and `on_disk` by name",
    "remove the other arguments",
    """
    def f(x):
        for i in srcad.checkpointed(range(10), 3, 4):
            x = np.sin(x)
        return x
    """,
)

CHECKPOINTED_ON_DISK = Refusal(
    UnsupportedSyntax,
    "Another number of snapshots on disk than a literal",
    "`on_disk` is not a whole number that is written out",
    "write a number, such as on_disk=20; `snapshots`, of which they are a part, may be any expression",
    """
    def f(x):
        n = 2
        for i in srcad.checkpointed(range(10), 3, on_disk=n):
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

REVERSIBLE_SINGLE = Refusal(
    UnsupportedSyntax,
    "Several reversible steps in one loop",
    "a loop with several reversible steps, or with one and an `else`, is not supported",
    "make one step of them, with one inverse; move the statements of `else` after the loop",
    """
    def back(x):
        return x - 0.1


    @srcad.reversible(back)
    def forth(x):
        return x + 0.1


    def f(x):
        for i in range(10):
            x = forth(x)
            x = forth(x)
        return x * x
    """,
)

REVERSIBLE_UNRECOVERED = Refusal(
    UnsupportedSyntax,
    "Loops over a reversible step that change more than its state",
    "this loop over a reversible step needs `{name}` as it was in each iteration, which the inverse does not recover",
    "let the step change it and its inverse recover it, compute it from the loop variable, or only sum it up; or loop "
    "over `srcad.checkpointed(range(n))`",
    """
    def back(x, k):
        return x - 0.1 * k


    @srcad.reversible(back)
    def forth(x, k):
        return x + 0.1 * k


    def f(x):
        y = x
        for i in range(10):
            x = forth(x, 2.0)
            y = y * x
        return y
    """,
)

UNBOUNDED_TRACE = Refusal(
    UnsupportedSyntax,
    "`max_trace_bytes` for calls that record",
    "max_trace_bytes cannot be kept: how often this {what} records values is not known before it runs",
    "write the recursion as a loop, or remove max_trace_bytes",
    """
    def power(x, n):
        return x if n < 1 else np.sin(power(x, n - 1)) * x


    @srcad.function(max_trace_bytes=10_000)
    def f(x):
        return power(x, 5)
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
    "srcad.grad(f)(np.ones(3), np.int64(2))",
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
    "write it after `in` of a `for`, or make a list of it, `list(map(f, x))`; `iter` of an array or a list can be kept",
    """
    def f(x):
        values = map(np.sin, x)
        return sum(values)
    """,
    "srcad.grad(f)(np.ones(3))",
)

KEPT_GENERATOR = Refusal(
    UnsupportedSyntax,
    "Generators that are kept",
    "a generator is supported only where a loop runs over it, or list, tuple, sum, max, min, sorted or dict takes it",
    "write the call after `in` of a `for`, or make a list of it, `list(values(x))`, with the function named; return a "
    "list from a method of an object whose class is not known there",
    """
    def values(x):
        yield x
        yield x * x


    def f(x):
        generator = values(x)
        return next(generator) * next(generator)
    """,
)

USED_YIELD = Refusal(
    UnsupportedSyntax,
    "`yield` that receives a value",
    "a `yield` whose value is used cannot be differentiated",
    "pass the value as an argument of the generator",
    """
    def values(x):
        step = yield x
        yield x * step


    def f(x):
        return sum(values(x))
    """,
)

MANY_YIELDS = Refusal(
    UnsupportedSyntax,
    "Loops over generators with many `yield`",
    "a loop over a generator with more than {count} `yield` is not supported, because its body is repeated for each",
    "make a list of it: `for v in list(values(x))`",
    """
    def values(x):
        yield x; yield x; yield x; yield x; yield x; yield x; yield x; yield x; yield x


    def f(x):
        s = 0.0
        for v in values(x):
            s += v
        return s
    """,
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
