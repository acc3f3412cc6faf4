"""`assert_same`: a function in core form gives what the function gives, and leaves its arguments the same."""

import copy
import linecache

import numpy as np

from srcad.frontend.load_source import load
from srcad.frontend.lower import lower
from srcad.printing.printer import print_function
from srcad.transforms.ir.verify import check_core


def core_of(function):
    """The core form of a function as a function of the same arguments, and as text."""
    unit = lower(load(function))
    check_core(unit.tree)
    text = print_function(unit.tree)
    namespace = dict(unit.bindings)
    exec(compile(text, f"<core of {unit.name}>", "exec"), namespace)
    core = namespace[unit.name]
    return lambda *arguments: core(*arguments, *(capture.read() for capture in unit.hidden)), text


def text_of(function):
    """The text of a function's core form."""
    return core_of(function)[1]


def assert_same(function, *cases):
    """Results, types, exceptions and what is left in arrays agree exactly, for each tuple of arguments."""
    core, text = core_of(function)
    for case in cases:
        expected, found = outcome(function, case), outcome(core, case)
        assert agree(expected, found), f"{expected} != {found} for {case} in\n{text}"


def outcome(function, case):
    """What a call gives and what it leaves in its arguments."""
    arguments = copy.deepcopy(case)
    try:
        result = function(*arguments)
    except (ArithmeticError, AssertionError, LookupError, RuntimeError, TypeError, ValueError, NameError) as error:
        result = type(error)
    return result, arguments


def agree(one, other):
    if isinstance(one, tuple):
        return isinstance(other, tuple) and len(one) == len(other) and all(map(agree, one, other))
    if isinstance(one, (type, str)) or one is None:
        return one == other
    return np.asarray(one).dtype == np.asarray(other).dtype and np.array_equal(one, other, equal_nan=True)


def function_of(text):
    """The function `program` of a text, with a source that can be found."""
    name = f"<random {hash(text)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace = {}
    exec(compile(text, name, "exec"), namespace)
    return namespace["program"]
