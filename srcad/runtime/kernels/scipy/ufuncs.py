"""SciPy's ufuncs in Numba: numbers and arrays, with the loops and the broadcasting that SciPy has.

Numba knows a ufunc by a table: for each loop, such as `d->d` or `ld->d`, how one element is computed. SciPy exports the
functions in its loops for Cython, from which the table is filled:

    eval_legendre   'ld->d'   __pyx_fuse_1_1eval_legendre   double (long, double, int)
                    'ff->f'   __pyx_fuse_0_1eval_legendre   double (double, double, int), and the result rounded

A loop takes the function whose parameters are its own types, else the one with the narrowest types that hold them. Of
several results, C functions write all through pointers. Ufuncs without such a function are unknown to Numba, as before.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.core.typing.npydecl import Numpy_rules_ufunc
from numba.core.typing.templates import infer_global
from numba.extending import lower_builtin
from numba.np import npyimpl, ufunc_db
from numba.np.numpy_support import as_dtype, from_dtype

from srcad.runtime.jit import external_functions

_MODULE = "scipy.special.cython_special"
_SIGNATURE = re.compile(r"(?P<result>[\w ]+?) \((?P<parameters>.*)\)$")
_FUSED = re.compile(r"__pyx_fuse_[\d_]+?(?=[a-z])")

_C_TYPES = {
    "float": types.float32,
    "double": types.float64,
    "__pyx_t_float_complex": types.complex64,
    "__pyx_t_double_complex": types.complex128,
    "long": from_dtype(np.dtype("l")),
    "Py_ssize_t": types.intp,
    "void": types.void,
}
# Into which types those of a loop may be converted, the nearest first.
_WIDER = {
    "f": (types.float32, types.float64),
    "d": (types.float64,),
    "F": (types.complex64, types.complex128),
    "D": (types.complex128,),
    "l": (types.intp, from_dtype(np.dtype("l")), types.float64),
}
_OTHER_NAMES = {"digamma": "psi", "jn": "jv"}  # of the ufunc -> of the C function


class CFunction:
    """An exported function: its name, the types of its inputs, and those of its results."""

    def __init__(self, name: str, inputs: tuple[Any, ...], results: tuple[Any, ...], tail: tuple[str, ...]) -> None:
        self.name, self.inputs, self.results, self.tail = name, inputs, results, tail

    def fits(self, letters: str) -> int | None:
        """How far the types of a loop have to be converted; None if they cannot be."""
        if len(letters) != len(self.inputs):
            return None
        try:
            return sum(_WIDER[letter].index(kind) for letter, kind in zip(letters, self.inputs, strict=True))
        except (KeyError, ValueError):
            return None


def c_functions() -> dict[str, list[CFunction]]:
    """The functions that SciPy exports, by the name of the ufunc, with the types of all variants.

    >>> [each.inputs for each in c_functions()["kn"]]
    [(float64, float64), (int64, float64), (int64, float64)]
    """
    found: dict[str, list[CFunction]] = {}
    for name, signature in sorted(external_functions.signatures(_MODULE).items()):
        function = _read(name, signature)
        if function is not None:
            found.setdefault(_FUSED.sub("", name), []).append(function)
    return found


def _read(name: str, signature: str) -> CFunction | None:
    match = _SIGNATURE.match(signature)
    if match is None:
        return None
    given = [each.strip() for each in match["parameters"].split(",")]
    tail = tuple(each for each in given if "__pyx_skip_dispatch" in each or "__pyx_optional_args" in each)
    given = given[: len(given) - len(tail)]
    pointers = [each for each in given if each.endswith("*")]
    inputs = [each for each in given if each not in pointers]
    results = [each.removesuffix("*").strip() for each in pointers] or [match["result"]]
    if any(each not in _C_TYPES for each in (*inputs, *results)):
        return None
    return CFunction(name, tuple(_C_TYPES[each] for each in inputs), tuple(_C_TYPES[each] for each in results), tail)


def call(context: Any, builder: Any, function: CFunction, values: list[Any]) -> list[Any]:
    """The instructions of a call; `values` have the types of the inputs. Complex numbers are passed by Numba's ABI."""
    kinds = [context.get_value_type(each) for each in function.inputs]
    places, returned = [], ir.VoidType()
    if len(function.results) == 1:
        returned = context.get_value_type(function.results[0])
    else:
        places = [cgutils.alloca_once(builder, context.get_value_type(each)) for each in function.results]
    tail = [ir.IntType(32) if "skip_dispatch" in each else cgutils.voidptr_t for each in function.tail]
    kind = ir.FunctionType(returned, [*kinds, *(each.type for each in places), *tail])
    address = external_functions.pointer(builder, _MODULE, function.name, kind)
    found = builder.call(address, [*values, *places, *(ir.Constant(each, None) for each in tail)])
    return [builder.load(each) for each in places] or [found]


def _element(function: CFunction) -> Callable[..., Any]:
    """How Numba computes one element of a loop."""

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        values = [
            context.cast(builder, value, kind, wanted)
            for value, kind, wanted in zip(args, sig.args, function.inputs, strict=True)
        ]
        found = call(context, builder, function, values)
        if len(found) == 1:
            return context.cast(builder, found[0], function.results[0], sig.return_type)
        cast = [
            context.cast(builder, value, kind, wanted)
            for value, kind, wanted in zip(found, function.results, sig.return_type, strict=True)
        ]
        return context.make_tuple(builder, sig.return_type, cast)

    return lower


def loops(ufunc: np.ufunc, functions: list[CFunction]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The loops of a ufunc that can be compiled, each with how one element is computed. Complex ones are left out."""
    for loop in ufunc.types:
        letters, results = loop.split("->")
        near = [(distance, each) for each in functions if (distance := each.fits(letters)) is not None]
        near = [each for each in near if len(each[1].results) == len(results)]
        if near and not {"D", "F"} & {*loop}:
            yield loop, _element(min(near, key=lambda each: each[0])[1])


class Loop:
    """One loop of a ufunc as Numba sees it: a ufunc that has this loop only."""

    def __init__(self, ufunc: np.ufunc, loop: str) -> None:
        self.nin, self.nout, self.nargs, self.__name__ = ufunc.nin, ufunc.nout, ufunc.nargs, ufunc.__name__
        self.types = [loop]


_loops: dict[np.ufunc, dict[str, Loop]] = {}


def loop_for(ufunc: np.ufunc, kinds: Sequence[Any]) -> Loop:
    """The loop that NumPy takes for inputs of these types: that of exactly these, else the first that holds them.

    Numba takes the first, which for single precision may be one of double precision. Raises TypingError if there is
    none, or it cannot be compiled.
    """
    letters = [as_dtype(types.unliteral(each)).char for each in kinds[: ufunc.nin]]
    given = [loop.split("->")[0] for loop in ufunc.types]
    holds = [all(np.can_cast(*pair) for pair in zip(letters, each, strict=True)) for each in given]
    place = given.index("".join(letters)) if "".join(letters) in given else holds.index(True) if any(holds) else -1
    found = _loops[ufunc].get(ufunc.types[place]) if place >= 0 else None
    if found is None:
        raise TypingError(f"{ufunc.__name__} is not compiled for the types {tuple(kinds)}")
    return found


@functools.cache
def teach_numba() -> tuple[str, ...]:
    """Make all ufuncs of `scipy.special` that SciPy exports known to Numba; their names."""
    functions = c_functions()
    taught: dict[np.ufunc, str] = {}
    known = vars(importlib.import_module("scipy.special._ufuncs")) | vars(importlib.import_module("scipy.special"))
    for name, ufunc in sorted(known.items(), key=lambda item: item[0].startswith("_")):
        if not isinstance(ufunc, np.ufunc) or ufunc in taught or ufunc in ufunc_db.get_ufuncs():
            continue
        made = dict(loops(ufunc, functions.get(_OTHER_NAMES.get(name, name.removeprefix("_")), [])))
        if made:
            _teach(ufunc, made)
            taught[ufunc] = name
    return tuple(taught.values())


def _teach(ufunc: np.ufunc, made: dict[str, Callable[..., Any]]) -> None:
    _loops[ufunc] = {loop: Loop(ufunc, loop) for loop in made}
    kernels = {each: npyimpl._ufunc_db_function(each) for each in _loops[ufunc].values()}
    ufunc_db._ufunc_db.update(dict.fromkeys((ufunc, *kernels), made))

    def kernel(context: Any, builder: Any, outer: Any) -> Any:
        return kernels[loop_for(ufunc, outer.args)](context, builder, outer)

    infer_global(ufunc, types.Function(type(f"resolve_{ufunc.__name__}", (_Typing,), {"key": ufunc})))
    npyimpl.register_ufunc_kernel(ufunc, kernel, lower_builtin)


class _Typing(Numpy_rules_ufunc):  # type: ignore[misc]  # Numba carries no annotations
    """How Numba finds the types of a call; `key` is the ufunc."""

    def generic(self, args: Any, kws: Any) -> Any:
        self.loop = loop_for(self.key, [getattr(each, "dtype", each) for each in map(_without_option, args)])
        return super().generic(args, kws)

    @property
    def ufunc(self) -> Any:
        return self.loop


def _without_option(kind: Any) -> Any:
    return kind.type if isinstance(kind, types.Optional) else kind
