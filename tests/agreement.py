"""`compared`: every way to a derivative of one program must give the same number, that of finite differences.

Faster than `checking.assert_gradient`, for programs by the thousand: the stages before differentiation run once for
each of the two forms of array statements. It tells by the path that the interpreter takes whether a point is smooth.
"""

import sys
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import numpy as np
from numba import typeof

from srcad.driver import pipeline
from srcad.transforms.ir.code import Code, Settings
from srcad.transforms.sweeps.forward_reverse_pair import split_functions
from srcad.transforms.sweeps.gradient_function import gradient_function, tangent_function
from tests.differences import directional_derivative, flat, moved, own_copy

STEPS = (1e-2, 1e-3, 1e-4)


def compared(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    rtol: float = 1e-6,
    seed: int = 0,
    without: Collection[str] = (),
) -> bool:
    """Check the derivative of a number `f(*args)` by all floats in `args`; False where differences are of no use.

    loops, arrays    array statements made into loops, or as they are; in each of the two
    grad             value and gradient in one function
    vjp              forward and reverse function, the reverse one called twice
    tangent          forward mode

    `without` names passes of the compiler to be left out.
    """
    rng = np.random.default_rng(seed)
    directions = [rng.normal(size=np.shape(x)) if np.ndim(x) else float(rng.normal()) for x in args]
    value = f(*map(own_copy, args))
    expected = slope(f, args, directions) if np.isfinite(value) else None
    found: dict[str, float] = {}
    for loops in (False, True):
        form = "loops" if loops else "arrays"
        found |= {
            f"{mode}, {form}": slope for mode, slope in slopes(f, args, directions, value, loops, without).items()
        }
    first = next(iter(found.values()))
    scale = max(1.0, abs(first))
    for mode, each in found.items():
        assert abs(each - first) <= 1e-9 * scale, f"{mode}: {each}, but {next(iter(found))}: {first}"
    if expected is None:
        return False
    assert abs(first - expected) <= rtol * scale, f"{first} instead of {expected}"
    return True


def slopes(
    f: Any, args: tuple[Any, ...], directions: list[Any], value: float, loops: bool, without: Collection[str] = ()
) -> dict[str, float]:
    """The slope along the directions, by every mode."""
    kinds = tuple(typeof(x) for x in args)
    wrt = tuple(range(len(args)))
    unit = replace(pipeline.prepare(f), without=frozenset(without))
    begin = Code(unit, signature=kinds, settings=Settings(loops=loops))
    state = pipeline.differentiable_state(begin)
    typed, facts, counts = state.unit, state.types, state.counts

    (joint,) = functions(gradient_function(typed, facts, counts, wrt, True, True), without)
    result, gradients = joint(*map(own_copy, args))
    same(result, value, "value of grad")
    forward, reverse = functions(split_functions(typed, facts, counts, wrt), without)
    result, trace = forward(*map(own_copy, args))
    same(result, value, "value of vjp")
    pulled, again = (reverse(*map(own_copy, args), trace, 1.0) for _ in range(2))
    same(flat(pulled), flat(again), "second call of the reverse function")
    (tangent,) = functions(tangent_function(typed, facts, wrt), without)
    result, change = tangent(*map(own_copy, args), *directions)
    same(result, value, "value of tangent")
    for each, x in zip((*gradients, *pulled), (*args, *args), strict=True):
        assert np.shape(each) == np.shape(x), "shape of a gradient"
    along = flat(directions)
    return {"grad": float(flat(gradients) @ along), "vjp": float(flat(pulled) @ along), "tangent": float(change)}


def functions(made: Any, without: Collection[str] = ()) -> list[Any]:
    """Generated functions, run by Python."""
    generated = pipeline._printed(pipeline.simplified(made, without=without), None)
    namespace = dict(generated.bindings)
    exec(compile(generated.text, "<generated>", "exec"), namespace)
    return [namespace[name] for name in generated.functions]


def same(found: Any, expected: Any, what: str) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13, err_msg=what)


def slope(f: Any, args: tuple[Any, ...], directions: list[Any]) -> float | None:
    """The slope by differences, with steps so short that no decision changes; None where there are none such."""

    def point(step: float) -> list[Any]:
        return [moved(x, way, step) for x, way in zip(args, directions, strict=True)]

    here = path(f, point(0.0))
    for first in STEPS:
        steps = [sign * first / 1.6**k for k in range(12) for sign in (1.0, -1.0)]
        if all(path(f, point(step)) == here for step in steps):
            found, error = directional_derivative(lambda step: float(f(*point(step))), first)
            return found if error <= 1e-7 * max(1.0, abs(found)) else None
    return None


def path(f: Any, args: list[Any]) -> list[int] | None:
    """The bytecode that runs, in order: two points with one path have taken the same decisions; None if it fails.

    A program may be without a value beside a point: where another arm does not bind a name that is read later, or an
    array whose length depends on a number no longer fits another.
    """
    taken: list[int] = []
    file = f.__code__.co_filename

    def follow(frame: Any, event: str, _: Any) -> Any:
        if frame.f_code.co_filename != file:
            return None
        if event == "opcode":
            taken.append(frame.f_lasti)
        frame.f_trace_opcodes = True
        return follow

    before = sys.gettrace()
    sys.settrace(follow)
    try:
        f(*args)
    except Exception:  # noqa: BLE001 - whatever the program raises
        return None
    finally:
        sys.settrace(before)
    return taken
