"""Refusals about arrays that share memory, if one of them is written into."""

from __future__ import annotations

from srcad.errors import MayOverlap, NotDifferentiable, UnsupportedSyntax
from srcad.refusals.refusal import Refusal

ARGUMENTS_OVERLAP = Refusal(
    MayOverlap,
    "Arguments that share memory",
    "two arguments share memory, and one of them is written to",
    "pass a copy of one of them",
    """
    def f(x, y):
        x[0] = 2.0 * y[1]
        return x[0] * y[0]


    a = np.ones(3)
    """,
    "srcad.grad(f, jit=False)(a, a)",
)

RECORDS_OVERLAP = Refusal(
    MayOverlap,
    "Records that share memory with another argument",
    "two arguments share memory, and one of them holds records",
    "pass a copy of one of them",
    """
    def f(p, q):
        return np.sum(p['x'] * q['x'])


    a = np.ones(3, dtype=[('x', float)])
    """,
    "srcad.grad(f)(a, a)",
)

STRUCTURE_TWICE = Refusal(
    MayOverlap,
    "Structures that are passed twice and changed",
    "{function} changes a list, dictionary or object that occurs twice in its arguments",
    "pass a copy in one of the two places",
    """
    def f(p, q):
        p[0] = 2.0 * q[1]
        return p[0] * q[0]


    values = [1.0, 2.0]
    """,
    "srcad.grad(f)(values, values)",
)

CAPTURED_OVERLAP = Refusal(
    MayOverlap,
    "Structures that share memory with captured arrays",
    "the arguments of {function} are lists or records that share memory with arrays that it captures",
    "pass copies",
    """
    a = np.ones(3, dtype=[('x', float)])
    b = a['x']


    def f(p):
        return p['x'][0] * b[0]
    """,
    "srcad.grad(f)(a)",
)

ALTERNATING_VIEW = Refusal(
    MayOverlap,
    "Names of several views, one of which is written into",
    "'{name}' is a view of different arrays on different paths, and their memory is written into",
    "take a copy: append .copy() to the view",
    unshown="the simple cases are refused as arrays that a loop exchanges",
)

EXCHANGED_ARRAYS = Refusal(
    MayOverlap,
    "Arrays that a loop allocates and exchanges",
    "{name} and {source} are one array here, which is written into later{line}",
    "allocate arrays that trade places before the loop, and write into each by its own name, "
    "`if c: u[i] = ...`, `else: v[i] = ...`; or take a copy where the name is assigned: append .copy()",
    """
    def f(x):
        a = x.copy()
        for i in range(3):
            b = a * x
            if x[i] > 0.0:
                a, b = b, a
            b[0] = a[1]
        return a[0]
    """,
    "srcad.grad(f)(np.ones(3))",
)

VIEW_OR_COPY = Refusal(
    MayOverlap,
    "Results that may be a view or a copy",
    "'{name}' may be a view or a copy of {source}, and its memory is written into",
    "take a copy first: append .copy()",
    """
    def f(x):
        y = np.ravel(x)
        y[0] = 2.0 * y[1]
        return y[0] * x[0, 0]
    """,
    "srcad.grad(f)(np.ones((4, 4))[:, ::2])",
)

UNFOLLOWED_VIEW = Refusal(
    MayOverlap,
    "Views that cannot be followed",
    "'{name}' may be a view of memory that is written into, in a way that cannot be followed",
    "take a copy first: append .copy()",
    """
    def f(x):
        y = x * x
        v = np.broadcast_to(y, (2, 3))
        y[0] = 2.0 * y[1]
        return v[0, 0]
    """,
    "srcad.grad(f)(np.ones(3))",
)

HIDDEN_VIEW = Refusal(
    MayOverlap,
    "Results of functions that may be views",
    "the result of {function} is written into, and may be a view of '{source}'",
    "take a copy first: append .copy()",
    """
    def f(x):
        y = np.lib.stride_tricks.sliding_window_view(x, 1)
        y[0] = 2.0
        return x[0] * x[1]
    """,
    "srcad.grad(f)(np.ones(3))",
)

CHECKPOINTED_OVERLAP = Refusal(
    MayOverlap,
    "Arrays of a checkpointed loop that may be the same",
    "{one} and {other} may be one array, which a checkpointed loop writes into",
    "take a copy before the loop: append .copy()",
    """
    def f(u):
        kept = u
        for i in srcad.checkpointed(range(10)):
            if i % 2 == 0:
                kept = u
            u = np.sin(u)
            u[0] *= 2.0
        return np.sum(u * kept)
    """,
    "srcad.grad(f)(np.ones(3))",
)

LIST_ELEMENT_WRITE = Refusal(
    UnsupportedSyntax,
    "Writes to an array that was read from a list",
    "an array that was read from a list is written into",
    "keep one array with one more axis, or write into a copy of the element",
    """
    def f(x):
        values = []
        for i in range(x.size):
            values.append(x[i] * x)
        v = values[0]
        v[0] = 2.0
        return values[1][0] * v[1]
    """,
    "srcad.grad(f)(np.ones(3))",
)

WRITE_AFTER_APPEND = Refusal(
    NotDifferentiable,
    "Writes to an array that was appended to a list",
    "this writes into an array that was appended to a list before",
    "append a copy: `values.append(v.copy())`",
    """
    def f(x):
        values = []
        v = x.copy()
        for i in range(x.size):
            values.append(v)
            v[0] = 2.0 * v[1]
        return values[0][0]
    """,
    "srcad.grad(f)(np.ones(3))",
)
