"""Linear forms of expressions, and expressions of linear forms."""

import gast
import pytest

from srcad.transforms.analysis.affine.integer_facts import expression_of
from srcad.transforms.analysis.affine.point_facts import Facts


@pytest.mark.parametrize(
    "text",
    ["0", "-3", "n", "-n", "n - 1", "m - n + 2", "2 * n - m", "n - 3 * x.shape[1]", "-2 * n + 1", "m - x.shape[0]"],
)
def test_the_expression_of_a_form_has_that_form(text):
    facts = Facts({"x": 2})
    form = facts.form(gast.parse(text, mode="eval").body)
    made = expression_of(form)
    assert facts.form(gast.parse(gast.unparse(made), mode="eval").body) == form


def test_positive_terms_come_first():
    form = Facts().form(gast.parse("1 - m + n", mode="eval").body)
    assert gast.unparse(expression_of(form)).strip() in ("n - m + 1", "((n - m) + 1)")


@pytest.mark.parametrize("text", ["n * m", "n // 2", "n / 2", "x[n]", "True", "1.5", "f(n)", "n if n else m"])
def test_what_is_not_linear_has_no_form(text):
    assert Facts({"x": 1}).form(gast.parse(text, mode="eval").body) is None
