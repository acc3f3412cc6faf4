"""Draws of random numbers, of a generator or of NumPy's global state, which compiled code shares with Python.

    kernels.draw_standard_normal(rng, size)         rng is None for NumPy's global state

Everything else is arithmetic on these (`srcad.runtime.rules.random_numbers`), in the operations of NumPy, so that the
numbers are the same. Numba has generators, but a global state of its own; what it lacks is drawn in its object mode.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import objmode
from numba.core import types
from numba.extending import overload

from srcad.runtime.kernels.overloads import older_generators

__all__ = ["older_generators"]

_FLOATS = ("standard_normal", "random", "standard_exponential", "laplace", "logistic", "gumbel")
_OF_NUMBA = frozenset(
    {"standard_normal", "random", "standard_exponential", "laplace", "logistic", "standard_gamma", "standard_t"}
)


def draw_standard_normal(rng: Any, size: Any) -> Any:
    """Standard normal numbers."""
    return _source(rng).standard_normal(size)


def draw_random(rng: Any, size: Any) -> Any:
    """Uniform numbers between 0 and 1.

    >>> generator, other = np.random.default_rng(3), np.random.default_rng(3)
    >>> bool(draw_random(generator, None) == other.random())
    True
    """
    return _source(rng).random(size)


def draw_standard_exponential(rng: Any, size: Any) -> Any:
    """Exponential numbers of scale 1."""
    return _source(rng).standard_exponential(size)


def draw_laplace(rng: Any, size: Any) -> Any:
    """Laplace numbers at 0 of scale 1."""
    return _source(rng).laplace(0.0, 1.0, size)


def draw_logistic(rng: Any, size: Any) -> Any:
    """Logistic numbers at 0 of scale 1."""
    return _source(rng).logistic(0.0, 1.0, size)


def draw_gumbel(rng: Any, size: Any) -> Any:
    """Gumbel numbers at 0 of scale 1."""
    return _source(rng).gumbel(0.0, 1.0, size)


def draw_standard_gamma(rng: Any, shape: Any, size: Any) -> Any:
    """Gamma numbers of this shape and of scale 1."""
    return _source(rng).standard_gamma(shape, size)


def draw_standard_t(rng: Any, df: Any, size: Any) -> Any:
    """Numbers of Student's distribution."""
    return _source(rng).standard_t(df, size)


def draw_integers(rng: Any, low: Any, high: Any, size: Any) -> Any:
    """Integers from `low` on, less than `high`; from 0 on, less than `low`, where `high` is None."""
    if rng is None or isinstance(rng, np.random.RandomState):
        return _source(rng).randint(low, high, size)
    return rng.integers(low, high, size)


def draw_choice(rng: Any, count: Any, replace: Any, shares: Any, size: Any) -> Any:
    """Some of the numbers less than `count`. Raises TypeError for an array, of which it would be elements."""
    if not isinstance(count, (int, np.integer)):
        raise TypeError("a choice of an array's elements cannot be differentiated: write x[rng.choice(len(x))]")
    return _source(rng).choice(count, size, replace, shares)


def draw_permutation(rng: Any, count: int) -> Any:
    """The numbers less than `count` in random order. Raises TypeError for an array, of which it would be a part."""
    if not isinstance(count, (int, np.integer)):
        raise TypeError("permutations of arrays cannot be differentiated: write x[rng.permutation(len(x))]")
    return _source(rng).permutation(count)


def _source(rng: Any) -> Any:
    return np.random if rng is None else rng


def draw_size(size: Any, *parameters: Any) -> Any:
    """How many numbers are drawn: `size`, or one for each element of the parameters.

    >>> draw_size(None, 0.0, np.ones((3, 1)), np.ones(2)), draw_size(4, 0.0), draw_size(None, 0.0)
    ((3, 2), 4, None)
    """
    if size is not None:
        return size
    return np.broadcast_shapes(*map(np.shape, parameters)) or None


def _rank(size: Any) -> int | None:
    """The number of dimensions of what is drawn; None for one number."""
    if size is None or isinstance(size, (types.NoneType, types.Omitted)):
        return None
    return len(size) if isinstance(size, types.BaseTuple) else 1


def _drawn(name: str, draw: Callable[..., Any], integers: bool = False) -> None:
    """Teach Numba a draw."""
    count = draw.__code__.co_argcount
    names = draw.__code__.co_varnames[:count]

    def typed(*kinds: Any) -> Any:
        dtype = types.int64 if integers else types.float64
        rank = _rank(kinds[-1])
        scalars = all(isinstance(each, (types.Number, types.NoneType, types.Omitted)) for each in kinds[1:-1])
        arrays = [each.ndim for each in kinds[1:-1] if isinstance(each, types.Array) and name != "choice"]
        rank = max(arrays) if rank is None and arrays else rank
        kind = dtype if rank is None else types.Array(dtype, rank, "C")
        is_generator = isinstance(kinds[0], types.NumPyRandomGeneratorType)
        if is_generator and name in _OF_NUMBA and scalars:
            given = "0.0, 1.0, size" if name in ("laplace", "logistic") else ", ".join(names[1:])
            if rank is None:
                given = given.removesuffix("size").rstrip(", ")
            return _written(f"def impl({', '.join(names)}):\n    return rng.{name}({given})\n", {})
        outer = ", ".join(names)
        text = f"def impl({outer}):\n    return island({outer})\n"
        body = f"def island({outer}):\n    with objmode(y=kind):\n        y = draw({outer})\n    return y\n"
        island = numba.njit(_written(body, {"objmode": objmode, "kind": kind, "draw": draw}, "island"))
        return _written(text, {"island": island})

    namespace: dict[str, Any] = {"typed": typed}
    exec(f"def overloaded({', '.join(names)}):\n    return typed({', '.join(names)})\n", namespace)
    overload(draw, strict=False)(namespace["overloaded"])


def _written(text: str, namespace: dict[str, Any], name: str = "impl") -> Callable[..., Any]:
    held = dict(namespace)
    exec(text, held)
    found: Callable[..., Any] = held[name]
    return found


for _name in _FLOATS:
    _drawn(_name, globals()[f"draw_{_name}"])
_drawn("standard_gamma", draw_standard_gamma)
_drawn("standard_t", draw_standard_t)
_drawn("integers", draw_integers, integers=True)
_drawn("choice", draw_choice, integers=True)


@overload(draw_permutation)
def _draw_permutation(rng, count):
    if not isinstance(count, types.Integer):
        return None
    kind = types.Array(types.int64, 1, "C")
    draw = draw_permutation
    island = numba.njit(
        _written(
            "def island(rng, count):\n    with objmode(y=kind):\n        y = draw(rng, count)\n    return y\n",
            {"objmode": objmode, "kind": kind, "draw": draw},
            "island",
        )
    )
    return lambda rng, count: island(rng, count)


@overload(draw_size)
def _draw_size(size, *parameters):
    if _rank(size) is not None:
        return lambda size, *parameters: size
    ranks = [each.ndim for each in parameters if isinstance(each, types.Array)]
    if not ranks:
        return lambda size, *parameters: None
    if len(parameters) == 1:
        return lambda size, *parameters: parameters[0].shape
    if len(parameters) == 2 and len(ranks) == 1:
        at = next(k for k, each in enumerate(parameters) if isinstance(each, types.Array))
        return lambda size, *parameters: parameters[at].shape
    return lambda size, *parameters: np.broadcast_shapes(parameters[0].shape, parameters[1].shape)


def _method(name: str, parameters: str) -> Callable[..., Any]:
    """A function that calls a method of a generator."""
    given = ", ".join(each.partition("=")[0] for each in parameters.split(", "))
    text = f"def generator_{name}(rng, {parameters}):\n    return rng.{name}({given})\n"
    return _written(text, {}, f"generator_{name}")


_PLACED, _SIZED = "loc=0.0, scale=1.0, size=None", "size=None"
generator_normal = _method("normal", _PLACED)
generator_laplace = _method("laplace", _PLACED)
generator_logistic = _method("logistic", _PLACED)
generator_gumbel = _method("gumbel", _PLACED)
generator_uniform = _method("uniform", "low=0.0, high=1.0, size=None")
generator_lognormal = _method("lognormal", "mean=0.0, sigma=1.0, size=None")
generator_exponential = _method("exponential", "scale=1.0, size=None")
generator_gamma = _method("gamma", "shape, scale=1.0, size=None")
generator_standard_normal = _method("standard_normal", _SIZED)
generator_standard_exponential = _method("standard_exponential", _SIZED)
generator_random = _method("random", _SIZED)
generator_standard_gamma = _method("standard_gamma", "shape, size=None")
generator_standard_t = _method("standard_t", "df, size=None")
generator_permutation = _method("permutation", "count")
generator_integers = _method("integers", "low, high=None, size=None")
generator_randint = _method("randint", "low, high=None, size=None")
generator_random_sample = _method("random_sample", _SIZED)
generator_choice = _method("choice", "a, size=None, replace=True, p=None")


def generator_rand(rng, *shape):
    """Uniform numbers of a RandomState."""
    return rng.rand(*shape)


def generator_randn(rng, *shape):
    """Standard normal numbers of a RandomState."""
    return rng.randn(*shape)
