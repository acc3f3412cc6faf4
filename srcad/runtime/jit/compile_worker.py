"""A process that compiles stored modules, and leaves the machine code in the cache folder.

It reads orders from standard input and answers each with whether it has compiled what was ordered. It needs nothing of
the program that started it: a stored module is its text, and its types are Numba's.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numba.core import errors, types
from numba.core.compiler_lock import global_compiler_lock

from srcad.errors import SrcadError
from srcad.runtime.jit import disk_cache
from srcad.runtime.jit.compact_numba import compact_numba
from srcad.runtime.jit.dispatchers import compiled, load


@dataclass(frozen=True)
class Order:
    """One function of a stored module, to be compiled for argument types.

    module, index   the name of the module in the cache folder, and which of its public functions
    options         those of the compiler
    kinds           the argument types, pickled: those of traces can be read after the module was loaded
    is_pair         whether the function after it is the reverse function, to be compiled for its trace
    """

    module: str
    index: int
    options: Mapping[str, Any]
    kinds: bytes
    is_pair: bool = False


def main() -> None:
    """Serve orders until the process that gives them closes its end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal, meant for the program
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    warnings.simplefilter("ignore")
    while True:
        try:
            order = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pickle.dump(served(order), answers)
        answers.flush()


def served(order: Order) -> bool:
    """Compile what is ordered; whether that was possible. What is wrong, the process that gave the order finds out."""
    try:
        return _compile(order)
    except (errors.NumbaError, errors.UnsupportedBytecodeError, SrcadError, *_FAILURES):
        return False


_FAILURES = (ImportError, AttributeError, TypeError, ValueError, LookupError, NotImplementedError, AssertionError)


def _compile(order: Order) -> bool:
    stored = disk_cache.fetch(order.module)
    if stored is None or stored.injected:
        return False
    module = load(order.module, stored, {})
    functions = compiled(module, stored.functions, order.options, stored.assumes)
    kinds = pickle.loads(order.kinds)
    with global_compiler_lock, compact_numba():
        functions[order.index].compile(kinds)
        if order.is_pair:
            functions[order.index + 1].compile(reverse_kinds(functions[order.index], kinds))
    return True


def reverse_kinds(forward: Any, kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    """The argument types of a reverse function, for a forward function that is compiled for the types `kinds`."""
    value, trace = forward.overloads[kinds].signature.return_type
    return (*kinds, trace, cotangent_kind(value))


def cotangent_kind(value: Any) -> Any:
    """The type of the cotangent of a value of a type, as `srcad.vjp` and tapes hand it on.

    >>> cotangent_kind(types.float32[:, :]), cotangent_kind(types.int64)
    (Array(float32, 2, 'C', False, aligned=True), float64)
    """
    if isinstance(value, types.BaseTuple):
        return types.Tuple([cotangent_kind(each) for each in value])
    if isinstance(value, types.Array):
        dtype = value.dtype if isinstance(value.dtype, (types.Float, types.Complex)) else types.float64
        return types.Array(dtype, value.ndim, "C")
    return value if isinstance(value, (types.Float, types.Complex)) else types.float64
