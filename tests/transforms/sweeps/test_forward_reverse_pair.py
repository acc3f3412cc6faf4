"""A forward function that gives result and trace, a reverse function that reads the trace and changes nothing."""

import numpy as np
import pytest

import srcad
from srcad.driver import pipeline
from srcad.tools.type_signatures import parse_signature
from tests.checking import assert_gradient
from tests.transforms.core_text import generated, unit_of


def pair(text, signature, wrt=(0,), **options):
    made = pipeline.derive(unit_of(text), "vjp", wrt, parse_signature(signature), **options)
    namespace = dict(made.bindings)
    exec(made.text, namespace)
    return [namespace[name] for name in made.functions]


def copied(value):
    if isinstance(value, (tuple, list)):
        return tuple(copied(each) for each in value)
    return np.copy(value)


def assert_equal(one, other):
    if isinstance(one, (tuple, list)):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            assert_equal(a, b)
    else:
        np.testing.assert_array_equal(one, other)


SWEEP = """
def f(x, n):
    for t in range(n):
        for i in range(1, 3):
            j = i - 1
            a = x[i]
            b = x[j]
            c = a * b
            x[i] = c
    s = x[2]
    return s
"""


def test_the_pair_is_named_after_its_function():
    text = generated(SWEEP, "f8[:], i8", "vjp")
    assert "def f_forward(x, n):" in text
    assert "def f_reverse(x, n, trace, result_bar):" in text


@pytest.mark.parametrize("loops", [True, False])
def test_one_trace_serves_many_cotangents_and_stays_as_it_is(loops):
    forward, reverse = pair(SWEEP, "f8[:], i8", loops=loops)
    x = np.array([1.1, 0.7, 1.3])
    value, trace = forward(x, 3)
    before = copied(trace)
    (once,) = reverse(x, 3, trace, 1.0)
    (twice,) = reverse(x, 3, trace, 2.0)
    (again,) = reverse(x, 3, trace, 1.0)
    np.testing.assert_array_equal(again, once)
    np.testing.assert_allclose(twice, 2.0 * once)
    assert_equal(trace, before)
    np.testing.assert_array_equal(x, [1.1, 0.7, 1.3])
    assert value == pytest.approx(1.1**6 * 0.7**3 * 1.3)  # x[1] gains 1.1 each time, x[2] the new x[1]


def test_a_loop_that_is_not_reached_leaves_an_empty_record():
    text = """
def f(x, n):
    s = x
    c = n > 0
    if c:
        for i in range(n):
            s = s * x
    return s
"""
    forward, reverse = pair(text, "f8, i8")
    for n in (-1, 0, 1, 3):
        value, trace = forward(1.3, n)
        power = 1 + max(n, 0)
        assert value == pytest.approx(1.3**power)
        assert reverse(1.3, n, trace, 1.0) == pytest.approx((power * 1.3 ** (power - 1),))


def test_a_stack_in_a_branch_that_is_not_taken_is_empty():
    text = """
def f(x, n):
    s = x
    c = n > 0
    if c:
        d = s < 3.0
        while d:
            s = s * x
            d = s < 3.0
    return s
"""
    forward, reverse = pair(text, "f8, i8")
    value, trace = forward(1.2, 0)
    assert reverse(1.2, 0, trace, 1.0) == (1.0,)
    value, trace = forward(1.2, 1)
    assert reverse(1.2, 1, trace, 1.0) == pytest.approx((7 * 1.2**6,))
    assert value == pytest.approx(1.2**7)


def test_an_array_that_is_written_into_after_its_use_is_kept_as_it_was():
    text = """
def f(x):
    w = np.copy(x)
    s = np.dot(w, w)
    w[0] = 9.0
    a = w[0]
    r = s * a
    return r
"""
    forward, reverse = pair(text, "f8[::1]")
    x = np.array([1.0, 2.0])
    value, trace = forward(x)
    assert value == 45.0
    np.testing.assert_array_equal(reverse(x, trace, 1.0)[0], [18.0, 36.0])


def test_a_result_that_is_written_into_after_its_making_is_kept_as_it_was():
    text = """
def f(x):
    y = np.exp(x)
    y[0] = 2.0
    s = np.sum(y)
    return s
"""
    for loops in (True, False):
        forward, reverse = pair(text, "f8[:]", loops=loops)
        x = np.array([0.3, 0.5])
        _, trace = forward(x)
        np.testing.assert_allclose(reverse(x, trace, 1.0)[0], [0.0, np.exp(0.5)])


def test_several_results_take_a_tuple_of_cotangents():
    text = """
def f(x, y):
    a = x * y
    b = x + y
    return a, b
"""
    forward, reverse = pair(text, "f8, f8", wrt=(0, 1))
    value, trace = forward(2.0, 3.0)
    assert value == (6.0, 5.0)
    assert reverse(2.0, 3.0, trace, (1.0, 10.0)) == (13.0, 12.0)


def test_the_trace_holds_nothing_that_the_reverse_function_does_not_read():
    text = generated(
        """
def f(x):
    a = x * 2.0
    b = a + 1.0
    return b
""",
        "f8",
        "vjp",
    )
    assert "return " in text
    forward, _ = pair(
        """
def f(x):
    a = x * 2.0
    b = a + 1.0
    return b
""",
        "f8",
    )
    assert forward(1.0) == (3.0, ())


def test_a_solution_is_not_taken_to_be_memory_of_the_right_hand_side():
    """Its copy would be one again, and the compiler did not come to an end."""

    def solved_and_overwritten(a, x):
        y = np.linalg.solve(a, x)
        x[0] *= y[1]
        return np.sum(y * y) + np.sum(x)

    assert_gradient(solved_and_overwritten, np.array([[2.0, 0.5], [0.25, 3.0]]), np.array([0.7, -0.4]))


def written_through_another(a, b, n):
    if n <= 0:
        return np.sum(a)
    b[0] = np.sin(b[1])
    return np.cos(a[0]) * written_through_another(a * 1.0, b * 1.0, n - 1)


def of_overlapping_views(x):
    return written_through_another(x[::-1], x[::-1], 1) + np.sum(x)


def of_views_apart(x):
    return written_through_another(x[:2], x[2:], 1) + np.sum(x)


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
def test_a_call_that_writes_through_a_view_is_not_given_a_copy_of_another(jit):
    x = np.arange(4.0) + 1.0
    with pytest.raises(srcad.MayOverlap):
        srcad.vjp(of_overlapping_views, x.copy(), jit=jit)
    value, pullback = srcad.vjp(of_views_apart, x.copy(), jit=jit)
    assert value == pytest.approx(of_views_apart(x.copy()))
    near = 1e-6 * np.eye(4)
    slopes = [(of_views_apart(x + each) - of_views_apart(x - each)) / 2e-6 for each in near]
    assert pullback(1.0)[0] == pytest.approx(slopes, rel=1e-6)


def test_cotangents_of_complex_numbers_in_tuples_within_the_result_are_conjugated():
    def f(z):
        return (z * z, z.real), z.imag

    z, bar = 0.3 + 0.9j, ((0.5 - 0.2j, 0.7), 0.4)
    (gradient,) = srcad.vjp(f, z, jit=False)[1](bar)
    assert gradient == pytest.approx(bar[0][0] * np.conj(2.0 * z) + 0.7 + 0.4j)
