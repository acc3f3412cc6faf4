"""Exceptions that are caught: derivatives follow the statements that have run."""

import numpy as np

from tests.programs.program import Program, numbers, vector


def checked_root(v):
    if v < 0.0:
        raise ValueError("negative")
    return np.sqrt(v)


def jitter(a):
    """More and more is added to the diagonal, until there is a Cholesky factor."""
    n = a.shape[0]
    k = a @ a.T
    added = 1e-3
    for _ in range(8):
        try:
            factor = np.linalg.cholesky(k - 0.5 * np.eye(n) + added * np.eye(n))
            break
        except np.linalg.LinAlgError:
            added = added * 10.0
    else:
        factor = np.eye(n)
    return np.sum(np.log(np.diag(factor))) + added


def what_was_written_stays(x):
    y = x.copy()
    try:
        y[0] = y[1] * 3.0
        y *= 2.0
        inverse = np.linalg.inv(np.diag(np.array([y[2], 0.0 * y[0], 1.0])))
        y[1] = inverse[0, 0]
    except np.linalg.LinAlgError:
        y[2] = y[0] * y[1]
    finally:
        y[1] = y[1] + 1.0
    return np.sum(y * y)


def nothing_is_caught(x):
    try:
        y = checked_root(x[0] * x[0])
    except ValueError:
        y = x[1]
    else:
        y = y * 3.0 * x[1]
    return y + x[2]


def loops_left_and_continued(x):
    total = 0.0
    for i in range(x.shape[0]):
        try:
            if x[i] > 1.0:
                return checked_root(x[i]) * x[0]
            root = checked_root(x[i] - 0.5)
        except ValueError:
            total += x[i] * x[i]
            continue
        if root > 0.6:
            break
        total += root**3
    return total * x[1]


def raised_again(x):
    try:
        try:
            y = checked_root(-x[0] * x[0])
        except ValueError:
            z = x[1] * 2.0
            raise
    except (KeyError, ValueError):
        return z * x[1] * x[0]
    return y


def while_loops(x):
    total = 0.0
    i = 0
    try:
        while checked_root(x[i] * x[i]) < 5.0:
            total += x[i] * x[i]
            i += 1
            if i == 2:
                continue
            total += x[0]
        total = 100.0
    except IndexError:
        total *= 2.0
    except ValueError:
        total *= 3.0
    return total


def returned_through_finally(x):
    y = x * 1.0
    try:
        y[0] = x[1] * x[0]
        return np.sum(y * y)
    finally:
        y[1] = 0.0


def by_zero(x, k):
    try:
        y = 1.0 / (int(k) - 2) * x
    except ZeroDivisionError:
        y = x**3
    return y * x


PROGRAMS = [
    Program(jitter, lambda rng: (np.array([[1.0, 0.2], [0.3, 0.4]]),), interpreted=True),
    Program(what_was_written_stays, vector(3), interpreted=True),
    Program(nothing_is_caught, vector(3), interpreted=True),
    Program(loops_left_and_continued, lambda rng: (np.array([0.3, 0.7, 0.2, 0.95, 0.4]),), interpreted=True),
    Program(raised_again, vector(2), interpreted=True),
    Program(while_loops, vector(4), interpreted=True),
    Program(returned_through_finally, vector(2), interpreted=True),
    Program(by_zero, numbers(0.7, 2.0), interpreted=True),
]
