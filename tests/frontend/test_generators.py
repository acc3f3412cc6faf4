"""Generators that are consumed where they are called; others are refused with the place of their `yield`."""

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from tests.checking import assert_gradient


def values(x):
    yield x
    yield x * x


def received(x):
    step = yield x
    yield x * step


def many(x):
    yield from (x, x)
    for k in range(3):
        yield x * k
    yield from (x, x, x)
    yield x
    yield x
    yield x
    yield x
    yield x
    yield x
    yield x


def nested_without_end(x):
    yield x
    yield from nested_without_end(x * 0.5)


def kept(x):
    generator = values(x)
    return next(generator) * next(generator)


def zipped(x):
    return sum([a * b for a, b in zip(values(x), values(x))])  # noqa: B905


def receives(x):
    return sum(received(x))


def body_of_many(x):
    s = 0.0
    for v in many(x):
        s += v
    return s


def recursive(x):
    s = 0.0
    for v in nested_without_end(x):
        if v < 0.1:
            break
        s += v
    return s


def changed_by_the_loop(x):
    def write(a):
        a[0] = a[0] * 2.0
        return a[0]

    def read(a):
        for k in range(2):
            yield a[k]

    return sum([write(x) * v for v in read(x)])


@pytest.mark.parametrize(
    ("f", "what"),
    [
        (values, "a generator cannot be differentiated"),
        (kept, "a generator is supported only where a loop runs over it"),
        (zipped, "a generator is supported only where a loop runs over it"),
        (receives, "a `yield` whose value is used cannot be differentiated"),
        (body_of_many, "a generator with more than 8 `yield` is not supported"),
        (recursive, "calls of `nested_without_end` are nested too deeply"),
        (changed_by_the_loop, "a generator is supported only where a loop runs over it"),
    ],
)
def test_refused_with_place_and_way_out(f, what):
    with pytest.raises(UnsupportedSyntax) as caught:
        srcad.grad(f, jit=False)(1.3)
    assert what in str(caught.value)
    assert caught.value.at.file == __file__
    assert caught.value.hint


def square(x):
    return x * x


def sum_over_functions(x):
    return sum(f(x) for f in [square, square])


def list_over_functions(x):
    return sum([f(x) * k for k, f in {2.0: square, 3.0: square}.items()])


@pytest.mark.parametrize(("helper", "slope"), [(sum_over_functions, 12.0), (list_over_functions, 30.0)])
def test_comprehensions_call_functions_by_names_of_their_own(helper, slope):
    assert srcad.grad(helper, jit=False)(3.0) == slope
    assert srcad.grad(lambda x: 2.0 * helper(x), jit=False)(3.0) == 2.0 * slope


class Flow:
    """A class whose methods, and whose iterator, are generators."""

    def __init__(self, a, start):
        self.a, self.start = a, start

    def steps(self, n, h=0.1):
        y = self.start
        for k in range(n):
            yield k * h, y
            y = y + h * self.a * np.sin(y)

    def __iter__(self):
        yield self.a
        yield from self.start

    def action(self):
        total = 0.0
        for t, y in self.steps(3):
            total += np.sum(y * y) * np.exp(-t)
        return total + sum(np.sum(y**3) for t, y in self.steps(2))

    def grown(self):
        self.a = self.a * 1.1
        return self.a


class Sums(Flow):
    def __iter__(self):
        total = 0.0
        for each in self.start:
            total = total + each
            yield total


def methods_of_an_object_made_inside(a, start):
    flow, total = Flow(a, start), 0.0
    for k, (t, y) in enumerate(flow.steps(4, h=0.2)):
        total += np.sum(y) * (1.0 + t) * k
        flow.a = flow.a * 1.1  # the generator sees it
        if total > 50.0:
            break
    for v in flow:
        total = total + v * v
    return total + flow.action() + list(flow.steps(3))[-1][1][0]


def iterators_that_are_generators(a, start):
    flow, sums, total = Flow(a, [start[0], start[1]]), Sums(a, [start[0], a]), 0.0
    for v in sums:
        total += v * v
        sums.start[1] = v  # the iterator is not there yet
    first, *rest = Flow(2.0 * a, [a, start[1]])
    for k, v in enumerate(flow):
        total += k * v
    return total + first * rest[0] * rest[1] + max(*flow) + sum(v * v for v in flow) + np.sum(np.array([*flow]))


@pytest.mark.parametrize("f", [methods_of_an_object_made_inside, iterators_that_are_generators])
def test_generators_as_methods(f):
    assert_gradient(f, 0.5, np.array([0.3, 0.8]), modes=["arrays"])


def method_that_changes_what_its_generator_reads(x):
    flow = Flow(x, x)
    return sum([flow.grown() * y for t, y in flow.steps(3)])


def test_a_method_that_may_change_what_a_generator_reads_is_refused():
    with pytest.raises(UnsupportedSyntax, match="a generator is supported only where a loop runs over it"):
        srcad.grad(method_that_changes_what_its_generator_reads, jit=False)(1.3)
