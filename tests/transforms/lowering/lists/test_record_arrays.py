"""Structured scalars and arrays: read and written by fields and places, gradients in the same structure."""

import numpy as np
import pytest

import srcad
from srcad.errors import BadArgument, MayOverlap, NotDifferentiable, UnsupportedSyntax

BODY = np.dtype([("x", float), ("v", float, 3), ("k", np.int64), ("m", np.float32)])


def bodies(count=4):
    rng = np.random.default_rng(3)
    made = np.zeros(count, BODY)
    made["x"], made["v"], made["k"] = rng.normal(size=count), rng.normal(size=(count, 3)), range(1, count + 1)
    made["m"] = 1.0 + rng.random(count)
    return made


def by_place(a):
    s = 0.0
    for i in range(len(a)):
        s += a[i]["x"] ** 2 * np.sum(a[i]["v"]) * a["k"][i] + a["v"][i, 1] * a[-1]["m"]
    return s


def by_record(a):
    s = 1.0
    for r in a:
        v = r["v"]
        s = np.sin(s + r["x"] * v[0]) + r[1][2]
    for i, (r, w) in enumerate(zip(a[1:], a[::-1]["x"][:3], strict=True)):
        s += i * r["x"] * w
    return s


def stepped(a, dt):
    # Written through one name, read through another; swapped entries; a copy that stays.
    old, r = a.copy(), a[1]
    for _ in range(3):
        for p in a:
            p["v"] += dt * p["x"]
            p["x"] = p["x"] + dt * p["v"][0] * r["x"]
        a[2]["v"][1:] *= a["x"][:2]
        a["x"][0], a[3]["x"] = a[3]["x"], a["x"][0]
    r["x"] *= 2.0
    a["v"] *= 0.5
    a[0] = a[3]
    return np.sum(a["x"] ** 2 * old["x"]) + np.sum(a["v"] ** 2) + a[1]["x"] ** 2


def with_attributes(a):
    s = 0.0
    for i in range(a.shape[0]):
        if a.x[i] > 0.0:
            a[i].x *= a[i].v[0]
        s += np.sin(a[i].x) * a.v[i, 2]
    return s + a.size


def one_of_them(a):
    best = a[0]
    for r in a:
        if r["x"] > best["x"]:
            best = r
        last = best
        last["v"][0] *= r["x"]
    other = a[1] if best["x"] > 0.0 else best
    other["x"] *= other["v"][0]
    return best["x"] ** 2 + np.sum(a["v"]) + np.sum(a["x"] ** 3)


def of_its_own(a):
    made = np.zeros(len(a), dtype=BODY)
    one = a[2].copy()
    for i in range(len(a)):
        made[i]["x"] = a[i]["x"] ** 2
        made[i]["v"] = a[i]["v"] * made[i]["x"]
        made[i]["k"] = 2.7 * a[i]["x"]
    made[1] = (a[0]["x"] * a[3]["x"], a[2]["v"], 2, 0.5)
    a[2]["x"] = 0.0
    return np.sum(made["x"] * made["m"]) + np.sum(made["v"] ** 2) + one["x"] ** 3 + np.sum(made["k"])


def moved(f, a, direction, step, *rest):
    b = a.copy()
    for name in BODY.names:
        if name != "k":
            b[name] = a[name] + step * direction[name]
    return f(b, *rest)


@pytest.mark.slow
@pytest.mark.parametrize("function", [by_place, by_record, stepped, with_attributes, one_of_them, of_its_own])
def test_gradients_agree_with_differences_and_forward_mode(function):
    rest = (0.1,) if function is stepped else ()
    a, direction = bodies(), bodies()[::-1].copy()
    direction["m"] = 0.0  # single precision: not to be had from differences
    if function is with_attributes:
        a, direction = a.view(np.recarray), direction.view(np.recarray)
    before = a.copy()
    found = srcad.grad(function, jit=False)(a, *rest)
    assert type(found) is type(a)
    assert found.dtype == a.dtype
    assert found.shape == a.shape
    assert not np.any(found["k"])
    np.testing.assert_array_equal(a, before)
    slope = (moved(function, a, direction, 1e-6, *rest) - moved(function, a, direction, -1e-6, *rest)) / 2e-6
    along = sum(float(np.sum(found[name] * direction[name])) for name in ("x", "v", "m"))
    assert along == pytest.approx(slope, rel=1e-6, abs=1e-8)
    still = (None,) * len(rest)
    value, tangent = srcad.jvp(function, (a, *rest), (direction, *still), jit=False)
    assert value == pytest.approx(function(a.copy(), *rest))
    assert tangent == pytest.approx(along, rel=1e-9)


def test_entries_in_single_precision_have_gradients_in_it():
    a = bodies()
    found = srcad.grad(by_place, jit=False)(a)
    assert found["m"].dtype == np.float32
    np.testing.assert_allclose(found["m"], [0, 0, 0, a["v"][:, 1].sum()], rtol=1e-6)


def test_second_derivatives_are_records_too_or_refused():
    a = bodies()
    found = srcad.hvp(lambda a: np.sum(a["x"] ** 3 * a["v"][:, 0]), jit=False)(a, a)
    np.testing.assert_allclose(found["x"], 9 * a["x"] ** 2 * a["v"][:, 0])
    rows = srcad.jacobian(lambda a: a["x"] ** 2, jit=False)(a)
    np.testing.assert_allclose(rows["x"], np.diag(2 * a["x"]))
    with pytest.raises(NotDifferentiable, match="by structured arrays"):
        srcad.hessian(by_place, jit=False)(a)


def test_a_single_record_is_written_into_as_a_copy():
    def f(r, y):
        r["x"] = r["x"] * y
        r["v"][1] = r["x"]
        return np.sum(r["v"] ** 2) * r["k"]

    r = bodies()[1]
    (found, by_y), kept = srcad.grad(f, (0, 1), jit=False)(r, 2.0), r.copy()
    # (v0^2 + 4 x^2 + v2^2) k
    assert isinstance(found, np.void)
    assert found.dtype == BODY
    assert found["x"] == pytest.approx(2 * 4 * r["x"] * 2)
    np.testing.assert_allclose(found["v"], [4 * r["v"][0], 0, 4 * r["v"][2]])
    assert by_y == pytest.approx(2 * 2 * r["x"] ** 2 * 2)
    assert r == kept


def test_records_are_in_structures_and_in_every_part_of_the_api():
    def f(p):
        return p["a"][1]["x"] ** 2 * p["b"]

    p = {"a": bodies(), "b": 3.0}
    found = srcad.grad(f, jit=False)(p)
    assert found["a"]["x"][1] == pytest.approx(6 * p["a"]["x"][1])
    assert found["b"] == pytest.approx(p["a"]["x"][1] ** 2)
    value, gradient = srcad.value_and_grad(f, jit=False)(p)
    assert value == f(p)
    assert gradient["a"].dtype == BODY
    result, pullback = srcad.vjp(f, p, jit=False)
    (gradient,) = pullback(2.0)
    assert result == f(p)
    assert gradient["a"]["x"][1] == pytest.approx(12 * p["a"]["x"][1])


@pytest.mark.compiled
def test_compiled_gradients_of_records_are_those_of_uncompiled_ones():
    found, expected = srcad.grad(stepped)(bodies(), 0.1), srcad.grad(stepped, jit=False)(bodies(), 0.1)
    for name in BODY.names:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-12)


def refused(a, way):
    if way == "places":
        a[np.array([0, 2])] = a[0]
        return a["x"][0]
    if way == "mask":
        a[a["x"] > 0.0]["x"] = 3.0
        return a["x"][0]
    if way == "several":
        return a[["x", "v"]][0]["x"]
    if way == "whole":
        return a
    return np.sum(a[0])


@pytest.mark.parametrize("way", ["places", "mask", "several", "whole", "sum"])
def test_what_is_no_field_and_no_place_is_refused(way):
    with pytest.raises((UnsupportedSyntax, NotDifferentiable)) as caught:
        srcad.grad(refused, jit=False)(bodies(), way)
    assert "test_record_arrays.py" in str(caught.value)


def test_memory_that_two_arguments_share_is_refused():
    a = bodies()
    with pytest.raises(MayOverlap, match="share memory"):
        srcad.grad(lambda a, x: a[0]["x"] * x[1], jit=False)(a, a["x"])
    with pytest.raises(MayOverlap, match="share memory"):
        srcad.grad(lambda a, r: a[0]["x"] * r["x"], jit=False)(a, a[0])
    captured = a["x"]
    with pytest.raises(MayOverlap, match="that it captures"):
        srcad.grad(lambda a: a[0]["x"] * captured[0], jit=False)(a)
    with pytest.raises(BadArgument):
        srcad.grad(by_place, "a['x']", jit=False)(a)


def particles():
    rng = np.random.default_rng(0)
    made = np.zeros(4, [("x", float), ("v", float)])
    made["x"], made["v"] = rng.uniform(0.5, 1.5, (2, 4))
    return made


def pushed(p):
    p["x"] += p["v"] * p["x"]
    return p


def made_inside(p):
    q = np.zeros(2, PARTICLE)
    for i in range(2):
        q[i]["x"] = p[i]["x"] * p[i]["v"]
    return q


def one(p):
    return p[1]


PARTICLE = np.dtype([("x", float), ("v", float)])


@pytest.mark.parametrize("function", [pushed, made_inside, one])
def test_records_are_returned_as_records(function):
    p, step = particles(), 1e-6
    value, pullback = srcad.vjp(function, p.copy(), jit=False)
    expected = function(p.copy())
    assert type(value) is type(expected)
    assert value.dtype == expected.dtype
    np.testing.assert_array_equal(value, expected)
    (found,) = pullback(value)
    for name in p.dtype.names:
        ends = []
        for sign in (1.0, -1.0):
            q = p.copy()
            q[name][1] += sign * step
            moved_to = function(q)
            ends.append(sum(np.sum(expected[each] * moved_to[each]) for each in p.dtype.names))
        np.testing.assert_allclose(found[name][1], (ends[0] - ends[1]) / (2 * step), rtol=1e-7)


def test_records_at_the_places_in_an_array_are_copies():
    places = np.array([2, 0, 0])

    def gathered(p):
        some, large = p[places], p[p["x"] > 0.9]
        return np.sum(some["x"] ** 2 * some["v"]) + np.sum(large["x"])

    p = particles()
    found = srcad.grad(gathered, jit=False)(p)
    expected = np.zeros(4)
    np.add.at(expected, places, 2 * p["x"][places] * p["v"][places])
    np.testing.assert_allclose(found["x"], expected + (p["x"] > 0.9))

    def written_later(p):
        some = p[places]
        p["x"] *= 2.0
        return np.sum(some["x"] * p["x"][:3])

    def written_through(p):
        p[places]["x"] = 3.0
        return np.sum(p["x"] ** 2)

    def written_within(p):
        some = p[places]
        some["x"][0] = p["v"][1]
        return np.sum(some["x"])

    for function in (written_later, written_through, written_within):
        with pytest.raises(UnsupportedSyntax, match="array as an index into records"):
            srcad.grad(function, jit=False)(p)


def test_tuples_and_lists_are_written_into_fields_that_are_arrays():
    def written(a):
        a[1] = (a[0]["x"], (a[2]["x"], 2.0 * a[0]["x"], a[1]["x"]), 3, 0.5)
        a[0]["v"] = [a[2]["x"], 1.0, a[3]["x"]]
        return np.sum(a["v"][:2] ** 2 * np.arange(3.0))

    a = bodies()
    found = srcad.grad(written, jit=False)(a)
    np.testing.assert_allclose(found["x"], [8.0 * a["x"][0], 4.0 * a["x"][1], 0.0, 4.0 * a["x"][3]])


def test_lists_of_unknown_length_are_returned_as_lists():
    def path(x):
        times, states = [0.0], []
        while times[-1] < 1.0:
            states.append((x * times[-1], x * x))
            times.append(times[-1] + 0.3)
        return times, states

    value, pullback = srcad.vjp(path, 0.7, jit=False)
    assert value == path(0.7)
    weights = [[1.0] * len(value[0]), [(2.0, 3.0)] * len(value[1])]
    (found,) = pullback(tuple(weights))
    np.testing.assert_allclose(found, 2.0 * sum(value[0][:-1]) + len(value[1]) * 3.0 * 2 * 0.7)
