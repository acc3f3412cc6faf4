"""Loops whose iterations may run in any order are told from those where something is passed on."""

import textwrap

import pytest
from numba import types as nb

from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.analysis.ranks import ranks_of
from srcad.transforms.ir.code import code_of
from srcad.transforms.loop_analysis.affine_subscripts import Subscripts
from srcad.transforms.loop_analysis.loop_order import is_free

KINDS = {
    "a": nb.float64[:, ::1],
    **dict.fromkeys("vx", nb.float64[::1]),
    **dict.fromkeys("jikn", nb.int64),
    **dict.fromkeys("st", nb.float64),
}


def free(body, bounds="n - 1, -1, -1", after=""):
    made = "v = np.zeros(n)\nx = np.zeros(n)\na = np.zeros((n, n))\n"
    lines = f"{made}for i in range({bounds}):\n{textwrap.indent(body, '    ')}"
    code = code_of(f"def f(n):\n{textwrap.indent(lines, '    ')}", KINDS)
    loop = code.body[-1]
    return is_free(loop, Subscripts().inside(loop), aliases_of(code), ranks_of(code), frozenset(after))


@pytest.mark.parametrize(
    "body",
    [
        "v[i] = x[i]",
        "t = v[i]\nv[i] = 2.0 * t",
        "v[i] += x[i]\nv[i + 1] += x[i]",
        "s += x[i]",
        "for j in range(n):\n    k = i + 1\n    t = a[k, j]\n    a[k, j] = 0.0\n    v[j] += t",
        "if n > 3:\n    t = x[i]\n    v[i] = t",
    ],
)
def test_iterations_that_meet_in_sums_only_are_free(body):
    assert free(body)


@pytest.mark.parametrize(
    "body",
    [
        "v[i] = x[i]\nt = v[i + 1]",  # another iteration's store
        "v[0] = x[i]",  # the last one stays
        "t = v[i]\nv[i + 1] += t",
        "v[i - 1] = x[i]",  # the end of the array, at i = 0
        "s += x[i]\nv[i] = s",  # a running sum
        "s = 2.0 * s",
        "v[i] = t\nt = x[i]",
        "k = i\nv[k] = x[i]\nk -= 1\nv[k] = x[i]",
        "for j in range(n):\n    v[j] = x[i]",
        "x = v[i:]",
        "print(x[i])",
        "if n > i:\n    s = 0.0\ns += x[i]",  # a sum that begins anew
        "if n > i:\n    s += x[i]\nelse:\n    s = x[i]",
    ],
)
def test_iterations_that_pass_something_on_are_not(body):
    assert not free(body)


def test_what_the_last_iteration_leaves_is_not_to_be_changed():
    assert free("t = x[i]\nv[i] = t", after="v")
    assert not free("t = x[i]\nv[i] = t", after="t")
    assert not free("v[i] = x[i]", after="i")
    assert free("s += x[i]", after="s")
    assert free("t = s\ns = 0.0\nv[i] = t\ns = t", after="s")  # as it was found


def test_what_is_known_not_to_be_counted_from_the_end():
    assert free("v[i - 1] = x[i]", "n - 1, 0, -1")
