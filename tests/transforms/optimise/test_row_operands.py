"""What one iteration reads of an array, and what all iterations read together."""

from srcad.transforms.analysis.affine.linear_forms import Form
from srcad.transforms.optimise.row_operands import Operand, Span, View, operand_of

INDEX, OTHER, N = map(Form.of, "ijn")
ALL = Span()


def test_an_index_becomes_a_span_and_a_vector_a_matrix():
    row = Operand("a", (INDEX + 1, ALL), 1, None)
    assert row.lifted("i", Form(), N - 1) == Operand("a", (Span(Form.number(1), N + 1), ALL), 1, 0)


def test_spans_that_depend_on_the_index_become_those_that_contain_them():
    part = Operand("a", (ALL, Span(INDEX, N)), 0, 1)
    assert part.lifted("i", Form.number(2), N - 1) == Operand("a", (ALL, Span(Form.number(2), N)), 0, 1)
    falling = Operand("a", (ALL, Span(N - INDEX, N - INDEX + 1)), 0, 1)
    assert falling.lifted("i", Form(), OTHER).parts[1] == Span(N - OTHER, N + 1)


def test_sums_over_other_terms_and_second_rows_stay():
    assert Operand("a", (OTHER, Span(Form(), INDEX)), 1, None).lifted("i", Form(), N) is None
    assert Operand("a", (INDEX, ALL, ALL), 2, 1).lifted("i", Form(), N) is None
    assert Operand("a", (INDEX + INDEX, ALL), 1, None).lifted("i", Form(), N) is None


def test_what_does_not_depend_on_the_index_stays_as_it_is():
    row = Operand("a", (OTHER, ALL), 1, None)
    assert row.lifted("i", Form(), N) == row


def test_the_axis_that_is_summed_over_is_the_last_of_the_left_factor_and_the_first_of_the_right_one():
    view = View("a", (ALL, INDEX, ALL), (0, 2))
    assert operand_of(view, True) == Operand("a", view.parts, 2, 0)
    assert operand_of(view, False) == Operand("a", view.parts, 0, 2)
    assert operand_of(View("a", (ALL, ALL, ALL), (0, 1, 2)), True) is None
