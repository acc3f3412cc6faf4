"""What loops are promised is written out, under the name that kernels have."""

import gast
import numpy as np
from numba import types as nb

from srcad.printer import print_function
from srcad.runtime import kernels
from srcad.transforms.gradient import Made
from srcad.transforms.natural import with_natural_indices
from srcad.transforms.promises import with_promises
from srcad.transforms.unordered import with_free_sums
from tests.transforms.core_text import parsed

TEXT = """
def f(x, y, n):
    s = 0.0
    t = 0.0
    for c in range(n):
        for r in range(c, n):
            s += x[r]
            if x[r] > 1.0:
                t = t - x[c] * y[r]
    return s, t
"""
KINDS = {**dict.fromkeys("xy", nb.float64[::1]), **dict.fromkeys("ncr", nb.int64), **dict.fromkeys("st", nb.float64)}


def written(bindings, text=TEXT):
    tree = parsed(text)
    for noting in (lambda *given: with_free_sums(*given, 0), with_natural_indices):
        noting(tree.body, ("x", "y", "n"), KINDS)
    made = with_promises(Made([tree], bindings, ("f",)))
    return print_function(made.functions[0]), made.bindings


def test_sums_and_indices():
    text, bindings = written({})
    assert bindings == {"kernels": kernels}
    lines = [each.strip() for each in text.split("\n")]
    assert [each for each in lines if "kernels" in each] == [
        "kernels.natural(r)",
        "s = kernels.plus(s, x[r])",
        "t = kernels.plus(t, -(x[c] * y[r]))",
    ]
    assert lines[lines.index("for r in range(c, n):") + 1] == "kernels.natural(r)"


def test_it_runs_as_it_stands():
    names = {"kernels": kernels}
    exec(written({})[0], names)
    exec(TEXT.replace("def f", "def plain"), names)
    x = np.linspace(0.0, 2.0, 6)
    assert names["f"](x, x + 1.0, 6) == names["plain"](x, x + 1.0, 6)


def test_the_name_of_the_kernels():
    assert "k.plus(s" in written({"k": kernels})[0]
    assert "plus" not in written({"kernels": np})[0]
    assert "plus" not in written({}, TEXT.replace("y", "kernels"))[0]


def test_nothing_noted_nothing_changed():
    made = Made([gast.parse("def f(x):\n    return x").body[0]], {}, ("f",))
    assert with_promises(made) is made
