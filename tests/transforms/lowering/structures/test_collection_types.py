"""Sets and the classes of `collections`, made inside of the function."""

from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from tests.fuzz.program import function_of
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


def under_two_names(x):
    found, kept, doubled, both = {1, 2, 3}, {0, 1}, [x[0], x[1]], {"a": x[0]}
    others, same, again, either = found, kept, doubled, both
    found -= {3}
    found |= {0}
    kept ^= {1, 2}
    kept &= {0, 2}
    doubled *= 2
    both |= {"b": x[1]}
    frozen = fixed = frozenset((1,))
    frozen |= {2}
    total = x[0] * sum(others) + x[1] * sum(same) + sum(again) + sum(either.values())
    return total * x[2] * len(fixed) + x[3] * len(frozen) + x[0] * len(found)


def a_deque_is_no_list(x):
    queue = deque([1, 2])
    return x[0] * (queue == [1, 2]) + x[1] * (queue == deque([1, 2])) + x[2] * (queue != [1, 2])


@pytest.mark.parametrize("function", [under_two_names, a_deque_is_no_list], ids=lambda each: each.__name__)
def test_what_is_changed_in_place_is_seen_under_all_names(function):
    assert_call_is_right(function, X)


@pytest.mark.parametrize(
    "statement",
    ["c |= d; return x[0] * c['b']", "return x[0] * (c + d)['b']", "return x[0] * (c - d)['a']",
     "return x[0] * (c | d)['b']", "q *= 2; return sum(q)", "return sum(q + q)", "return sum(q * 2)"],
)  # fmt: skip
def test_operators_that_count_or_drop_elements_are_refused(statement):
    made = "c, d, q = Counter('aab'), Counter('bbc'), deque([x[0], x[1]], maxlen=3)"
    function = function_of(f"from collections import Counter, deque\ndef program(x):\n    {made}\n    {statement}\n")
    assert np.isfinite(function(X))
    with pytest.raises(UnsupportedSyntax, match=r"arithmetic with a (Counter|deque)"):
        srcad.grad(function, jit=False)(X)


def loops_over_sets(x):
    made = {3, 1, 2} | {0}
    total = sum(place * x[k] ** 2 for place, k in enumerate(made))
    large = {16, 1, 2}
    return total + x[0] * len(large) + x[1] * max(large) + x[2] * (16 in large) + x[3] * sum(sorted(large | {8})[1:])


def test_sets_are_visited_in_pythons_order():
    assert_call_is_right(loops_over_sets, X)


@pytest.mark.parametrize(
    "made",
    ["s = {16, 1, 2, 3, 4}", "s = {8, 0}", "s = set()\n    for k in (16, 1, 2, 3, 4):\n        s.add(k)",
     "s = {0, 8}; s.discard(0); s.add(3)", "s = {0, 8, 3}; s -= {0}; s = s if x[0] > 0.0 else s"],
)  # fmt: skip
def test_a_set_whose_order_depends_on_its_history_is_not_visited(made):
    text = f"def program(x):\n    {made}\n    return sum(place * x[k % 4] for place, k in enumerate(s))\n"
    with pytest.raises(UnsupportedSyntax, match="order in which Python visits"):
        srcad.grad(function_of(text), jit=False)(X)
