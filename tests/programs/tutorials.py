"""What tutorials and everyday scripts are made of: shapes that are put together, names of parameters, decorators."""

import functools
import time

import numpy as np

from tests.programs.program import Program, matrix, numbers, vector

# Shapes -------------------------------------------------------------------------------------------------------------


def shapes_with_stars(m):
    pairs = np.ones((*m.shape, 2)) * m.reshape(*m.shape, 1) ** 2
    rows = np.reshape(m, (1, *m.shape))
    padded = np.zeros((m.shape[0] + 1, *m.shape[1:]))
    padded[1:] = m
    return np.sum(pairs * np.sin(pairs)) + np.sum(rows**2) + np.sum(padded**3)


def extents_and_the_rest(m):
    first, *rest = m.shape
    *most, last = m.shape
    flat = m.reshape((first, -1))
    whole = m.reshape([*most, last, 1])
    return np.sum(flat**2) * rest[0] + np.sum(whole**3)


def lists_of_extents(m):
    shape = list(m.shape) + [2]
    other = [2] + list(m.shape[:-1])
    return np.sum(np.ones(shape) * m[..., None] ** 2) + np.sum(np.ones(other) * m[:, 0])


def shape_that_grows_in_a_loop(m):
    shape = (1,)
    for _ in range(2):
        shape = (*shape, 1)
    return np.sum(m.reshape((*m.shape, *shape)) ** 2)


def as_many_ones_as_axes(m):
    return np.sum(m.reshape((1,) * m.ndim + m.shape) ** 2)


def reshaped(m, shape):
    return m.reshape(*shape)


def shapes_as_arguments(m):
    return np.sum(reshaped(m, m.T.shape)[0] ** 2) + np.sum(reshaped(m, (m.size,)) ** 3)


SIZES = (2, 3, 2)


def unflattened(theta):
    layers, at = [], 0
    for rows, columns in zip(SIZES[:-1], SIZES[1:]):  # noqa: RUF007  as tutorials do
        weights = theta[at : at + rows * columns].reshape(rows, columns)
        at += rows * columns
        layers.append((weights, theta[at : at + columns]))
        at += columns
    h = np.ones(SIZES[0])
    for weights, shift in layers:
        h = np.tanh(h @ weights + shift)
    return np.sum(h**2)


# Texts --------------------------------------------------------------------------------------------------------------


def layers_by_name(x):
    params = {"W0": x[:4].reshape(2, 2), "b0": x[4:6], "W1": x[6:10].reshape(2, 2), "b1": x[10:]}
    h = np.ones(2)
    for i in range(2):
        h = np.tanh(params[f"W{i}"] @ h + params["b" + str(i)])
    return np.sum(h**2)


def names_that_are_put_together(x):
    found = {}
    for i in range(3):
        found[f"part_{i:02d}"] = x * (i + 1)
    total = 0.0
    for i in range(3):
        total = total + found["part_%02d" % i] * found["{}_{:02d}".format("part", i)]
    return np.sum(total * found["PART_01".lower()])


def messages_that_are_prepared(x):
    said = f"{x.size} numbers, {x.ndim} axes"
    longer = f"no root: {said}"
    if x[0] > 100.0:
        raise ValueError(longer)
    kind = f"{'exp'}_kernel"
    return np.sum(np.exp(x)) if kind == "exp_kernel" else np.sum(x)


# Statements ---------------------------------------------------------------------------------------------------------


def names_that_are_deleted(x):
    squares = x * x
    doubled = 2.0 * squares
    del squares
    for i in range(x.size):
        term = doubled[i] ** 2
        doubled[i] = term
        del term
    return np.sum(doubled)


def modules_imported_inside(x):
    import math

    from numpy import exp

    return math.sin(x[0]) * np.sum(exp(x))


# Decorators ---------------------------------------------------------------------------------------------------------


def timed(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        start = time.perf_counter()
        result = function(*args, **kwargs)
        wrapper_took = time.perf_counter() - start
        assert wrapper_took >= 0.0
        return result

    return wrapper


def doubled(function):
    @functools.wraps(function)
    def wrapper(x, *args, **kwargs):
        return 2.0 * function(x, *args, **kwargs)

    return wrapper


def checked(function):
    @functools.wraps(function)
    def wrapper(*arguments):
        return function(*arguments)

    return wrapper


@doubled
def power(x, k=2, *, shift=0.5):
    return (x + shift) ** k


@checked
@doubled
def decorated_twice(x, k=3):
    return np.sum(power(x, k) + power(x, shift=1.0) + power(x, k=2))


@timed
def decorated_with_a_clock(x):
    return np.sum(np.sin(x) * x)


X = np.array([0.7, -0.4, 1.3])

PROGRAMS = [
    Program(shapes_with_stars, matrix(2, 3), compiled=True),
    Program(extents_and_the_rest, matrix(2, 3), compiled=True),
    Program(lists_of_extents, matrix(2, 3)),
    Program(shape_that_grows_in_a_loop, matrix(2, 3)),
    Program(as_many_ones_as_axes, matrix(2, 3), interpreted=True),
    Program(shapes_as_arguments, matrix(2, 3)),
    Program(unflattened, vector(17)),
    Program(layers_by_name, vector(12), compiled=True),
    Program(names_that_are_put_together, vector(3)),
    Program(messages_that_are_prepared, vector(3)),
    Program(names_that_are_deleted, vector(3)),
    Program(modules_imported_inside, vector(3)),
    Program(decorated_twice, numbers(X, 3), compiled=True),
    Program(decorated_with_a_clock, numbers(X), interpreted=True),
]
