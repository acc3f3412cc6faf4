"""Random programs raise where Python raises: indices at the ends of arrays and just after them.

The programs have loops with all kinds of ranges, branches, `break`, `raise`, negative indices, index arrays and arrays
of the caller that are written into. What is generated runs as plain Python, on NumPy's arrays: an IndexError that is
NumPy's own tells that a check is missing.
"""

import linecache
import random

import numpy as np
import pytest

from srcad.driver.pipeline import derive, prepare
from srcad.tools.type_signatures import parse_signature
from tests.night import by_day

SIGNATURE = "f8[::1], f8[::1], f8[:, ::1], i8[::1], i8, i8"
INDICES = ["{}", "{} + 1", "{} - 1", "{} + 2", "n - 1 - {}", "-{} - 1", "-{}", "2 * {}", "{} // 2", "{} % 3", "k[{}]"]
BOUNDS = ["n", "m", "n - 1", "m + 1", "x.shape[0]", "len(y)", "a.shape[0]", "a.shape[1] - 1", "w.shape[0]", "3"]
RANGES = ["range({})", "range(1, {})", "range(m, {})", "range({} - 1, -1, -1)", "range({}, 0, -1)", "range(0, {}, 2)"]
TESTS = ["{} > 0", "{} < n - 1", "{} == m", "{} != 1", "{} >= 1 and {} < m", "x[{}] > 0.3"]


class Program:
    """Writes a random program."""

    def __init__(self, choice: random.Random) -> None:
        self.choice, self.loops, self.lines = choice, [], []

    def pick(self, texts):
        text = self.choice.choice(texts)
        return text.replace("{}", self.choice.choice([*self.loops, *self.loops, "n", "m"]))

    def read(self):
        index, other = self.pick(INDICES), self.pick(INDICES)
        kinds = (
            [f"{self.choice.choice('xyw')}[{index}]"] * 4 + [f"a[{index}, {other}]"] * 2 + [f"np.sum(a[:, {index}])"]
        )
        return self.choice.choice(kinds)

    def block(self, depth):
        indent = "    " * (len(self.loops) + 1 + self.inside)
        for _ in range(self.choice.randint(1, 2)):
            kind = self.choice.random()
            if depth and kind < 0.4:
                index = "ijl"[len(self.loops)]
                bounds = self.choice.choice([*BOUNDS, *self.loops])
                self.lines.append(f"{indent}for {index} in {self.choice.choice(RANGES).format(bounds)}:")
                self.loops.append(index)
                self.block(depth - 1)
                if self.choice.random() < 0.2:
                    leave = self.choice.choice(["break", "break", "raise ValueError('stop')"])
                    self.lines.append(f"{indent}    if {self.pick(TESTS)}:\n{indent}        {leave}")
                self.loops.pop()
            elif depth and kind < 0.6:
                self.lines.append(f"{indent}if {self.pick(TESTS)}:")
                self.inside += 1
                self.block(depth - 1)
                self.inside -= 1
            elif kind < 0.8:
                self.lines.append(f"{indent}s += {self.read()} * {self.read()}")
            else:
                self.lines.append(f"{indent}{self.choice.choice('wb')}[{self.pick(INDICES)}] = {self.read()} + s")

    def text(self, name):
        self.inside = 0
        made = self.choice.choice(["np.zeros(n)", "np.copy(y)", "np.zeros_like(x)", "np.ones(m + 1)"])
        kept = self.choice.choice(["y", "np.copy(x)"])
        self.lines = [f"def {name}(x, y, a, k, n, m):", "    s = 0.0", f"    w = {made}", f"    b = {kept}"]
        self.block(3)
        self.block(2)
        return "\n".join([*self.lines, "    return s + np.sum(w) + np.sum(b)", ""])


def program(seed):
    name = f"program_{seed}"
    text, file = Program(random.Random(seed)).text(name), f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"np": np}
    exec(compile(text, file, "exec"), names)
    return names[name]


def arguments(seed):
    choice = np.random.default_rng(seed)
    for n, m in [(4, 4), (3, 5), (5, 3), (1, 2), (0, 3), (4, 0)]:
        x, y = choice.normal(size=n), choice.normal(size=m)
        a = choice.normal(size=(n, m))
        k = choice.integers(-max(n, 1), max(n, 1), size=n)
        for wrong in (0, 0, 1):
            yield x, y, a, k, max(n + wrong * choice.integers(-1, 2), 0), max(m + wrong * choice.integers(-1, 2), 0)


def outcome(function, args):
    args = [each.copy() if isinstance(each, np.ndarray) else int(each) for each in args]
    try:
        with np.errstate(all="ignore"):
            return function(*args), args
    except (IndexError, ValueError) as problem:
        return problem, args


def agrees(function, derived, args, writes):
    """Whether a generated function raises where the function does; a program that fails in both ways counts once."""
    expected, left = outcome(function, args)
    found, mine = outcome(derived, args)
    if isinstance(expected, Exception):
        assert type(found) is type(expected)
        assert "index is out of range (" in str(found) or isinstance(found, ValueError)
    else:
        assert not isinstance(found, Exception)
    for one, other in zip(mine, left if writes else args, strict=True):
        np.testing.assert_array_equal(one, other)
    return isinstance(expected, Exception)


@pytest.mark.slow
@pytest.mark.parametrize("seed", by_day(range(100), lambda seed: seed < 36))
def test_what_is_out_of_range_raises_and_nothing_else_does(seed):
    function = program(seed)
    unit, kinds = prepare(function), parse_signature(SIGNATURE)
    for mode in ("core", "grad", "tangent"):
        made = derive(unit, mode, {"core": (), "grad": (0, 1, 2), "tangent": (0,)}[mode], kinds)
        names = dict(made.bindings)
        exec(made.text, names)
        derived = names[made.functions[0]]
        for args in arguments(seed):
            given = (*args, np.ones_like(args[0])) if mode == "tangent" else args
            agrees(lambda *own: function(*own[:6]), derived, given, mode == "core")


def test_the_programs_fail_and_do_not_fail():
    failed = [isinstance(outcome(program(seed), args)[0], Exception) for seed in range(30) for args in arguments(seed)]
    assert 0.1 < np.mean(failed) < 0.95
