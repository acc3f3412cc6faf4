"""Functions that Python's library is given: keys of `sorted`, `max`, `min`, and what `operator`, `dataclasses` make."""

import copy
import dataclasses
import functools
import itertools
import operator
from dataclasses import dataclass, field

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from tests.whole_calls import assert_call_is_right

X = np.array([0.7, 1.3, 0.4, 2.1])


def extremes(x):
    i = max(range(len(x)), key=lambda i: x[i])
    j = min(range(4), key=x.__getitem__)
    nearest = min([x, 2 * x, -x], key=lambda v: np.sum((v - 1.0) ** 2))
    far = max(x, key=lambda v: abs(v - 1.0))
    pair = max([(x[0], 1.0), (x[1], 2.0)], key=operator.itemgetter(1))
    return x[i] ** 2 * x[j] + np.sum(nearest**2) + far**3 + pair[0] * pair[1] + max(x[0], x[1], key=lambda v: -v)


def in_order(x):
    falling = sorted(x, key=lambda v: -v)
    places = sorted(range(len(x)), key=lambda i: x[i], reverse=True)
    rows = sorted([(v, float(i)) for i, v in enumerate(x)])
    even_first = sorted(x, key=lambda v: (v > 1.0, v))
    plain = sorted([x[0], x[1], x[2]])
    s = falling[0] + falling[1] * 2 + falling[3] ** 2 + rows[0][0] ** 2 + rows[-1][0] * rows[0][1]
    return s + sum(x[j] ** 2 * k for k, j in enumerate(places)) + even_first[0] * even_first[3] ** 2 + plain[1] ** 3


def falling(x):
    above = [v * v for v in x if v > 0.5]
    s = sorted(x, reverse=True)[0] ** 2 + sorted(2.0 * x, reverse=True)[1] + sorted(x.copy(), reverse=True)[2] ** 3
    return s + sorted(above, reverse=True)[0] * sorted(above, key=lambda v: -v)[1] + sorted(x.tolist())[0]


def with_defaults(x):
    none, some = [v for v in x if v > 9.0], [v * v for v in x if v > 0.5]
    s = max(none, default=x[0] ** 2) + min(some, default=0.0) + max((v for v in x if v < 0.0), default=1.0)
    s += max(x[x > 5.0], default=x[1]) ** 2 + min([x[2], x[3]], default=None) + max([], default=x[3])
    return s * max(some, key=lambda v: -v, default=0.0)


def ties_keep_their_order(x):
    rows = [(1, x[0]), (0, x[1]), (1, x[2]), (0, x[3])]
    one = sorted(rows, key=lambda row: row[0])
    other = sorted(rows, key=operator.itemgetter(0), reverse=True)
    return one[0][1] + 2 * one[1][1] ** 2 + 3 * other[0][1] + 4 * other[3][1] ** 2


def by_constants(x):
    weights = {"c": x[0], "a": x[1], "b": x[2]}
    names = sorted(weights, reverse=True)
    longest = max(["aa", "b", "cccc"], key=len)
    return weights[names[0]] ** 2 + 3 * weights[names[2]] + len(longest) * x[3]


def getters(x):
    table = {"a": x, "b": 2.0}
    a, b = operator.itemgetter("a", "b")(table)
    transposed = operator.attrgetter("T")(x)
    return np.sum(operator.itemgetter("a")(table) ** 2) * b + np.sum(a) + np.sum(transposed**3)


def reductions(x):
    product = functools.reduce(lambda a, b: a * b, x)
    chain = functools.reduce(np.dot, [np.outer(x, x), np.eye(4), np.outer(x, x)])
    both = functools.reduce(lambda f, g: lambda v: f(g(v)), [np.sin, np.exp])
    return product + np.sum(chain) + functools.reduce(operator.add, [v * v for v in x], 1.0) + np.sum(both(x))


@dataclass
class Config:
    rate: float = 0.1
    weights: list = field(default_factory=list)
    scale: np.ndarray = field(default_factory=lambda: np.ones(2))

    def scaled(self, k):
        return dataclasses.replace(self, rate=self.rate * k)


def dataclass_functions(x):
    config = Config(rate=x[0]).scaled(3.0)
    config.weights.append(x[1])
    taken = dataclasses.asdict(config)
    taken["weights"][0] = 0.0
    taken["scale"][0] = 7.0
    names = [each.name for each in dataclasses.fields(config)]
    rates = sum(getattr(config, name) for name in names if name == "rate")
    row = dataclasses.astuple(config)
    return config.rate**2 + config.weights[0] * rates + np.sum(config.scale) * x[2] + taken["rate"] * row[1][0]


def copies(x):
    shallow, deep = copy.copy(x), copy.deepcopy({"x": x, "n": [2 * x, 1]})
    shallow[0] = 3.0 * x[1]
    deep["x"][1] = 5.0
    deep["n"][1] = 2
    return np.sum(shallow * x) + np.sum(deep["x"] ** 2) + np.sum(deep["n"][0] ** 3) * deep["n"][1] + np.sum(x)


def lambdas_in_comprehensions(x):
    powers = [lambda v, i=i: v**i for i in range(3)]
    late = [lambda v: v * i for i in range(3)]  # noqa: B023
    i = 7.0
    shadow = sum((lambda v: v * k)(each) for k, each in enumerate(x))  # noqa: PLC3002
    best = [max(range(4), key=lambda j: x[j] * sign) for sign in (1.0, -1.0)]
    return sum(np.sum(f(x)) for f in powers) + late[0](x[0]) * i + shadow**2 + x[best[0]] * x[best[1]]


def iterators(x):
    alternating = sum(a * b for a, b in zip(x, itertools.cycle([1.0, -1.0]), strict=False))
    weighted = sum(a * b * b for a, b in zip(itertools.count(1), x, strict=False))
    stars = sum(itertools.starmap(lambda a, b: a * b, [(x[0], x[1]), (x[2], x[3])]))
    head = sum(v**2 for v in itertools.takewhile(lambda v: v < 2.0, x))
    tail = sum(v**3 for v in itertools.dropwhile(lambda v: v > 0.5, x))
    return alternating + weighted + stars + head + tail


def selections(x):
    some = sum(itertools.compress(x, [1, 0, 1, 1])) + sum(itertools.filterfalse(lambda v: v > 1.0, x))
    return some**2 + sum(itertools.accumulate(x))


def first_found(x):
    large = next(v for v in x if v > 1.0)
    missing = next((v for v in x if v > 100.0), None)
    place = next(i for i in range(len(x)) if x[i] < 0.5)
    return large**2 * x[place] if missing is None else missing


def texts(x):
    message = "%d rows, %.2f" % (len(x), x[0])  # noqa: UP031
    other = "{:>8.3f} {} {name}".format(x[1], len(x), name="b")
    for name, weight in zip("aba", x, strict=False):
        if name == "a":
            x = x * weight
    return np.sum(x) * len("ab") if message and other else 0.0


@pytest.mark.parametrize(
    "f",
    [
        *(extremes, in_order, ties_keep_their_order, by_constants, getters, reductions, dataclass_functions, copies),
        *(lambdas_in_comprehensions, iterators, selections, first_found, texts, with_defaults),
        pytest.param(falling, marks=pytest.mark.nightly),
    ],
    ids=lambda f: f.__name__,
)
def test_calls_are_those_of_python(f):
    assert_call_is_right(f, X)


def test_nothing_found_raises_as_in_python():
    def f(x):
        return next(v for v in x if v > 100.0)

    with pytest.raises((StopIteration, RuntimeError)):
        srcad.grad(f, jit=False)(X)


@pytest.mark.compiled
def test_keys_are_compiled():
    def f(x):
        i = max(range(len(x)), key=lambda i: x[i])
        return x[i] ** 2 + max(x, key=lambda v: -v)

    assert_call_is_right(f, X, jit=True)


def test_one_array_at_two_places_is_not_copied():
    def f(x):
        both = copy.deepcopy({"one": x, "other": np.asarray(x)})
        both["one"][0] = 1.0
        return np.sum(both["other"])

    with pytest.raises(UnsupportedSyntax, match="at two places"):
        srcad.grad(f, jit=False)(X)


def test_other_keywords_are_refused():
    def f(x):
        return max(x[0], x[1], key=abs, default=0.0)

    with pytest.raises(UnsupportedSyntax, match="this call of `max`"):
        srcad.grad(f, jit=False)(X)
