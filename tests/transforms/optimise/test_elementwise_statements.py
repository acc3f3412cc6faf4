"""What can be computed element by element."""

import numpy as np
import pytest

from srcad.transforms.optimise.elementwise_statements import Elements, is_fusible
from tests.checking import assert_gradient
from tests.transforms.core_text import at_line, program_of


def statement(line, signature="f8[::1], f8[:, ::1], i8, i8[::1]"):
    text = f"""
def f(x, A, n, k):
    {line}
    return n
"""
    program = program_of(text, signature)
    return program, at_line(program.unit, 2)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("t = x * 2.0", True),
        ("t = A + x", True),
        ("t = -x", True),
        ("t = np.sin(x)", True),
        ("t = np.maximum(x, 0.0)", True),
        ("t = x > 0.0", True),
        ("t = np.where(True, x, 0.0)", True),
        ("t = x[k]", True),
        ("t = k + n", True),
        ("t = np.astype(x, np.int64)", True),
        ("t = n * 2.0", False),
        ("t = A @ x", False),
        ("t = np.sum(x)", False),
        ("t = np.cumsum(x)", False),
        ("t = np.zeros(n)", False),
        ("t = x[1:]", False),
        ("t = np.transpose(A)", False),
        ("x[0] = 1.0", False),
    ],
)
def test_arithmetic_and_elementary_functions_of_arrays_are_fusible(line, expected):
    assert is_fusible(*statement(line)) is expected


@pytest.mark.parametrize("kind", ["c16[::1]", "i4[::1]", "u8[::1]"])
def test_arrays_of_complex_and_short_numbers_stay_array_statements(kind):
    assert not is_fusible(*statement("t = x * x", f"{kind}, f8[:, ::1], i8, i8[::1]"))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("t = np.sum(x)", True),
        ("t = np.sum(A)", True),
        ("t = np.sum(A, axis=0)", True),
        ("t = np.mean(A, axis=(1, 0), keepdims=True)", True),
        ("t = np.mean(x)", True),
        ("t = np.prod(x)", False),
    ],
)
def test_sums_and_means_are_nests(line, expected):
    assert Elements.sums(*statement(line)) is expected


@pytest.mark.parametrize(
    ("line", "rank"), [("t = x * 2.0", 1), ("t = A * x", 2), ("t = np.sum(A)", 2), ("A[0] = x", 1), ("A[...] = x", 2)]
)
def test_a_nest_has_a_loop_for_each_dimension(line, rank):
    assert Elements.rank(*statement(line)) == rank


def row_of_a_matrix(x, m):
    x[:] = m[:1]
    return np.sum(x * x)


def computed_row(x, m):
    x[1:] = np.sin(m[:1, 1:] * 2.0)
    return np.sum(x * x)


@pytest.mark.parametrize("function", [row_of_a_matrix, computed_row])
def test_a_store_drops_leading_axes_of_length_1(function):
    assert_gradient(function, np.array([0.3, 0.5, 0.9]), np.array([[0.4, -0.7, 0.2], [1.0, 2.0, 3.0]]))


def test_a_store_that_never_runs_may_have_a_value_of_too_many_axes():
    def never(x, m, flag):
        if flag:
            x[1:] *= np.sin(m[1:])
        return np.sum(x * x) + np.sum(m)

    assert_gradient(never, np.array([0.3, 0.5, 0.9]), np.ones((2, 3)), False, wrt=(0, 1))
