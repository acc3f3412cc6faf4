"""Which calls stay calls, and what the functions that are lowered on their own are given."""

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from srcad.frontend import recursive_and_large_helpers
from srcad.frontend.load_source import load
from srcad.frontend.lower import lower
from srcad.transforms.inference.subroutine_types import Subroutine
from srcad.transforms.ir.build import walk_statements
from srcad.transforms.ir.cost_model import MOST_INLINED_STATEMENTS
from srcad.transforms.ir.verify import check_core
from tests.checking import assert_gradient

WEIGHTS = np.array([1.0, 2.0])


def outlined(function):
    """The unit, and what it calls by name; all of it in core form."""
    unit = lower(load(function))
    called = {each.wish: each for each in unit.bindings.values() if isinstance(each, Subroutine)}
    for each in (unit, *(callee.unit for callee in called.values())):
        check_core(each.tree)
    return unit, called


def factorial(n):
    return 1.0 if n == 0 else n * factorial(n - 1)


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


def test_a_recursive_function_computes_the_same():
    _, called = outlined(factorial)
    assert called.keys() == {"factorial"}
    assert called["factorial"](5) == 120.0


def test_functions_that_call_each_other_need_one_function():
    _, called = outlined(even)
    assert [called["even"](n) for n in range(4)] == [True, False, True, False]


def test_a_helper_that_recurs_is_not_inlined_at_all():
    def caller(x):
        return factorial(x) + factorial(3)

    unit, called = outlined(caller)
    assert len(called["factorial"].unit.parameters) == 1
    assert not any(type(each).__name__ == "If" for each in walk_statements(unit.tree.body))


def test_arguments_that_stay_the_same_stay_known():
    def walk(x, n, kind):
        if n == 0:
            return np.sin(x) if kind == "sine" else np.cos(x)
        return walk(x * 0.5, n - 1, kind)

    def caller(x):
        return walk(x, 3, "sine")

    _, called = outlined(caller)
    assert len(called["walk"].unit.parameters) == 2
    assert called["walk"](2.0, 1) == np.sin(1.0)


def test_captured_arrays_and_variables_of_the_function_around_become_parameters():
    def caller(x, a):
        def go(v, n):
            return v * WEIGHTS[0] + a if n == 0 else go(v * a, n - 1)

        return go(x, 2)

    unit, called = outlined(caller)
    assert [capture.parameter for capture in unit.hidden] == ["WEIGHTS"]
    assert set(called["go"].unit.parameters) >= {"a", "WEIGHTS"}


def test_large_helpers_are_called_from_some_point_on():
    def large(x):
        for k in range(3):
            x = np.sin(x) * k + x
            x = x * x + np.cos(x) if x > 1.0 else x - np.exp(x) * k
            x = x - np.tanh(x) * np.sqrt(1.0 + x * x) + np.arctan(x)
        return x

    def caller(x):
        x = large(large(large(large(large(x)))))
        x = large(large(large(large(large(x)))))
        return large(large(large(large(large(x)))))

    unit, called = outlined(caller)
    assert called.keys() == {"large"}
    assert sum(1 for _ in walk_statements(unit.tree.body)) < MOST_INLINED_STATEMENTS + 150


def test_structures_are_handed_over_part_by_part():
    def go(pair, n):
        return pair[0] * pair[1]["w"] if n == 0 else go((pair[1]["w"], {"w": pair[0]}), n - 1)

    def caller(x, y):
        return go((x, {"w": y}), 2)

    _, called = outlined(caller)
    assert len(called["go"].unit.parameters) == 3


def test_changing_a_structure_that_was_handed_over_is_refused():
    def go(values, n):
        values.append(1.0)
        return 0.0 if n == 0 else go(values, n - 1)

    def caller(x):
        values = [x]
        return go(values, 2) + values[0]

    with pytest.raises(UnsupportedSyntax):
        lower(load(caller))


def test_structures_that_grow_are_refused():
    def go(values, n):
        return values[0] if n == 0 else go((values[0], values), n - 1)

    def caller(x, n):
        return go((x,), n)

    with pytest.raises(UnsupportedSyntax, match="of another form"):
        lower(load(caller))


def test_a_recursion_over_a_nested_structure_is_taken_apart():
    def depth_first(node):
        value, children = node
        return np.sin(value) + sum(0.5 * depth_first(each) for each in children)

    def caller(x):
        return depth_first((x[0], [(x[1], []), (x[2], [(x[0] * x[1], [])])]))

    assert_gradient(caller, np.array([0.3, 0.7, -0.4]))


def test_a_recursion_whose_structures_grow_without_end_is_refused():
    def grow(values, n):
        if n < 1:
            return sum(values)
        return grow([*values, values[0]], n - 1) + grow([*values, values[0]], n - 2)

    with pytest.raises(UnsupportedSyntax, match="of another form"):
        lower(load(lambda x, n: grow([x, x], n)))


class Filter:
    def __init__(self, state):
        self.state = state

    def update(self, v):
        for k in range(3):
            self.state = self.state + np.sin(v * self.state) / (k + 2.0)
        return [self.state, v * self.state]


def test_a_large_method_that_changes_its_object_or_returns_a_list_is_inlined():
    def caller(x):
        model = Filter(x[0])
        total = 0.0
        for v in (x[0], x[1], x[2], None, x[1], x[2]):
            if v is not None:
                first, second = model.update(v)
                total += first * second
        return total

    with_few = MOST_INLINED_STATEMENTS
    try:
        recursive_and_large_helpers.MOST_INLINED_STATEMENTS = 10
        assert_gradient(caller, np.array([0.3, 0.7, -0.4]))
    finally:
        recursive_and_large_helpers.MOST_INLINED_STATEMENTS = with_few


def smoothed(v, n):
    if n == 0:
        return v, 1.0
    w = np.pad(np.roll(v, 1, axis=0), 1, mode="edge")[1:-1]  # of neither of which Numba knows these arguments
    rest, scale = smoothed(0.5 * (v + np.sin(w)), n - 1)
    return rest, scale * (1.5 if v[0] > 0.4 else np.sum(np.unwrap(w)))


def scrambled(v, n):
    if n > 0:
        v[:] = np.roll(v, 1, axis=0) * np.sin(v)
        v[0] += np.polyval(np.pad(v, 1, mode="wrap"), 0.2)
        scrambled(v[1:], n - 1)


def of_smoothed(v, n):
    rest, scale = smoothed(v, n)
    return np.sum(rest * rest) * scale


def of_scrambled(v, n):
    w = v * 1.0
    scrambled(w, n)
    return np.sum(w * w)


@pytest.mark.parametrize("function", [of_smoothed, of_scrambled], ids=lambda each: each.__name__)
def test_what_calls_itself_may_use_what_numba_lacks(function):
    gradient = srcad.grad(function, jit=False)
    for n in (2, 0):
        for v in (np.array([0.3, 0.4, 0.9, 0.5]), np.array([0.7, -0.4, 0.2, 0.1])):  # paths that no call took before
            assert_gradient(function, v, n, wrt=(0,), modes=["arrays", "tangent", *["second"][:n]])
            assert np.allclose(gradient(v, n), srcad.grad(function, jit=False)(v, n), rtol=1e-12)


def test_functions_that_make_ever_new_functions_end():
    def deeper(f, x):
        return deeper(lambda v: f(v) + 1.0, x) if x > 0.0 else f(x)

    def caller(x):
        return deeper(lambda v: v, x)

    with pytest.raises(UnsupportedSyntax, match="nested too deeply"):
        lower(load(caller))


def test_lowering_is_deterministic():
    assert repr(outlined(factorial)[1]["factorial"]) == repr(outlined(factorial)[1]["factorial"])


TREE = ((("a", 0), ("b", 1), 2), ("c", 3), 4)


def test_recursion_over_a_tree_that_tells_leaves_by_their_texts():
    def likelihood(node, x):
        if isinstance(node[0], str):
            return x[node[1]]
        return likelihood(node[0], x) * likelihood(node[1], x) * np.sin(x[node[2]])

    def f(x):
        return likelihood(TREE, x)

    assert_gradient(f, np.linspace(0.5, 1.5, 5))
