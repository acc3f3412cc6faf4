"""Refusals about lists that are long, or whose length is known only at run time."""

from __future__ import annotations

from srcad.errors import UnsupportedSyntax
from srcad.refusals.refusal import Refusal

LONG_LIST_USE = Refusal(
    UnsupportedSyntax,
    "Other uses of lists of unknown length",
    "a list {which} can only be indexed, looped over or passed to NumPy",
    "use np.array of it",
    """
    def f(x):
        values = []
        for i in range(x.size):
            values.append(x[i] ** 2)
        return x[0] if values < [1.0] else x[1]
    """,
    "srcad.grad(f)(np.ones(100))",
)

LONG_LISTS_EQUAL = Refusal(
    UnsupportedSyntax,
    "`==` of lists of unknown length",
    "`==` of lists whose length is known only at run time is not supported",
    "compare the elements",
    """
    def f(x):
        values = []
        for i in range(x.size):
            values.append(x[i])
        return x[0] if values == [1.0, 2.0] else x[1]
    """,
    "srcad.grad(f)(np.ones(100))",
)

LIST_SORT = Refusal(
    UnsupportedSyntax,
    "Other ways to sort a list",
    "this way to sort a list is not supported",
    "sort np.array of it, with np.sort",
    unshown="the method `sort` of lists is refused as other methods are",
)

LONG_LIST_SLICE_WRITE = Refusal(
    UnsupportedSyntax,
    "Writes to a slice of a list of unknown length",
    "writing to a slice of a list whose length is known only at run time is not supported",
    "write to the elements one by one",
    """
    def f(x):
        values = []
        for i in range(x.size):
            values.append(x[i])
        values[:2] = [1.0, 2.0]
        return values[2]
    """,
    "srcad.grad(f)(np.ones(100))",
)

MIXED_LIST = Refusal(
    UnsupportedSyntax,
    "Lists of unknown length with elements of several forms",
    "a list whose length is known only at run time must hold numbers, arrays, or tuples of these, all of one form",
    "append numbers or arrays of one shape; append several values as a tuple, or keep a list for each",
    """
    def f(x):
        values = []
        for i in range(x.size):
            values.append({'value': x[i]})
        return values[0]['value']
    """,
    "srcad.grad(f)(np.ones(100))",
)

LONG_LIST_SLICE = Refusal(
    UnsupportedSyntax,
    "Slices of lists of unknown length",
    "a slice of a list that grows in a loop, or of a long one, is not supported here",
    "take the slice of np.array of it",
    """
    def f(values):
        part = values[::2]
        return part[1]['a']
    """,
    "srcad.grad(f)([{'a': 2.0} for k in range(100)])",
)

TUPLES_AS_ARRAY = Refusal(
    UnsupportedSyntax,
    "Lists of tuples as arguments",
    "a list of tuples whose length is known only at run time cannot be passed to a function",
    "loop over it, or keep a list for each of the values",
    """
    def f(x):
        values = []
        for i in range(x.size):
            values.append((x[i], 1.0))
        return np.sum(np.array(values))
    """,
    "srcad.grad(f)(np.ones(100))",
)

LONG_LIST_WRITE = Refusal(
    UnsupportedSyntax,
    "Writes to long lists",
    "assigning an element of a list of more than 64 elements is supported only in lists of floats",
    "write into its arrays, `values[i][...] = `, or make it a tuple of arrays",
    """
    def f(values):
        values[0] = 2.0 * values[1]
        return np.sum(values[0])
    """,
    "srcad.grad(f)([np.ones(2) for _ in range(100)])",
)

UNEVEN_LIST = Refusal(
    UnsupportedSyntax,
    "Long lists of arrays of several shapes as arguments",
    "the elements of a list of more than 64 are passed to a function, but are not of one shape",
    "loop over them",
    """
    def f(values):
        return np.sum(np.concatenate(values))
    """,
    "srcad.grad(f)([np.ones(1 + k % 2) for k in range(100)])",
)

LIST_ELEMENT_TYPE = Refusal(
    UnsupportedSyntax,
    "Lists of unknown length that hold anything but numbers and arrays",
    "a list of elements of type {kind} whose length is known only at run time is not supported",
    "keep numbers in it, or arrays of one shape",
    """
    def f(x):
        names = []
        for i in range(x.size):
            names.append('a' if x[i] > 0.5 else 'b')
        return x[0] * len(names)
    """,
    "srcad.grad(f)(np.ones(3))",
)

REPEATED_ARRAY = Refusal(
    UnsupportedSyntax,
    "Lists of one array, several times",
    "a list that holds one array several times is not supported, because its elements are all the same array",
    "append copies of it in a loop, or use np.tile",
    """
    def f(x, n):
        values = [x] * n
        return values[0][0]
    """,
    "srcad.grad(f)(np.ones(3), 2)",
)
