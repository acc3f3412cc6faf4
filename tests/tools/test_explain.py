"""Explanations: golden texts, and bytes held to those that traces really hold.

`SRCAD_WRITE_GOLDEN=1 pytest tests/test_explain.py` writes the texts anew; look at what changed before committing.
"""

import os
from pathlib import Path

import numpy as np
import pytest

import srcad
from srcad.errors import BadArgument
from srcad.tools.explain import Explanation
from srcad.tools.source_text import case_of
from tests.checking import generated
from tests.golden import kept

RNG = np.random.default_rng(3)
X = RNG.uniform(0.1, 0.9, size=6)
# Functions with their arguments and the number of iterations of the loop whose trip count is not known beforehand.
CASES = {
    "cooled": ((X, 0.9), 0),
    "diffused": ((X, 5, 0.1), 0),
    "wandering": ((X, 9.0), 9),
    "triangle": ((X, 6), 0),
    "weighted": ((X, X + 1.0), 0),
    "layered": ((X, RNG.normal(size=(6, 6))), 3),
    "passing": ((X, 6), 6),
}
cases = pytest.mark.parametrize("name", CASES)


def explanation(name, mode):
    return Explanation(case_of(getattr(kept, name), mode, args=CASES[name][0]))


@cases
@pytest.mark.parametrize("mode", ["grad", "reverse"])
def test_the_explanation_is_the_golden_file(name, mode):
    file = Path(__file__).parents[1] / "golden" / f"kept_{name}_{mode}.txt"
    text = explanation(name, mode).text() + "\n"
    if os.environ.get("SRCAD_WRITE_GOLDEN"):
        file.write_text(text)
    assert text == file.read_text()


def held(thing):
    """The bytes of all numbers in a trace."""
    if isinstance(thing, np.ndarray):
        return thing.nbytes
    if isinstance(thing, (tuple, list)):
        return sum(map(held, thing))
    return 1 if isinstance(thing, (bool, np.bool_)) else 8


def trace_of(name):
    (forward, _), given, _ = generated(getattr(kept, name), CASES[name][0], "vjp", (0,), loops=True, assumes=True)
    return forward(*given)[1]


@cases
def test_the_bytes_are_those_that_the_trace_holds(name):
    arguments, turns = CASES[name]
    costs = explanation(name, "reverse").costs
    names = dict(zip(getattr(kept, name).__code__.co_varnames, arguments, strict=False))
    total = sum(eval(each.formula, {"np": np, "iterations": turns, **names}) for each in costs)
    found = held(trace_of(name))
    if any(each.most for each in costs):
        assert 0 < found <= total
    else:
        assert found == total


def test_a_buffer_that_grows_never_holds_more_than_twice_what_it_needs():
    (cost,) = {each.formula for each in explanation("wandering", "reverse").costs if each.grows}
    assert cost == "8 * max(64, 2 * iterations)"
    for most in (1.0, 70.0, 200.0):
        (forward, _), given, _ = generated(kept.wandering, (np.array([-0.0]), most), "vjp", (0,), loops=True)
        trace = forward(*given)[1]
        arrays = [each for each in trace if isinstance(each, np.ndarray)]
        assert arrays
        assert all(8 * most <= each.nbytes <= eval(cost, {"iterations": int(most)}) for each in arrays)


def test_names_and_lines_are_the_users():
    text = explanation("cooled", "grad").text()
    first = kept.cooled.__code__.co_firstlineno
    assert f"8 * x.shape[0] bytes (one float64 for each iteration of the loop over i (line {first + 3}))" in text
    helper = kept.gain.__code__.co_firstlineno + 1
    call = next(line for line in text.splitlines() if "s += gain(v, k)" in line)
    inside = next(line for line in text.splitlines() if line.strip() == f"{helper} | b = np.exp(a)")
    assert text.index(call) < text.index(inside)
    assert len(inside) - len(inside.lstrip()) > len(call) - len(call.lstrip())


def test_a_linear_function_keeps_nothing():
    assert explanation("weighted", "grad").text().endswith("\nnothing is recorded")


def test_numbers_are_recorded_where_none_are_computed_again():
    f, args = kept.cooled, CASES["cooled"][0]
    assert "computed again" in srcad.explain(f, args=args)
    assert "computed again" not in srcad.explain(f, args=args, without="recomputation")


def test_modes_without_a_reverse_sweep_are_refused():
    with pytest.raises(BadArgument, match="nothing to explain of mode 'tangent'"):
        srcad.explain(kept.cooled, "forward", args=CASES["cooled"][0])


def test_structures_and_recursion_are_explained_too():
    def power(x, n):
        return 1.0 if n == 0 else x * power(x, n - 1)

    def loss(p, n):
        return np.sin(p["a"]) * power(p["b"], n)

    text = srcad.explain(loss, wrt="p", args=({"a": 1.0, "b": 2.0}, 3))
    assert "besides, each call of power keeps a record of its own" in text
    assert text.startswith("the gradient of loss with respect to p['a'], p['b']\n")
    assert "power(p['b'], n): still there, for the reversal of line" in text


def test_a_checkpointed_loop_keeps_snapshots():
    def marched(x, n):
        v = 1.0 * x
        for _ in srcad.checkpointed(range(n), snapshots=4):
            v = np.sin(v) * v
        return v

    text = srcad.explain(marched, args=(0.4, 7))
    line = marched.__code__.co_firstlineno + 2
    assert text.endswith(
        f"nothing is recorded\nbesides, the checkpointed loop_{line} keeps snapshots of what it carries"
    )
