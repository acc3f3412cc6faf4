"""The fuzz campaign: its programs, its judge, its rewrites, what it makes of failures, and how it counts."""

import itertools
import json
import os
import time
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from tests.fuzz import campaign, checks, families, metamorphic, oracle, reduction
from tests.fuzz.campaign import Attempt, attempts
from tests.fuzz.checks import Outcome, outcome
from tests.fuzz.generated_code import GeneratedCode
from tests.fuzz.leaves import direction_of, own_copy
from tests.fuzz.program import Program

RIGHT = "import numpy as np\n\n\ndef program(a, x):\n    for i in range(3):\n        x[i] = np.sin(a * x[i])\n"
SMALL = Program(RIGHT + "    b = a * a\n    return np.sum(x) * b\n", (0.7, np.array([0.3, -0.4, 0.8])))
SEEDS = range(40)


def directions(program):
    return direction_of(program.arguments, np.random.default_rng(0))


@pytest.mark.parametrize("family", families.FAMILIES)
def test_a_seed_gives_one_program(family):
    one, other = (families.FAMILIES[family](3) for _ in range(2))
    assert one.text == other.text
    assert one.text != families.FAMILIES[family](4).text


def test_most_programs_give_a_number():
    kinds = [np.ndim(called(families.program(seed))) == 0 for seed in SEEDS]
    assert sum(kinds) >= 0.8 * len(SEEDS)


def called(program):
    """The value of a program; an array of nothing where Python raises an exception."""
    try:
        with np.errstate(all="ignore"):
            return program.function(*own_copy(program.arguments))
    except Exception:  # noqa: BLE001 - whatever a random program raises
        return np.zeros(0)


@pytest.mark.slow
@pytest.mark.parametrize("count", [3, pytest.param(12, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("family", families.FAMILIES)
def test_programs_of_each_family_are_right_or_refused(family, count):
    found = [outcome(families.FAMILIES[family](seed), seed) for seed in range(count)]
    assert {each.kind for each in found} <= {"right", "refused", "unclear", "invalid"}
    assert "right" in {each.kind for each in found}


@pytest.mark.parametrize(
    "expression",
    [
        "abs(a - 2.0) + np.sqrt(x[0] ** 2 + a)",
        "np.sum(np.where(x > 0.0, x * a, x))",
        "np.linalg.norm(x * a) + np.hypot(a, x[1])",
        "np.sum(np.linalg.cholesky(np.outer(x, x) + 2.0 * np.eye(3)) * a)",
        "np.sum(np.linalg.cholesky(np.stack((np.eye(2) * a, np.eye(2) + a))) * a)",
        "np.sum(np.linalg.cholesky(x[:, np.newaxis, np.newaxis] ** 2))",
        "np.linalg.slogdet(np.outer(x, x) - np.eye(3))[1] * a",
        "np.max(x) * np.var(x) + np.sort(x * a)[0]",
        "(x.astype(np.float64)[1] if x[1] > a else np.zeros(3)[0] + a * a)",
    ],
)
def test_a_complex_step_and_differences_give_the_same(expression):
    program = replace(SMALL, text=f"import numpy as np\n\n\ndef program(a, x):\n    return {expression}\n")
    ways = directions(program)
    exact = oracle.by_complex_step(program, ways)
    assert exact == pytest.approx(oracle.by_differences(program, ways), rel=1e-8)


@pytest.mark.parametrize("expression", ["np.vdot(x, x)", "abs(np.exp(1j * a))", "np.heaviside(a, 0.5)", "a // 0.3"])
def test_a_complex_step_through_what_is_not_analytic_is_not_taken(expression):
    program = replace(SMALL, text=f"import numpy as np\n\n\ndef program(a, x):\n    return {expression}\n")
    assert oracle.by_complex_step(program, directions(program)) is None


def test_differences_at_a_kink_are_not_reliable():
    program = replace(SMALL, text="def program(a, x):\n    return a if a > 0.7 else 2.0 * a\n")
    assert oracle.by_differences(program, directions(program)) is None


@pytest.mark.parametrize("name", metamorphic.REWRITES)
def test_a_rewritten_program_gives_the_same_value(name, monkeypatch):
    monkeypatch.setattr(metamorphic, "REWRITES", {name: metamorphic.REWRITES[name]})
    changed = 0
    for seed in SEEDS:
        program = families.program(seed)
        found, other = metamorphic.rewritten(program, Random(seed))
        changed += found == name
        assert np.array_equal(called(other), called(program), equal_nan=True), other.text
        assert len(metamorphic.directions(found, directions(program))) == len(other.arguments)
    assert changed >= 5


def test_a_right_program_is_right_by_every_way():
    for name, _, _ in checks._Check(SMALL, 0, compiled=False).ways():
        assert outcome(SMALL, 0, only=name).kind == "right"


@pytest.mark.parametrize("mode", ["value_and_grad", "vjp", "tangent"])
def test_a_wrong_slope_of_any_mode_is_found(mode, monkeypatch):
    right = GeneratedCode.run

    def wrong(self, found, *more):
        value, slopes = right(self, found, *more)
        if found == mode:
            slopes = slopes + 1e-6 if mode == "tangent" else (slopes[0] + 1e-6, *slopes[1:])
        return value, slopes

    monkeypatch.setattr(GeneratedCode, "run", wrong)
    assert any(outcome(SMALL, seed).kind == "wrong" for seed in range(16))


def test_what_python_raises_is_no_failure():
    assert outcome(replace(SMALL, text="def program(a, x):\n    return x[7]\n"), 0).kind == "invalid"


def test_a_program_that_does_not_end_is_slow(monkeypatch):
    monkeypatch.setattr(checks, "LONGEST", 0.2)

    def endless(*_):
        while True:
            pass

    monkeypatch.setattr(checks._Check, "checked", endless)
    assert outcome(SMALL, 0).kind == "slow"


def test_a_refusal_counts_by_its_reason():
    text = "def program(a, x):\n    class Part:\n        pass\n    return a\n"
    found = outcome(replace(SMALL, text=text), 0, only="pullback")
    assert found == Outcome(
        "refused", "UnsupportedSyntax: a class definition inside the function cannot be differentiated"
    )


def test_a_failure_is_reduced_to_what_it_needs(monkeypatch):
    failure = Outcome("wrong", "slope")
    monkeypatch.setattr(
        reduction, "outcome", lambda program, *_: failure if "np.sin" in program.text else Outcome("right")
    )
    assert len(reduction.reduced(SMALL, 0, failure).text.splitlines()) <= 2


def deadly(seed, compiled):
    """A check that ends its process at one seed."""
    if seed == 1:
        os._exit(3)
    return Attempt(seed, "vectors", Outcome("right"))


def deaf(seed, compiled):
    """A check that hears nothing at one seed."""
    if seed == 1:
        time.sleep(600.0)
    return Attempt(seed, "vectors", Outcome("right"))


@pytest.mark.nightly
def test_a_process_that_hears_nothing_is_slow_and_the_next_goes_on(monkeypatch):
    monkeypatch.setattr(campaign, "LATE_AFTER", 15.0)  # more than a process takes to begin
    found = {each.seed: each.outcome.kind for each in campaign.attempts(iter(range(4)), jobs=2, check=deaf)}
    assert found == {0: "right", 1: "slow", 2: "right", 3: "right"}


def test_a_process_that_dies_is_a_crash_and_the_next_goes_on():
    found = {each.seed: each.outcome for each in attempts(iter(range(4)), jobs=2, check=deadly)}
    assert found.pop(1) == Outcome("crash", "exit status 3")
    assert found == dict.fromkeys((0, 2, 3), Outcome("right"))


def test_a_campaign_ends_when_its_time_is_over():
    assert len(list(itertools.islice(attempts(itertools.count(5), seconds=0.0, check=deadly), 9))) == 0


def test_counts_of_campaigns_add_up(tmp_path, monkeypatch):
    monkeypatch.setattr(campaign, "COUNTS", tmp_path / "counts.json")
    one = [Attempt(1, "vectors", Outcome("right")), Attempt(2, "tuples", Outcome("refused", "why"))]
    campaign.record(one, compiled=False)
    campaign.record(one[:1], compiled=False)
    known = json.loads(campaign.COUNTS.read_text())
    assert known == {"uncompiled": {"tuples": {"refused": 1}, "vectors": {"right": 2}}, "refusals": {"why": 1}}
    assert campaign.table()[-1] == "| uncompiled | vectors | 2 | 2 | 0 | 0 | 0 | 0 | 0 | 0 |"
