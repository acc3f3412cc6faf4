"""A quick check of a Numba that is newer than those tested: srcad rests on Numba's internals.

At the first compilation a small gradient is compiled and compared with one written by hand. If it is right, that is
noted in the cache folder, and not checked again. Otherwise this Numba is refused, with the versions that are known to
work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from srcad.errors import UnsupportedVersion
from srcad.runtime.jit import disk_cache

OLDEST, NEWEST = (0, 61), (0, 68)  # with which the tests pass

_state = {"checked": False}


def is_tested() -> bool:
    """Whether the tests have passed with this Numba's version, its last part aside."""
    found: tuple[int, ...] = tuple(numba.version_info.short)
    return OLDEST <= found <= NEWEST


def check(differentiated: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Compile and compare a small gradient, once. Raises UnsupportedVersion if that fails.

    `differentiated` makes the compiled gradient of a function by its first argument.
    """
    if _state["checked"]:
        return
    _state["checked"] = True  # the gradient below is compiled by the caller of this function
    known = disk_cache.key("numba works")
    if disk_cache.fetch(known) is not None:
        return
    try:
        problem = _problem(differentiated(_energy))
    except Exception as error:  # noqa: BLE001  whatever changed Numba may raise
        problem = f"{type(error).__name__}: {error}".partition("\n")[0]
    if problem is not None:
        _state["checked"] = False
        raise UnsupportedVersion(
            f"Numba {numba.__version__} is newer than those tested, and a small gradient fails with it: {problem}",
            hint=f"install a Numba from {_text(OLDEST)} to {_text(NEWEST)}, or call with jit=False",
        )
    disk_cache.store(known, disk_cache.Stored("", ()))


def _problem(slope: Callable[..., Any]) -> str | None:
    """What is wrong with the gradient of a function with an array, a loop and a branch; None if it is right."""
    x = np.array([0.5, -0.25, 1.5])
    found = slope(x, 2.0)
    expected = np.where(x > 0.0, 4.0 * np.sin(x) * x * (np.cos(x) * x + np.sin(x)), 16.0 * x**3)
    return None if np.allclose(found, expected, rtol=1e-12) else f"it is {found}, not {expected}"


def _energy(x: Any, k: float) -> Any:
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        if x[i] > 0.0:
            y[i] = np.sin(x[i]) ** 2 * x[i] ** 2
        else:
            y[i] = k * x[i] ** 4
    return k * np.sum(y)


def _text(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
