"""Refusals about lists, tuples, dictionaries and objects whose parts are known one by one."""

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

SET_ELEMENT = Refusal(
    UnsupportedSyntax,
    "Sets of computed values",
    "the elements of a set, and what is removed from a list by its value, must be known while compiling",
    "use an array or a tuple, or np.unique",
    """
    def f(x):
        return x * len({x, 2.0})
    """,
)

SET_ORDER = Refusal(
    UnsupportedSyntax,
    "Loops over sets whose order depends on their history",
    "the order in which Python visits this set depends on how it came to be",
    "loop over sorted(...) of it, or keep a list or a dictionary",
    """
    def f(x):
        total = 0.0
        for place, k in enumerate({16, 1, 2}):
            total += place * x[k]
        return total
    """,
    "srcad.grad(f)(np.ones(20))",
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
    import functools
    from dataclasses import dataclass, field


    @dataclass
    class Point:
        x: float = field(default_factory=functools.partial(float, 1.0))


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

IDENTITY_OF_STRUCTURES = Refusal(
    UnsupportedSyntax,
    "Identity of lists and objects",
    "whether {what} is the same object as another one is known only when the function runs",
    "compare a value in it, such as a name or a number of its own",
    """
    def f(x):
        one, other = [x], [2.0 * x]
        best = one if x > 1.0 else other
        return best[0] if best is one else x
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

EXTENTS_AS_INDEX = Refusal(
    UnsupportedSyntax,
    "Lists of extents as indices",
    "a list that is made from a shape is not supported as an index",
    "use np.array of it, or a tuple",
    """
    def f(x):
        return np.sum(x[list(x.shape[1:])])
    """,
    "srcad.grad(f)(np.ones((2, 1)))",
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
    "use a constant, give a dictionary all its keys before it is used with such a key, loop over it, or use an array",
    """
    def f(x, k):
        values = {0.5: x, 1.5: x * x}
        return values[k]
    """,
    "srcad.grad(f)(2.0, 1.5)",
)

INDEX_OUT_OF_RANGE = Refusal(
    UnsupportedSyntax,
    "Indices that are out of range",
    "index {index!r} is out of range for {count} elements",
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
    "an index known only at run time into a list or tuple of {count} elements is not supported",
    "make an array of them, with np.array or np.stack",
    """
    def f(x, k):
        values = []
        return values[k] * x
    """,
    "srcad.grad(f)(2.0, np.int64(1))",
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
    unshown="it takes a property whose setter is no function, or that has none, to which Python does not write either",
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
        held = values
        held[0] = x
        return held[0] * x
    """,
)
