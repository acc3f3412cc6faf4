"""Refused calls: forms of NumPy's and Python's own functions, methods and attributes that are not supported."""

from __future__ import annotations

from srcad.errors import AssignsVariable, MissingRule, NotDifferentiable, UnsupportedSyntax
from srcad.refusals.refusal import Refusal

ATTRIBUTE = Refusal(
    UnsupportedSyntax,
    "Other attributes of arrays",
    "the attribute `{name}` cannot be differentiated",
    "of arrays, {known} and many methods can be used",
    """
    def f(x):
        return x.strides[0] * x[0]
    """,
    "srcad.grad(f)(np.ones(3))",
)

FLAT = Refusal(
    UnsupportedSyntax,
    "`x.flat` outside of loops",
    "`x.flat` is supported only in `for v in x.flat` and where an element is read",
    "use `y = x.reshape(-1)`, which can be read and written",
    """
    def f(x):
        y = x.flat
        return y[0]
    """,
    "srcad.grad(f)(np.ones((2, 2)))",
)

METHOD = Refusal(
    UnsupportedSyntax,
    "Other methods of arrays",
    "the method `{name}` cannot be differentiated",
    "use a function of NumPy, or write it with indices",
    """
    def f(x):
        return x.byteswap()[0]
    """,
    "srcad.grad(f)(np.ones(3))",
)

VARIABLE_ASSIGNED = Refusal(
    AssignsVariable,
    "Assignments to a variable",
    "`{method}` changes a variable, which a compiled function cannot do: variables are arrays there",
    "assign in the caller, or call the function itself, decorated with srcad.function: it then runs as Python",
    """
    def f(x):
        x.assign_add(1.0)
        return x * x
    """,
)

ATTRIBUTE_ASSIGNED = Refusal(
    UnsupportedSyntax,
    "Assignments to attributes of arrays",
    "writing to the attribute `{name}` is not supported",
    "assign to a variable, and return the value that you want to keep",
    """
    def f(x):
        x.shape = (4,)
        return x[0]
    """,
    "srcad.grad(f)(np.ones((2, 2)))",
)

TEXT_METHOD = Refusal(
    UnsupportedSyntax,
    "Methods of strings",
    "the method `{name}` of a string is not supported",
    "compare it with `==`",
    """
    def f(x):
        return x * len('a-b'.casefold())
    """,
)

REDUCE = Refusal(
    UnsupportedSyntax,
    "`functools.reduce` of nothing",
    "functools.reduce of no elements, or of a set or dictionary of unknown form, is not supported",
    "give it an initial value",
    """
    import functools


    def f(x):
        return functools.reduce(lambda a, b: a * b, []) * x
    """,
)

TOO_FEW_VALUES = Refusal(
    UnsupportedSyntax,
    "Starred assignments of too few values",
    "{values} values are too few for {targets} targets and a list",
    "assign at least as many values as there are targets without a star",
    """
    def f(x):
        a, b, *rest = (x,)
        return a * b
    """,
)

STRICT_ZIP = Refusal(
    UnsupportedSyntax,
    "`zip(..., strict=True)` of different lengths",
    "`zip` with `strict=True` needs arguments of the same length",
    "pass as many elements in each argument",
    """
    def f(x):
        pairs = list(zip([x, x], [x], strict=True))
        return pairs[0][0]
    """,
)

COPY_OF_ONE_ARRAY = Refusal(
    UnsupportedSyntax,
    "`copy.deepcopy` of what may hold one array twice",
    "copy.deepcopy of a structure that may hold one array or number at two places is not supported",
    "copy the parts one by one",
    """
    import copy


    def f(x):
        both = copy.deepcopy([x, x])
        both[0][0] = 1.0
        return np.sum(both[1])
    """,
    "srcad.grad(f)(np.ones(2))",
)

KEY_FUNCTION = Refusal(
    UnsupportedSyntax,
    "Other calls of `sorted`, `max` and `min` with a key",
    "this call of `{function}` is not supported",
    "give it the values, `key` and, for `sorted`, `reverse`",
    """
    def f(x):
        return max(x, -x, key=abs, default=0.0)
    """,
)

EXTREME_OF_NOTHING = Refusal(
    UnsupportedSyntax,
    "`max` and `min` of nothing",
    "`{function}` of an empty list or tuple is not supported",
    "check that there is an element",
    """
    def f(x):
        return x * max([])
    """,
)

ISINSTANCE = Refusal(
    UnsupportedSyntax,
    "`isinstance` with a computed class",
    "the second argument of `isinstance` is not known to be a class",
    "name the class",
    """
    def f(p, kind):
        return p['rate'] if isinstance(p, kind) else 0.0
    """,
    "srcad.grad(f)({'rate': 2.0}, 1.0)",
)

GRID_DIRECTIVE = Refusal(
    UnsupportedSyntax,
    "`np.r_` with a text",
    "`{name}` with a text that says how to join arrays cannot be differentiated",
    "use np.concatenate or np.stack, with `axis`",
    """
    def f(x):
        return np.sum(np.r_['0,2', x, x])
    """,
    "srcad.grad(f)(np.ones(4))",
)

GRID_WITHOUT_END = Refusal(
    UnsupportedSyntax,
    "Grids without an end",
    "a grid has to have slices with an end, such as `0:n` or `0.0:1.0:5j`",
    "give each of the slices its end",
    """
    def f(x):
        return np.sum(x * np.mgrid[0:])
    """,
    "srcad.grad(f)(np.ones(4))",
)

ARRAY_SPLIT = Refusal(
    UnsupportedSyntax,
    "Other ways to split an array",
    "this way to split an array is not supported",
    "pass the array, the places to cut, and a constant axis",
    """
    def f(x, axis):
        a, b = np.split(x, 2, axis=axis)
        return a[0] * b[0]
    """,
    "srcad.grad(f)(np.ones(4), np.int64(0))",
)

ARRAY_SPLIT_COUNT = Refusal(
    UnsupportedSyntax,
    "Arrays that are split into a computed number of pieces",
    "an array is split into a number of pieces that is known only at run time",
    "give the number as a constant or the places as a list, or take slices in a loop",
    """
    def f(x, n):
        return np.split(x, n)[0][0]
    """,
    "srcad.grad(f)(np.ones(4), np.int64(2))",
)

EINSUM_LISTS = Refusal(
    UnsupportedSyntax,
    "`np.einsum` with lists of computed axes",
    "np.einsum with lists of axes that are not known while compiling is not supported",
    "write the axes as numbers from 0 to 51, or give the subscripts as a string: np.einsum('ij,j->i', a, b)",
    """
    def f(x, k):
        return np.einsum(x, [k], x, [k])
    """,
    "srcad.grad(f)(np.ones(3), np.int64(0))",
)

NO_COPY = Refusal(
    UnsupportedSyntax,
    "`copy=False`",
    "`copy=False` of np.{function} is not supported",
    "write the result into the array: `x[...] = ...`",
    """
    def f(x):
        return np.nan_to_num(x, copy=False)[0]
    """,
    "srcad.grad(f)(np.ones(3))",
)

PIECEWISE_CALL = Refusal(
    UnsupportedSyntax,
    "Other calls of `np.piecewise`",
    "this call of np.piecewise is not supported",
    "pass the array, the conditions and the functions, by position",
    """
    def f(x):
        return np.piecewise(x, condlist=[x > 0.0], funclist=[np.sin])[0]
    """,
    "srcad.grad(f)(np.ones(3))",
)

PIECEWISE_LISTS = Refusal(
    UnsupportedSyntax,
    "`np.piecewise` without lists",
    "np.piecewise needs lists of conditions and of functions",
    "write the lists out",
    """
    def f(x):
        return np.piecewise(x, x > 0.0, [np.sin])[0]
    """,
    "srcad.grad(f)(np.ones(3))",
)

PIECEWISE_COUNT = Refusal(
    UnsupportedSyntax,
    "`np.piecewise` with a wrong number of functions",
    "the number of functions for np.piecewise ({functions}) does not fit the number of conditions ({conditions})",
    "pass one function for each condition, and optionally one for all other elements",
    """
    def f(x):
        return np.piecewise(x, [x > 1.0, x < 0.0], [np.sin])[0]
    """,
    "srcad.grad(f)(np.ones(3))",
)

ENUM_MEMBER = Refusal(
    UnsupportedSyntax,
    "Members of an enumeration that are neither numbers nor strings",
    "the value of {member} is neither a number nor a string",
    "use a dictionary whose keys are the members",
    """
    import enum


    class Kind(enum.Enum):
        LARGE = [1.0]


    def f(x):
        kind = Kind.LARGE
        return kind.value[0] * x
    """,
)

GROUPS_AT_RUN_TIME = Refusal(
    UnsupportedSyntax,
    "`itertools.groupby` with keys that are known only at run time",
    "itertools.groupby gets keys that are known only at run time",
    "loop over the elements and compare each key with the one before",
    """
    import itertools

    def f(x, y):
        values = [x, y, x * y]
        return sum(max(group) for _, group in itertools.groupby(values, key=lambda v: v > 1.0))
    """,
    "srcad.grad(f)(2.0, 0.5)",
)

ENUM_VALUE = Refusal(
    UnsupportedSyntax,
    "Members of an enumeration by a value that is known only at run time",
    "`{kind}` is called with a value that none of its members is known to have",
    "write the member itself, or compare its value with numbers",
    """
    import enum


    class Kind(enum.Enum):
        LINEAR = 1
        SQUARE = 2


    def f(x, k):
        kind = Kind(k)
        return x if kind is Kind.LINEAR else x * x
    """,
    "srcad.grad(f)(2.0, 1.0)",
)

POLY1D = Refusal(
    UnsupportedSyntax,
    "`np.poly1d`",
    "np.poly1d is not supported",
    "keep the coefficients in an array, and use np.polyval",
    """
    def f(x):
        return np.poly1d([1.0, 2.0])(x)
    """,
)

PAD_VALUES = Refusal(
    UnsupportedSyntax,
    "`np.pad` with several computed values",
    "np.pad with several computed values of `constant_values` is not supported",
    "give one value, or put the array together with np.concatenate",
    """
    def f(x):
        return np.sum(np.pad(x, 1, constant_values=(x[0], 2.0)))
    """,
    "srcad.grad(f)(np.ones(3))",
)

PAD_MODE = Refusal(
    NotDifferentiable,
    "Other modes of `np.pad`",
    "np.pad with mode {mode!r} cannot be differentiated",
    "use one of {modes}",
    """
    def f(x):
        return np.sum(np.pad(x, 1, mode='empty'))
    """,
    "srcad.grad(f)(np.ones(3))",
)

ITERTOOLS = Refusal(
    UnsupportedSyntax,
    "Other iterators of `itertools`",
    "itertools.{function} is not supported",
    "write the loop, or use a list",
    """
    import itertools

    def f(x):
        return sum(itertools.islice(itertools.cycle([x, x * x]), 3))
    """,
)

REPEAT_WITHOUT_END = Refusal(
    UnsupportedSyntax,
    "`itertools.repeat` without an end",
    "itertools.repeat without an end is not supported",
    "pass the number of repetitions",
    """
    import itertools


    def f(x):
        return sum([a * b for a, b in zip([x, x], itertools.repeat(x))])
    """,
)

ITERTOOLS_OF_ARRAY = Refusal(
    UnsupportedSyntax,
    "Iterators of `itertools` over an array",
    "itertools.{function} of an array, or of a range whose length is known only at run time, is not supported here",
    "loop over `range(n)` and use the index",
    """
    import itertools


    def f(x):
        pairs = list(itertools.permutations(x, 2))
        return pairs[0][0]
    """,
    "srcad.grad(f)(np.ones(100))",
)

COPYTO = Refusal(
    UnsupportedSyntax,
    "Other calls of `np.copyto`",
    "this call of np.copyto is not supported",
    "pass the array, the values and optionally `where=`",
    """
    def f(x):
        y = np.zeros(3)
        np.copyto(y)
        return y[0] * x[0]
    """,
    "srcad.grad(f)(np.ones(3))",
)

WHERE_WITHOUT_OUT = Refusal(
    UnsupportedSyntax,
    "`where=` without `out=`",
    "`where=` without `out=` leaves elements undefined, and cannot be differentiated",
    "pass an array as `out=` that has a value for these elements, or use np.where",
    """
    def f(x):
        return np.sum(np.sin(x, where=x > 0.0))
    """,
    "srcad.grad(f)(np.ones(3))",
)

SEVERAL_OUTPUTS = Refusal(
    UnsupportedSyntax,
    "Several arrays for `out=`",
    "several arrays for `out=` are not supported",
    "assign the results: `a[...], b[...] = ...`",
    """
    def f(x, a, b):
        np.modf(x, out=(a, b))
        return np.sum(a)
    """,
    "srcad.grad(f)(np.ones(3), np.ones(3), np.ones(3))",
)

INTEGER_OUTPUT = Refusal(
    NotDifferentiable,
    "Integer arrays for `out=`",
    "`out=` is an array of {dtype}, which cannot hold results of type {kind}",
    "pass an array of floats, or write `a[...] = ...` if the fractions may be cut off",
    """
    def f(x, a):
        np.multiply(x, x, out=a, casting='unsafe')
        return x[0] * a[0]
    """,
    "srcad.grad(f)(np.ones(3), np.ones(3, dtype=int))",
)

VECTORIZE_OF_UNKNOWN = Refusal(
    UnsupportedSyntax,
    "`np.vectorize` of an unknown function",
    "the argument of np.vectorize is not known to be a function",
    "name the function",
    """
    def f(x):
        return np.vectorize(x)(x)[0]
    """,
    "srcad.grad(f)(np.ones(3))",
)

VECTORIZE_OPTIONS = Refusal(
    UnsupportedSyntax,
    "`np.vectorize` with `excluded` or `signature`",
    "np.vectorize with `excluded` or `signature` is not supported",
    "write the loop, or fix the arguments that stay the same in a lambda",
    """
    def f(x):
        return np.vectorize(lambda a, b: a * b, excluded=[1])(x, 2.0)[0]
    """,
    "srcad.grad(f)(np.ones(3))",
)

VECTORIZED_CALL = Refusal(
    UnsupportedSyntax,
    "Other calls of vectorized functions",
    "this call of a vectorized function is not supported",
    "pass the arguments one by one, by position",
    """
    def f(x):
        return np.vectorize(lambda a: a * a)(a=x)[0]
    """,
    "srcad.grad(f)(np.ones(3))",
)

KEYWORD_WITHOUT_RULE = Refusal(
    MissingRule,
    "Keywords of library functions that no rule covers",
    "{name} with `{keyword}` has no derivative here",
    "{way}",
    """
    def f(x):
        return np.quantile(x, 0.5, weights=x, method="inverted_cdf")
    """,
    "srcad.grad(f)(np.ones(3))",
)

FORM_WITHOUT_RULE = Refusal(
    MissingRule,
    "Forms of NumPy's functions that a derivative rule does not cover",
    "{what}",
    "{way}",
    """
    def f(x):
        return np.sum(np.kron(x, x))
    """,
    "srcad.grad(f)(np.ones((2, 2, 2)))",
)
