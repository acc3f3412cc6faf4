"""Lists of more than 64 elements: arrays to core form, lists to the user, for any number of elements."""

from collections import namedtuple
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from numba.typed import List

import srcad
from srcad.driver.memoisation import remembered
from srcad.errors import BadArgument, MayOverlap, NotDifferentiable, UnsupportedSyntax

pytest.importorskip("optree")

Body = namedtuple("Body", "m x")
OUTSIDE = np.array([0.4, 1.1, -0.7])


@dataclass
class Particle:
    m: float
    x: object


def drawn(lengths, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=n) for n in lengths]


def numbers(n=70, seed=0):
    return [1.0 + 0.1 * float(v) for v in np.random.default_rng(seed).normal(size=n)]


EVEN, RAGGED = [3] * 70, [2 + k % 3 for k in range(70)]
MATRICES = [(1 + k % 3, 1 + k % 2) for k in range(66)]
PICKS = np.array([3, 69, 3, -1, 12])


def picked(values, picks, x):
    s = 0.0
    for i in picks:
        s += values[i] * x * values[-1]
    return s + len(values) * x


def chained(values, x):
    for i in range(1, len(values)):
        values[i] = values[i] * values[i - 1] * x + 0.1
    values[2] += values[-1]
    return values[2] * values[7] + sum(v * v for v in values)


def joined(values, x):
    squares = [v * v * x for v in values]
    return np.sum(np.array(values) ** 2) + max(values) + np.dot(values, values) + squares[3] + sum(squares)


def first_large(values, x):
    for k, v in enumerate(values):
        if k == 2:
            continue
        if v * x > 1.2:
            return v * v * x
    return x


def descended(values, n):
    return values[n] * (1.0 if n == 0 else descended(values, n - 1))


def pairs(values, others, x):
    s = 0.0
    for u, v in zip(values, others, strict=True):
        s += np.sin(u * v) * x
    return s


def rows(arrays, picks, x):
    s = 0.0
    for i in picks:
        s += np.sum(arrays[i] ** 2) * x + arrays[i][0] * arrays[i - 1][-1]
    return s


def swept(arrays, x):
    for i in range(1, len(arrays)):
        a = arrays[i]
        a[0] = a[0] * arrays[i - 1][-1] * x
        arrays[i][1:] += 0.5 * x
    return arrays[-1][0] + arrays[5][1]


def weighed(matrices, x):
    s = 0.0
    for w in matrices:
        s += np.sum(w**2) * w[0, -1]
    return s * x


def attracted(bodies, i):
    s = bodies[i].m * bodies[i - 1].x[0]
    for body in bodies:
        s += body.m * body.x[1] ** 2
    return s


class Typed(NamedTuple):
    """Stands for a list of Numba's, which takes a second to be made, until a test needs it."""

    values: list


def made(program):
    """The function of a program, and its arguments."""
    f, arguments = program
    return f, tuple(List(each.values) if isinstance(each, Typed) else each for each in arguments)


BODIES = [Body(m, x) for m, x in zip(numbers(), drawn(RAGGED), strict=True)]
PROGRAMS = [
    (picked, (Typed(numbers()), PICKS, 1.3)),
    (chained, (numbers(65), 0.8)),
    (joined, (numbers(), 1.1)),
    (first_large, (numbers(), 1.1)),
    (descended, (numbers(), 4)),
    (pairs, (numbers(), Typed(numbers(seed=1)), 0.7)),
    (rows, (drawn(EVEN), PICKS, 1.3)),
    (rows, (Typed(drawn(RAGGED)), PICKS, 1.3)),
    (swept, (drawn([3] * 66), 0.9)),
    (swept, (Typed(drawn(RAGGED)), 0.9)),
    (weighed, (drawn(MATRICES), 0.9)),
    (attracted, (BODIES, 3)),
    (attracted, ([Particle(*each) for each in BODIES], 3)),
]


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program[0].__name__)
def test_gradient_of_a_program(program):
    f, arguments = made(program)
    srcad.check_grads(f, arguments, jit=False)
    gradient = srcad.grad(f, jit=False)(*arguments)
    assert type(gradient) is type(arguments[0])
    assert type(gradient[0]) is type(arguments[0][0])


@pytest.mark.compiled
@pytest.mark.parametrize("place", [0, 7, 9])
def test_compiled_as_uncompiled(place):
    f, arguments = made(PROGRAMS[place])
    compiled, plain = (srcad.grad(f, jit=jit)(*arguments) for jit in (True, False))
    assert type(compiled) is type(plain)
    for one, other in zip(compiled, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def test_directions_and_jacobians_have_the_list_s_form():
    values = numbers()
    _, slope = srcad.jvp(pairs, (values, values, 0.7), (numbers(seed=2), numbers(seed=3), 0.2), jit=False)
    bars = srcad.vjp(pairs, values, values, 0.7, jit=False)[1](1.0)
    expected = np.dot(bars[0], numbers(seed=2)) + np.dot(bars[1], numbers(seed=3)) + 0.2 * bars[2]
    np.testing.assert_allclose(slope, expected)
    jacobian = srcad.jacobian(lambda v, x: np.array([v[3] * x, v[69] ** 2]), jit=False)(values, 2.0)
    assert len(jacobian) == 70
    np.testing.assert_allclose(jacobian[3], [2.0, 0.0])
    np.testing.assert_allclose(jacobian[69], [0.0, 2.0 * values[69]])


def test_other_lengths_are_served_by_the_same_function():
    def last_two(values):
        return values[-1] * values[-2]

    gradient = srcad.grad(last_two, jit=False)
    for n in (70, 90):
        assert gradient(numbers(n))[-1] == pytest.approx(numbers(n)[-2])
    assert len(remembered(last_two, "shapes", dict)) == 1


def test_integers_stay_integers():
    def looked_up(x, order):
        s = 0.0
        for k in order:
            s += x[k] * x[order[k]]
        return s

    order = [int(k) for k in np.random.default_rng(1).permutation(66)]
    srcad.check_grads(looked_up, (np.linspace(0.1, 1.0, 66), order), jit=False)
    assert srcad.grad(looked_up, wrt=(0,), jit=False)(np.ones(66), order)[0].shape == (66,)


def test_shared_arrays_are_not_taken_for_copies():
    with pytest.raises(UnsupportedSyntax, match="80 elements"):
        srcad.grad(swept, jit=False)([OUTSIDE] * 80, 0.9)

    def doubled(arrays):
        for a in arrays:
            a[0] = 2.0 * a[0]
        return OUTSIDE[0] * arrays[1][0]

    assert srcad.grad(doubled, jit=False)(drawn(EVEN))[1][0] == pytest.approx(2.0 * OUTSIDE[0])
    held = [*drawn(EVEN), OUTSIDE]
    with pytest.raises(MayOverlap, match="that it captures"):
        srcad.grad(doubled, jit=False)(held)
    with pytest.raises(MayOverlap, match="that it captures"):
        srcad.vjp(doubled, held, jit=False)


def stored_array(arrays, x):
    arrays[3] = arrays[2] * x
    return arrays[3][0]


def changed_element(bodies, x):
    bodies[3].m = x
    return bodies[3].m


def sliced(values, x):
    return values[1:][3] * x


@pytest.mark.parametrize(
    ("f", "data"),
    [(stored_array, drawn(EVEN)), (changed_element, [Particle(*each) for each in BODIES]), (sliced, numbers())],
    ids=lambda each: getattr(each, "__name__", "data"),
)
def test_what_would_have_to_change_the_list_is_refused(f, data):
    with pytest.raises(UnsupportedSyntax, match=r"64|long one"):
        srcad.grad(f, jit=False)(data, 0.5)


def test_second_derivatives_and_elements_as_wrt_are_refused():
    with pytest.raises(NotDifferentiable, match="more than 64"):
        srcad.hessian(lambda v, x: v[3] * v[69] * x, jit=False)(numbers(), 2.0)
    with pytest.raises(BadArgument, match="more than 64"):
        srcad.grad(pairs, wrt="values[3]", jit=False)(numbers(), numbers(), 2.0)


def reshaped(x, values):
    table, row = np.reshape(values, (7, 10)), np.ravel(values)
    table[0, 3] = x
    row[4] = x * x
    values[3] = values[3] * x
    return values[3] * table[0, 3] + values[4] * row[4] + row[3]


def converted(x, values):
    one, other = np.asarray(values, dtype=float), np.atleast_1d(values)
    one[3] = x
    values[4] = x * x
    return values[3] * one[3] + values[4] * one[4] * other[4]


@pytest.mark.parametrize("f", [reshaped, converted])
def test_arrays_made_of_a_list_do_not_share_its_elements(f):
    values = numbers()
    value, slope = srcad.value_and_grad(f, jit=False)(0.7, values)
    assert np.isclose(value, f(0.7, list(values)), rtol=1e-12)
    assert np.isclose(slope, (f(0.7 + 1e-6, list(values)) - f(0.7 - 1e-6, list(values))) / 2e-6)
