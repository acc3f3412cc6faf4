"""Iterator objects: what they cannot do is refused."""

import numpy as np
import pytest

import srcad
from srcad.errors import MissingRule, UnsupportedSyntax

X = np.array([0.3, 1.2, -0.7, 0.9])


def advanced_in_its_loop(x):
    it, s = iter(x), 0.0
    for v in it:
        s += v * next(it)
    return s


def over_an_iterator(x):
    it = iter(zip(x, x, strict=True))
    return next(it)[0]


def dictionary_changed(x):
    held = {"a": x[0]}
    it = iter(held.values())
    held["a"] = x[1]
    return next(it)


@pytest.mark.parametrize(
    ("function", "error"),
    [
        (advanced_in_its_loop, MissingRule),
        (over_an_iterator, UnsupportedSyntax),
        (dictionary_changed, UnsupportedSyntax),
    ],
)
def test_what_an_iterator_cannot_do_is_refused(function, error):
    with pytest.raises(error):
        srcad.grad(function, jit=False)(X)
