"""Keys that are known only at run time, enumerations in loops, `iter` and `next`, queues, groups, unrolled loops."""

import enum
import itertools
import math
from collections import Counter, deque, namedtuple

import numpy as np

from tests.programs.program import Program, numbers

X = np.array([0.3, 1.2, -0.7, 0.9])


class Kind(enum.Enum):
    RISING = 1
    FALLING = 2


class Axis(enum.IntEnum):
    FIRST = 0
    SECOND = 1


def added_by_sign(x):
    totals = {"positive": 0.0, "negative": 0.0}
    for v in x:
        key = "positive" if v > 0 else "negative"
        totals[key] += v**2
    return totals["positive"] * 2 + totals["negative"]


def written_and_asked_for(x):
    held = {"a": 0.0, "b": 1.0}
    for i in range(len(x)):
        key = "a" if x[i] > 0 else "b"
        held[key] = held[key] * x[i] + 1
        if key in held:
            held[key] *= 2
    return held["a"] + held["b"] + held.get("b" if x[0] > 0 else "c", 3.0)


def of_dictionaries(x):
    moves = {"s": {"s": 0.9, "r": 0.1}, "r": {"s": 0.4, "r": 0.6}}
    state, total = "s", 0.0
    for v in x:
        following = "r" if v > 0.5 else "s"
        total += np.log(moves[state][following]) * v
        state = following
    return total


def arrays_changed_in_place(x):
    rows = {"a": np.zeros(2), "b": np.zeros(2)}
    for v in x:
        row = rows["a" if v > 0 else "b"]
        row += v**2
    key = "a" if x[0] > 0 else "b"
    rows[key][1] += x[1] ** 2
    return np.sum(rows["a"] ** 2) * 2 + np.sum(rows["b"])


def array_stored_and_changed(x):
    rows = {"a": np.zeros(2), "b": np.ones(2)}
    y = x[:2] * 2
    rows["a" if x[0] > 0 else "b"] = y
    y[0] = x[3] * 5
    return np.sum(rows["a"] ** 2) * 2 + np.sum(rows["b"])


def absent_key(x):
    try:
        y = {"a": 1.0}["a" if x[0] > 5 else "b"]
    except KeyError:
        y = 7.0
    return y * x[0] + Counter("aab")["a" if x[0] > 5 else "c"] * x[1]


def functions_by_key(x):
    return {1: np.sin, 2: np.cos}[1 if x[0] > 0.5 else 2](x[0])


def members(x):
    s = len(Kind) * x[3]
    for i, kind in enumerate(Kind):
        s += x[kind.value] ** 2 * (2.0 if kind is Kind.RISING else 3.0) + i
    weights = {kind: float(i + 1) for i, kind in enumerate(Kind)}
    s += sum(weights[kind] * x[kind.value] ** 2 for kind in Kind if kind in weights)
    return s * x[Axis.FIRST] + Kind(2).value * Kind["RISING"].value * x[1] + sum(len(kind.name) for kind in list(Kind))


def member_as_key(x):
    held = {Kind.RISING: x[0], Kind.FALLING: x[1]}
    kind = Kind.RISING if x[0] > 0 else Kind.FALLING
    return held[kind] ** 2 * held.get(kind, 3.0)


def advanced_by_hand(x):
    it = iter(x)
    first, second = next(it), next(it)
    return first * second**2 + next(it, 0.0) + next(it, 0.0) + next(it, 5.0)


def rest_in_a_loop(x):
    it, s = iter(x), 0.0
    for v in it:
        if v < 0:
            break
        s += v
    for v in it:
        s += v**3
    return s


def until_it_stops(x):
    it, s = iter(x), 0.0
    while True:
        try:
            v = next(it)
        except StopIteration:
            break
        s += v**2
    return s


def none_at_the_end(x):
    it, s = iter(x), 0.0
    v = next(it, None)
    while v is not None:
        s += v**2
        v = next(it, None)
    return s


def changed_while_it_runs(x):
    y, grown = x * 1.0, [x[0]]
    it, other = iter(y), iter(grown)
    first = next(it)
    y[1] = 7.0 * x[3]
    grown.append(x[1] ** 2)
    if x[0] > 0:
        next(other)
    return first * next(it) + next(it) + next(other)


def keys_from_an_iterator(x):
    names, held = iter(("a", "b")), {}
    held[next(names)] = x[0]
    held[next(names)] = x[1] ** 2
    return held[next(iter(held))] * held["b"]


SCHOOLS, SCORES = ["a", "a", "b", "c", "c"], np.array([1.0, 2.0, 3.0, 4.0, 5.0])
TREE = {0: [1, 2], 1: [3], 2: [], 3: [1]}
RULES = [("a", 2.0), ("b", 3.0), ("c", 1.0)]
Bond = namedtuple("Bond", ["coupon", "maturity"])
BONDS = [Bond(2.0, 1), Bond(2.5, 2)]


def grouped(x):
    s = 0.0
    for school, members in itertools.groupby(zip(SCHOOLS, SCORES, strict=False), key=lambda pair: pair[0]):
        scores = np.array([score for _, score in members])
        s += np.sum((scores - x[0]) ** 2) * (2 if school == "a" else 1)
    return s + len([*itertools.groupby(SCHOOLS)]) * x[1] + sum(x[b.maturity] * b.coupon for b in BONDS)


def breadth_first(x):
    queue, seen, total = deque([(0, 1.0)]), set(), 0.0
    while queue:
        node, weight = queue.popleft()
        if node in seen:
            continue
        seen.add(node)
        total += weight * x[node] + math.hypot(*x[:2])
        for other in TREE[node]:
            queue.append((other, weight * x[node]))
    return total


def left_early(x):
    names, rates, s = ["a", "b", "c"], {"a": x[0], "b": x[1], "c": x[3]}, 1.0
    while names:
        s *= rates[names.pop(0)] ** 2
        if s > 0.1:
            return s * 3
    return s


def up_to_the_shorter(x, n):
    found = {"a": 0.0, "b": 0.0, "c": 0.0}
    for v, (key, weight) in zip(x[:n], RULES, strict=False):
        if v < 0:
            continue
        found[key] += v**2 * weight
        if v > 1:
            break
    return found["a"] + found["b"] * 2 + found["c"] * 3


PROGRAMS = [
    *(Program(up_to_the_shorter, numbers(X, n)) for n in (0, 2, 4)),
    *(Program(each, numbers(X)) for each in (grouped, breadth_first, left_early)),
]
PROGRAMS += [
    Program(
        each,
        numbers(X),
        compiled=each is arrays_changed_in_place,
        interpreted=each in (absent_key, until_it_stops, none_at_the_end),
    )
    for each in (
        *(arrays_changed_in_place, added_by_sign, written_and_asked_for, of_dictionaries, array_stored_and_changed),
        *(absent_key, functions_by_key, members, member_as_key, advanced_by_hand, rest_in_a_loop, until_it_stops),
        *(none_at_the_end, changed_while_it_runs, keys_from_an_iterator),
    )
]
