"""One object has one spelling, and literals are of the value's very type."""

import math
import operator

import gast
import numpy as np
import pytest

from srcad.transforms.ir.canonical_names import RESERVED, literal, path_of

VALUES = [
    0,
    -3,
    True,
    None,
    "text",
    ...,
    1.5,
    -0.0,
    -1e-300,
    2.5j,
    -2.5j,
    1 - 2j,
    complex(-0.0, 1.0),
    (),
    (1,),
    (1, (2.0,)),
]
VALUES += [np.float64(-1.5), np.int64(3), np.bool_(True), np.float32(0.1), np.int32(-7), np.complex64(1 + 2j)]
VALUES += [math.inf, -math.inf, complex(math.inf, 0.0)]
PYTHONS = {np.float64: float, np.int64: int, np.bool_: bool}


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_literals_make_the_same_value(value):
    made = eval(gast.unparse(gast.fix_missing_locations(literal(value))), {"np": np})
    assert type(made) is PYTHONS.get(type(value), type(value))
    assert repr(made) == repr(value) or made == value
    if isinstance(value, float):
        assert math.copysign(1.0, made) == math.copysign(1.0, value)


def test_nan_has_a_literal():
    assert gast.unparse(literal(math.nan)) == "np.nan"


@pytest.mark.parametrize("value", [[1], {}, pytest, np.zeros(2), np.datetime64("2020-01-01"), (1, [2])])
def test_other_values_have_none(value):
    assert literal(value) is None


def all_paths():
    for prefix, module in [("np", np), ("np.linalg", np.linalg), ("math", math), ("operator", operator)]:
        for name in dir(module):
            value = getattr(module, name)
            if callable(value) and not name.startswith("_"):
                yield f"{prefix}.{name}", value


def test_the_spelling_of_a_function_leads_back_to_it():
    tried = [*all_paths()]
    assert len(tried) > 500
    for path, thing in tried:
        spelled = path_of(thing)
        found = eval(spelled, {"np": np, "math": math, "operator": operator})
        assert found is thing or path.removeprefix("np.") in ("amax", "amin", "around", "row_stack"), path
        assert spelled.partition(".")[0] in RESERVED, path
