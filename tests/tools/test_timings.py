"""The table of where compile time goes."""

import numpy as np
import pytest

from srcad.driver.passes import ROWS
from srcad.runtime.support.stage_timer import NUMBA
from srcad.tools import timings
from srcad.tools.source_text import case_of


def spread(x):
    s = 0.0
    for i in range(x.size):
        s = s * np.sin(x[i]) + x[i]
    return s


def test_every_stage_has_its_place_in_the_table():
    assert set(ROWS) <= set(timings.ORDER)
    assert set(NUMBA.values()) <= set(timings.ORDER)


@pytest.mark.compiled
@pytest.mark.parametrize("mode", ["reverse", "hvp"])
def test_the_table_tells_of_our_stages_and_of_numbas(mode):
    lines = timings.timings(case_of(spread, mode, signature="f8[:]")).splitlines()
    rows = {line[:28].strip(): float(line[28:36]) for line in lines[1:]}
    assert list(rows)[-2:] == ["other", "total"]
    assert set(rows) >= {
        "lower",
        "type_inference",
        "reverse_plan",
        "tbr",
        "forward_substitution",
        "print",
        "numba: types",
        "numba: machine code",
    }
    assert set(rows) <= {*timings.ORDER, "total"}
    assert sum(rows.values()) == pytest.approx(2.0 * rows["total"], abs=0.1 * len(rows))
