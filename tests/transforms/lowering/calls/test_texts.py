"""Texts that are computed while compiling, and f-strings as messages."""

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from tests.checking import assert_gradient

X = np.array([0.5, -1.5, 2.0])


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('f"w{i}"', "w1"),
        ('f"{i:03d}"', "001"),
        ("f\"{'a'!r}{i}\"", "'a'1"),
        ('"w%d" % i', "w1"),
        ('"%s_%d" % ("w", i)', "w_1"),
        ('"w" + str(i)', "w1"),
        ('"{}-{k}".format("w", k=i)', "w-1"),
        ('"_".join(["w", str(i)])', "w_1"),
        ('"W1".lower()', "w1"),
        ('f"{True}{None}"', "TrueNone"),
    ],
)
def test_keys_are_computed(text, key, tmp_path):
    assert eval(text, {"i": 1}) == key
    file = tmp_path / "keys.py"
    file.write_text(
        f"def f(x):\n    d = {{{key!r}: x[0], 'other': x[1]}}\n    s = x[2]\n"
        f"    for i in range(1, 2):\n        s += d[{text}] ** 2\n    return s\n"
    )
    namespace = {}
    exec(compile(file.read_text(), str(file), "exec"), namespace)
    assert srcad.grad(namespace["f"], jit=False)(X) == pytest.approx([2 * X[0], 0.0, 1.0])


def test_messages_may_be_put_together_before_they_are_raised():
    def root(x):
        where = f"at {x[0]:.2f}"
        said = f"no root {where}, {x.size} numbers"
        if x[0] < 0.0:
            raise ValueError(said)
        return np.sqrt(x[0])

    assert_gradient(root, X, modes=["arrays"])
    with pytest.raises(ValueError, match=r"no root at -0.50, 3 numbers"):
        srcad.grad(root, jit=False)(-X)


@pytest.mark.parametrize("expression", ["said", "(said, x[0])", "x[0] * len(said)"])
def test_texts_that_are_known_only_at_run_time_are_no_values(expression, tmp_path):
    file = tmp_path / "values.py"
    file.write_text(f"def f(x):\n    said = f'at {{x[0]}}'\n    return {expression}\n")
    namespace = {}
    exec(compile(file.read_text(), str(file), "exec"), namespace)
    with pytest.raises(UnsupportedSyntax):
        srcad.grad(namespace["f"], jit=False)(X)
