"""Ways out of loops, branches and functions, with arguments that take all of them."""

import numpy as np

ROW = np.array([0.5, -1.0, 2.0, -3.0, 4.0, 0.0])
ROWS = [(row,) for row in (ROW, -ROW, ROW[:0], ROW[:1], np.abs(ROW), ROW * 0.0)]
NUMBERS = [(x,) for x in (-7, -2, -1, 0, 1, 2, 3, 5, 9, 30)]


def break_at_a_value(x):
    s = 0.0
    for v in x:
        if v < 0.0:
            break
        s += v
    return s


def break_in_both_branches(x):
    s = 0.0
    for v in x:
        if v < 0.0:
            s -= 1.0
            break
        else:
            s += 1.0
            break
        s += 100.0
    return s


def break_deep_in_branches(x):
    s = 0.0
    for v in x:
        if v > 0.0:
            if v > 1.0:
                s += 10.0
                if v > 3.0:
                    break
            s += 1.0
        else:
            s -= 1.0
        s *= 2.0
    return s


def continue_deep_in_branches(x):
    s = 0.0
    for v in x:
        if v > 0.0:
            if v > 1.0:
                continue
            s += 1.0
        elif v < -2.0:
            continue
        else:
            s -= 1.0
        s *= 2.0
    return s


def break_and_continue_in_one_branch(x):
    s = 1.0
    for v in x:
        if v != 0.0:
            if v < -2.0:
                break
            if v < 0.0:
                continue
            s += v
        s *= 1.5
    return s


def exits_before_and_behind_an_inner_loop(a):
    s = 0.0
    for i in range(4):
        if i == a:
            continue
        for j in range(i):
            if j == 2:
                break
            s += 10 * i + j
            if s > 15 * a:
                continue
            s += 0.5
        if s > 20 + a:
            break
        s += 100
    return s


def return_in_a_loop(x):
    for v in x:
        if v < 0.0:
            return v * 2.0
    return 1.0


def return_in_nested_loops(n):
    s = 0
    for i in range(n):
        for j in range(i):
            s += j
            if s > 6:
                return s * 100 + i * 10 + j
        s += 1
    return s


def return_from_a_loop_in_a_branch_in_a_loop(n):
    s = 0
    for i in range(4):
        if i % 2 == n % 2:
            for j in range(3):
                s += 1
                if s == n:
                    return i * 10 + j
                if j == n:
                    break
            s += 10
        else:
            s += 100
            if s > 200 + n:
                continue
        s += 1000
    return s


def return_and_break_in_one_loop(n):
    s = 0
    for i in range(10):
        s += i
        if s == n:
            return -1
        if s > n * 3:
            break
    s += 1000
    return s


def returns_in_branches(x):
    if x < 0:
        if x < -5:
            return x * 2
        y = x + 1
    elif x > 5:
        return x * 3
    else:
        y = x - 1
    return y * 5


def returns_in_nested_branches_only(x):
    if x < 0:
        if x < -1:
            return 1
        else:
            return 2
    else:
        if x == 0:
            return 3
        return 4


def rest_is_guarded_twice(x):
    y = 0
    if x > 0:
        if x > 4:
            if x > 8:
                return 1
            y += 1
        y += 10
    else:
        y += 100
        if x == -1:
            return 2
    y += 1000
    if x == 2:
        return y
    y += 10000
    return y


def returns_of_pairs(x):
    if x > 2:
        return x, x * 2
    for i in range(3):
        if i == x:
            return i, -1
    return 0, x


def returns_of_unlike_tuples(x):
    if x > 2:
        return x, (x, 1)
    return 0, (x, 2)


def returns_the_same_name(x):
    y = 1
    for i in range(5):
        if i == x:
            return y
        y *= 3
    if x > 5:
        return y
    y += 1
    return y


def returns_nothing(x):
    for i in range(x.shape[0]):
        if x[i] < 0.0:
            return
        x[i] = i
    x *= 2.0


def raises_on_one_path(x):
    if x > 4:
        raise ValueError("large")
    elif x > 2:
        y = 1
    else:
        raise RuntimeError("small")
    return y + x


def raises_instead_of_returning(x):
    for i in range(5):
        if i == x:
            return i * i
    raise LookupError("not there")


def raise_and_return_in_branches(x):
    if x > 1:
        return 1
    else:
        if x > 0:
            raise ValueError
        y = 5
    return y


def while_with_break(n):
    s = 0
    while s < 20:
        s += n
        if s == 6:
            break
        if s < -3:
            break
        s += 1
        if n <= 0:
            return s - 100
    return s


def while_true_with_two_exits(n):
    k = 0
    while True:
        k += 1
        if k * k > n:
            break
        if k == 4:
            return -1
    return k


def while_true_that_only_returns(n):
    k = 0
    while True:
        k += 3
        if k > n:
            return k


def while_with_continue(n):
    k = s = 0
    while k < n:
        k += 1
        if k % 3 == 0:
            continue
        s = s * 2 + k
    return s


def condition_is_not_computed_after_a_break(n):
    a = np.zeros(1)

    def count():
        a[0] += 1.0
        return a[0]

    while count() < 10.0:
        if a[0] > n:
            break
    return a[0]


def while_inside_while(n):
    i = s = 0
    while i < n:
        j = 0
        while j < i:
            if (i + j) % 4 == 3:
                break
            s += j
            j += 1
        else:
            s += 100
        if s > 500:
            return s
        i += 1
    return s + i


def for_else(x):
    for v in x:
        if v < 0.0:
            y = v
            break
    else:
        y = 7.0
    return y


def for_else_with_exits_in_else(n):
    s = 0
    for i in range(4):
        for j in range(3):
            if i * j == n:
                break
            s += 1
        else:
            if i == 2:
                break
            s += 10
            continue
        s += 100
    else:
        s += 1000
    return s


def for_else_with_return(n):
    s = 0
    for i in range(4):
        if i == n:
            return -s
        if i == n - 5:
            break
        s += i
    else:
        return 50 + s
    return 70 + s


def loop_variable_after_break(n):
    for i in range(10):
        if i == n:
            break
    return i


def zero_trips_keep_the_earlier_value(n):
    i = -5
    for i in range(n):
        if i == 3:
            break
    return i


def names_stored_on_one_path_only(n):
    for i in range(5):
        if i == n:
            found = i * 10
            break
    if n < 5 and n >= 0:
        return found
    return -1


def dead_code_after_exits(n):
    for i in range(3):
        if i == n:
            continue
            i = 5
        break
        n += 1
    return n + i
    return 7


def user_has_the_names_of_flags(stop):
    returned = result = skip = 0
    for t1 in range(5):
        if t1 == stop:
            returned = t1
            break
        if t1 == stop - 3:
            return result
        skip += t1
    return returned + skip


OVER_ROWS = [break_at_a_value, break_in_both_branches, break_deep_in_branches, continue_deep_in_branches]
OVER_ROWS += [break_and_continue_in_one_branch, return_in_a_loop, returns_nothing, for_else]
OVER_NUMBERS = [exits_before_and_behind_an_inner_loop, return_in_nested_loops, return_from_a_loop_in_a_branch_in_a_loop]
OVER_NUMBERS += [return_and_break_in_one_loop, returns_in_branches, returns_in_nested_branches_only]
OVER_NUMBERS += [rest_is_guarded_twice, returns_of_pairs, returns_of_unlike_tuples, returns_the_same_name]
OVER_NUMBERS += [raises_on_one_path, raises_instead_of_returning, raise_and_return_in_branches, while_with_break]
OVER_NUMBERS += [while_true_with_two_exits, while_true_that_only_returns, while_with_continue]
OVER_NUMBERS += [condition_is_not_computed_after_a_break, while_inside_while, for_else_with_exits_in_else]
OVER_NUMBERS += [for_else_with_return, loop_variable_after_break, zero_trips_keep_the_earlier_value]
OVER_NUMBERS += [names_stored_on_one_path_only, dead_code_after_exits, user_has_the_names_of_flags]


def some_paths_without_a_value(x):
    if x > 0:
        return x


def a_value_or_none(x):
    if x > 0:
        return x
    return None


def loop_may_end_without_a_value(x):
    for i in range(3):
        if i == x:
            return i * x


def straight(x):
    y = x * x
    return y


def early(x):
    if x < 0:
        return 1
    y = x * 2
    return y
