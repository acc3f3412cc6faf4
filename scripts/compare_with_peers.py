"""Gradients of the calls on the coverage page beside autograd's and JAX's, at the same points.

    python scripts/compare_with_peers.py [NAME ...]

Needs an environment with autograd and jax. Prints each call whose gradients differ by more than rounding, and counts.
The calls that a library does not differentiate, or whose result is complex, are left out.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import srcad
from srcad.tools.coverage.calls import CALLS, OTHERS
from srcad.tools.coverage.trials import INTEGERS, Call, points


def peers() -> dict[str, tuple[Any, Callable[..., Any]]]:
    """Each library's NumPy, and its gradient by several arguments."""
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    autograd = importlib.import_module("autograd")
    return {
        "autograd": (importlib.import_module("autograd.numpy"), autograd.grad),
        "JAX": (importlib.import_module("jax.numpy"), jax.grad),
    }


def gradient(library: tuple[Any, Callable[..., Any]], call: Call, arguments: list[Any]) -> list[Any]:
    """A library's gradient of the sum of sines of a call."""
    numpy, grad = library
    names = [*call.names, *call.others]
    text = f"def f({', '.join(names)}):\n    return np.sum(np.sin({call.text}))\n"
    space: dict[str, Any] = {"np": numpy}
    exec(text, space)
    return list(grad(space["f"], tuple(range(len(call.names))))(*arguments))


def main(names: list[str]) -> int:
    """Compare, and print what differs; the number of differences."""
    warnings.simplefilter("ignore")
    libraries = peers()
    compared, different = dict.fromkeys(libraries, 0), 0
    for name in names or CALLS:
        for text in CALLS[name]:
            call = Call(text)
            arguments = [*(points()[each] for each in call.names), *(INTEGERS[each] for each in call.others)]
            if ";" in text or call.gives_complex(arguments):
                continue
            wrt = tuple(range(len(call.names)))
            for library, tools in libraries.items():
                if text not in OTHERS[library]:
                    continue
                try:
                    expected = gradient(tools, call, arguments)
                except Exception as problem:  # noqa: BLE001  # what a library refuses is no matter of ours
                    print(f"{library}: {text}: not compared: {type(problem).__name__}")
                    continue
                found = srcad.grad(call.function(), wrt=wrt, jit=False)(*arguments)
                compared[library] += 1
                if not all(np.allclose(a, b, rtol=1e-8, atol=1e-9) for a, b in zip(found, expected, strict=True)):
                    different += 1
                    print(f"{library}: {text}: {found} is not {expected}")
    print(f"compared: {compared}; different: {different}")
    return different


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 0)
