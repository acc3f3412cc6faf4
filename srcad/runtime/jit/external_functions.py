"""Functions of compiled libraries, such as those that SciPy exports for Cython, called from machine code.

A Cython module lists its C functions in `__pyx_capi__`: for each name a capsule with the address, whose name is the
signature in C. The address differs from process to process, and machine code is stored on disk. So machine code does
not contain the address, but reads it from a slot, a global variable of this process that LLVM knows by a symbol:

    numba.dynamic.globals.cython/scipy.special.cython_special/gammaln/double (double, int __pyx_skip_dispatch)

`pointer` writes the instruction that reads a slot. Before stored machine code is loaded, `provide` makes the slots of
the symbols that it names; it refuses a symbol whose function this process lacks, or has with another signature.
Numba's own cache takes a function whose symbols begin like this as one that must not be stored, which is right: Numba
would not provide them.
"""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Iterable
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import cgutils

_DYNAMIC = "numba.dynamic.globals."
_PREFIX = f"{_DYNAMIC}cython/"

_slots: dict[str, Any] = {}  # by symbol; they stay as long as the process, since machine code reads them

_name_of_capsule = ctypes.pythonapi.PyCapsule_GetName
_name_of_capsule.restype, _name_of_capsule.argtypes = ctypes.c_char_p, [ctypes.py_object]
_pointer_in_capsule = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_in_capsule.restype, _pointer_in_capsule.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def signatures(module: str) -> dict[str, str]:
    """The C functions that a Cython module exports: name -> signature.

    >>> signatures("scipy.special.cython_special")["gammaln"]
    'double (double, int __pyx_skip_dispatch)'
    """
    return {name: _name_of_capsule(each).decode() for name, each in _exported(module).items()}


def symbol_of(module: str, name: str) -> str:
    """The symbol of the slot of an exported function.

    >>> symbol_of("scipy.special.cython_special", "j0")
    'numba.dynamic.globals.cython/scipy.special.cython_special/j0/double (double, int __pyx_skip_dispatch)'
    """
    return f"{_PREFIX}{module}/{name}/{_name_of_capsule(_exported(module)[name]).decode()}"


def provide(symbols: Iterable[str]) -> bool:
    """Make the slots of symbols; whether this process has all the functions.

    >>> provide([symbol_of("scipy.special.cython_special", "j0")])
    True
    >>> provide(["numba.dynamic.globals.cython/scipy.special.cython_special/j0/double (float)"])
    False
    """
    return all(each in _slots or _provided(each) for each in symbols)


def symbols_in(library: Any) -> tuple[str, ...] | None:
    """The symbols of slots that a compiled library reads; None if it also holds addresses of other kinds."""
    names = [each.name for each in library._final_module.global_variables if each.name.startswith(_DYNAMIC)]
    return tuple(sorted(names)) if all(each.startswith(_PREFIX) for each in names) else None


def pointer(builder: Any, module: str, name: str, kind: ir.FunctionType) -> Any:
    """The instruction that reads the address of an exported function, as a pointer to a function of type `kind`."""
    symbol = symbol_of(module, name)
    if not provide([symbol]):
        raise LookupError(symbol)
    slot = builder.module.globals.get(symbol) or ir.GlobalVariable(builder.module, cgutils.voidptr_t, symbol)
    return builder.bitcast(builder.load(slot), kind.as_pointer())


def _exported(module: str) -> dict[str, Any]:
    found: dict[str, Any] = getattr(importlib.import_module(module), "__pyx_capi__", {})
    return found


def _provided(symbol: str) -> bool:
    module, name, signature = symbol.removeprefix(_PREFIX).split("/", 2)
    try:
        capsule = _exported(module)[name]
    except (ImportError, KeyError):
        return False
    if _name_of_capsule(capsule).decode() != signature:
        return False
    slot = ctypes.c_void_p(_pointer_in_capsule(capsule, signature.encode()))
    llvm.add_symbol(symbol, ctypes.addressof(slot))
    _slots[symbol] = slot
    return True
