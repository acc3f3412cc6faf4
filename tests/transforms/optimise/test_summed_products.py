"""Loops that only add up products are products; all others stay loops."""

import pytest

from srcad.tools.source_text import source
from tests.fuzz.program import function_of
from tests.transforms.optimise.test_product_hoisting import COLUMNS, ROWS, SIGNATURE, TEXT, hoists

TERMS = "        for k in range(a.shape[1]):"


def of_numbers(*lines):
    return [ROWS, COLUMNS, "        t = 0.5", TERMS, *(f"            {each}" for each in lines), "        c[i, j] = t"]


def of_rows(*lines):
    return [ROWS, "    for k in range(a.shape[1]):", *(f"        {each}" for each in lines)]


@pytest.mark.parametrize(
    "lines",
    [
        of_numbers("t += a[i, k] * b[k, j]"),
        of_numbers("t = t - s * a[i, k] * b[k, j]"),
        of_numbers("t = b[j, k] * a[i, k] + t"),
        [ROWS, COLUMNS, TERMS, "            c[i, j] += s * a[i, k] * b[k, j]"],
        of_rows("c[i, :i + 1] += s * a[i, k] * a[:i + 1, k]"),
        of_rows("c[i] -= a[i, k] * b[k]"),
        of_rows("c[i, 0] += a[k, i] * x[k]"),
        ["for k in range(a.shape[1]):", "    c[0] += x[k] * a[:, k]"],
        ["for k in range(a.shape[1] - 1, -1, -1):", "    c[0] += x[k] * a[:, k]"],
    ],
)
def test_sums_of_products_leave_loops(lines):
    assert hoists(*lines)


@pytest.mark.parametrize(
    "lines",
    [
        of_numbers("t += a[i, k] * a[i, k] * b[k, j]"),
        of_numbers("t += a[i, k] + b[k, j]"),
        of_numbers("t *= a[i, k] * b[k, j]"),
        of_numbers("t += np.exp(a[i, k]) * b[k, j]"),
        of_numbers("u = a[i, k] * b[k, j]", "t += u", "c[0, 0] += u"),
        of_numbers("t += a[i, 2 * k - k] * a[i, k]"),
        of_rows("c[i, 0] += a[i, k] * x[k]"),
        of_rows("c[i, k] += s * a[i, k] * x[k]"),
        of_rows("c[i] += a[:, k] * b[:, k]"),
        of_rows("c[i] += c[i, k] * b[k]"),
        of_rows("c[i, :k] += a[i, k] * b[i, :k]"),
        ["t = 0.0", "for k in range(x.shape[0]):", "    t += x[k] * x[k]", "c[0, 0] = t"],
        ["for n in range(2):", *(f"    {each}" for each in of_numbers("t += a[i, k] * b[k, j]"))],
    ],
)
def test_other_sums_stay(lines):
    assert not hoists(*lines)


def test_small_matrices_keep_the_loops():
    lines = of_numbers("t += a[i, k] * b[k, j]")
    text = source(function_of(TEXT.format("\n    ".join(lines))), signature=SIGNATURE, after="product_hoisting")
    assert [text.count(each) for each in ("    if ", "    else:", " @ ", "for k", "for i")] == [1, 1, 1, 1, 2]
