import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax


def held(x, n):
    iterations = range(n)
    for _ in srcad.checkpointed(iterations):
        x = x * 1.1
    return x


def counted(x, n):
    for i, _ in enumerate(srcad.checkpointed(range(n))):
        x = x * i
    return x


def with_else(x, n):
    for _ in srcad.checkpointed(range(n)):
        x = x * 1.1
        if x > 9.0:
            break
    else:
        x = -x
    return x * 2.0


def not_a_header(x, n):
    y = srcad.checkpointed(range(n))
    for i in y:
        x = x * i
    return x


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (held, "must be a call of `range` that is written out"),
        (counted, "only in the header of a `for` loop"),
        (with_else, "`else` of a checkpointed loop"),
        (not_a_header, "only in the header of a `for` loop"),
    ],
)
def test_other_uses_of_checkpointed_are_refused(function, message):
    with pytest.raises(UnsupportedSyntax, match=message):
        srcad.grad(function, jit=False)(0.5, 3)


@pytest.mark.parametrize("kept", [None, 1, 3])
def test_number_of_snapshots_may_be_an_argument(kept):
    def grown(x, n, k=None):
        for _ in srcad.checkpointed(range(1, n), k):
            x = x * x
        return x

    assert srcad.grad(grown, jit=False)(1.1, 4, kept) == pytest.approx(8 * 1.1**7)


def test_number_of_snapshots_is_checked_when_it_runs():
    def grown(x, n, k):
        for _ in srcad.checkpointed(range(n), snapshots=k):
            x = np.sin(x)
        return x

    with pytest.raises(ValueError, match="at least one snapshot"):
        srcad.grad(grown, jit=False)(1.1, 4, 0)
