"""Callables of Numba that are no dispatchers: functions of `cfunc` and `guvectorize`, as functions with a source.

@guvectorize("(n),()->()")                  def weighted(x, k):
def weighted(x, k, out): ...                    ... the leading axes of x and k are broadcast and made one axis
for i in range(count):
kernel(x[i], k[i], out[i])
return ... out with the leading axes
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
from numba.core import types
from numba.np import numpy_support

from srcad.frontend.wrappers import written
from srcad.names import Names
from srcad.runtime.support.labelled_kinds import module_of


def python_of(callee: Any) -> Callable[..., Any] | None:
    """A function with a source that does what such a callable does; None for any other object."""
    kind = type(callee)
    if not module_of(kind).startswith("numba."):
        return None
    if kind.__name__ == "CFunc":
        return callee.__wrapped__  # type: ignore[no-any-return]
    return looped(callee) if kind.__name__ == "GUFunc" else None


@functools.lru_cache(256)
def looped(gufunc: Any) -> Callable[..., Any]:
    """A generalised ufunc as a loop over leading axes."""
    builder = gufunc.gufunc_builder
    return loop_over(builder.py_func, builder.sin, builder.sout, _scalars(builder), _dtype(builder))


def _scalars(builder: Any) -> frozenset[int]:
    """The arguments without core dimensions that the kernel is given as numbers, and not as arrays of one element."""
    known = [each.signature.args for each in builder._cres.values()]
    arrays = {k for given in known for k, kind in enumerate(given) if isinstance(kind, types.Array)}
    return frozenset(k for k, core in enumerate(builder.sin) if not core and k not in arrays)


def _dtype(builder: Any) -> str:
    """The dtype of results: that of all signatures, or where these differ the one that holds them all."""
    known = [each.signature.args[len(builder.sin) :] for each in builder._cres.values()]
    dtypes = [numpy_support.as_dtype(each.dtype) for results in known for each in results]
    return np.result_type(*dtypes).name if dtypes else "float64"


def loop_over(
    kernel: FunctionType, inputs: Any, outputs: Any, scalars: frozenset[int], dtype: str = "float64"
) -> Callable[..., Any]:
    """A function that calls a kernel for each place of the leading axes.

    inputs, outputs     the names of the core dimensions of each argument

    >>> def scaled(x, k, out):
    ...     out[:] = k * x
    >>> loop_over(scaled, [("n",), ()], [("n",)], frozenset({1}))(np.ones((2, 3)), np.array([1.0, 2.0]))
    array([[1., 1., 1.],
           [2., 2., 2.]])
    """
    parameters = list(kernel.__code__.co_varnames[: kernel.__code__.co_argcount])
    names, results = parameters[: len(inputs)], parameters[len(inputs) :]
    own = Names([*parameters, "np"])
    called, lead, count, i = (own.fresh(each) for each in ("kernel", "lead", "count", "i"))
    extents: dict[str, str] = {}
    lines, given, leading = [], [], []
    for k, (name, core) in enumerate(zip(names, inputs, strict=True)):
        lines.append(f"{name} = np.asarray({name})")
        leading.append(f"{name}.shape[: {name}.ndim - {len(core)}]")
        for axis, each in enumerate(core):
            extents.setdefault(each, f"{name}.shape[{axis - len(core)}]")
        given.append(f"{name}[{i}]" if core or k in scalars else f"{name}[{i} : {i} + 1]")
    sizes = {each: own.fresh(f"extent_{each}") for each in extents}
    lines += [f"{sizes[each]} = {text}" for each, text in extents.items()]
    lines += [f"{lead} = np.broadcast_shapes({', '.join(leading)})", f"{count} = 1"]
    lines += [f"for {i} in range(len({lead})):", f"    {count} *= {lead}[{i}]"]
    for name, core in zip(names, inputs, strict=True):
        inner = "".join(f"{sizes[each]}, " for each in core)
        lines.append(f"{name} = np.reshape(np.broadcast_to({name}, {lead} + ({inner})), ({count}, {inner}))")
    for name, core in zip(results, outputs, strict=True):
        inner = "".join(f"{sizes[each]}, " for each in core) or "1, "
        lines.append(f"{name} = np.zeros(({count}, {inner}), np.{dtype})")
    lines += [f"for {i} in range({count}):"]
    lines += [f"    {called}({', '.join([*given, *(f'{name}[{i}]' for name in results)])})"]
    ends = []
    for name, core in zip(results, outputs, strict=True):
        inner = "".join(f"{sizes[each]}, " for each in core)
        ends.append(f"np.reshape({name}, {lead} + ({inner}))")
    lines.append(f"return {', '.join(ends)}")
    text = f"def {kernel.__name__}({', '.join(names)}):\n    " + "\n    ".join(lines) + "\n"
    return written(text, kernel.__name__, {called: kernel, "np": np})
