"""Structures in core form compute what Python computes: aliases, rebinding, loops, early exits, two names for one."""

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from srcad.frontend.load_source import load
from srcad.frontend.lower import lower
from tests.checking import assert_gradient
from tests.lowering import assert_same, text_of


class Box:
    kind = 2.0

    def __init__(self, value):
        self.value = value
        self.parts = [value]

    def double(self):
        self.value = self.value * 2.0
        self.parts.append(self.value)
        return self


def rebound_element(x):
    a = x
    t = (a, a + 1.0)
    a = a * 10.0
    u = [a, t]
    a = 0.0
    return u[0], u[1][0], u[1][1], a


def two_names_for_one_list(x):
    a = [x, 1.0]
    b = a
    c = [a, b]
    b[0] = 5.0
    c[0].append(x)
    d = list(a)
    d[1] = 9.0
    return a[0], a[1], len(b), c[1][2], d[1]


def two_names_for_one_array(x):
    d = {"a": x, "b": x}
    d["a"][0] = 7.0
    y = d["b"]
    y[1] = 8.0
    d["a"] = d["a"] * 2.0
    d["a"][2] = -1.0
    return np.sum(x), np.sum(d["a"]), np.sum(d["b"])


def augmented_through_an_entry(x):
    d = {"a": x, "n": 1}
    d["a"] += 1.0
    d["n"] += 1
    other = d["a"]
    d["a"] = d["a"] * 1.0
    d["a"] += 1.0
    return np.sum(x), np.sum(other), np.sum(d["a"]), d["n"]


def list_rebound_in_a_loop(x, n):
    a = [x, 1.0]
    b = a
    for i in range(n):
        a = [a[1], a[0] + i]
    return a[0], a[1], b[0], b[1]


def list_changed_in_a_loop(x, n):
    a = [x, 1.0]
    b = a
    for i in range(n):
        a[0], a[1] = a[1], a[0] + i
    return a[0], a[1], b[0], b[1]


def swapped_entries(x, n):
    s = {"u": x, "v": 2.0, "w": 3.0}
    while n > 0:
        s["u"], s["v"], s["w"] = s["v"], s["w"], s["u"]
        n -= 1
    return s["u"], s["v"], s["w"]


def left_early(x, n):
    s = (x, 0.0)
    for i in range(10):
        if i == n:
            break
        if i == 2:
            continue
        s = (s[0] + 1.0, s[1] + s[0])
    else:
        s = (0.0, s[1])
    return s


def unrolled_and_left_early(x, n):
    items = [x, x + 1.0, x + 2.0, x + 3.0]
    total, last = 0.0, (x, 0)
    for k, v in enumerate(items):
        if k == n:
            break
        if v > 3.0:
            continue
        last = (v, k)
        total += v * k
    return total + len(items), last


def returned_from_an_unrolled_loop(x, n):
    for k, v in enumerate([x, 2.0 * x, 3.0]):
        if k == n:
            return v, k
    return 0.0, -1


def branch_in_a_loop(x, n):
    p, q = {"a": x, "b": 1.0}, {"a": 2.0, "b": x}
    for i in range(n):
        if i % 2 == 0:
            q["a"] = p["a"] + q["b"]
        else:
            p = {"a": p["b"], "b": q["a"]}
            p["b"] = p["b"] * 2.0
    return p["a"], p["b"], q["a"]


def nested_loops(x, n):
    rows = [[x, 1.0], [2.0, x]]
    for i in range(n):
        for row in rows:
            row[0] = row[0] + row[1] * i
        rows[0][1] = rows[1][0]
    return rows[0][0], rows[0][1], rows[1][0]


def index_from_the_end(x, n):
    a = [x, 2.0, 3.0]
    a[n] = a[n - 1] * 2.0
    return a[0], a[1], a[2], a[-1], a[-3], a[n]


def objects(x, n):
    box = Box(x)
    other = box
    for _ in range(3):
        other.double()
    if n > 0:
        box.value = 0.0
    return other.value, sum(box.parts), len(other.parts), box.kind, Box.kind


def conditional_structures(x, n):
    p = (x, 1.0) if n > 0 else (2.0, x)
    q = p if n > 1 else (0.0, 0.0)
    return p[0], p[1], q[0], q[1]


def falsy_structures(x, n):
    empty, full = [], {"a": x}
    first = 1.0 if empty else 2.0
    second = 1.0 if full and not empty else 2.0
    third = x if (empty or n > 1) else 0.5
    return first, second, third, (empty or [x])[0]


def names_of_comprehensions(x, n):
    v = 3.0
    squares = [v * v for v in (x, 1.0, v)]
    table = {k: v + k for k in range(3)}
    pairs = [a * b for a in squares for b in (1.0, 2.0) if b > 1.0]
    return v, squares[2], table[2], sum(pairs), n


def shadowed(x, n):
    def first(pair):
        pair = (pair[1], pair[0])
        n = pair[0]
        return pair, n

    pair = (x, 2.0)
    turned, m = first(pair)
    return pair[0], turned[0], m, n


def default_arguments_are_made_once(x, n):
    def collect(v, into=(1.0,)):
        return (*into, v)[0] if n > 10 else into[0] + v

    return collect(x), collect(x)


def sliced(x, n):
    a = [x, 1.0, 2.0, 3.0]
    b = a[1:3]
    b[0] = 9.0
    c = a[::-1]
    return a[1], b[0], c[0], c[3], len(a[:0]), (x, 1.0, 2.0)[1:][0]


CASES = [(0.5, 0), (0.5, 1), (1.5, 2), (-2.0, 3)]
ARRAYS = [(np.array([1.0, 2.0, 3.0]),)]


@pytest.mark.parametrize("function", [rebound_element, two_names_for_one_list], ids=lambda f: f.__name__)
def test_names_hold_what_python_holds(function):
    assert_same(function, (0.5,), (-1.0,))


@pytest.mark.parametrize(
    "function",
    [
        *(list_rebound_in_a_loop, list_changed_in_a_loop, swapped_entries, left_early, unrolled_and_left_early),
        *(returned_from_an_unrolled_loop, branch_in_a_loop, nested_loops, objects, conditional_structures),
        *(falsy_structures, names_of_comprehensions, shadowed, sliced),
    ],
    ids=lambda f: f.__name__,
)
def test_paths_give_what_python_gives(function):
    assert_same(function, *CASES)


def test_an_index_known_at_run_time_counts_from_both_ends():
    assert_same(index_from_the_end, (0.5, 0), (0.5, 2), (0.5, -1), (0.5, -2), (0.5, 3), (0.5, -4))


@pytest.mark.parametrize("function", [two_names_for_one_array, augmented_through_an_entry], ids=lambda f: f.__name__)
def test_arrays_in_structures_are_the_arrays_themselves(function):
    assert_same(function, *ARRAYS)


def element_of_a_grown_list(x, k):
    values = [9.0]
    for v in x:
        if v > 1.0:
            values.append(v)
    values[k] = values[k] * 2.0
    return values[k], values[-1], len(values), max([v + 1.0 for v in values]), values[0]


def test_a_list_that_grew_has_the_elements_and_the_bounds_of_pythons():
    cases = [(np.array(x), k) for x in ([], [2.0], [0.5, 2.0, 3.0]) for k in (-4, -3, -2, -1, 0, 1, 2, 3)]
    assert_same(element_of_a_grown_list, *cases)


def test_a_list_grows_in_more_loops_than_one():
    def after_the_loop(x):
        values = []
        for v in x:
            values.append(v)
        values.append(1.0)
        return np.sum(np.array(values))

    def in_a_loop_inside(x):
        values = []
        for v in x:
            for w in x:
                values.append(v * w)
        return np.sum(np.array(values))

    for function in (after_the_loop, in_a_loop_inside):
        assert_same(function, (np.array([1.0, 2.0, 4.0]),), (np.array([]),))


def test_a_grown_list_is_no_array():
    def doubled(x):
        values = [v for v in x]  # noqa: C416
        return np.sum(np.array(values * 2))

    assert "a list that grows in a loop can only be" in refused(doubled)


def test_nothing_of_a_structure_is_left():
    text = text_of(lambda x: sum([v * 2.0 for v in {"a": x, "b": x}.values()]))
    assert "[" not in text
    assert "{" not in text


def refused(function):
    with pytest.raises(UnsupportedSyntax) as caught:
        lower(load(function))
    return str(caught.value)


def test_what_is_known_only_at_run_time_is_refused_where_it_is_read():
    def grown(x, n):
        a = [[x]]
        if n > 0:
            a.append([x])
        return a[0][0]

    def of_two_forms(x):
        p = {"a": x} if x > 0.0 else {"b": x}
        return p["a"]

    def by_a_key(x, k):
        return {"a": x, 1: x}[k]

    assert "a list that holds 2 elements or 1 element" in refused(grown)
    assert "a dictionary of `a` or a dictionary of `b`" in refused(of_two_forms)
    assert "key that is known only at run time" in refused(by_a_key)


def test_one_of_two_objects_cannot_be_changed():
    def f(x):
        a, b = [x], [2.0]
        c = a if x > 0.0 else b
        c[0] = 5.0
        return a[0] + b[0]

    assert "one of two objects" in refused(f)


def test_tuples_cannot_be_changed():
    def f(x):
        t = (x, 1.0)
        t[0] = 2.0
        return t[0]

    assert "a tuple cannot be changed" in refused(f)


def growing(x):
    values = [x, x * x]
    for v in values:
        if len(values) < 4:
            values.append(v)
    return sum(values)


def shrinking(x):
    values = [x, x * x, x]
    for v in values:
        values.pop()
        x = x + v
    return x


def growing_elsewhere(x):
    def add(held, v):
        if v > 0.0:
            held.insert(0, v)

    values = [x, x * x]
    s = 0.0
    for i, v in enumerate(values):
        add(values, v)
        s += v * i
    return s


def with_another_key(x):
    p = {"a": x, "b": x * x}
    for _, v in p.items():
        p["c"] = v
    return p["a"]


@pytest.mark.parametrize("function", [growing, shrinking, growing_elsewhere])
def test_what_is_looped_over_keeps_its_length(function):
    assert "becomes longer or shorter while a loop runs over it" in refused(function)


def test_a_dictionary_that_is_looped_over_keeps_its_keys():
    assert "becomes longer or shorter while a loop runs over it" in refused(with_another_key)


def test_copies_and_rebound_names_may_be_looped_over():
    def f(x):
        values, s = [x, x * x], 0.0
        for v in list(values):
            values.append(v)
        for v in reversed(values):
            values.append(v)
        for v in values:
            values = [v]
            s += v
        return s

    assert srcad.grad(f, jit=False)(3.0) == 4.0 * (1.0 + 6.0)


def replaced_slices(x, n):
    values = [0.0] * 5
    values[0:3] = [x[0], x[1] * x[2], x[2]]
    others = values
    values[3:] = [v * 2.0 for v in others[:3]]
    if n > 2:
        others[::2] = values[1::2][:1] + [x[1], 1.0]
    for k in range(2):
        values[k : k + 2] = (values[k + 1] * values[k], values[k] + 1.0)
    return values[0] * values[1] + others[2] ** 2 * len(values)


@pytest.mark.parametrize("n", [2, 3])
def test_slices_of_lists_are_replaced(n):
    x = np.array([0.3, 1.4, 0.2])
    assert_same(replaced_slices, (x, n))
    assert_gradient(replaced_slices, x, n, modes=["arrays", "gradient"])


def test_slices_that_cannot_be_replaced_are_refused():
    def too_few(x):
        values = [x[0], x[1], x[2]]
        values[::2] = [x[1]]
        return values[0]

    def of_an_array(x):
        values = [x[0], x[1], x[2]]
        values[:] = x * 2.0
        return values[0]

    for function in (too_few, of_an_array):
        with pytest.raises(UnsupportedSyntax, match="slice"):
            srcad.grad(function, jit=False)(np.ones(3))


CUT = slice(1, 3)


def by_slices(x):
    s = slice(None, None, 2)
    y = x.copy()
    y[s] = 3.0 * x[s]
    both = (slice(0, 2), (0, 1, 1))
    total = np.sum(y[both] ** 2) + np.sum(x[CUT, 0] ** 3)
    for i in range(2):
        window = slice(i, i + 2)
        total += np.sum(x[:, window] ** 2) * window.start
    rows = [x[0], x[1], x[2]]
    return total + np.sum(rows[slice(1, 3)][0] * rows[2])


def by_tuples(x):
    y = x.copy()
    y[(0, 1), (3, 2)] *= x[(2, 2), (0, 1)]
    places = ((0, 1, 0), (3, 3, 2))
    return np.sum(x[(0, 1, 0), (3, 3, 2)] ** 2) + np.sum(x[places] ** 3) + np.sum(y[1, (0, 0)] ** 2) + np.sum(y * y)


@pytest.mark.parametrize("function", [by_slices, by_tuples])
@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
def test_indices_that_are_slices_and_tuples_of_places(function, jit):
    srcad.check_grads(function, (np.random.default_rng(1).normal(size=(3, 4)),), jit=jit)


def test_a_slice_may_be_an_argument_and_captured_ones_may_be_bound_anew(monkeypatch):
    def f(x, s):
        return np.sum(x[s] * x[CUT][0])

    gradient, x = srcad.grad(f, jit=False), np.array([1.0, 2.0, 4.0])
    np.testing.assert_array_equal(gradient(x, slice(0, 1)), [2.0, 1.0, 0.0])
    monkeypatch.setitem(globals(), "CUT", slice(2, 3))
    np.testing.assert_array_equal(gradient(x, slice(0, 1)), [4.0, 0.0, 1.0])
