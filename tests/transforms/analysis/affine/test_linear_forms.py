"""Linear forms add and compare; a system is refused only where it has no solution."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from srcad.transforms.analysis.affine.linear_forms import Form, infeasible

i, j, n = Form.of("i"), Form.of("j"), Form.of("n")


def value(form, **symbols):
    return form.constant + sum(coefficient * symbols[symbol] for symbol, coefficient in form.terms)


def test_terms_that_cancel_are_gone():
    assert i + n - i == n
    assert (i - i).terms == ()


def test_equal_forms_are_equal_whatever_the_order_of_their_terms():
    assert i + n + 2 == n + 2 + i


def test_renaming_two_symbols_to_one_adds_their_coefficients():
    assert (i + j.scaled(2)).renamed({"i": "k", "j": "k"}) == Form.of("k").scaled(3)


def test_an_index_below_its_bound_never_reaches_it():
    assert infeasible([i, n - i - 1, i - n])


def test_an_index_may_reach_the_last_element():
    assert not infeasible([i, n - i - 1, i - n + 1])


def test_two_elements_of_one_row_differ_where_their_columns_do():
    assert infeasible([j - i - 1, i - j])


def test_an_even_number_is_never_odd():
    twice = i.scaled(2)
    assert infeasible([twice - 1, (twice - 1).scaled(-1)])


def test_a_system_without_inequalities_has_a_solution():
    assert not infeasible([])


def test_a_negative_constant_has_no_solution():
    assert infeasible([Form.number(-1)])


forms = st.builds(
    lambda a, b, c: Form.of("i").scaled(a) + Form.of("j").scaled(b) + c,
    st.integers(-3, 3),
    st.integers(-3, 3),
    st.integers(-4, 4),
)


@given(st.lists(forms, min_size=1, max_size=4))
def test_a_system_with_a_solution_is_never_refused(system):
    points = itertools.product(range(-6, 7), repeat=2)
    if any(all(value(form, i=a, j=b) >= 0 for form in system) for a, b in points):
        assert not infeasible(system)


def test_what_has_no_symbol_in_common_is_decided_by_itself():
    """The number of inequalities that are too many is that of those which depend on one another."""
    others = [Form.of(f"a{k}") - Form.of(f"b{k}") for k in range(2000)]
    assert infeasible([*others, i, n - i - 1, i - n])
    assert not infeasible([*others, i, n - i - 1])
    assert infeasible([*others, Form.number(-1)])


@given(st.lists(forms, min_size=1, max_size=4), st.lists(forms, min_size=1, max_size=4))
def test_two_systems_are_refused_where_one_of_them_is(one, other):
    apart = [each.renamed({"i": "k", "j": "m"}) for each in other]
    assert infeasible([*one, *apart]) == (infeasible(one) or infeasible(apart))


@given(forms, forms, st.integers(-4, 4))
def test_sums_and_multiples_are_those_of_the_numbers(one, other, factor):
    point = {"i": 5, "j": -7}
    assert value(one + other, **point) == value(one, **point) + value(other, **point)
    assert value(one - other, **point) == value(one, **point) - value(other, **point)
    assert value(one.scaled(factor), **point) == factor * value(one, **point)
