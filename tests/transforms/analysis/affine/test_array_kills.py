"""An iteration that has stored what it reads sees nothing that another one has left."""

import math

import numpy as np
import pytest

from srcad.transforms.analysis.affine.array_kills import Cover
from srcad.transforms.ir.build import walk_statements
from tests.transforms.core_text import at_line, numeric, program_of

SIGNATURE = "f8[::1], f8[:, ::1], i8, i8"
HEADER = """
def f(c, a, n, m):
    s = 0.0
    for k in range(0, 3, 1):
"""


def text_of(*body):
    """A loop whose last statement reads `c` or `a` into `r`."""
    return HEADER + "".join(f"        {line}\n" for line in body) + "    return s\n"


def answer(*body, **options):
    """Whether all that the last statement on a subscript reads has been stored before."""
    program = program_of(text_of(*body), SIGNATURE)
    loop = at_line(program.unit, 3)
    read = [
        each for each in walk_statements(loop.body) if getattr(getattr(each, "targets", [None])[0], "id", "") == "r"
    ]
    return Cover(program.meeting, **options).is_stored_before(loop, read[-1], read[-1].value)


WHOLE = "for i in range(0, n, 1):", "    c[i] = 1.0"
READ = "for j in range(0, n, 1):", "    r = c[j]"
_REST = ["for i in range(1, t2, 1):", "    c[i] = 1.0"]
FILLED = ["t1 = c.shape", "t2 = t1[0]", "for i in range(0, t2, 1):", "    c[i] = 1.0"]
STORED = {
    "by a loop": [*WHOLE, "for j in range(0, n, 1):", "    r = c[j]"],
    "by a loop that counts down": ["t1 = n - 1", "for i in range(t1, -1, -1):", "    c[i] = 1.0", *READ],
    "by a slice": ["c[:] = 1.0", "r = c[:]"],
    "in two parts": ["c[0] = 1.0", "for i in range(1, n, 1):", "    c[i] = 1.0", *READ],
    "by both arms": ["t = k > 1", "if t:", "    c[0] = 1.0", "else:", "    c[0] = 2.0", "r = c[0]"],
    "in the same arm": ["t = k > 1", "if t:", "    c[0] = 1.0", "    r = c[0]"],
    "by earlier iterations of an inner loop": [
        "c[0] = 1.0",
        "for i in range(1, n, 1):",
        "    c[i] = 1.0",
        "    t = i - 1",
        "    r = c[t]",
    ],
    "an element, which an array without any does not have": [*FILLED, "r = c[0]"],
    "the last element": [*FILLED, "r = c[-1]"],
    "an element by an index": [*FILLED, "t = k < n", "if t:", "    r = c[k]"],
    "by slices that move": ["for i in range(0, 3, 1):", "    t1 = i + 2", "    c[i:t1] = 1.0", "r = c[2]"],
    "a row": ["for i in range(0, n, 1):", "    a[i, 0] = 1.0", "for j in range(0, n, 1):", "    r = a[j, 0]"],
    "all of a matrix": [
        "for i in range(0, n, 1):",
        "    for j in range(0, m, 1):",
        "        a[i, j] = 1.0",
        "for j in range(0, n, 1):",
        "    for l in range(0, m, 1):",
        "        r = a[j, l]",
    ],
}
NOT_STORED = {
    "an element, where the loop may not run": ["for i in range(0, m, 1):", "    c[i] = 1.0", "r = c[0]"],
    "the first element by a loop over the others": ["t1 = c.shape", "t2 = t1[0]", *_REST, "r = c[0]"],
    "an element after those of the loop": ["t1 = c.shape", "t3 = t1[0]", "t2 = t3 - 1", *FILLED[2:], "r = c[-1]"],
    "never": ["r = c[0]"],
    "afterwards": ["r = c[0]", "c[0] = 1.0"],
    "another element": ["c[0] = 1.0", "r = c[1]"],
    "all but one": ["for i in range(1, n, 1):", "    c[i] = 1.0", "for j in range(0, n, 1):", "    r = c[j]"],
    "every other": ["for i in range(0, n, 2):", "    c[i] = 1.0", "for j in range(0, n, 1):", "    r = c[j]"],
    "by one arm": ["t = k > 1", "if t:", "    c[0] = 1.0", "r = c[0]"],
    "by the other arm": ["t = k > 1", "if t:", "    c[0] = 1.0", "else:", "    r = c[0]"],
    "by a loop that may not run": ["for i in range(0, m, 1):", "    c[0] = 1.0", "r = c[0]"],
    "with a gap": ["c[:2] = 1.0", "c[3:] = 2.0", "r = c[:]"],
    "by later iterations of an inner loop": [
        "t1 = n - 1",
        "for i in range(0, t1, 1):",
        "    t = i + 1",
        "    r = c[t]",
        "    c[i] = 1.0",
    ],
    "by this iteration of an inner loop, afterwards": ["for i in range(0, n, 1):", "    r = c[i]", "    c[i] = 1.0"],
    "by empty slices that move": ["for i in range(0, 3, 1):", "    t1 = i + 1", "    c[t1:i] = 1.0", "r = c[1]"],
    "one column only": ["for i in range(0, n, 1):", "    a[i, 0] = 1.0", "r = a[:, :]"],
}


@pytest.mark.parametrize("name", STORED)
def test_what_is_stored_in_the_same_iteration(name):
    assert answer(*STORED[name])


@pytest.mark.parametrize("name", NOT_STORED)
def test_what_may_come_from_another_iteration(name):
    assert not answer(*NOT_STORED[name])


def read_by(body, n, m):
    """All values that `r` had, where each iteration finds nothing but NaN in both arrays."""
    noted = [line.replace("r = ", "kept = ") for line in body]
    body = [
        part
        for line in noted
        for part in (
            [line] if "kept = " not in line else [line, line[: len(line) - len(line.lstrip())] + "seen.append(kept)"]
        )
    ]
    text = text_of("c[:] = np.nan", "a[:] = np.nan", *body).replace("(c, a, n, m)", "(c, a, n, m, seen)")
    seen = []
    numeric(text, "f")(np.ones(n), np.ones((n, max(m, 1))), n, m, seen)
    return seen


@pytest.mark.parametrize("name", [*STORED, *NOT_STORED])
def test_the_answer_is_what_happens(name):
    """A read that is said to be covered never sees the NaN; each of the others sees one, for some size."""
    body = STORED.get(name) or NOT_STORED[name]
    found = [np.ravel(value) for n, m in ((4, 3), (5, 0)) for value in read_by(body, n, m)]
    assert any(map(math.isnan, np.concatenate(found))) == (name in NOT_STORED)


def test_sums_count_as_stores_where_they_are_asked_to():
    body = "c[0] += 1.0", "r = c[0]"
    assert not answer(*body)
    assert answer(*body, adds=True)
