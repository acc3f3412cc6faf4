"""What checked code raises: the same compiled and in Python, with all that the check was given."""

import pickle
from contextlib import nullcontext

import numba
import numpy as np
import pytest

from srcad.errors import NonFinite, Place
from srcad.runtime import kernels
from srcad.runtime.kernels.recording.finite_checks import site_text

SITE = site_text(
    "reverse",
    "generated statement `x_bar = y_bar / y`",
    "x_bar",
    ["y_bar", "y (that is, np.sqrt(x))", "z", "n"],
    ["i (line 3)"],
    Place("f.py", 4, 4, 18, "    y = np.sqrt(x)", Place("g.py", 9, 0, 4, "f(x)")),
)


def divide(y, z, n):
    x = 0.0
    for i in range(n):
        y_bar = 1.0
        x = y_bar / y
        kernels.check_finite(x, (y_bar, y, z, n), (i,), SITE)
    return x


compiled = numba.njit(error_model="numpy")(divide)


def messages(*args):
    found = []
    for function in (compiled, divide):
        with np.errstate(all="ignore"), pytest.raises(FloatingPointError) as caught:
            function(*args)
        found.append(str(caught.value))
        assert str(pickle.loads(pickle.dumps(caught.value))) == found[-1]
    assert found[0] == found[1]
    return found[0]


def test_the_message_has_place_values_and_iteration():
    assert messages(np.float64(0.0), np.ones((2, 3)), 2) == (
        "f.py:4:5: NonFinite: an infinity first appears in the reverse sweep of this line, where the primal is finite\n"
        "     4 |     y = np.sqrt(x)\n"
        "       |     ^^^^^^^^^^^^^^\n"
        "called from g.py:9:1\n"
        "     9 | f(x)\n"
        "       | ^^^^\n"
        "in the generated statement `x_bar = y_bar / y`, with\n"
        "    x_bar = inf\n"
        "    y_bar = 1.0\n"
        "    y (that is, np.sqrt(x)) = 0.0\n"
        "    z = an array of shape 2 x 3, all finite\n"
        "    n = 2\n"
        "in the iteration i (line 3) = 0\n"
        "hint: the slope has no finite value here: move the point, or keep the operand away from it"
    )


def test_an_array_is_told_by_its_first_element_that_is_not_finite():
    text = messages(np.float64(0.0), np.array([[1.0, 2.0], [np.nan, np.nan]]), 1)
    assert "    z = an array of shape 2 x 2, first nan at [1, 0]\n" in text
    assert "where the primal is not finite" in text


@pytest.mark.parametrize(
    ("value", "operands", "is_born"),
    [
        (np.nan, (1.0, 2.0), True),
        (np.inf, (1.0,), True),
        (np.nan, (np.inf,), True),
        (np.nan, (np.nan,), False),
        (np.inf, (np.ones(2), -np.inf), False),
        (np.array([1.0, np.nan]), (np.ones(2),), True),
        (np.array([1.0, np.nan]), (np.array([np.nan, 1.0]),), False),
        (complex(0.0, np.inf), (1j,), True),
        (np.array([1.0, 2.0]), (np.inf,), False),
        ((1.0, np.array([np.inf])), (1.0,), True),
        (np.array([1, 2]), (1.0,), False),
        ((), (), False),
        (None, (None,), False),
    ],
)
def test_a_value_is_born_if_no_operand_holds_its_like(value, operands, is_born):
    site_of = "\t".join("abc"[: len(operands)])

    def compiled_check(value, operands, site):
        kernels.check_finite(value, operands, (), site)

    for run in (compiled_check, numba.njit(compiled_check)):
        with pytest.raises(NonFinite) if is_born else nullcontext() as caught:
            run(value, operands, f"primal\ny = x\ny\n{site_of}\n")
        assert not is_born or caught.value.sweep == "primal"


def test_an_operand_is_kept_in_memory_of_its_own():
    def compiled_keep(x):
        return kernels.kept_before(x)

    for keep in (kernels.kept_before, numba.njit(compiled_keep)):
        x = np.ones(2)
        kept = keep(x)
        x[0] = 5.0
        assert kept.tolist() == [1.0, 1.0]
        assert keep(2.0) == 2.0
