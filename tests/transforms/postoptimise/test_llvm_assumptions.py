"""What loops are promised is written out, under the name that kernels have."""

import gast
import numba
import numpy as np
import pytest
from numba import types as nb

from srcad.printing.printer import print_function
from srcad.runtime import kernels
from srcad.transforms.ir.generated_functions import Made
from srcad.transforms.ir.node_notes import note
from tests.transforms.core_text import module_after, noted, parsed, tree_after

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
    made = noted([tree_after(["unordered_reductions", "nonnegative_indices"], parsed(text), KINDS)], bindings)
    return print_function(made.functions[0]), made.bindings


def test_sums_and_indices():
    text, bindings = written({})
    assert bindings == {"kernels": kernels}
    lines = [each.strip() for each in text.split("\n")]
    assert [each for each in lines if "kernels" in each] == [
        "kernels.natural(r)",
        "s = kernels.plus(s, x[r])",
        "t = kernels.plus(t, -t_term)",
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
    assert module_after("llvm_assumptions", made) is made


def test_outer_products_are_added_without_a_matrix():
    tree = parsed("def f(x, y, a):\n    a += np.outer(x, y)\n    a += np.outer(x, y)\n    return a\n")
    note(tree.body[0], whole=True)
    made = noted([tree], {})
    text = print_function(made.functions[0])
    assert "kernels.add_outer(a, x, y)" in text
    assert "a += np.outer(x, y)" in text  # where the shapes may differ
    names = {"np": np, **made.bindings}
    exec(text, names)
    x, y = np.arange(3.0), np.ones(2)
    np.testing.assert_array_equal(names["f"](x, y, np.ones((3, 2))), 1.0 + 2.0 * np.outer(x, y))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["    t[n, i] = x[i]"], "kernels.copy_to(t[n], x)"),
        (["    for j in range(3):", "        t[n, i, j] = x[i, j]"], "kernels.copy_to(t[n], x)"),
        (["    t[n, i] = x[i] * 2.0"], None),
        (["    t[n, i] = x[i + 1]"], None),
        (["    t[i, n] = x[i]"], None),
        (["    t[i] = x[i]"], None),
        (["    t[n, i] = x[i]", "    y[i] = 0.0"], None),
    ],
)
def test_copies_into_traces_are_calls_while_they_are_as_they_were_made(lines, expected):
    body = "\n".join(f"    {each}" for each in ["for i in range(n):", *lines])
    tree = parsed(f"def f(x, y, t, n):\n{body}\n    return t\n")
    note(tree.body[0], becomes_call=True)
    text = print_function(noted([tree], {}).functions[0])
    assert (f"    {expected}\n" in text) if expected else body in text.replace(" = kernels", "")


@pytest.mark.compiled
@pytest.mark.parametrize("kind", [np.float64, np.complex128, np.float32])
def test_compiled_outer_products(kind):
    @numba.njit
    def added(total, a, b):
        kernels.add_outer(total, a, b)
        return total

    a, b = np.arange(3).astype(kind), np.arange(4).astype(kind)[::2]
    np.testing.assert_array_equal(added(np.ones((3, 2), kind), a, b), 1 + np.outer(a, b))
    by_columns = np.ones((2, 3), kind).T
    np.testing.assert_array_equal(added(by_columns, a, b), 1 + np.outer(a, b))
    with pytest.raises(ValueError, match="broadcast"):
        added(np.ones((2, 2), kind), a, b)
    matrix = np.ones((2, 2), kind)
    np.testing.assert_array_equal(added(np.ones((4, 2), kind), matrix, b), 1 + np.outer(matrix, b))


@pytest.mark.compiled
def test_compiled_promises_of_all_kinds_of_numbers():
    @numba.njit
    def summed(x, start, n):
        total = start
        for i in range(n):
            kernels.natural(i)
            total = kernels.plus(total, x[i])
        return total

    for kind in (np.float64, np.float32, np.complex128, np.int64):
        x = np.arange(9).astype(kind)
        assert summed(x, kind(2), 9) == 38
        assert str(summed.nopython_signatures[-1].return_type) == np.dtype(kind).name
    assert summed(np.ones(3, np.float32), 0.5, np.uint64(3)) == 3.5
    assert str(summed.nopython_signatures[-1].return_type) == "float64"
