"""The table of edge cases in docs/conventions.md: every row, compiled, uncompiled and on the tape."""

import linecache
import re
from pathlib import Path

import numpy as np
import pytest

import srcad
from tests.night import by_day, every

PAGE = Path(srcad.__file__).parent.parent / "docs" / "conventions.md"
LITERALS = {"inf": np.inf, "nan": np.nan, "np": np}
TITLE = "## Edge cases\n"
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def rows():
    """The cells with code of each row: the function, the point, the value, the slope."""
    section = PAGE.read_text(encoding="utf-8").partition(TITLE)[2].partition("\n## ")[0]
    for line in section.splitlines():
        cells = re.fullmatch(r"\| `(.+?)` \| `(.+?)` \| `(.+?)` \| `(.+?)` \| .*\|", line)
        if cells is not None:
            yield pytest.param(*cells.groups(), id=f"{cells[1]} at {cells[2]}")


ROWS = list(rows())


def function(expression):
    """The function of x with this expression, whose source can be read."""
    text, space = f"def f(x):\n    return {expression}\n", {"np": np}
    file = f"edge_case_{abs(hash(expression))}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), space)
    return space["f"]


def literal(text):
    value = eval(text, dict(LITERALS))
    return np.array(value, dtype=float) if isinstance(value, list) else value


def assert_is(found, value, slope, x):
    np.testing.assert_allclose(np.asarray(found[0], float), literal(value), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(np.asarray(found[1], float), literal(slope), rtol=1e-12, atol=1e-15)
    assert np.shape(found[1]) == np.shape(x)


def test_there_are_rows():
    section = PAGE.read_text(encoding="utf-8").partition(TITLE)[2].partition("\n## ")[0]
    assert len(ROWS) > 60
    assert len(ROWS) == section.count("\n| `") - 1  # the head of the table begins in the same way


@pytest.mark.parametrize(("expression", "point", "value", "slope"), ROWS)
def test_uncompiled(expression, point, value, slope):
    f, x = function(expression), literal(point)
    assert_is(srcad.value_and_grad(f, jit=False)(x), value, slope, x)
    np.testing.assert_allclose(np.asarray(srcad.grad(f, jit=False)(x)), literal(slope), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(("expression", "point", "value", "slope"), ROWS)
def test_on_the_tape(expression, point, value, slope):
    f, x = function(expression), srcad.constant(literal(point))
    with srcad.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert_is((y.numpy(), tape.gradient(y, x).numpy()), value, slope, x)


@pytest.mark.compiled
@pytest.mark.parametrize(("expression", "point", "value", "slope"), by_day(ROWS, every(2)))
def test_compiled(expression, point, value, slope):
    f, x = function(expression), literal(point)
    assert_is(srcad.value_and_grad(f)(x), value, slope, x)
