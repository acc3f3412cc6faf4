import gast
import pytest

from srcad.cuda.index_forms import Facts, bound, is_positive, plus, scaled, times


def test_products_are_sums_of_monomials():
    i, n = {("thread.x",): 1, (): 1}, {("n",): 2}
    assert times(i, n) == {("n", "thread.x"): 2, ("n",): 2}
    assert plus(times(i, n), scaled(times(i, n), -1)) == {}


@pytest.mark.parametrize(
    ("form", "upper", "expected"),
    [
        ({("thread.x",): 1}, True, {("s",): 1, (): -1}),
        ({("thread.x",): 1, ("s",): 1}, False, {("s",): 1}),
        ({("thread.x",): -2, (): 5}, True, {(): 5}),
        ({("unknown",): 1}, True, None),
        ({("n", "thread.x"): 1}, True, None),
    ],
)
def test_bounds_follow_from_guards(form, upper, expected):
    facts = Facts(nonnegative=({("s",): 1, ("thread.x",): -1, (): -1},))
    assert bound(form, facts, {"s"}.__contains__, upper) == expected


def test_without_a_guard_a_thread_is_within_its_block():
    assert bound({("thread.y'",): 1}, Facts(), lambda name: "_dim." in name, True) == {("block_dim.y",): 1, (): -1}


@pytest.mark.parametrize(("form", "expected"), [({(): 1}, True), ({}, False), ({(): 1, ("n",): 1}, False)])
def test_a_polynomial_is_positive_only_if_that_is_seen(form, expected):
    assert is_positive(form) is expected


def test_equality_of_floats_says_nothing_of_integers():
    from srcad.cuda.index_forms import IndexForms
    from srcad.cuda.regions import Region, Thread

    thread = Thread("f", ("x",), {}, {}, {}, Region(), {}, None)
    test = gast.parse("x == 1").body[0].value
    assert IndexForms(thread).said(test, True) == Facts()
