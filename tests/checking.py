"""`assert_gradient`: srcad's derivatives of a function, each way that it has, held to finite differences.

A random direction through all arguments in `wrt` and a random cotangent of the result make one number of a derivative:
the slope of <cotangent, f(x + t direction)> at t = 0. An error anywhere in a gradient changes that number.
"""

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import typeof

import srcad
from srcad.driver import pipeline
from srcad.runtime.support.assumption_errors import Widens
from tests.differences import directional_derivative, flat, moved, own_copy

UNCOMPILED = ("arrays", "loops", "tangent", "gradient", "second")
# Second derivatives take as long as all else; the programs of tests/programs have them by day, all others at night.
AT_NIGHT = bool(os.environ.get("SRCAD_ALL_PROGRAMS"))
USUAL = UNCOMPILED if AT_NIGHT else UNCOMPILED[:-1]
COMPILED = ("compiled", "compiled tangent")


def assert_gradient(
    f: Callable[..., Any],
    *args: Any,
    wrt: Sequence[int] | None = None,
    modes: Sequence[str] = USUAL,
    rtol: float = 1e-7,
    seed: int = 0,
) -> None:
    """Check the derivatives of `f` at `args`, which stay as they are; `wrt` is all floating arguments unless told.

    arrays      reverse mode, uncompiled, with array statements
    loops       reverse mode, uncompiled, with array statements made into loops, as they are compiled
    tangent     forward mode, uncompiled, compared with reverse mode
    gradient    the gradient in one function, uncompiled, with loops; at night with array statements as well
    second      reverse mode over forward mode, against differences of the gradient; only where asked for, or at night
    compiled, compiled tangent    both through Numba
    """
    where = tuple(range(len(args))) if wrt is None else tuple(wrt)
    where = tuple(i for i in where if np.asarray(args[i]).dtype.kind == "f")
    rng = np.random.default_rng(seed)
    directions = {i: random_like(args[i], rng) for i in where}
    value = f(*map(own_copy, args))
    cotangent = random_like(value, rng)
    expected, error = slope(f, args, directions, cotangent)
    scale = max(1.0, abs(expected))
    assert error <= 0.1 * rtol * scale, f"finite differences are not to be trusted here: {expected} +- {error}"
    for mode in modes:
        found = MODES[mode](f, args, directions, cotangent, value, rtol)
        assert found is None or abs(found - expected) <= rtol * scale, f"{mode}: {found} instead of {expected}"


def slope(f: Any, args: Sequence[Any], directions: dict[int, Any], cotangent: Any) -> tuple[float, float]:
    """The derivative by finite differences, with an estimate of its error."""
    weights = flat(cotangent)

    def along(step: float) -> float:
        point = [moved(x, directions[i], step) if i in directions else own_copy(x) for i, x in enumerate(args)]
        return float(weights @ flat(f(*point)))

    return directional_derivative(along)


def random_like(value: Any, rng: np.random.Generator) -> Any:
    """Random numbers in the shape and dtype of a value; integers get floats."""
    if isinstance(value, tuple):
        return tuple(random_like(part, rng) for part in value)
    drawn = rng.normal(size=np.shape(value))
    dtype = np.asarray(value).dtype
    if isinstance(value, np.ndarray):
        return np.asarray(drawn, dtype if dtype.kind == "f" else None)
    return dtype.type(drawn) if dtype == np.float32 else float(drawn)


def by_vjp(jit: bool) -> Callable[..., float]:
    """Reverse mode through the public API, called twice; arguments must come back as they were."""

    def run(f: Any, args: Sequence[Any], directions: dict[int, Any], cotangent: Any, value: Any, rtol: float) -> float:
        given = [own_copy(x) for x in args]
        result, pullback = srcad.vjp(f, *given, wrt=tuple(directions), jit=jit)
        assert_same(result, value, rtol, "value")
        gradients = pullback(cotangent)
        again = pullback(cotangent)
        for i, gradient, second in zip(directions, gradients, again, strict=True):
            assert_looks_like(gradient, args[i], i)
            assert_same(second, gradient, 0.0, "second pullback")
        for before, after in zip(args, given, strict=True):
            assert_same(after, before, 0.0, "argument")
        return inner(gradients, directions)

    return run


def by_loops(f: Any, args: Sequence[Any], directions: dict[int, Any], cotangent: Any, value: Any, rtol: float) -> float:
    """Reverse mode as it is compiled, run by Python: for shapes that are equal, and where they are not for all."""
    (forward, reverse), given, _ = generated(f, args, "vjp", tuple(directions), loops=True, assumes=True)
    try:
        result, trace = forward(*map(own_copy, given))
    except Widens:
        (forward, reverse), given, _ = generated(f, args, "vjp", tuple(directions), loops=True)
        result, trace = forward(*map(own_copy, given))
    assert_same(result, value, rtol, "value")
    return inner(reverse(*map(own_copy, given), trace, cotangent), directions)


def generated(
    f: Any,
    args: Sequence[Any],
    mode: str,
    wrt: Sequence[int],
    loops: bool,
    assumes: bool = False,
    without: Sequence[str] = (),
) -> tuple[list[Any], tuple[Any, ...], str]:
    """The functions generated for one mode, run by Python, the arguments bound to their parameters, and the text."""
    unit = pipeline.prepare(f)
    hidden = [capture.read() for capture in unit.hidden]
    given = (*bound(f, args), *hidden)
    kinds = [typeof(x) for x in given]
    how = {"loops": loops, "tuple_result": True, "assumes": assumes, "without": without}
    made = pipeline.derive(unit, mode, tuple(wrt), kinds, **how)
    namespace = dict(made.bindings)
    exec(compile(made.text, "<generated>", "exec"), namespace)
    return [namespace[name] for name in made.functions], given, made.text


def by_gradient(
    f: Any, args: Sequence[Any], directions: dict[int, Any], cotangent: Any, value: Any, rtol: float
) -> float | None:
    """Value and gradient in one function, which undoes stores instead of keeping a trace pure; scalar results only."""
    if isinstance(value, tuple) or np.ndim(value):
        return None
    slopes = []
    for loops in (False, True) if AT_NIGHT else (True,):
        (run, *_), given, _ = generated(f, args, "value_and_grad", tuple(directions), loops)
        result, gradients = run(*map(own_copy, given))
        assert_same(result, value, rtol, "value")
        for i, gradient in zip(directions, gradients, strict=True):
            assert_looks_like(gradient, args[i], i)
        slopes.append(inner(gradients, directions) * float(cotangent))
    scale = max(1.0, abs(slopes[0]))
    assert abs(slopes[0] - slopes[-1]) <= 10 * rtol * scale, f"arrays {slopes[0]}, loops {slopes[-1]}"
    return slopes[0]


def by_second(
    f: Any, args: Sequence[Any], directions: dict[int, Any], cotangent: Any, value: Any, rtol: float
) -> float | None:
    """Hessian times vector against differences of the gradient; gives no slope of its own."""
    if isinstance(value, tuple) or np.ndim(value) or any(np.asarray(args[i]).dtype == np.float32 for i in directions):
        return None
    wrt = tuple(directions)
    (gradient, *_), given, _ = generated(f, args, "grad", wrt, loops=True)
    (second, *_), _, _ = generated(f, args, "hvp", wrt, loops=True)
    products = second(*map(own_copy, given), *(directions[i] for i in wrt))
    rest = given[len(args) :]

    def along(step: float) -> Any:
        point = [moved(x, directions[i], step) if i in directions else own_copy(x) for i, x in enumerate(args)]
        return flat(gradient(*point, *map(own_copy, rest)))

    step = 1e-5
    expected = (along(step) - along(-step)) / (2 * step)
    scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    np.testing.assert_allclose(flat(products), expected, rtol=0, atol=1e-5 * scale, err_msg="hvp")
    return None


def by_jvp(jit: bool) -> Callable[..., float]:
    """Forward mode through the public API."""

    def run(f: Any, args: Sequence[Any], directions: dict[int, Any], cotangent: Any, value: Any, rtol: float) -> float:
        tangents = [directions.get(i) for i in range(len(args))]
        result, change = srcad.jvp(f, [own_copy(x) for x in args], tangents, jit=jit)
        assert_same(result, value, rtol, "value")
        return float(flat(cotangent) @ flat(change))

    return run


MODES: dict[str, Callable[..., float | None]] = {
    "arrays": by_vjp(jit=False),
    "loops": by_loops,
    "tangent": by_jvp(jit=False),
    "gradient": by_gradient,
    "second": by_second,
    "compiled": by_vjp(jit=True),
    "compiled tangent": by_jvp(jit=True),
}


def bound(f: Any, args: Sequence[Any]) -> tuple[Any, ...]:
    """The arguments, followed by the defaults of parameters that were not given."""
    import inspect

    arguments = inspect.signature(getattr(f, "py_func", f)).bind(*args)
    arguments.apply_defaults()
    return tuple(arguments.arguments.values())


def inner(gradients: Sequence[Any], directions: dict[int, Any]) -> float:
    """The slope along the directions."""
    return float(sum(flat(g) @ flat(v) for g, v in zip(gradients, directions.values(), strict=True)))


def assert_looks_like(gradient: Any, argument: Any, position: int) -> None:
    """Shape and dtype of a gradient are those of its argument."""
    assert np.shape(gradient) == np.shape(argument), f"gradient {position} has shape {np.shape(gradient)}"
    if isinstance(argument, np.ndarray):
        assert gradient.dtype == argument.dtype, f"gradient {position} has dtype {gradient.dtype}"


def assert_same(found: Any, expected: Any, rtol: float, what: str) -> None:
    """Two values, arrays or nests of tuples agree."""
    assert flat(found).shape == flat(expected).shape, what
    np.testing.assert_allclose(
        flat(found), flat(expected), rtol=max(rtol, 0.0), atol=1e-14 if rtol else 0.0, err_msg=what
    )
