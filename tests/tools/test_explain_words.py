"""Names of the core form in the user's words."""

import re

import numpy as np
import pytest

from srcad.tools.explain import Explanation
from srcad.tools.source_text import case_of
from srcad.transforms.analysis.affine.linear_forms import Form


def scaled(x, k):
    n = x.shape[0]
    y = np.empty(n - 1)
    s = 0.0
    for i in range(n - 1):
        y[i] = x[i] * x[i + 1]
        s = s * np.sin(k * y[i])
    return s + 0.0 * np.sum(y)


@pytest.fixture(scope="module")
def speaker():
    return Explanation(case_of(scaled, "reverse", args=(np.ones(4), 0.5))).speaker


def test_numbers_that_tell_names_apart_are_left_out(speaker):
    assert {speaker.plain(name) for name in ("s", "s_2", "s_13")} == {"s"}


def test_values_without_a_name_are_expressions(speaker):
    stored = [name for name in speaker.program.flow.stores if not speaker.is_own(name)]
    said = {speaker.name(name) for name in stored}
    assert {"n - 1", "np.sin(k * y[i])", "x[i + 1]"} <= said
    assert not any(re.search(r"\bt\d+\b", text) for text in said)


def test_sizes_are_those_of_the_users_arrays(speaker):
    assert speaker.size("y") == "x.shape[0] - 1"
    assert speaker.size("x") == "x.shape[0]"


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (Form(), "0"),
        (Form((("x.shape[0]", 2),), -1), "2 * x.shape[0] - 1"),
        (Form((("k", -1), ("n", 1)), 3), "-k + n + 3"),
    ],
)
def test_linear_forms(speaker, form, text):
    assert speaker.form(form) == text
    assert speaker.form(form, True) == (f"({text})" if " " in text else text)
