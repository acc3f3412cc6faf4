"""Active is what depends on an input and influences a result, smoothly."""

import numpy as np
import pytest

import srcad
from srcad.errors import MissingRule
from srcad.transforms.analysis.activity import check_rules, ranks, varied_names
from srcad.transforms.ir.build import load, tuple_of
from tests.transforms.core_text import program_of


def active(text, signature, wrt=(0,)):
    program = program_of(text, signature, wrt)
    return {name for name in {*program.flow.stores, *program.unit.parameters} if program.is_active(name)}


def test_integers_and_booleans_are_never_active():
    assert active(
        """
def f(x):
    k = int(x)
    c = x > 0.0
    y = x * k
    return y
""",
        "f8",
    ) == {"x", "y"}


def test_a_shape_does_not_depend_on_the_elements():
    assert (
        active(
            """
def f(x):
    s = x.shape
    n = s[0]
    y = 2.0 * n
    return y
""",
            "f8[:]",
        )
        == set()
    )


def test_a_result_that_is_not_returned_is_not_active():
    assert active(
        """
def f(x):
    a = np.sin(x)
    y = x * x
    return y
""",
        "f8",
    ) == {"x", "y"}


def test_an_index_passes_no_derivative():
    assert (
        active(
            """
def f(x, w):
    k = int(x)
    y = w[k]
    return y
""",
            "f8, f8[:]",
        )
        == set()
    )


def test_a_step_function_passes_no_derivative():
    assert active(
        """
def f(x):
    a = np.floor(x)
    y = a * x
    return y
""",
        "f8",
    ) == {"x", "y"}


def test_an_array_becomes_active_by_what_is_stored_in_it():
    assert active(
        """
def f(x):
    w = np.zeros(2)
    w[0] = x
    y = w[1]
    return y
""",
        "f8",
    ) == {"x", "w", "y"}


def test_forward_mode_asks_only_for_the_input():
    program = program_of(
        """
def f(x, z):
    a = np.sin(x)
    y = z * z
    return y
""",
        "f8, f8",
    )
    found = varied_names(program.unit, program.types, program.aliases, ["x"])
    assert found == {"x", "a"}


def test_an_active_function_without_a_rule_is_refused_with_its_line():
    program = program_of(
        """
def f(x):
    a = np.nextafter(x, 1.0)
    y = a * x
    return y
""",
        "f8",
        (0,),
    )
    with pytest.raises(MissingRule, match=r"core.py:2.*nextafter"):
        check_rules(program.unit, program.types, program.active)


def test_ranks_are_those_of_the_types():
    program = program_of(
        """
def f(x, n):
    y = x * 2.0
    return y
""",
        "f8[:, :], i8",
    )
    one = tuple_of(load("x"))
    assert ranks([load("x"), load("n"), one], program.types) == [2, 0, None]


def test_an_argument_that_a_rule_gives_no_derivative_is_not_active():
    assert active(
        """
def f(a):
    v = kernels.eigenvectors(a)
    w = kernels.values_of_vectors(a, v)
    y = np.sum(w)
    return y
""",
        "f8[:, ::1]",
    ) == {"a", "w", "y"}
    assert active(
        """
def f(a):
    v = kernels.eigenvectors(a)
    w = kernels.values_of_vectors(v=v, a=a)
    u = v * w
    y = np.sum(u)
    return y
""",
        "f8[:, ::1]",
    ) == {"a", "v", "w", "u", "y"}


def test_eigenvalues_alone_have_gradients_where_they_repeat():
    a = 2.0 * np.eye(3)

    def squares(a):
        return np.sum(np.linalg.eigh(a)[0] ** 2)

    for function in (squares, lambda a: np.sum(np.linalg.eigvalsh(a) ** 2)):
        np.testing.assert_allclose(srcad.grad(function, jit=False)(a), 2.0 * a, atol=1e-14)
