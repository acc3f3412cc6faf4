"""Refusals about records (NumPy's structured arrays), and about what arrays cannot hold."""

from __future__ import annotations

from srcad.errors import UnsupportedSyntax
from srcad.refusals.refusal import Refusal

RECORDS_AS_WHOLE = Refusal(
    UnsupportedSyntax,
    "Records as a whole",
    "records as a whole can only be copied and assigned to records",
    "use their fields",
    """
    def f(p):
        return np.sum(p)
    """,
    "srcad.grad(f)(np.ones(3, dtype=[('x', float)]))",
)

RECORDS_ATTRIBUTE = Refusal(
    UnsupportedSyntax,
    "Attributes of records",
    "the attribute `{name}` of records is not supported",
    "use the fields, or the attribute of a field",
    """
    def f(p):
        return p.itemsize * np.sum(p['x'])
    """,
    "srcad.grad(f)(np.ones(3, dtype=[('x', float)]))",
)

NO_RECORD_FIELD = Refusal(
    UnsupportedSyntax,
    "Unknown fields of records",
    "the records have no field {name!r}",
    "their fields are {known}",
    """
    def f(p):
        return np.sum(p['y'])
    """,
    "srcad.grad(f)(np.ones(3, dtype=[('x', float)]))",
)

RECORD_INDEX_RUNTIME = Refusal(
    UnsupportedSyntax,
    "Computed indices into a single record",
    "a record can be indexed only by the name of a field that is a constant",
    "name the field",
    """
    def f(p, k):
        return p[0][k]
    """,
    "srcad.grad(f)(np.ones(3, dtype=[('x', float)]), np.int64(0))",
)

RECORD_AXES = Refusal(
    UnsupportedSyntax,
    "Too many indices into records",
    "too many indices for records: {count} for {axes} axes",
    "give at most one index for each axis",
    """
    def f(p):
        return p[0, 0]['x']
    """,
    "srcad.grad(f)(np.ones(3, dtype=[('x', float)]))",
)

SEVERAL_FIELDS = Refusal(
    UnsupportedSyntax,
    "Several fields of records at once",
    "several fields at once, or indices from a list, are not supported for records",
    "use one field at a time",
    """
    def f(p):
        return np.sum(p[['x']]['x'])
    """,
    "srcad.grad(f)(np.ones(3, dtype=[('x', float)]))",
)

RECORD_INDEX = Refusal(
    UnsupportedSyntax,
    "Other indices into records",
    "the index `{index}` into records is not supported",
    'index a field of them, `a["x"][...]`',
    """
    def f(p):
        return p[None]['x'][0, 0]
    """,
    "srcad.grad(f)(np.ones(3, dtype=[('x', float)]))",
)

RECORD_VALUE = Refusal(
    UnsupportedSyntax,
    "Other values that are assigned to records",
    "only records of the same fields can be assigned to records",
    "write field by field",
    """
    def f(p):
        p[:] = 2.0
        return np.sum(p['x'])
    """,
    "srcad.grad(f)(np.ones(3, dtype=[('x', float)]))",
)

RECORD_VALUE_COUNT = Refusal(
    UnsupportedSyntax,
    "A wrong number of values for a record",
    "wrong number of values for a record: {count} instead of {fields}",
    "give one value for each field",
    """
    def f(p):
        p[0] = (2.0, 3.0)
        return np.sum(p['x'])
    """,
    "srcad.grad(f)(np.ones(3, dtype=[('x', float)]))",
)

RECORDS_METHOD = Refusal(
    UnsupportedSyntax,
    "Methods of records",
    "the method `{name}` of records is not supported",
    "use the methods of their fields",
    """
    def f(p):
        return p.ravel()['x'][0]
    """,
    "srcad.grad(f)(np.ones(3, dtype=[('x', float)]))",
)

RECORDS_MADE = Refusal(
    UnsupportedSyntax,
    "Other records that the function makes",
    "records with such fields or axes cannot be made in the function",
    "use fields of numbers, and at least one axis",
    """
    kind = np.dtype([('x', 'U3')])


    def f(x):
        p = np.zeros(3, dtype=kind)
        return x * x
    """,
)

RECORDS_GATHERED = Refusal(
    UnsupportedSyntax,
    "Arrays as indices into records that are written to",
    "an array as an index into records that are written to is not supported",
    'index a field of them, `a["x"][indices]`',
    """
    def f(p, indices):
        q = p[indices]
        p['x'][0] = 2.0
        return np.sum(q['x'])
    """,
    "srcad.grad(f)(np.ones(3, dtype=[('x', float)]), np.array([0, 1]))",
)

OBJECT_STORE = Refusal(
    UnsupportedSyntax,
    "Writes to arrays of objects",
    "'{name}' is written into, but is not an array of numbers",
    "use a NumPy array of numbers",
    """
    def f(x):
        y = np.zeros(3, dtype=object)
        y[0] = x[0]
        return x[0] + float(y[0])
    """,
    "srcad.grad(f, jit=False)(np.ones(3))",
)

TUPLE_STORE = Refusal(
    UnsupportedSyntax,
    "Tuples that are stored into an array",
    "storing a tuple into an array cannot be differentiated",
    "store np.array of the tuple",
    unshown="the functions of NumPy that return tuples are taken apart; one with a rule of your own may be stored so",
)
