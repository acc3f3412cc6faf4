"""Recurrences add last what the last iteration computed; the rest of a program stays as it is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import types as nb

from tests.checking import generated
from tests.transforms.core_text import apply, apply_and_compare, unchanged

KINDS = {
    **dict.fromkeys("vxy", nb.float64[::1]),
    "a": nb.float64[:, ::1],
    **dict.fromkeys("stuz", nb.float64),
    **dict.fromkeys("nij", nb.int64),
}


def program(lines, bounds="1, n"):
    body = "\n        ".join(lines)
    return f"""
def f(x, y, n):
    v = np.copy(x)
    a = np.outer(x, y)
    s = 0.5
    z = 3.0
    for i in range({bounds}):
        {body}
    return v, a, s
"""


def changed(*lines, bounds="1, n", kinds=KINDS):
    """The loop's statements, as they are then; None where they are as they were."""
    text = program(lines, bounds)
    before, after = unchanged(text), apply("reassociation", text, kinds)
    return None if before == after else [each.strip() for each in after.split("\n")[6 : 6 + len(lines)]]


def test_what_the_last_iteration_stored_is_added_last():
    assert changed("v[i] = v[i - 1] + x[i] + y[i]") == ["v[i] = x[i] + y[i] + v[i - 1]"]
    assert changed("v[i] = x[i] - (v[i - 1] - y[i]) - z") == ["v[i] = x[i] - -y[i] - z - v[i - 1]"]
    assert changed("s = s + x[i] + y[i]") == ["s = x[i] + y[i] + s"]
    assert changed("s = 0.5 * s + x[i] * y[i] - y[i]") == ["s = x[i] * y[i] - y[i] + 0.5 * s"]
    assert changed("s = np.sin(y[i] + s + x[i])") == ["s = np.sin(y[i] + x[i] + s)"]


def test_parts_of_a_sum_that_have_names_lose_the_term():
    lines = ["t = x[i] + v[i - 1] + z", "u = t - y[i]", "v[i] = (1.0 - u) / 9.0"]
    assert changed(*lines) == ["t = x[i] + z", "u = t - y[i]", "v[i] = (1.0 - u - v[i - 1]) * (1.0 / 9.0)"]


def test_a_loop_that_counts_down_is_a_recurrence_the_other_way():
    assert changed("v[i] = v[i + 1] + x[i] + y[i]", bounds="n - 2, -1, -1") == ["v[i] = x[i] + y[i] + v[i + 1]"]
    assert changed("v[i] = v[i - 1] + x[i] + y[i]", bounds="n - 2, 0, -1") is None


@pytest.mark.parametrize(
    "lines",
    [
        ["v[i] = x[i - 1] + x[i] + y[i]"],  # no recurrence
        ["v[i] = v[i - 1] + v[i - 2] * 0.5 + y[i]", "v[i - 1] = 0.0"],  # v[i - 1] ends each iteration as zero
        ["t = x[i] - u", "s = s + t", "u = s - t"],  # more than one term comes from before
        ["a[i, 1] = a[i, 0] + x[i] + y[i]"],  # another column
        ["t = s + x[i] + y[i]", "s = x[i]", "v[i] = t"],  # goes no further than the next iteration
        ["n = n + i + 1"],  # integers
    ],
)
def test_other_sums_stay(lines):
    assert changed(*lines) is None


def test_a_term_is_not_moved_past_a_store_into_it():
    lines = ["t = v[i - 1] + x[i]", "v[i - 1] = y[i]", "v[i] = t + y[i] + z"]
    assert changed(*lines) == [*lines[:2], "v[i] = y[i] + z + t"]


def test_single_precision_stays_as_it_is():
    assert changed("s = s + x[i] + y[i]", kinds=KINDS | {"y": nb.float32[::1]}) is None


def test_compensation_stays_as_it_is():
    assert changed("t = x[i] - u", "y = s + t", "u = y - s - t", "s = y", kinds=KINDS | {"y": nb.float64}) is None


STATEMENTS = st.lists(
    st.sampled_from(
        [
            "t = v[i - 1] + x[i] + s",
            "t = x[i] - s + y[i]",
            "u = y[i] - t + z",
            "u = (t + x[i]) / 7.0 - y[i - 1]",
            "s = u + x[i] + 0.25 * s",
            "s = (y[i] - s - x[i]) / z",
            "v[i] = (x[i] - (v[i - 1] - y[i]) + u) / 3.0",
            "v[i - 1] = t + y[i] - 0.1 * v[i]",
            "a[i, 2] = y[i] - (x[i] - 0.3 * a[i - 1, 2] + t) + u",
            "a[i, 1] += x[i] + a[i - 1, 2] + y[i]",
            "v[i] += s + t + u",
        ]
    ),
    min_size=1,
    max_size=6,
)


@pytest.mark.slow
@settings(max_examples=150)
@given(STATEMENTS, st.sampled_from([0, 1, 2, 5]))
def test_values_are_the_same_but_for_rounding(lines, n):
    text = program(["t = x[i]", "u = y[i]", *lines], bounds=f"1, {n}")
    case = np.linspace(0.3, 0.9, 6), np.linspace(-0.4, 0.8, 6), n
    apply_and_compare("reassociation", text, KINDS, [case], rtol=1e-11, atol=1e-12)


def smooth(x, n):
    v = x.copy()
    for i in range(1, v.shape[0]):
        v[i] = (v[i - 1] + x[i] + n) / 3.0
    return np.sum(v * v)


TWO_LOOPS = """
def f(x, y, n):
    s = 0.5
    for i in range(n):
        s = s + x[i] + y[i]
    LAST
    return s
"""


@pytest.mark.parametrize("last", ["if s > 0.0:\n        u = 1.0", "u = np.floor(s)", "t = x[int(s)]", "u = abs(s)"])
def test_where_a_choice_depends_on_it_it_stays(last):
    for line, expected in ((last, "s = s + x[i] + y[i]"), ("u = np.sin(s)", "s = x[i] + y[i] + s")):
        assert expected in apply("reassociation", TWO_LOOPS.replace("LAST", line), KINDS)


@pytest.mark.slow
def test_where_the_value_is_asked_for_it_is_the_primals():
    x = np.linspace(0.1, 2.3, 9)
    (both,), bound, _ = generated(smooth, (x, 0.7), "value_and_grad", (0,), loops=True)
    assert both(*bound)[0] == smooth(x, 0.7)  # to the last bit
    texts = {
        generated(smooth, (x, 0.7), "grad", (0,), True, without=without)[2] for without in ((), ("reassociation",))
    }
    assert len(texts) == 2
