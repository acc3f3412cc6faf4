"""Each pass makes of the texts in `passes/` what these files say, and the results stay the same."""

import pytest

from srcad.driver.passes import ROWS
from tests.golden.pass_texts import cases, names

EVERY = [pytest.param(case, id=f"{name}-{number}") for name in names() for number, case in enumerate(cases(name))]
# Optional passes without a text of their own: why.
ELSEWHERE = {
    "work_sharing": "its loops are functions of their own: transforms/parallel/test_work_sharing.py",
    "ordered_reductions": "for parallel loops: transforms/parallel/test_ordered_reductions.py",
}


@pytest.mark.parametrize("case", EVERY)
def test_the_text_after_the_pass_is_that_in_its_file(case):
    assert case.found() == case.after, f"{case.title}; `python -m tests.golden.pass_texts` writes it anew"


@pytest.mark.parametrize("case", EVERY)
def test_results_stay(case):
    case.compare()


def test_every_optional_pass_has_a_text():
    wanted = {row.name for row in ROWS.values() if row.optional and row.function}
    assert wanted == (set(names()) & wanted) | ELSEWHERE.keys()
    assert set(names()) <= ROWS.keys()
