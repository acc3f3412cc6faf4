"""Generators that are consumed where they are called; others are refused with the place of their `yield`."""

import pytest

import srcad
from srcad.errors import UnsupportedSyntax


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
