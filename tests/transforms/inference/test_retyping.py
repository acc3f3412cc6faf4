"""Types after a stage, from the types before it."""

import pytest
from numba import types as nb

from srcad.tools.type_signatures import parse_signature
from srcad.transforms.inference.retyping import retyped
from srcad.transforms.inference.type_inference import types_of
from tests.transforms.core_text import settled, typed, unit_after, unit_of

PROGRAMS = {
    "sums": (
        """
def f(x, a):
    t = x * a
    u = np.sin(t)
    s = np.sum(u)
    return s
""",
        "f8[:, :], f4",
    ),
    "stores into views in a loop": (
        """
def f(x, n):
    y = np.zeros_like(x)
    for k in range(n):
        t = x[k]
        u = t ** 2
        y[k] = u
    s = np.sum(y)
    return s
""",
        "f8[:, ::1], i8",
    ),
    "flags": (
        """
def f(x, a):
    c = x > a
    y = np.where(c, x, a)
    return y
""",
        "f8[::1], f8",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_types_are_those_of_numbas_inference_of_the_whole(name):
    text, signature = PROGRAMS[name]
    unit, before = settled(text, signature)
    fused = unit_after("elementwise_fusion", unit, before).unit
    found = retyped(unit, before, fused)
    whole = types_of(fused, parse_signature(signature))
    assert found is not None
    assert (dict(found.of), found.result) == (dict(whole.of), whole.result)


CHANGED = """
def f(x, n):
    a = x * 1.0
    for i in range(n):
        b = {}
    return a
"""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("x[i]", nb.float64),
        ("x.shape", nb.UniTuple(nb.int64, 1)),
        ("x < n", nb.boolean[::1]),
        ("n / 2", nb.float64),
        ("n ** 2", None),  # an integer or a float, as the exponent says
        ("unheard_of(x)", None),
    ],
)
def test_new_statements_are_typed_if_they_are_plain(value, expected):
    unit, before = typed(CHANGED.format("x"), "f8[::1], i8")
    after = unit_of(CHANGED.format(value).replace("b =", "c ="))
    found = retyped(unit, before, after)
    assert (found and found.get("c")) == expected


def test_a_name_that_changes_its_type_is_left_to_the_inference():
    unit, before = typed(CHANGED.format("n"), "f8[::1], i8")
    after, _ = typed(CHANGED.format("n * 0.5"), "f8[::1], i8")
    assert retyped(unit, before, after) is None
