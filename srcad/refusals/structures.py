"""Refusals about lists, tuples, dictionaries, objects and records (NumPy's structured arrays)."""

from __future__ import annotations

from srcad.errors import UnsupportedSyntax
from srcad.refusals.refusal import Refusal

STRUCTURE_IN_RAISE = Refusal(
    UnsupportedSyntax,
    "Lists and objects in what is raised",
    "{what} in what is raised is supported only in an f-string",
    "write it into an f-string",
    """
    def f(x):
        if x > 3.0:
            raise ValueError([x], x)
        return x * x
    """,
)

STRUCTURE_IN_MESSAGE = Refusal(
    UnsupportedSyntax,
    "Objects in messages",
    "{what} in what is printed or raised is not supported",
    "write the values in it one by one",
    """
    class Point:
        def __init__(self, x):
            self.x = x


    def f(x):
        if x > 1.0:
            raise ValueError(f'at {Point(x)}')
        return x * x
    """,
)

CUSTOM_CONSTRUCTION = Refusal(
    UnsupportedSyntax,
    "Classes that define how objects are made",
    "the class `{type}` defines `__new__` or `__setattr__`, which is not supported",
    "use a dataclass",
    """
    class Point:
        def __new__(cls, x):
            return super().__new__(cls)


    def f(x):
        return x * x if Point(x) else x
    """,
)

NO_CONSTRUCTOR_ARGUMENTS = Refusal(
    UnsupportedSyntax,
    "Arguments for a class that takes none",
    "`{type}` takes no arguments",
    "check the definition of the class",
    """
    class Point:
        pass


    def f(x):
        p = Point(x)
        return x
    """,
)

TOO_MANY_FIELDS = Refusal(
    UnsupportedSyntax,
    "Too many values for a dataclass",
    "`{type}` is given too many values: {given} instead of {count}",
    "remove some of the values",
    """
    from dataclasses import dataclass


    @dataclass
    class Point:
        x: float


    def f(x):
        return Point(x, x).x
    """,
)

NO_SUCH_FIELD = Refusal(
    UnsupportedSyntax,
    "Unknown fields of a dataclass",
    "`{type}` has no field `{name}` that is still to be given",
    "give each field one value",
    """
    from dataclasses import dataclass


    @dataclass
    class Point:
        x: float


    def f(x):
        return Point(y=x).x
    """,
)

MISSING_FIELD = Refusal(
    UnsupportedSyntax,
    "Missing fields of a dataclass",
    "the field `{name}` is not given",
    "give each field one value",
    """
    from dataclasses import dataclass


    @dataclass
    class Point:
        x: float
        y: float


    def f(x):
        return Point(x).x
    """,
)

DEFAULT_FACTORY = Refusal(
    UnsupportedSyntax,
    "Dataclass fields whose default is computed",
    "the default of `{name}` is made by a function, which is not supported",
    "pass the value itself",
    """
    from dataclasses import dataclass, field


    @dataclass
    class Point:
        x: float = field(default_factory=lambda: 1.0)


    def f(x):
        return Point().x * x
    """,
)

DEFAULT_TYPE = Refusal(
    UnsupportedSyntax,
    "Dataclass fields whose default is an object",
    "the default of `{name}` is of type {type}, which is not supported",
    "pass the value itself",
    """
    from dataclasses import dataclass


    @dataclass
    class Point:
        x: float
        weights: object = frozenset([1.0])


    def f(x):
        return Point(x).x
    """,
)

UPDATE_FROM_UNKNOWN = Refusal(
    UnsupportedSyntax,
    "Dictionaries from an array",
    "a dictionary cannot be made from a value whose keys are not known",
    "write the keys and values one by one",
    """
    def f(x):
        values = dict(x)
        return x[0, 0]
    """,
    "srcad.grad(f)(np.ones((2, 2)))",
)

UNPACKED_MAPPING = Refusal(
    UnsupportedSyntax,
    "`**` of anything but a dictionary",
    "`**` in a dictionary needs a dictionary whose keys are known",
    "write the keys one by one",
    """
    def f(x):
        values = {**x, 'b': 1.0}
        return values['b'] * x
    """,
)

EXTENDED_BY_ARRAY = Refusal(
    UnsupportedSyntax,
    "Lists that are extended by an array",
    "extending a list by an array is not supported",
    "append the elements one by one",
    """
    def f(x):
        values = [{'a': x[0]}]
        values.extend(x)
        return values[0]['a']
    """,
    "srcad.grad(f)(np.ones(3))",
)

NO_SUCH_KEY = Refusal(
    UnsupportedSyntax,
    "Keys that a dictionary does not have",
    "the dictionary has no key {key!r}",
    "{known}",
    """
    def f(x):
        values = {'rate': x}
        return values['scale'] * x
    """,
)

STRUCTURE_METHOD = Refusal(
    UnsupportedSyntax,
    "Other methods of lists, tuples and dictionaries",
    "the method `{name}` of {what} is not supported",
    "read and write its parts one by one",
    """
    def f(x):
        return [x, x].__len__() * x
    """,
)

STRUCTURE_AS_NUMBER = Refusal(
    UnsupportedSyntax,
    "Objects as numbers",
    "{what} cannot be used as a number or an array",
    "use the values in it",
    """
    def f(x):
        values = {'rate': x}
        return np.sin(values)
    """,
)

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
    "srcad.grad(f)(np.ones(3))",
)

NOT_ITERABLE = Refusal(
    UnsupportedSyntax,
    "Loops over objects",
    "{what} cannot be looped over",
    "loop over one of its attributes",
    """
    class Point:
        def __init__(self, x):
            self.x = x


    def f(x):
        s = 0.0
        for v in Point(x):
            s += v
        return s * x
    """,
)

LONG_DISPLAY = Refusal(
    UnsupportedSyntax,
    "Long lists, tuples and dictionaries",
    "a {type} of {count} elements is too long",
    "make an array of it, outside of the function",
    unshown="it takes a list or tuple of more than 256 elements that is written out",
)

NO_ORDER = Refusal(
    UnsupportedSyntax,
    "Comparisons of a list and a tuple",
    "these two values have no order",
    "compare two lists, or two tuples",
    """
    def f(x):
        return x * x if [x] < (x,) else x
    """,
)

NESTED_LIST_EQUAL = Refusal(
    UnsupportedSyntax,
    "`==` of nested lists",
    "`==` of a list inside another structure is not supported",
    "compare the parts one by one",
    """
    def f(x):
        return x * x if [[x], [x]] == [x, x] else x
    """,
)

IN_STRUCTURES = Refusal(
    UnsupportedSyntax,
    "`in` with computed lists and tuples",
    "`in` is not supported for lists, tuples or objects with computed values",
    "compare with `==`",
    """
    def f(x):
        return x * x if (x, 1.0) in [(2.0, 1.0)] else x
    """,
)

OBJECTS_EQUAL = Refusal(
    UnsupportedSyntax,
    "`==` of dictionaries and objects",
    "`==` of dictionaries or objects is not supported",
    "compare the values in them",
    """
    def f(x):
        return x * x if {'a': x} == {'a': 2.0} else x
    """,
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
    "srcad.grad(f)(np.ones(3))",
)

STRUCTURE_ARITHMETIC = Refusal(
    UnsupportedSyntax,
    "Arithmetic with dictionaries and objects",
    "arithmetic with {what} is not supported",
    "use the values in it, or an array",
    """
    def f(x):
        return {'a': x} + {'b': x}
    """,
)

NO_ATTRIBUTE = Refusal(
    UnsupportedSyntax,
    "Attributes that a structure does not have",
    "{what} has no attribute `{name}` that can be read here",
    "{way}",
    """
    def f(x):
        return [x, x].shape[0] * x
    """,
)

NOT_INDEXABLE = Refusal(
    UnsupportedSyntax,
    "Indices into objects",
    "{what} cannot be indexed",
    "read its attributes",
    """
    class Point:
        def __init__(self, x):
            self.x = x


    def f(x):
        return Point(x)[0]
    """,
)

RUNTIME_KEY = Refusal(
    UnsupportedSyntax,
    "Computed keys of a dictionary",
    "an index or key that is known only at run time cannot choose a part of a list, dictionary or object here",
    "use a constant, loop over the list or dictionary itself, or make it an array",
    """
    def f(x, k):
        values = {0: x, 1: x * x}
        return values[k]
    """,
    "srcad.grad(f)(2.0, 1)",
)

INDEX_OUT_OF_RANGE = Refusal(
    UnsupportedSyntax,
    "Indices that are out of range",
    "there is no element {index!r} of {count}",
    "count from 0; use append for more elements of a list",
    """
    def f(x):
        values = [x, x]
        return values[2]
    """,
)

RUNTIME_INDEX = Refusal(
    UnsupportedSyntax,
    "Computed indices into long or empty lists",
    "an index known only at run time into {count} elements is not supported",
    "make an array of them, with np.array or np.stack",
    """
    def f(x, k):
        values = []
        return values[k] * x
    """,
    "srcad.grad(f)(2.0, 1)",
)

SLICE_WRITE = Refusal(
    UnsupportedSyntax,
    "Writes to a slice",
    "writing to a slice is supported only for lists, with lists and tuples whose elements are known",
    "write to the elements one by one",
    """
    def f(x):
        values = [x[0], x[1], x[2]]
        values[:2] = x
        return values[0]
    """,
    "srcad.grad(f)(np.ones(3))",
)

SLICE_LENGTH = Refusal(
    UnsupportedSyntax,
    "Writes to a slice of another length",
    "this slice cannot be written to: {problem}",
    "assign as many elements as the slice has",
    """
    def f(x):
        values = [x, x, x]
        values[::2] = [x]
        return values[0]
    """,
)

ELEMENT_WRITE = Refusal(
    UnsupportedSyntax,
    "Writes to elements of objects",
    "writing to elements of {what} is not supported",
    "write to its attributes",
    """
    class Point:
        def __init__(self, x):
            self.x = x


    def f(x):
        p = Point(x)
        p[0] = x * x
        return p.x
    """,
)

FROZEN_ATTRIBUTE = Refusal(
    UnsupportedSyntax,
    "Writes to attributes of frozen objects",
    "writing to the attribute `{name}` of {what} is not supported",
    "make a new object",
    """
    from dataclasses import dataclass


    @dataclass(frozen=True)
    class Point:
        x: float


    def f(x):
        p = Point(x)
        p.x = x * x
        return p.x
    """,
)

PROPERTY_WRITE = Refusal(
    UnsupportedSyntax,
    "Writes to properties",
    "writing to the property `{name}` is not supported",
    "write to the attribute that the property sets",
    """
    class Point:
        def __init__(self, x):
            self._x = x

        @property
        def x(self):
            return self._x

        @x.setter
        def x(self, value):
            self._x = value


    def f(x):
        p = Point(x)
        p.x = x * x
        return p.x
    """,
)

IMMUTABLE = Refusal(
    UnsupportedSyntax,
    "Writes to tuples",
    "{what} cannot be changed",
    "make a new one, or use a list",
    """
    def f(x):
        values = (x, x)
        values[0] = x * x
        return values[0]
    """,
)

FROZEN = Refusal(
    UnsupportedSyntax,
    "Writes to structures that cannot be changed here",
    "changing {what} is not supported here: {reason}",
    "change a copy of it",
    """
    values = [1.0, 2.0]


    def f(x):
        values[0] = x
        return values[0] * x
    """,
)

LIST_SORT = Refusal(
    UnsupportedSyntax,
    "Other ways to sort a list",
    "this way to sort a list is not supported",
    "sort np.array of it, with np.sort",
    unshown="lists whose length is known have no method `sort`, which the row above shows",
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
    "srcad.grad(f)(np.ones(3))",
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
    "srcad.grad(f)(np.ones(3))",
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
    "srcad.grad(f)(np.ones(3))",
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
            names.append('a')
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
    "srcad.grad(f)(np.ones(3, dtype=[('x', float)]), 0)",
)

RECORD_AXES = Refusal(
    UnsupportedSyntax,
    "Too many indices into records",
    "{count} indices are given for records of {axes} axes",
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
    "{count} values are assigned to {fields} fields",
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
    """
    def f(x):
        y = np.zeros((2, 2))
        y[0] = np.frexp(x[0])
        return y[0, 0]
    """,
    "srcad.grad(f, jit=False)(np.ones(2))",
)
