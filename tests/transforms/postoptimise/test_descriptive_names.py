"""Temporaries take names that say what they hold; the user's names stay, and no name is taken twice."""

import gast
import numpy as np
import pytest
from numba import types as nb

import srcad
from srcad.errors import Place
from srcad.printing.printer import print_function
from srcad.transforms.ir.build import at, walk_statements
from srcad.transforms.ir.generated_functions import Made
from srcad.transforms.ir.node_notes import note
from srcad.transforms.postoptimise.descriptive_names import with_descriptive_names


def renamed(*lines, user="s = 0.0", kinds=None, parameters="x, k"):
    text = f"def f({parameters}):\n" + "".join(f"    {line}\n" for line in lines)
    tree = gast.parse(text).body[0]
    for statement in walk_statements(tree.body):
        at(statement, Place("model.py", 3, 0, 0, user))
    if kinds is not None:
        note(tree, kinds=kinds)
    made = with_descriptive_names(Made([tree], {}, ("f",)))
    return [line.strip() for line in print_function(made.functions[0]).splitlines()[1:]]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("np.exp(k)", "exp_k"),
        ("np.exp(k * x[0])", "s_exp"),
        ("kernels.strong_product(k, 2.0)", "s_product"),
        ("x.shape", "x_shape"),
        ("x.shape[0]", "x_rows"),
        ("x.shape[2]", "x_extent_2"),
        ("len(x)", "x_size"),
        ("x[k]", "x_k"),
        ("x[k, 0]", "x_k0"),
        ("x[k, 12]", "x_k_12"),
        ("x[k + 1]", "x_element"),
        ("x[1:]", "x_part"),
        ("k < 3", "k_below_3"),
        ("k + 1", "k_plus_1"),
        ("k * k", "k_squared"),
        ("x[0] ** 2", "s_part"),
        ("1 / k", "k_inverse"),
        ("-k", "minus_k"),
        ("3 == k", "s_part"),
        ("k if x else 0.0", "s_part"),
        ("a_very_long_name_of_an_array * k", "s_part"),
    ],
)
def test_the_value_names_the_temporary(value, name):
    assert renamed(f"t1 = {value}", "return t1") == [f"{name} = {value}", f"return {name}"]


@pytest.mark.parametrize(
    ("user", "name"),
    [
        ("v = x * k + 1", "v_part"),
        ("v[i, 2] += x * k + 1", "v_part"),
        ("state.v = x * k + 1", "state_part"),
        ("return x * k + 1", "result_part"),
        ("if x * k + 1 > 2:", "condition"),
        ("for i in range(x * k + 1):", "extent"),
        ("f(x * k + 1)", "value_part"),
        ("f(v == x * k + 1)", "value_part"),
    ],
)
def test_others_are_parts_of_what_their_line_computes(user, name):
    assert renamed("t1 = x * k + 1", user=user) == [f"{name} = x * k + 1"]


def test_extents_of_vectors_are_sizes():
    kinds = {"x": nb.float64[::1], "t1": nb.int64}
    assert renamed("t1 = x.shape[0]", kinds=kinds) == ["x_size = x.shape[0]"]


def test_names_made_of_a_temporary_follow_it():
    lines = renamed("t1 = np.exp(k)", "t1_trace[0] = t1", "t1_bar = 2.0", "t1_bar_2 = t1_bar * t1")
    assert lines[1:] == ["exp_k_trace[0] = exp_k", "exp_k_bar = 2.0", "exp_k_bar_2 = exp_k_bar * exp_k"]


def test_no_name_is_taken_twice():
    lines = renamed("exp_k_bar = 1.0", "t1 = np.exp(k)", "t1_bar = t1", "t2 = np.exp(k)", "sum = t2")
    assert lines == [
        "exp_k_bar = 1.0",
        "exp_k_2 = np.exp(k)",
        "exp_k_2_bar = exp_k_2",
        "exp_k = np.exp(k)",
        "sum = exp_k",
    ]


def test_names_are_made_of_new_names():
    assert renamed("t1 = x.shape[0]", "t2 = t1 - 1", "t3 = x[t2]")[1:] == [
        "x_rows_minus_1 = x_rows - 1",
        "x_x_rows_minus_1 = x[x_rows_minus_1]",
    ]


def test_values_of_what_has_no_name_yet_are_parts_of_their_line():
    for value in ("t9_trace[k]", "t9.shape", "t9 * t9", "1 / t9", "-t9"):
        assert renamed(f"t1 = {value}", "return t1", "t9 = k + 0.5", "t9_trace[0] = t9")[1] == "return s_part"


def test_names_that_contain_a_temporary_follow_it():
    assert renamed("t1 = k - 1", "x_t1 = x[t1]", "x_t1_bar = x_t1", "x_t77 = t1")[1:] == [
        "x_k_minus_1 = x[k_minus_1]",
        "x_k_minus_1_bar = x_k_minus_1",
        "x_t77 = k_minus_1",
    ]


def test_the_users_own_names_stay():
    assert renamed("t1 = np.exp(k)", user="t1 = np.exp(k)") == ["t1 = np.exp(k)"]
    assert renamed("t2 = t1 * k", parameters="t1, k") == ["t1_times_k = t1 * k"]
    assert renamed("t1 = k + 1", "x_t1_2 = t1", user="x_t1 = k + 1") == ["k_plus_1 = k + 1", "x_t1_2 = k_plus_1"]
    assert renamed("time = k", "t = k", "tau1 = k") == ["time = k", "t = k", "tau1 = k"]


def test_functions_with_temporaries_of_the_users_are_differentiated():
    def f(t1, t2):
        t3 = t1 * t2
        for t4 in range(3):
            t3 = t3 * np.sin(t3 + t4) + t1
        return np.exp(t3 * 0.1)

    slope = srcad.grad(f, jit=False)(0.7, 0.4)
    step = 1e-6
    assert slope == pytest.approx((f(0.7 + step, 0.4) - f(0.7 - step, 0.4)) / (2 * step), rel=1e-6)
    text = srcad.source(f, signature="f8, f8")
    assert "for t4 in range(3):" in text
    assert text == srcad.source(f, signature="f8, f8")
