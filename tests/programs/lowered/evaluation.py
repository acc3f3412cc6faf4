"""Assignments and expressions whose order of evaluation can be seen."""

import numpy as np

ROW = np.array([0.5, -1.0, 2.0, -3.0, 4.0])
GRID = np.arange(12.0).reshape(3, 4) - 5.0
ARRAYS = [(ROW,), (-ROW,), (ROW * 0.0,)]
PAIRS = [(x, y) for x in (-2, 0, 3) for y in (-1.5, 0.0, 2.0)]


def swap(x, y):
    x, y = y, x
    return x, y


def rotate_with_arithmetic(x, y):
    z = 1.0
    for _ in range(4):
        x, y, z = y + z, x * 0.5, x - y
    return x, y, z


def swap_of_elements(a):
    a[0], a[2] = a[2], a[0]
    i = 3
    a[i], a[i - 1], i = a[i - 1], a[i], 1
    a[i], i = 9.0, 2
    return a[i], i


def swap_of_slices_shares_memory(a):
    a[:2], a[1:3] = a[1:3], a[:2]
    return a[0]


def swap_of_rows(a):
    a[0], a[1] = a[1], a[0]
    return a


def swap_of_copies(a):
    a[0], a[1] = a[1].copy(), a[0].copy()
    return a


def target_index_uses_an_earlier_target(a):
    i, a[i] = 1, 5.0
    return a


def target_index_is_read_after_an_earlier_store(a):
    i = 4
    i, a[i] = 1, 5.0
    j, (a[j], i) = 2, (a[i], 3)
    return a, i, j


def same_element_twice(a):
    a[1], a[1] = a[0], a[2]
    return a


def unpack_into_elements_of_itself(a):
    b = a[:2]
    b[1], b[0] = b
    return a


def unpack_rows(a):
    (p, q, r, s), u, v = a
    p, u = u, p
    return p, q, r, s, u[0], v


def unpack_into_the_tuple_itself(x, y):
    t = x, y
    t, u = t
    return t, u


def unpack_shapes(a):
    n, m = a.shape
    (k, _), b = a.shape, n * m
    return n, m, k, b


def nested_targets(x, y):
    (a, b), c = (x, y), x + y
    (c, a), (b, d) = (a, b), (c, a)
    return a, b, c, d


def chains(x, y):
    a = b = c = x * y
    a += 1
    d = e, f = b, c + 2
    e = d = e + 1
    return a, b, c, d, e, f


def chain_of_a_name(x, y):
    x = y = z = x
    z += 1
    return x, y, z


def chain_into_elements(a):
    a[0] = a[1] = b = a[2] * a[3]
    i = a[i] = 1
    c = a[4:] = a[:1]
    return b, i, c


def chain_that_rebinds_its_value(x, y):
    y = x = y + x
    x = x, y = x, y
    return x, y


def chain_shares_an_array(a):
    b = c = a * 2.0
    b[0] = 7.0
    return c


def augmented_names(x, y):
    z = x
    z += y
    z -= 3
    z *= z
    z /= 2
    z **= 2
    z //= 3
    z %= 5
    return z, x


def augmented_integers(x, y):
    n = x
    n <<= 2
    n |= 1
    n ^= 7
    n &= 30
    n >>= 1
    return n


def augmented_arrays_change_in_place(a):
    b = a
    b += 1.0
    b *= b
    c = b
    b = b - 1.0
    b -= c
    c //= 2.0
    return b, c


def augmented_elements_of_all_kinds(a):
    a[0] += 1.0
    a[1] -= a[0]
    a[2] *= a[1]
    a[3] /= 4.0
    a[1:3] **= 2
    a[-1] //= 2.0
    a[::2] %= 3.0
    a[:2] += a[1:3]
    return a


def index_of_an_augmented_element_is_computed_once(a):
    count = np.zeros(1)

    def next_index():
        count[0] += 1.0
        return int(count[0])

    a[next_index()] += 10.0
    a[next_index()] **= 2
    return count


def value_of_an_augmented_element_changes_it(a):
    def change():
        a[0] = 50.0
        a[1:] += 1.0
        return 2.0

    a[0] += change()
    a[0] *= change()
    a[1:] += change()
    return a


def operands_from_left_to_right(a):
    def write(i, v):
        a[i] = v
        return a[0] + v

    x = a[0] + write(0, 3.0) * a[0] - write(0, 5.0)
    y = np.hypot(a[1], write(1, 2.0)) + a[1]
    z = (a[2], write(2, 8.0), a[2])
    return x, y, z


def value_before_target(a):
    def place():
        a[4] = a[4] * 2.0
        return 1

    a[place()] = a[4]
    a[1], a[place()] = a[4], a[4] + 1.0
    return a


def reads_before_a_call_that_writes(a):
    def clear():
        a[:] = 0.0
        return 1.0

    b, c = a[1], clear()
    d = a[2] + clear()
    return b, c, d


def ternaries(x, y):
    a = x if x > y else y
    a = a + 1 if a > 0 else a - 1 if a < -1 else 7
    b, c = (x, y) if a > 2 else (y, x)
    return a, b, c, (x if b else y) + (1 if c > b else 2)


def ternary_that_keeps_a_value(x, y):
    x = x if y > 0 else x  # noqa: RUF034
    y = y if x > 0 else y * 2
    x = -x if y > 0 else x
    return x, y


def values_of_and_and_or(x, y):
    a = x and y
    b = x or y
    c = x and y or 5
    d = (x or y) and (y or x)
    e = not x or not y and x > 1
    x = y and x
    y = x or (y and a)
    return a, b, c, d, e, x, y


def short_circuits(a):
    calls = np.zeros(3)

    def yes(i):
        calls[i] += 1
        return a[0] > 0.0

    if yes(0) and yes(1) or yes(2):
        calls[0] += 10
    while yes(1) and calls[1] < 3:
        calls[2] += 0.5
    b = a[0] if yes(2) else a[1] if not yes(0) else a[2]
    return calls, b


def chained_comparisons(x, y):
    a = x < y < 3
    b = 0 <= x <= y != 1 < 5
    x = -5 < x < 2
    return a, b, x, 1 if -1 < y <= 2.0 else 0


def middle_of_a_comparison_is_computed_once(a):
    calls = np.zeros(2)

    def f(i):
        calls[i] += 1
        return a[i]

    b = 0.0 < f(0) < f(1) < 3.0
    c = f(1) < 1.0 < f(0)
    return b, c, calls


def indices(a):
    b = a[1:, ::-1][0, -2] + a[-1][2] + a[a.shape[0] - 2, 1 + 1]
    c = a[..., None, 1] + a[None, :, 2:3][0]
    m = a > 0.0
    a[m] = a[m] * 2.0
    a[np.array([0, 2]), 1] -= 1.0
    a[1][2] = 100.0
    a[::2][0, 1:3] = a[1, :2]
    a.T[0, 1] += 3.0
    return b, c, a[:, 1], a[m]


def attributes(a):
    n = a.size * a.ndim + a.shape[0] - a.T.shape[0] + len(a)
    b = np.zeros(a.shape, dtype=a.dtype) + n
    c = np.empty((a.shape[0], 2), a.dtype)
    c[:] = n
    return b, c


def methods(a):
    b = a.T.copy().reshape(2, -1).ravel() + a.flatten()
    c = a.sum() + a.mean(axis=0).max() - a.min(1).prod() + a.std() * a.var(axis=1, keepdims=True)
    a.fill(2.0)
    a[0].fill(3.0)
    b.sort()
    return b, c, a.dot(a.transpose()), a.clip(1.0, 2.5), a.cumsum(), a.argmax(), a.any(), a.astype(np.float32)


def literals(x, y):
    a = -3
    b = -2.5 + -x
    c = not True
    d = +y
    e = ~x
    return a, b, c, d, e, -np.inf, np.pi, None is None


def annotated(x: float, y: "float" = 2.0):
    """A docstring."""
    a: float = x
    b: int
    b = 3
    "another text"
    pass
    return a * b + y


def dropped_expressions(a):
    a[0]
    a.shape
    a[1] + 2.0
    return a


def assertions(x, y):
    assert x < 3, "three"
    assert y > -1.0, f"not {y}"
    assert x != 0
    return x


def names_change_amid_an_expression(x, y):
    z = x + (x := y) * x + (x := x + 1)
    w = (y, (y := 7), y)
    x, v = (y := y + x), x
    return x, y, z, w, v


def names_change_in_part_of_an_expression(x, y):
    z = (y := y + 1) > 0 and (x := 5) > 2 or (x := 6) < y
    u = y if (y := 2) > x else (x := 3)
    y = (y := y + 1) + y
    return x, y, z, u


def index_changes_before_the_target_is_found(a):
    i = 0
    a[i] = (i := 2)
    a[i] -= (i := 1)
    a[i], a[(i := 3)] = i, (i := 4)
    return a, i


OVER_ARRAYS = [swap_of_elements, swap_of_slices_shares_memory, target_index_uses_an_earlier_target]
OVER_ARRAYS += [target_index_is_read_after_an_earlier_store, same_element_twice, unpack_into_elements_of_itself]
OVER_ARRAYS += [chain_into_elements, chain_shares_an_array, augmented_arrays_change_in_place]
OVER_ARRAYS += [augmented_elements_of_all_kinds, index_of_an_augmented_element_is_computed_once]
OVER_ARRAYS += [value_of_an_augmented_element_changes_it, operands_from_left_to_right, value_before_target]
OVER_ARRAYS += [reads_before_a_call_that_writes, short_circuits, middle_of_a_comparison_is_computed_once]
OVER_ARRAYS += [dropped_expressions, index_changes_before_the_target_is_found]
OVER_GRIDS = [swap_of_rows, swap_of_copies, unpack_rows, unpack_shapes, indices, attributes, methods]
OVER_PAIRS = [names_change_amid_an_expression, names_change_in_part_of_an_expression]
OVER_PAIRS += [swap, rotate_with_arithmetic, unpack_into_the_tuple_itself, nested_targets, chains, chain_of_a_name]
OVER_PAIRS += [chain_that_rebinds_its_value, augmented_names, augmented_integers, ternaries]
OVER_PAIRS += [ternary_that_keeps_a_value, values_of_and_and_or, chained_comparisons, literals, annotated, assertions]
