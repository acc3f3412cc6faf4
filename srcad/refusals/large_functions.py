"""Refusals about functions that stay functions in generated code: those that call themselves, and large ones."""

from __future__ import annotations

from srcad.errors import MayOverlap, UnsupportedSyntax
from srcad.refusals.refusal import Refusal

REBOUND_NAME = Refusal(
    UnsupportedSyntax,
    "Assignments to variables of the enclosing function",
    "`{name}` belongs to the function around `{function}`, which calls itself or is large, and is assigned in it",
    "pass the value as an argument and return the new one",
    """
    def f(x):
        total = 0.0

        def add(y, n):
            nonlocal total
            total = total + y
            if n > 0:
                add(y * y, n - 1)

        add(x, 3)
        return total
    """,
)

OTHER_FORM = Refusal(
    UnsupportedSyntax,
    "Recursive calls with lists of another length",
    "`{function}` calls itself with lists, tuples or objects of another form",
    "pass arrays, or lists, tuples and objects of the same form in each call, or of fewer parts, as a tree's branches",
    """
    def longer(values, n):
        return sum(values) if n < 1 else longer([*values, values[0]], n - 1)


    def f(x, n):
        return longer([x, x * x], n)
    """,
    "srcad.grad(f)(2.0, np.int64(3))",
)

DIFFERENT_LENGTHS = Refusal(
    UnsupportedSyntax,
    "Recursive functions that return tuples of different lengths",
    "a function that calls itself, or is large, returns tuples of different lengths, or a tuple and another value",
    "return tuples of the same length everywhere",
    unshown="the simple cases are refused as variables whose form depends on the path",
)

STRUCTURE_RESULT = Refusal(
    UnsupportedSyntax,
    "Recursive functions that return lists, dictionaries or objects",
    "a function that calls itself, or is large, returns a `{type}`",
    "return a tuple of numbers and arrays",
    """
    def g(y, n):
        if n > 0:
            y = g(y, n - 1)[0] * y
        return [y, y]


    def f(x):
        return g(x, 2)[1]
    """,
)

UNCLEAR_STRUCTURE_ARGUMENT = Refusal(
    UnsupportedSyntax,
    "Arguments of recursive functions whose form depends on the path",
    "a structure that is {forms} is passed to a function that calls itself or is large",
    "let it have the same form on all paths",
    unshown="the simple cases are refused as variables whose form depends on the path",
)

GROWING_LIST_ARGUMENT = Refusal(
    UnsupportedSyntax,
    "Lists that grow in a loop as arguments of recursive functions",
    "a list that grows in a loop is passed to a function that calls itself or is large",
    "pass np.array of it",
    """
    def g(values, n):
        return values[0] if n == 0 else g(values, n - 1)


    def f(x):
        values = []
        for i in range(x.size):
            values.append(x[i])
        return g(values, 2)
    """,
    "srcad.grad(f)(np.ones(100))",
)

RECORDS_ARGUMENT = Refusal(
    UnsupportedSyntax,
    "Records as arguments of recursive functions",
    "records are passed to a function that calls itself or is large",
    "pass the fields",
    """
    def g(p, n):
        return np.sum(p['x']) if n == 0 else g(p, n - 1)


    def f(p):
        return g(p, 2)
    """,
    "srcad.grad(f)(np.ones(3, dtype=[('x', float)]))",
)

OTHER_ARGUMENT = Refusal(
    UnsupportedSyntax,
    "Other arguments of recursive functions",
    "an argument of `{function}`, which calls itself or is large, is neither a number nor an array",
    "pass numbers, arrays, or tuples of them",
    unshown="None and strings that are known while compiling are inserted into the function",
)

NAMED_TUPLE_RESULT = Refusal(
    UnsupportedSyntax,
    "Recursive functions that return a tuple that has a name",
    "`{function}`, which calls itself or is large, returns arrays in a tuple that has a name",
    "return the arrays one by one, as in `return a, b`",
    unshown="tuples that the function builds are written out in its `return` before this is checked",
)

TUPLE_ARGUMENT = Refusal(
    UnsupportedSyntax,
    "Tuples of differentiated values as arguments of recursive functions",
    "`{function}`, which calls itself or is large, is given a tuple of differentiated values",
    "pass its elements one by one",
    unshown="tuples that the function builds are passed element by element",
)

NOT_COMPILED = Refusal(
    UnsupportedSyntax,
    "Recursive functions in which a variable changes its type",
    "`{function}` calls itself, or is large, and its variables have no types: {reason}",
    "give each variable one type, or write it as a loop",
    """
    def g(y, n):
        z = np.outer(y, y) if n > 1 else y
        return np.sum(z) if n == 0 else np.sum(z) * g(y * y, n - 1)


    def f(x):
        return g(x, 2)
    """,
    "srcad.grad(f)(np.ones(3))",
)

VIEW_RESULT = Refusal(
    MayOverlap,
    "Recursive functions that return a view",
    "`{function}`, which calls itself or is large, returns a view of an array that is written into",
    "return a copy: append .copy()",
    """
    def g(y, n):
        return y[1:] if n == 0 else g(y, n - 1)


    def f(x):
        y = x * x
        v = g(y, 2)
        v[0] = 2.0
        return y[1] * v[1]
    """,
    "srcad.grad(f)(np.ones(3))",
)
