"""On what it depends what generated code does."""

import pytest
from numba import types as nb

from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.ir.code import code_of
from srcad.transforms.ir.node_notes import note
from srcad.transforms.loop_analysis.control_dependence import choosing, is_continuous

KINDS = {**dict.fromkeys("vw", nb.float64[::1]), **dict.fromkeys("stu", nb.float64), "k": nb.int64}


def found(*lines):
    code = code_of("def f(v, w, s, t, u, k):\n    " + "\n    ".join(lines) + "\n    return s\n", KINDS)
    return choosing(code.body, aliases_of(code))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("s = t * u", set()),
        ("s = np.sin(t)", set()),
        ("s = np.floor(t)", {"t"}),
        ("s = max(t, 0.0)", {"t"}),
        ("s = t // u", {"t", "u"}),
        ("s = t if u > 0.0 else 1.0", {"u"}),
        ("s = v[k] * t", {"k"}),
        ("v[k] = t", {"k"}),
        ("k = int(t)", {"t"}),
        ("k = len(v) + v.shape[0]", set()),
        ("raise ValueError(t)", {"t"}),
    ],
)
def test_what_a_statement_decides_by(line, expected):
    assert found(line) - {"ValueError", "int", "max", "np"} == expected


def test_what_flows_into_a_decision_decides():
    assert {"s", "t", "u", "w"} <= found(
        "s = 2.0 * t", "t = w[0] + 1.0", "if s > 0.0:", "    u = 1.0", "for q in range(int(u)):", "    pass"
    )
    assert "v" not in found("s = 2.0 * t", "t = v[0] + 1.0", "if u > 0.0:", "    w[0] = s")


def test_arrays_decide_by_what_was_stored_in_them():
    assert "t" in found("v[0] = t", "if v[1] > 0.0:", "    s = 1.0")
    assert "t" in found("x = v[1:]", "x[0] = t", "if v[1] > 0.0:", "    s = 1.0")


def test_what_is_appended_decides_by_what_is_read_again():
    assert "t" not in found("q = []", "q.append(t)", "s = q[0]")
    assert "t" in found("q = []", "q.append(t)", "if q[0] > 0.0:", "    s = 1.0")
    assert "v" in found("q = []", "q.append(v)", "w = q[0]", "if w[0] > 0.0:", "    s = 1.0")


def test_what_picks_an_extreme_is_continuous():
    lines = "s = max(t, 0.0)", "u = np.max(v)", "v = kernels.times(v, w)"
    code = code_of("def f(v, w, s, t, u, k):\n    " + "\n    ".join(lines) + "\n    return s\n", KINDS)
    aliases = aliases_of(code)
    assert {"t", "v"} <= choosing(code.body, aliases)
    assert not {"t", "v"} & choosing(code.body, aliases, (), is_continuous)


def test_what_more_names_depend_on_decides_too_and_skipping_zeros_is_no_decision():
    code = code_of("def f(s, t, u):\n    z = 2.0 * t\n    if s != 0.0:\n        t = u\n    return z\n", KINDS)
    aliases = aliases_of(code)
    assert choosing(code.body, aliases) == {"s"}
    note(code.body[1], skips_zeros=True)
    assert choosing(code.body, aliases) == set()
    assert choosing(code.body, aliases, ["z"]) == {"z", "t", "u"}
