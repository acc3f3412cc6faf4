"""`check_rule`: the tests that a derivative rule has to pass, in one line.

srcad.testing.check_rule(softplus, (np.array([0.5, -1.0]),), (2.0,))
"""

from __future__ import annotations

import itertools
import linecache
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import srcad
from srcad.errors import BadArgument, PerformanceWarning, WrongGradient
from srcad.frontend.load_source import name_of
from srcad.runtime import kernels
from srcad.tools.finite_differences import directional_derivative

__all__ = ["check_rule"]

_RELATIVE = {np.dtype(np.float32): 1e-3, np.dtype(np.complex64): 1e-3}


def check_rule(
    f: Callable[..., Any], *points: Any, order: int = 2, compiled: bool = True, rtol: float = 1e-5, seed: int = 0
) -> None:
    """Check the derivative rule of a function at some points, each a tuple of arguments.

    f           a function with a rule: of `custom_vjp`, `custom_jvp` or `srcad.extend`, or one of a library
    order       1 leaves out second derivatives, for rules that have none
    compiled    False leaves out compiled code, for functions that Numba does not know, and for speed
    rtol        the relative difference that second derivatives may have from differences of gradients

    At each point it compares reverse mode with finite differences, element by element, and with forward mode;
    compiled code with uncompiled code; Hessian-vector products with differences of gradients; float32 with float64.
    Where the function accepts them, it tries arguments that broadcast, and empty arrays. Points with complex numbers
    check complex derivatives. Away from kinks, please: there differences do not tell.

    Raises WrongGradient, an AssertionError, where something is wrong, and WrongRule where the rule returns what it must
    not.

    >>> import numpy as np, srcad
    >>> @srcad.custom_vjp
    ... def cube(x):
    ...     return x ** 3
    >>> cube.defvjp(lambda x: (x ** 3, x), lambda x, y_bar: (2.0 * x ** 2 * y_bar,))
    >>> try:
    ...     srcad.testing.check_rule(cube, (np.array([0.5, 2.0]),), compiled=False)
    ... except AssertionError as problem:
    ...     print(str(problem).splitlines()[0])
    the gradient of cube differs from finite differences in 2 of 2 elements:
    """
    if not points:
        raise BadArgument("check_rule needs a point", hint="give a tuple of arguments")
    for point in points:
        given = tuple(point) if isinstance(point, (tuple, list)) else (point,)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PerformanceWarning)
            _Check(f, given, rtol, seed).run(order, compiled)


class _Check:
    def __init__(self, f: Callable[..., Any], args: tuple[Any, ...], rtol: float, seed: int) -> None:
        self.name = getattr(f, "__name__", None) or repr(f)
        self.args, self.rtol, self.random = args, rtol, np.random.default_rng(seed)
        self.f = _calling(f, len(args))
        self.smooth = [k for k, each in enumerate(args) if _is_smooth(each)]

    def run(self, order: int, compiled: bool) -> None:
        """All checks at one point."""
        for jit in (False, True) if compiled else (False,):
            srcad.check_grads(self.f, self.args, jit=jit)
            if order > 1:
                self.second_order(jit)
        self.single_precision()
        for args in self.broadcast():
            srcad.check_grads(self.f, args, jit=False)
        self.empty()

    def second_order(self, jit: bool) -> None:
        """A Hessian-vector product beside differences of gradients."""
        real = [k for k in self.smooth if np.asarray(self.args[k]).dtype.kind == "f"]
        if not real or any(np.asarray(each).dtype.kind == "c" for each in (self.f(*self.args), *self.args)):
            return
        weights = _map(self.f(*self.args), lambda each: self.random.normal(size=np.shape(each)))
        weighted = _weighted(self.f, weights, len(self.args))
        v, u = ({k: self.random.normal(size=np.shape(self.args[k])) for k in real} for _ in range(2))

        def along(step: float) -> float:
            """The gradient at a point on the way along v, times u."""
            moved = [_moved(each, v.get(k), step) for k, each in enumerate(self.args)]
            bars = srcad.vjp(self.f, *moved, jit=False)[1](weights)
            return sum(float(np.sum(bars[k] * u[k])) for k in real)

        expected, error = directional_derivative(along, 1e-2)
        directions = [_like(v[k], self.args[k]) for k in real]
        products = srcad.hvp(weighted, tuple(real), jit=jit)(*self.args, *directions)
        found = sum(float(np.sum(each * u[k])) for k, each in zip(real, products, strict=True))
        if not abs(found - expected) <= self.rtol * max(abs(expected), 1.0) + 10.0 * error:
            raise WrongGradient(
                f"the second derivative of {self.name} is {found:.9g}, and by differences of gradients {expected:.9g}",
                hint="check the tangent rule, or how the functions of the rule are differentiated themselves",
            )

    def single_precision(self) -> None:
        """Gradients in single precision have its dtype, and the values of those in double precision."""
        if not all(isinstance(self.args[k], np.ndarray) for k in self.smooth):
            return
        single = {np.dtype(np.float64): np.float32, np.dtype(np.complex128): np.complex64}
        args = [
            each.astype(single[each.dtype]) if k in self.smooth and each.dtype in single else each
            for k, each in enumerate(self.args)
        ]
        try:
            value = self.f(*args)
        except (TypeError, ValueError):  # it takes no single precision
            return
        weights = _map(value, lambda each: np.ones(np.shape(each), np.asarray(each).dtype)[()])
        bars = srcad.vjp(self.f, *args, jit=False)[1](weights)
        doubles = srcad.vjp(self.f, *self.args, jit=False)[1](_map(self.f(*self.args), _ones))
        for k in self.smooth:
            _compare(f"the gradient of {self.name} in single precision", bars[k], doubles[k], args[k].dtype)

    def broadcast(self) -> Iterator[tuple[Any, ...]]:
        """Arguments of other shapes that the function accepts: a dimension of extent one, or one more dimension."""
        arrays = [k for k in self.smooth if isinstance(self.args[k], np.ndarray) and self.args[k].size]
        for k, change in itertools.product(arrays, (_narrowed, _stacked)):
            if len(self.smooth) > 1:
                args = tuple(change(each) if k == place else each for place, each in enumerate(self.args))
                if _accepts(self.f, args) and np.shape(args[k]) != np.shape(self.args[k]):
                    yield args

    def empty(self) -> None:
        """Gradients of empty arrays are empty."""
        args = tuple(each[:0] if isinstance(each, np.ndarray) and each.ndim else each for each in self.args)
        if not self.smooth or all(one is other for one, other in zip(args, self.args, strict=True)):
            return
        if not _accepts(self.f, args):
            return
        bars = srcad.vjp(self.f, *args, jit=False)[1](_map(self.f(*args), _ones))
        for k in self.smooth:
            if np.shape(bars[k]) != np.shape(args[k]):
                raise WrongGradient(f"the gradient of {self.name} has the shape {np.shape(bars[k])} for empty arrays")


def _compare(what: str, found: Any, expected: Any, dtype: np.dtype[Any]) -> None:
    if np.asarray(found).dtype != dtype:
        raise WrongGradient(f"{what} is of dtype {np.asarray(found).dtype}, and its argument of {dtype}")
    scale = max(float(np.max(np.abs(expected), initial=0.0)), 1.0)
    if not np.allclose(found, expected, rtol=_RELATIVE[dtype], atol=_RELATIVE[dtype] * scale):
        raise WrongGradient(f"{what} is {found}, and in double precision {expected}")


def _accepts(f: Callable[..., Any], args: Sequence[Any]) -> bool:
    with np.errstate(all="ignore"):
        try:
            f(*args)
        except (TypeError, ValueError, LookupError, ArithmeticError, RuntimeError, np.linalg.LinAlgError):
            return False  # it does not take these arguments
    return True


def _is_smooth(value: Any) -> bool:
    return np.asarray(value).dtype.kind in "fc" if not isinstance(value, (tuple, list, dict)) else False


def _narrowed(value: np.ndarray) -> np.ndarray:
    return value[..., :1] if value.ndim else value


def _stacked(value: np.ndarray) -> np.ndarray:
    return np.stack([value, 0.9 * value])


def _ones(each: Any) -> Any:
    return np.ones(np.shape(each), np.asarray(each).dtype)[()]


def _map(value: Any, change: Callable[[Any], Any]) -> Any:
    return tuple(change(each) for each in value) if isinstance(value, tuple) else change(value)


def _moved(value: Any, towards: Any, step: float) -> Any:
    return value if towards is None else value + step * _like(towards, value)


def _like(direction: Any, value: Any) -> Any:
    return direction if isinstance(value, np.ndarray) else float(direction)


def _calling(f: Callable[..., Any], count: int) -> Callable[..., Any]:
    """A function with source that calls another one, which may have none."""
    names = ", ".join(f"x{k}" for k in range(count))
    name = getattr(f, "__name__", "")
    name = name if name.isidentifier() else "function"
    return _made(f"def {name}({names}):\n    return _called({names})\n", name, _called=f)


def _weighted(f: Callable[..., Any], weights: Any, count: int) -> Callable[..., Any]:
    """The weighted sum of the results of a function."""
    names = ", ".join(f"x{k}" for k in range(count))
    held = weights if isinstance(weights, tuple) else (weights,)
    results = [f"y[{k}]" for k in range(len(held))] if isinstance(weights, tuple) else ["y"]
    terms = " + ".join(f"kernels.inner(w{k}, {result})" for k, result in enumerate(results))
    given = {f"w{k}": np.asarray(each) if np.ndim(each) else float(each) for k, each in enumerate(held)}
    text = f"def weighted({names}):\n    y = f({names})\n    return {terms}\n"
    return _made(text, "weighted", f=f, kernels=kernels, **given)


_numbers = itertools.count()


def _made(text: str, name: str, **given: Any) -> Callable[..., Any]:
    """The function that a text defines, with its source where Python looks for it."""
    file = f"<srcad.testing {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace = {"__name__": "__main__", **given}
    exec(compile(text, file, "exec"), namespace)
    made: Callable[..., Any] = namespace[name]
    assert name_of(made) == name
    return made
