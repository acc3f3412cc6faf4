"""Branches and loops over structures: the side that is known runs alone, loops are unrolled only where they must be."""

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from srcad.transforms.ir.cost_model import MOST_UNROLLED_TURNS
from tests.checking import assert_gradient
from tests.lowering import assert_same, core_of, function_of, text_of

CASES = (0.5, 0.25), (0.25, 0.5), (-1.0, 3.0)


def known_test(x, y):
    config = {"square": True, "scale": 2.0}
    z = x * x if config["square"] else np.sin(x)
    if not config["square"]:
        z = z + np.cos(y)
    return z * config["scale"]


def test_only_the_arm_of_a_known_test_is_left():
    text = text_of(known_test)
    assert "sin" not in text
    assert "cos" not in text
    assert "if " not in text
    assert_same(known_test, *CASES)


def rolled(x, y):
    state = (x, y)
    for _ in range(100):
        state = (0.5 * state[1], state[0] + 0.125)
    return state[0] + state[1]


def unrolled(x, y):
    parts = (x, y, x * y, x - y)
    s = 0.0
    for i in range(4):
        s = s + (i + 1) * parts[i]
    return s


def unrolled_until(x, y):
    parts = [x, y, x * y, x - y]
    s = 0.0
    for i in range(4):
        if s > 0.6:
            break
        s = s + (i + 1) * parts[i]
    return s


def of_unlike_parts(x, y):
    layers = ({"w": x, "square": True}, {"w": y, "square": False}, {"w": x + y, "square": True})
    h = y
    for layer in layers:
        h = layer["w"] * h
        if layer["square"]:
            h = h * h
    return h


def nested_loops(x, y):
    pair = [x, y]
    for i in range(3):
        for j in range(2):
            pair[0], pair[1] = pair[1] + i, pair[0] * (j + 1)
    return pair[0] - pair[1]


def left_early(x, y):
    pair = (x, y)
    while True:
        pair = (pair[0] + 0.5, pair[1] * 0.5)
        if pair[0] > pair[1]:
            break
    return pair[0] * pair[1]


def exchanged(x, y):
    a, b, c = (x, 1.0), (y, 2.0), (x * y, 3.0)
    for _ in range(5):
        a, b, c = b, c, a
    return a[0] + 10.0 * b[0] + 100.0 * c[1]


@pytest.mark.parametrize(
    "function", [rolled, unrolled, unrolled_until, of_unlike_parts, nested_loops, left_early, exchanged]
)
def test_functions_give_the_same(function):
    assert_same(function, *CASES)


def test_a_loop_that_carries_a_structure_stays_a_loop():
    assert text_of(rolled).count("for ") == 1


@pytest.mark.parametrize("function", [unrolled, unrolled_until, of_unlike_parts])
def test_a_loop_that_chooses_a_part_is_unrolled(function):
    assert "for " not in text_of(function)


LONG = """
def program(x):
    parts = (x, x * x)
    s = 0.0
    for i in range({}):
        s = s + parts[i % 2]
    return s
"""


@pytest.mark.parametrize(("turns", "loops"), [(3, 0), (MOST_UNROLLED_TURNS, 0), (MOST_UNROLLED_TURNS + 1, 1)])
def test_long_loops_are_not_unrolled(turns, loops):
    program = function_of(LONG.format(turns).lstrip())
    assert text_of(program).count("for ") == loops
    assert_same(program, (0.5,), (-1.25,))


def grows_while_it_is_looped_over(x):
    values = [x, x]
    for v in values:
        values.append(v)
    return values[0]


def test_a_list_that_grows_while_it_is_looped_over_is_refused():
    with pytest.raises(UnsupportedSyntax, match="becomes longer or shorter while a loop runs over it") as refused:
        core_of(grows_while_it_is_looped_over)
    assert "test_control_flow.py" in str(refused.value)


def empty_arm(x, y):
    p = (x, y)
    if x > y:
        pass
    else:
        p = (y, x)
    return p[0] - p[1]


def returns_in_one_arm(x, y):
    p = [x, y]
    if x > y:
        return p[1]
    p[0] = y
    return p[0] * p[1]


@pytest.mark.parametrize("function", [empty_arm, returns_in_one_arm])
def test_arms_that_do_nothing_or_end_there(function):
    assert_same(function, *CASES)


def refused(x, given):
    raise KeyError(given)


def endless(x):
    while True:
        x = x + 1.0
        if x > 30.0:
            raise ValueError("large")


def stops_in_a_call(x, s):
    total = x
    if s > 0.5:
        y = refused(x, 3)
        total = total + y
    return total * s


def stops_in_both_arms(x, s):
    if s > 0.5:
        if x > 0.0:
            raise ValueError("positive")
        else:  # noqa: RET506 - neither arm goes on
            raise ValueError("negative")
        x = np.sin(x)
    return x * s


def stops_in_an_endless_loop(x, s):
    if s > 0.5:
        y = endless(x)
        x = x * y
    return x * s


def stops_in_a_turn(x, s):
    for n in range(3):
        if s > n:
            x = x * s
        else:
            x = x + refused(x, n)
    return x


@pytest.mark.parametrize(
    ("function", "stops", "runs"),
    [(stops_in_a_call, 0.7, 0.3), (stops_in_both_arms, 0.7, 0.3), (stops_in_an_endless_loop, 0.7, 0.3),
     (stops_in_a_turn, 1.5, 2.5)],
    ids=lambda each: getattr(each, "__name__", None),
)  # fmt: skip
def test_a_branch_that_always_raises_is_not_left_out(function, stops, runs):
    assert_gradient(function, 0.4, runs)
    with pytest.raises(Exception) as expected:  # noqa: PT011 - whatever Python raises
        function(0.4, stops)
    for derivative in (srcad.grad(function, jit=False), lambda *at: srcad.jvp(function, at, (1.0, 0.0), jit=False)):
        with pytest.raises(type(expected.value)):
            derivative(0.4, stops)


def test_a_loop_of_one_iteration_is_its_body():
    def f(x):
        total = 0.0
        for _ in range(1):
            total = total + x * x
            if total > 3.0:
                break
            total = total * 2.0
        else:
            total = total + x
        return total

    assert "for" not in text_of(f)
    for x in (0.3, 2.5):
        assert_gradient(f, x, modes=["arrays", "tangent"])


RATES = tuple(0.5 + 0.01 * k for k in range(200))
POWERS = tuple(range(1, 201))


def visits_long_constants(x):
    total, last = 0.0, 0.0
    for rate, power in zip(RATES, POWERS, strict=True):
        if rate > 2.0:
            break
        if power % 3 == 0:
            continue
        total += np.sin(x * rate) / power
        last = rate
    else:
        total = total * x
    return total + rate * last * x


def visits_them_to_the_end(x):
    total = 0.0
    for k, rate in enumerate(reversed(RATES)):
        total = total * 0.9 + np.cos(x * rate) * k
    return total * x * rate


def sums_a_comprehension(x):
    return sum([rate * x**power for rate, power in zip(RATES, POWERS, strict=True) if power < 9 or rate < 0.6])


def nested_loops(x):
    total = 0.0
    for i in range(40):
        for j in range(40):
            total += np.sin(RATES[i] * x) * RATES[j] - RATES[i - j] * x
    return total


def closures_over_a_constant(x):
    scaled = [lambda y, rate=rate: y * rate for rate in RATES[:40]]
    return sum([np.sin(each(x)) for each in scaled])


def wave(x, rate):
    turned = np.sin(x * rate) + np.cos(rate)
    return turned * turned + np.exp(-turned)


def calls_a_helper(x):
    total = 0.0
    for rate in RATES:
        total += wave(x, rate)
    return total


@pytest.mark.parametrize(
    "function",
    [
        visits_long_constants,
        visits_them_to_the_end,
        sums_a_comprehension,
        nested_loops,
        closures_over_a_constant,
        calls_a_helper,
    ],
)
def test_unrolled_code_has_a_bound_by_its_size(function):
    """Constants that loops visit are read from arrays where unrolled code would be long."""
    text = srcad.source(function, args=(0.7,))
    assert len(text.splitlines()) < 150
    assert_gradient(function, 0.7)


def test_few_constants_are_written_out():
    def few(x):
        total = 0.0
        for rate in (0.5, 1.5, 2.5):
            total += np.sin(x * rate)
        return total

    assert "constants" not in srcad.source(few, args=(0.7,))


def test_any_constant_of_many_may_be_chosen():
    def chosen(x, k):
        return RATES[k] * x ** POWERS[k]

    for k in (0, 3, -1, -200):
        assert np.isclose(srcad.grad(chosen, jit=False)(0.7, k), RATES[k] * POWERS[k] * 0.7 ** (POWERS[k] - 1))
    for k in (200, -201):
        with pytest.raises(IndexError):
            srcad.grad(chosen, jit=False)(0.7, k)


def test_constants_of_two_kinds_are_not_put_into_an_array():
    mixed = (*RATES[:3], 1, *RATES)

    def chosen(x, k):
        return mixed[k] * x

    with pytest.raises(UnsupportedSyntax):
        srcad.grad(chosen, jit=False)(0.7, np.int64(1))


def test_changed_constants_are_noticed():
    holder = [0.5] * 80

    def total(x):
        found = 0.0
        for each in holder:
            found += each * x
        return found

    gradient = srcad.grad(total, jit=False)
    assert np.isclose(gradient(1.0), 40.0)
    holder[3] = 2.5
    assert np.isclose(gradient(1.0), 42.0)


def test_a_loop_that_makes_a_function_of_its_function_is_refused():
    def scaling(k):
        return lambda v: v * k

    def f(x):
        g, y = scaling(0.5), x
        for _ in range(4):
            y = g(y)
            g = scaling(y)
        return y

    with pytest.raises(UnsupportedSyntax, match="each iteration of a loop defines anew"):
        srcad.grad(f, jit=False)(1.5)


def test_the_least_of_two_lengths_is_that_before_the_loop():
    def f(x):
        functions = [np.sin, np.cos, np.exp]
        count, s = min(x.shape[0], 3), 0.0
        for i in range(count):
            s += functions[i](x[i])
            count = 1
        return s * count

    assert_same(f, (np.array([0.5, 1.2, 1.5, 2.0]),), (np.array([0.5, 1.2]),))
