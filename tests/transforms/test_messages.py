"""What is raised and printed: texts stay where Numba can make them, else their parts are handed over."""

import numpy as np
import pytest
from numba import typeof

import srcad
from srcad import pipeline
from srcad.faults import note_place


def rooted(x, n):
    print(f"at {x} of {n}", n)
    if x < 0.0:
        raise ValueError(f"no root of {x} in {n} turns")
    assert x < 9.0, f"{x:.2f} is too much"
    if n > 5:
        raise RuntimeError(f"{n} turns are too many")
    return np.sqrt(x)


def test_values_in_texts_that_numba_cannot_make_become_arguments():
    made = pipeline.derive(pipeline.prepare(rooted), "grad", (0,), [typeof(2.0), typeof(3)], loops=True)
    assert "print('at', x, 'of', n, n)" in made.text
    assert "raise ValueError('no root of', x, 'in', n, 'turns')" in made.text
    assert "raise AssertionError(x, 'is too much')" in made.text
    assert "raise RuntimeError(f'{n} turns are too many')" in made.text


def test_texts_stay_where_python_makes_them():
    with pytest.raises(ValueError, match=r"no root of -2\.0 in 3 turns"):
        srcad.grad(rooted, jit=False)(-2.0, 3)


@pytest.mark.parametrize(
    ("raised", "text"),
    [(("no root of", -2.0, "in", 3, "turns"), "no root of -2.0 in 3 turns"), (("other", 1), "other")],
)
def test_calls_from_python_put_texts_together_again(raised, text):
    problem = ValueError(*raised)
    note_place(problem, pipeline.prepare(rooted), (-2.0, 3))
    assert problem.args[0] == text
