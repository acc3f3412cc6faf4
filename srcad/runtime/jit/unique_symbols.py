"""Names in machine code that no other process uses.

Numba tells functions of the same name apart by a number that it counts up from one in each process. Machine code of
two processes, loaded from the cache into a third, may then have the same name for two functions: implementations of
NumPy functions whose closures hold different values, for instance. The linker takes one for both. So the count starts
at a random number here, and again at another one after a fork. Kernels that all processes share have numbers that stand
for what they are.
"""

from __future__ import annotations

import itertools
import os
import secrets

from numba.core.bytecode import FunctionIdentity

_BITS = 62
_DIGITS = 15  # hexadecimal ones, of a hash


def renumber() -> None:
    """Count on from a random number.

    >>> renumber()
    >>> next(FunctionIdentity._unique_ids) > 1
    True
    """
    FunctionIdentity._unique_ids = itertools.count(secrets.randbits(_BITS) + 2)


def number_next(name: str) -> None:
    """Give the function that is compiled next the number that a name stands for: the same in all processes.

    >>> number_next("1f" * 16)
    >>> next(FunctionIdentity._unique_ids) == int("1f" * 7 + "1", 16)
    True
    """
    FunctionIdentity._unique_ids = itertools.chain([int(name[:_DIGITS], 16)], FunctionIdentity._unique_ids)


renumber()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=renumber)
