"""Products of rows leave loops where nothing in the loop changes what they read, and stay the same in all cases."""

import numpy as np
import pytest

import srcad
from srcad.tools.source_text import source
from tests.checking import assert_gradient
from tests.fuzz.program import function_of

SIGNATURE = "f8[:, ::1], f8[:, ::1], f8[::1], f8[:, ::1], f8"
RNG = np.random.default_rng(4)
SIZE = 5
ARGUMENTS = *(RNG.normal(size=(SIZE, SIZE)) for _ in range(2)), RNG.normal(size=SIZE), np.ones((SIZE, SIZE)), 0.7
TEXT = "import numpy as np\n\n\ndef program(a, b, x, c, s):\n    {}\n    return c\n"


def hoists(*lines, signature=SIGNATURE, given=ARGUMENTS):
    """Whether the pass changes a function; what it computes stays the same, without rows and terms too."""
    f = function_of(TEXT.format("\n    ".join(lines)))
    before, after = (source(f, signature=signature, after=name) for name in ("slice_lengths", "product_hoisting"))
    namespace = {}
    exec(after, namespace)
    for n in (SIZE, 1, 0) if given else ():
        some = [each[:n, :n] if np.ndim(each) == 2 else each[:n] if np.ndim(each) else each for each in given]
        try:
            expected = f(*map(np.copy, some))
        except IndexError:
            continue
        np.testing.assert_allclose(namespace["program"](*map(np.copy, some)), expected)
    return before != after


ROWS, COLUMNS = "for i in range(a.shape[0]):", "    for j in range(b.shape[1]):"


@pytest.mark.parametrize(
    "lines",
    [
        [ROWS, "    c[i, 0] = a[i] @ x"],
        [ROWS, "    c[i, 0] = np.tanh(np.dot(x, a[:, i]))"],
        [ROWS, "    c[i] = a[i] @ b"],
        [ROWS, "    c[:, i] = a @ b[:, i]"],
        [ROWS, COLUMNS, "        c[i, j] = a[i] @ b[:, j]"],
        ["for i in range(a.shape[0] - 1, -1, -1):", "    c[i, 0] -= a[i] @ x"],
        ["for i in range(1, a.shape[0] - 1):", "    c[i, 0] = a[i + 1] @ x"],
        [ROWS, "    c[i, i:] = a[:, i] @ a[:, i:]"],
        [ROWS, "    c[i:, i] = a[:, i] @ a[:, i:] / s", "    c[i, i:] = c[i:, i]"],
        [ROWS, COLUMNS, "        c[i, j] += np.dot(a[i + 1:, i], c[i + 1:, j])"],
        [ROWS, "    for j in range(i, a.shape[0]):", "        c[i, j] -= c[i, :i] @ c[:i, j]"],
        [ROWS, "    t = a[i] @ x", "    c[0, 0] += np.log(1.0 + np.exp(t))"],
        ["u = a[1:]", "for i in range(u.shape[0]):", "    c[i, 0] = u[i] @ x"],
        ["u = a.T", ROWS, "    c[i, 0] = u[:, i] @ x"],
        [
            "old = x",
            "for k in range(3):",
            "    new = np.zeros(a.shape[0])",
            "    " + ROWS,
            "        new[i] = a[i] @ old",
        ]
        + ["    old = new", "c[0] += old"],
    ],
)
def test_products_leave_loops(lines):
    assert hoists(*lines)


@pytest.mark.parametrize(
    "lines",
    [
        ["y = x.copy()", ROWS, "    y[0] = a[i] @ y", "c[0] = y"],
        ["y = x", ROWS, "    y = y * (a[i] @ y)", "c[0] = y"],
        [ROWS, "    c[i, 0] = a[i] @ b[i]"],
        [ROWS, "    c[i, 0] = a[i - 1] @ x"],
        [ROWS, "    c[i, 0] = a[i, :i] @ x[:i]"],
        [ROWS, "    c[i, 0] = (x[i] - c[i, :i] @ c[:i, 0])"],
        ["for i in range(3):", "    c[0, i] = a[i % 1] @ x"],
        ["for i in range(0, a.shape[0], 2):", "    c[i, 0] = a[i] @ x"],
        [ROWS, "    t = a[i] @ x", "    c[0, 0] = t", "    if t > 0.5:", "        break"],
        [ROWS, "    if i > 2:", "        c[i, 0] = a[i] @ x"],
        [ROWS, "    t = a[i] @ x", "    if t > 0.5:", "        c[i, 0] = 2.0"],
        [ROWS, "    t = a[i] @ b", "    t[0] = 3.0", "    c[i] = t"],
        ["for i in range(a.shape[0] - 1):", "    c[i + 1] = c[i] @ b"],
        [ROWS, "    c[i, i:] = a[i] @ b[:, i:]"],
        [ROWS, "    c[i, i:i + 3] = a[:, i] @ a[:, i:i + 3]"],
        [ROWS, "    e = np.exp(b @ a[i])", "    c[i, 0] = np.sum(e * (e / np.sum(e)))"],
    ],
)
def test_what_loops_change_or_may_not_reach_stays(lines):
    assert not hoists(*lines)


def test_a_product_of_matrices_needs_an_array_of_its_size_for_what_is_made_of_it():
    sum_of_all = [ROWS, COLUMNS, "        t = a[i] @ b[:, j]", "        c[0, 0] += np.exp(t)"]
    f = function_of(TEXT.format("\n    ".join(sum_of_all)))
    after = source(f, signature=SIGNATURE, after="product_hoisting")
    products = [line for line in after.splitlines() if " @ " in line and "check_match" not in line]
    assert [len(line) - len(line.lstrip()) for line in products] == [8]


def test_few_iterations_and_other_types_keep_the_loop():
    few = ["if a.shape[0] > 2 and a.shape[1] == x.shape[0]:", "    for i in range(3):", "        c[i, 0] = a[i] @ x"]
    assert not hoists(*few, given=())
    lines = [ROWS, "    c[i, 0] = a[i] @ x"]
    assert not hoists(*lines, signature="f8[:, ::1], f8[:, ::1], f4[::1], f8[:, ::1], f8", given=())
    assert not hoists(*lines, signature="i8[:, ::1], f8[:, ::1], i8[::1], f8[:, ::1], f8", given=())
    assert hoists(*lines, signature="c16[:, ::1], f8[:, ::1], c16[::1], c16[:, ::1], f8", given=())


def covariance(x, w):
    m = x.shape[1]
    c = np.zeros((m, m))
    for i in range(m):
        c[i:m, i] = x[:, i] @ x[:, i:m] / 3.0
        c[i, i:m] = c[i:m, i]
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = np.sin(x[i] @ w)
    return np.sum(c * c) + y @ y


@pytest.mark.parametrize("shape", [(4, 3), (1, 1), (0, 2), (3, 0)])
def test_derivatives_are_those_of_the_loop(shape):
    assert_gradient(covariance, RNG.normal(size=shape), RNG.normal(size=shape[1]))


@pytest.mark.compiled
def test_shapes_that_do_not_match_are_refused_only_where_the_loop_has_iterations():
    gradient = srcad.grad(covariance)
    with pytest.raises(ValueError, match="shapes do not match"):
        gradient(np.ones((2, 3)), np.ones(4))
    assert gradient(np.ones((0, 3)), np.ones(4)).shape == (0, 3)


def triangle(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        c[i, : i + 1] = a[i] @ b[:, : i + 1]
    return np.sum(c[0])


def test_columns_that_a_row_does_not_read_bring_no_nan():
    a, b = np.ones((3, 2)), np.ones((2, 5))
    b[:, 2:] = np.nan
    np.testing.assert_array_equal(srcad.grad(triangle, wrt=(0, 1), jit=False)(a, b)[0][0], [1.0, 1.0])
