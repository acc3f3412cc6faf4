"""Sets and the classes of `collections`, made inside of the function."""

from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from tests.whole_calls import assert_call_is_right

X = np.array([0.7, 1.3, 0.4, 2.1])
SKIPPED = {0, 3}


def sets(x):
    seen = set()
    total = 0.0
    for i in [0, 2, 0, 1]:
        if i in seen:
            continue
        seen.add(i)
        total += x[i] ** 2
    kept = {0, 1, 2} & {1, 2, 3}
    kept |= frozenset((3,))
    kept.discard(1)
    return total * len(seen) + sum(x[i] ** 3 for i in sorted(kept)) + sum(x[i] for i in range(4) if i not in SKIPPED)


def comparisons_of_sets(x):
    names = {name[0] for name in ("aa", "b", "a")}
    if names == {"b", "a"} and names <= {"a", "b", "c"} and names.isdisjoint({"z"}) and not names - {"a", "b"}:
        return np.sum(x**2) * len(names | {"q"})
    return np.sum(x)


def sets_of_run_time_members(x):
    total = 0.0
    for i in range(len(x)):
        if i in {1, 3} and x[i] in {x[1], 5.0}:
            total += x[i] ** 2
    return total


def window(x):
    recent = deque(maxlen=2)
    total = 0.0
    for v in x:
        recent.append(v)
        total += sum(recent) ** 2 / len(recent)
    return total * recent.maxlen


def window_of_an_endless_loop(x):
    recent = deque([0.0, 1.0], maxlen=2)
    total, k = 0.0, 0
    while total < 3.0:
        total += recent[0] * recent[1] + x[0]
        recent.append(x[1] * recent[-1])
        k += 1
    return total + k * recent[0]


def queue(x):
    waiting = deque([x[0], x[1]])
    waiting.appendleft(x[2])
    waiting.extendleft([x[3], 2.0 * x[0]])
    waiting.rotate(1)
    first, last = waiting.popleft(), waiting.pop()
    same = waiting
    same.append(5.0 * first)
    return first * last**2 + len(waiting) * waiting[0] + waiting[-1] ** 2


def grown_queue(x):
    waiting = deque()
    k = 0
    while k < 3 or x[0] > 100.0:
        waiting.append(x[k] ** 2)
        k += 1
    return sum(waiting)


def groups(x):
    sums, lists = defaultdict(float), defaultdict(list)
    for name, v in zip(["a", "b", "a", "c"], x, strict=True):
        sums[name] += v
        lists[name].append(v**2)
    return sum(v**2 for v in sums.values()) + sum(len(v) * sum(v) for v in lists.values()) + sums["new"] * 3.0


def nested_groups(x):
    table = defaultdict(lambda: defaultdict(float))
    for i, v in enumerate(x):
        table["even" if i % 2 == 0 else "odd"][i // 2] += v**2
    return table["even"][0] * table["odd"][1] + len(table)


def counted(x):
    count = Counter(["b", "a", "b"])
    count.update("ab")
    count["z"] += 2
    (most, times), *_ = count.most_common(1)
    return times * x[0] ** 2 + count["nothing"] * x[1] + sum(n * x[2] for n in count.values()) + (most == "b") * x[3]


def ordered(x):
    entries = OrderedDict(a=x[0])
    entries["b"] = x[1] ** 2
    entries.move_to_end("a")
    name, last = entries.popitem()
    return last**3 + sum(entries.values()) + (name == "a") * x[2]


ALL = [sets, comparisons_of_sets, sets_of_run_time_members, window, window_of_an_endless_loop, queue, grown_queue]
ALL += [groups, nested_groups, counted, ordered]


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_containers_behave_as_in_python(f):
    assert_call_is_right(f, X)


def test_a_set_that_is_captured_may_change_between_calls():
    def f(x):
        return sum(x[i] ** 2 for i in range(4) if i not in skipped)

    skipped = {0}
    gradient = srcad.grad(f, jit=False)
    assert gradient(X) == pytest.approx(2 * X * [0, 1, 1, 1])
    skipped.add(2)
    assert gradient(X) == pytest.approx(2 * X * [0, 1, 0, 1])


def test_a_deque_that_may_be_full_or_not_is_refused():
    def f(x):
        recent = deque(maxlen=2)
        while x[0] > len(recent) + 0.1 and x[1] > 0.0:
            recent.append(x[1])
            x = 0.5 * x
        return sum(recent)

    with pytest.raises(UnsupportedSyntax, match="holds 0 elements or 1 element"):
        srcad.grad(f, jit=False)(X)


@pytest.mark.parametrize("statement", ["{x[0], 1.0}", "{int(v) for v in x}"])
def test_sets_of_computed_values_are_refused(statement, tmp_path):
    file = tmp_path / "example.py"
    file.write_text(f"def f(x):\n    return x[0] * len({statement})\n")
    scope = {}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    with pytest.raises(UnsupportedSyntax, match="must be known while compiling"):
        srcad.grad(scope["f"], jit=False)(X)
