"""Elementwise array statements become loop nests with the meaning that NumPy gives them."""

import numpy as np
import pytest

from srcad.printing.printer import print_function
from srcad.runtime.support.assumption_errors import Widens
from tests.checking import generated
from tests.transforms.core_text import body_of, lines, numeric, settled, unit_after


def fused(text, signature, **settings):
    return unit_after("elementwise_fusion", *settled(text, signature), **settings).unit


def same(text, signature, *args):
    """The nest gives what NumPy gives, and is returned as text."""
    unit = fused(text, signature)
    namespace = dict(unit.bindings)
    exec(print_function(unit.tree), namespace)
    expected = numeric(text, "f")(*(np.copy(each) for each in args))
    found = namespace["f"](*(np.copy(each) for each in args))
    np.testing.assert_array_equal(found, expected)
    return body_of(unit)


X = np.array([0.5, -1.5, 2.0, 0.25, 3.0])


def test_statements_over_one_index_space_become_one_nest_without_temporaries():
    text = """
def f(x, a):
    t = x * a
    u = np.sin(t)
    v = u + x
    return v
"""
    assert body_of(fused(text, "f8[:], f8")).count("np.empty") == 1
    assert same(text, "f8[:], f8", X, 3.0).count("for ") == 1


@pytest.mark.parametrize("dtype", ["b1", "i8"])
def test_what_is_stored_into_truth_values_or_integers_is_computed_before(dtype):
    """The result was left out as one of the store's loop nest, and the store became none."""
    text = """
def f(x, k):
    t = x > 1.0
    k[...] = t
    return k
"""
    same(text, f"f8[:], {dtype}[:]", X, np.zeros(5, dtype))


def test_a_store_of_an_expression_needs_no_array():
    assert body_of(
        fused(
            """
def f(a):
    v = a * 2.0
    a[...] = v
    return a
""",
            "f8[:]",
        )
    ) == lines("""
    t2 = a.shape
    t3 = t2[0]
    for i in range(0, t3, 1):
        t4 = a[i]
        t5 = t4 * 2.0
        a[i] = t5
    return a
""")


def test_a_sum_of_an_expression_needs_no_array():
    text = """
def f(x):
    t = x * x
    s = np.sum(t)
    return s
"""
    found = body_of(fused(text, "f8[:]"))
    assert "np.empty" not in found
    assert "np.sum" not in found
    unit = fused(text, "f8[:]")
    namespace = dict(unit.bindings)
    exec(print_function(unit.tree), namespace)
    assert namespace["f"](X) == pytest.approx(float(X @ X))
    assert namespace["f"](X[:0]) == 0.0


@pytest.mark.parametrize(
    ("source", "target"), [("a[:-1]", "a[1:]"), ("a[1:]", "a[:-1]"), ("a[::-1]", "a[...]"), ("a[:3]", "a[2:]")]
)
def test_a_right_side_that_overlaps_its_target_is_evaluated_first(source, target):
    same(
        f"""
def f(a):
    v = {source}
    w = v + 1.0
    {target} = w
    return a
""",
        "f8[:]",
        X,
    )


def test_a_plain_copy_onto_itself_is_evaluated_first():
    same(
        """
def f(a):
    v = a[:-1]
    a[1:] = v
    return a
""",
        "f8[:]",
        X,
    )


def test_an_array_that_is_changed_before_its_use_is_computed_before():
    same(
        """
def f(a):
    t = a * 2.0
    a[0] = 9.0
    v = t + a
    return v
""",
        "f8[:]",
        X,
    )


def test_an_array_with_two_uses_is_computed_once():
    found = same(
        """
def f(x):
    t = np.exp(x)
    u = t + 1.0
    v = t * 2.0
    w = np.dot(u, v)
    return w
""",
        "f8[::1]",
        X,
    )
    assert found.count("np.exp") == 1


def test_operands_are_broadcast_as_numpy_does():
    text = """
def f(x, A):
    t = A * x
    u = t + 1.0
    return u
"""
    A = np.arange(15.0).reshape(3, 5)
    same(text, "f8[:], f8[:, :]", X, A)
    same(text, "f8[:], f8[:, :]", X[:1], A)
    same(text, "f8[:], f8[:, :]", X, A[:1])
    same(text, "f8[:], f8[:, :]", X, A[:, :1])


def test_shapes_that_do_not_fit_are_refused_as_numpy_does():
    unit = fused(
        """
def f(x, y):
    t = x * y
    return t
""",
        "f8[:], f8[:]",
    )
    namespace = dict(unit.bindings)
    exec(print_function(unit.tree), namespace)
    with pytest.raises(ValueError, match="broadcast"):
        namespace["f"](X, X[:2])


def test_newaxis_makes_an_outer_product():
    found = same(
        """
def f(x):
    c = x[:, None]
    t = c * x
    return t
""",
        "f8[:]",
        X,
    )
    assert found.count("for ") == 2


def test_dear_work_is_not_repeated_for_every_element():
    found = body_of(
        fused(
            """
def f(x, A):
    t = np.exp(x)
    u = A * t
    return u
""",
            "f8[:], f8[:, :]",
        )
    )
    assert found.count("np.empty") == 2


def test_products_of_matrices_stay_calls():
    assert "A @ x" in body_of(
        fused(
            """
def f(x, A):
    t = A @ x
    u = t * 2.0
    return u
""",
            "f8[::1], f8[:, ::1]",
        )
    )


def test_masks_and_choices_become_branches_or_calls_of_numbers():
    same(
        """
def f(x):
    c = x > 0.3
    t = x * 2.0
    u = np.where(c, t, x)
    return u
""",
        "f8[:]",
        X,
    )


def test_single_precision_stays_single():
    unit = fused(
        """
def f(x):
    t = x * x
    return t
""",
        "f4[:]",
    )
    namespace = dict(unit.bindings)
    exec(print_function(unit.tree), namespace)
    assert namespace["f"](X.astype(np.float32)).dtype == np.float32


def test_steps_and_offsets_address_the_base():
    same(
        """
def f(a, b):
    v = a[1::2]
    w = v[1:]
    b[:1] = w
    return b
""",
        "f8[:], f8[:]",
        X,
        X,
    )


def test_an_augmented_slice_is_added_to_element_by_element():
    found = same(
        """
def f(a, b):
    v = a * b
    b[...] += v
    return b
""",
        "f8[:], f8[:]",
        X,
        X + 1.0,
    )
    assert "+=" in found


def test_columns_and_rows_that_differ_are_written_without_a_copy():
    for text in ("a[:, -1] = t", "a[:, -1] += t"):
        found = same(
            f"""
def f(a, n):
    t = a[:, -2]
    {text}
    for i in range(n):
        j = i + 1
        u = a[i]
        a[j] = u
    return a
""",
            "f8[:, :], int64",
            np.arange(12.0).reshape(3, 4),
            2,
        )
        assert "np.copy" not in found


def test_a_row_that_may_be_the_written_one_is_copied_first():
    found = same(
        """
def f(a, i, j):
    u = a[i]
    a[j] = u
    return a
""",
        "f8[:, :], int64, int64",
        np.arange(12.0).reshape(3, 4),
        -1,
        2,
    )
    assert "np.copy" in found


def test_operands_that_may_broadcast_are_taken_not_to_and_checked():
    text = """
def f(x, y):
    t = x * y
    u = t + x
    s = np.sum(u)
    return s
"""
    unit = fused(text, "f8[:], f8[:]", assumes=True)
    found = body_of(unit)
    assert (found.count("same_extent"), found.count("expand")) == (1, 0)
    namespace = dict(unit.bindings)
    exec(print_function(unit.tree), namespace)
    assert namespace["f"](X, X) == np.sum(X * X + X)
    with pytest.raises(Widens):
        namespace["f"](X, X[:1])


def test_what_an_assumed_result_is_like_is_not_checked_again():
    text = """
def f(x, y, z):
    p = x * y
    t = np.sin(p)
    s = np.sum(t)
    q = t * s
    u = q + x
    v = u * z
    return v
"""
    unit = fused(text, "f8[:], f8[:], f8", assumes=True)
    assert body_of(unit).count("same_extent") == 1


def twice_scaled(x, c):
    u, w = x.copy(), 0.5 * c
    for _ in range(2):
        w = u * w[0]
        if w[0] > 0.2:
            u = u * 0.7 + w
        u = w * 0.7 + u
        u = u * w[0]
        w = u * w[0]
    return np.sum(u) + np.sum(w)


@pytest.mark.slow
def test_shapes_of_what_has_no_array_of_its_own_are_those_of_what_has():
    x = np.linspace(0.2, 1.0, 4)
    for c in (x + 0.5, np.array([0.7])):
        made, given, _ = generated(twice_scaled, (x, c), "grad", (0, 1), True, False)
        expected, _, _ = generated(twice_scaled, (x, c), "grad", (0, 1), False, False)
        for one, other in zip(made[0](*given), expected[0](*given), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13)


GRID = np.arange(24.0).reshape(2, 3, 4) / 8


@pytest.mark.parametrize("function", ["sum", "mean"])
@pytest.mark.parametrize("how", ["axis=0", "axis=-1", "axis=(2, 0)", "axis=1, keepdims=True", "keepdims=True", "1"])
def test_sums_over_dimensions_are_nests_with_their_producers(function, how):
    text = f"""
def f(x, a):
    t = x * a
    s = np.{function}(t, {how})
    return s
"""
    found = same(text, "f8[:, :, ::1], f8", GRID, 0.5)
    assert f"np.{function}" not in found
    assert "np.empty((" not in found or function == "mean"  # what is summed has no array of its own
    assert same(text, "f8[:, :, ::1], f8", GRID[:, :, :0], 0.5) if how == "axis=0" else True


def test_a_mean_over_everything_is_a_running_sum_that_is_divided():
    text = """
def f(x, y):
    d = x - y
    e = d * d
    s = np.mean(e)
    return s
"""
    found = same(text, "f8[::1], f8[::1]", X, X[::-1].copy())
    assert "np.empty" not in found
    assert "np.divide" in found


def test_what_a_kept_dimension_is_widened_to_is_known_to_fit():
    text = """
def f(x):
    m = np.max(x, axis=1, keepdims=True)
    d = x - m
    e = np.exp(d)
    t = np.sum(e, axis=1, keepdims=True)
    p = e / t
    return p
"""
    unit = fused(text, "f8[:, ::1]", assumes=True)
    assert "same_extent" not in print_function(unit.tree)
