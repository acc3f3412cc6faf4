"""Functions whose gradients need the kernels that most programs need: `srcad doctor --warm` compiles them.

A kernel is stored once for all gradients that call it (`srcad.runtime.jit.kernel_cache`), for each number of dimensions
and layout of its arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Maker = Callable[[np.random.Generator], tuple[Any, ...]]


def _softmax_of_rows(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum((e / np.sum(e, axis=1, keepdims=True)) ** 2)


def _softmax_of_last_axis(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return np.sum((e / np.sum(e, axis=-1, keepdims=True)) ** 2)


def _extremes(x: Any) -> Any:
    return np.max(x) * np.min(x) + np.max(np.abs(x))


def _extremes_by_axis(x: Any) -> Any:
    return np.sum(np.max(x, axis=0) * np.min(x, axis=0)) + np.sum(np.min(x, axis=1) ** 2)


def _moments_by_axis(x: Any) -> Any:
    return np.sum(np.var(x, axis=0) * np.mean(x, axis=0)) + np.sum(np.std(x, axis=1)) + np.std(x)


def _products_of_elements(x: Any) -> Any:
    return np.prod(x) + np.sum(np.cumprod(x) * np.cumsum(x))


def _sorted_elements(x: Any) -> Any:
    return np.sum(np.sort(x) * np.arange(x.size)) + np.median(x)


def _layers(x: Any, w: Any, b: Any) -> Any:
    return np.sum(np.tanh(x @ w + b) ** 2)


def _products(a: Any, x: Any) -> Any:
    return x @ (a @ x) + np.sum(a @ a.T) + np.sum(np.outer(x, a @ x))


def _solved(a: Any, b: Any) -> Any:
    return np.sum(np.linalg.solve(a, b) ** 2) + np.linalg.slogdet(a)[1]


def _inverse_and_determinant(a: Any) -> Any:
    return np.sum(np.linalg.inv(a) ** 2) + np.linalg.det(a)


def _gaussian_likelihood(a: Any, b: Any) -> Any:
    factor = np.linalg.cholesky(a)
    z = np.linalg.solve(factor, b)
    return np.sum(z * z) + 2.0 * np.sum(np.log(np.diag(factor)))


def _eigenvalues(a: Any) -> Any:
    w, v = np.linalg.eigh(a)
    return np.sum(w**3) + v[0, 0] ** 2


def _singular_values(a: Any) -> Any:
    u, s, v = np.linalg.svd(a, full_matrices=False)
    return np.sum(s**3) + u[0, 0] * v[0, 0]


def _norms(a: Any, x: Any) -> Any:
    return np.linalg.norm(a) + np.linalg.norm(x) + np.linalg.norm(x, 1)


def _joined(x: Any, y: Any) -> Any:
    return np.sum(np.concatenate((x, y)) ** 2) + np.sum(np.stack((x, y)) ** 3)


def _interpolated(x: Any, y: Any) -> Any:
    return np.sum(np.interp(x, np.linspace(0.0, 1.0, y.size), y) ** 2)


def _gathered(x: Any, k: Any) -> Any:
    return np.sum(x[k] ** 2) + np.sum(np.where(x > 0.5, x, x * x))


def _matrix(rng: np.random.Generator) -> Any:
    a = rng.normal(size=(4, 4))
    return a @ a.T + 4.0 * np.eye(4)


FUNCTIONS: dict[Callable[..., Any], Maker] = {
    _softmax_of_rows: lambda rng: (rng.normal(size=(3, 4)),),
    _softmax_of_last_axis: lambda rng: (rng.normal(size=(2, 3, 4)),),
    _extremes: lambda rng: (rng.normal(size=5),),
    _extremes_by_axis: lambda rng: (rng.normal(size=(3, 4)),),
    _moments_by_axis: lambda rng: (rng.normal(size=(3, 4)),),
    _products_of_elements: lambda rng: (rng.uniform(0.5, 1.5, 5),),
    _sorted_elements: lambda rng: (rng.normal(size=6),),
    _layers: lambda rng: (rng.normal(size=(3, 4)), rng.normal(size=(4, 2)), rng.normal(size=2)),
    _products: lambda rng: (rng.normal(size=(4, 4)), rng.normal(size=4)),
    _solved: lambda rng: (_matrix(rng), rng.normal(size=4)),
    _inverse_and_determinant: lambda rng: (_matrix(rng),),
    _gaussian_likelihood: lambda rng: (_matrix(rng), rng.normal(size=4)),
    _eigenvalues: lambda rng: (_matrix(rng),),
    _singular_values: lambda rng: (rng.normal(size=(4, 3)),),
    _norms: lambda rng: (rng.normal(size=(3, 4)), rng.normal(size=4)),
    _joined: lambda rng: (rng.normal(size=4), rng.normal(size=4)),
    _interpolated: lambda rng: (rng.uniform(0.1, 0.9, 5), rng.normal(size=6)),
    _gathered: lambda rng: (rng.normal(size=5), np.array([0, 2, 2])),
}
