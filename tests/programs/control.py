"""Assignment expressions, `match`, `else` of loops, chains of comparisons, effects in short circuits, `np.errstate`."""

import numpy as np

from tests.programs.program import Program, numbers

MODE = "square"


def name_is_changed_amid_an_expression(x):
    return x + (x := x * 2.0) * (y := np.sin(x)) + y


def index_is_changed_amid_a_store(x, i):
    a = np.zeros(4)
    a[i] = (i := i + 1) * x
    a[i] += (i := i - 1) * x * x
    a[(j := 2)] = x
    a[j] *= (j := 3)
    a[j] = x**3
    return np.sum(a * np.arange(4))


def loop_test_assigns(x):
    n = 0
    while (n := n + 1) < 5 and (y := x * n) < 2.0:
        x = x * 1.1 + y * 0.1
    return x * y


def ternary_assigns(x):
    return (y if (y := x * x) > 0.3 else -y) + y


def short_circuit_assigns(x):
    total = 0.0
    for v in (s := np.sin(x)):
        if (t := v * v) > 0.1 and (u := t * 2.0) < 1.5:
            total += u
        total += t
    return total + s[0]


def argument_is_assigned(x):
    return np.hypot(y := x * x, 2.0 * y) * np.sum(z := np.array([x, y])) + z[1]


def array_is_named_amid_an_expression(x):
    total = np.sum((y := x * x)[1:])
    y[0] = total
    return np.sum(y * x)


def cases_of_a_number(x, n):
    match n:
        case 0:
            return x
        case 1 | 2 if x > 0.0:
            y = -x * x
        case -3:
            y = x**3
        case k:
            y = k * x
    return y * y


def cases_of_a_captured_text(x):
    match MODE:
        case "square":
            return x * x
        case "cube":
            return x**3
        case _:
            raise ValueError("mode")


def cases_of_a_pair_in_a_loop(x, n):
    s = 0.0
    for i in range(n):
        match (x > 0.2 * i, i % 3):
            case (True, 0):
                s += x
            case (False, 1 | 2):
                s += x * x
            case (_, m):
                s *= x * m + 1.0
                if s > 50.0:
                    break
        match i + 1:
            case 2:
                continue
            case v if v > 3:
                s = s * 0.9
        s += 0.1
    return s


def named_power(x, kind):
    match kind:
        case "linear":
            return x
        case "square":
            return x * x
    return x**3


def cases_in_helpers(x):
    return named_power(x, "linear") * named_power(x, "square") + named_power(x, "other")


def silenced(x):
    with np.errstate(all="ignore"), np.errstate(divide="ignore"):
        if x > 2.0:
            return x
        y = np.log(x)
    return y * y


def trip_count_depends_on_the_value(x):
    n = int(x * 4.0)
    y = x
    for i in range(n):
        for j in range(int(y) + i):
            y = y + np.sin(y) * 0.1 * (j + 1)
    return y


def collatz_like(x, n):
    y = x
    while n != 1:
        if n % 2 == 0:
            n //= 2
            y = y * 1.1
        else:
            n = 3 * n + 1
            y = np.sin(y) + x
    return y


def leave_three_loops(x, limit):
    total = 0.0
    for i in range(x.shape[0]):
        j = 0
        while True:
            if j > i:
                break
            for k in range(3):
                total += x[i] * x[j] * (k + 1)
                if total > limit:
                    return total * x[i]
                if k > j:
                    break
            else:
                total *= 0.9
            j += 1
            if total < -limit:
                continue
            total += x[j - 1]
        else:
            total = 0.0
        if i == 3:
            break
    else:
        total = total * total
    return total


def else_of_nested_loops(x):
    count, total = 0, x[0]
    for v in x:
        for w in x:
            if v * w < 0.0:
                break
            total += v * w
        else:
            total *= 1.5
            count += 1
            continue
        while total > 0.5:
            total = total * 0.6
            if total < 0.2:
                break
        else:
            total += v
    return total * count


def else_after_no_iteration(x):
    for i in range(0):
        x = x * 2.0
    else:
        x = x * x
    while x > 100.0:
        x = x - 1.0
    else:
        x = np.sin(x)
    return x


def chain_of_comparisons(x, a, b):
    total = 0.0
    for v in x:
        if a < v <= b < 2.0 != v:
            total += v * v * b
        elif not -1.0 <= v < a:
            total -= v * a
    return total


def bumped(a, k):
    a[k] = a[k] * 1.5 + 1.0
    return a[k] > 2.0


def short_circuit_with_effects(x):
    a = x * x
    total = 0.0
    for k in range(a.shape[0]):
        if bumped(a, k) and bumped(a, 0) or bumped(a, -1):
            total += a[k]
        if not (k > 1 and bumped(a, k - 1)):
            total += a[0] * x[k]
    return total + np.sum(a)


def middle_of_a_chain_has_effects(x):
    a = x.copy()
    if -5.0 < (a[0] if bumped(a, 0) else a[1]) < 5.0:
        a[1] *= a[0]
    return np.sum(a * a)


def ternaries_of_arrays(x, n):
    y = np.sin(x) if n > 2 else (x * x if n > 1 else np.ones(3))
    z = (x if n % 2 else y).copy()
    z[0] = z[1] * (y[0] if y[0] > 0.0 else x[2])
    return np.sum(z * y)


def raises_when_negative(x):
    if x < 0.0:
        raise ValueError("negative")
    assert x < 100.0, "large"
    return np.sqrt(x) * x


def name_set_in_one_branch(x, n):
    total = 0.0
    for i in range(n):
        if i == 1:
            kept = x * i
        if i > 1:
            total += kept * kept
            kept = kept * x
    return total


def flag_carried_by_a_loop(x):
    seen = False
    last = 0.0
    for v in x:
        if seen and v > last:
            last = last * v
        elif not seen:
            seen = v > 0.0
            last = v * v
    return last if seen else -last


def bisection(c):
    low, high = 0.0, 3.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if middle**3 > 2.0:
            high = middle
        else:
            low = middle
    return (c - middle) ** 2 * c


def counts_down_by_two(x):
    total = x[0]
    for i in range(x.shape[0] - 1, -1, -2):
        total = total * x[i] + i
        for j in range(i, -3, -3):
            total += x[j] * x[i]
    return total


def loop_variable_lives_on(x):
    i = 10
    for i in range(x.shape[0]):
        if x[i] > 0.5:
            break
    for v in x[:0]:
        i = 0
    return x[i] ** 2 * i


ROW = np.array([0.3, -0.6, 0.8, -1.2, 1.4])

PROGRAMS = [
    Program(name_is_changed_amid_an_expression, numbers(0.7), compiled=True),
    Program(index_is_changed_amid_a_store, numbers(0.7, 0)),
    Program(index_is_changed_amid_a_store, numbers(0.7, 1)),
    Program(loop_test_assigns, numbers(0.3), compiled=True),
    Program(loop_test_assigns, numbers(1.3)),
    Program(ternary_assigns, numbers(0.3)),
    Program(ternary_assigns, numbers(0.7)),
    Program(short_circuit_assigns, numbers(ROW)),
    Program(argument_is_assigned, numbers(0.7)),
    Program(array_is_named_amid_an_expression, numbers(ROW)),
    *(Program(cases_of_a_number, numbers(0.7, n), compiled=n == 2) for n in (0, 1, 2, -3, 4)),
    Program(cases_of_a_number, numbers(-0.7, 1)),
    Program(cases_of_a_captured_text, numbers(0.7)),
    Program(cases_of_a_pair_in_a_loop, numbers(0.7, 9), compiled=True),
    Program(cases_of_a_pair_in_a_loop, numbers(0.3, 5)),
    Program(cases_in_helpers, numbers(0.7)),
    Program(silenced, numbers(0.7), compiled=True),
    Program(silenced, numbers(2.7)),
    Program(trip_count_depends_on_the_value, numbers(1.1), compiled=True),
    Program(collatz_like, numbers(0.7, 6), compiled=True),
    Program(collatz_like, numbers(0.7, 1)),
    *(Program(leave_three_loops, numbers(ROW, limit), compiled=limit == 2.0) for limit in (0.1, 2.0, 90.0)),
    Program(leave_three_loops, numbers(ROW[:3], 90.0)),
    Program(leave_three_loops, numbers(np.abs(ROW) + 1.0, 60.0)),
    Program(else_of_nested_loops, numbers(ROW), compiled=True),
    Program(else_of_nested_loops, numbers(np.abs(ROW))),
    Program(else_after_no_iteration, numbers(0.7)),
    Program(chain_of_comparisons, numbers(ROW, 0.1, 0.9), (0, 1, 2)),
    Program(short_circuit_with_effects, numbers(ROW), compiled=True),
    Program(middle_of_a_chain_has_effects, numbers(ROW)),
    *(Program(ternaries_of_arrays, numbers(ROW[:3], n)) for n in (0, 1, 2, 3)),
    Program(raises_when_negative, numbers(0.7), compiled=True),
    Program(name_set_in_one_branch, numbers(0.7, 4), compiled=True),
    Program(name_set_in_one_branch, numbers(0.7, 1)),
    Program(flag_carried_by_a_loop, numbers(ROW)),
    Program(flag_carried_by_a_loop, numbers(-np.abs(ROW))),
    Program(bisection, numbers(0.7)),
    Program(counts_down_by_two, numbers(ROW)),
    Program(loop_variable_lives_on, numbers(ROW)),
]
