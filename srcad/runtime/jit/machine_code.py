"""Machine code on disk: Numba's cache of compiled functions, with files that say whether they are what was stored.

Numba's own files have an index, which processes that write at the same time overwrite with each other's, so that code
for other types may be found; and nothing tells a file that was damaged. Here each function and signature has a file of
its own, without an index, whose content is sealed (`disk_cache`): the names of the kernels that it calls, which are
loaded first (`kernel_cache`), those of the C functions that it calls (`external_functions`), and the code.
"""

from __future__ import annotations

import pickle
from types import FunctionType
from typing import Any

from numba.core import config
from numba.core.caching import _Cache
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from srcad.runtime.jit import disk_cache, external_functions, kernel_cache
from srcad.runtime.jit.code_libraries import runs_as_python
from srcad.runtime.support.event_log import log

# Numba's settings that change machine code.
_SETTINGS = ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DISABLE_INTEL_SVML")

# What unpickling raises where an object of the user's, such as an exception's class, is not where it was.
_NOT_FOUND = (pickle.UnpicklingError, ImportError, AttributeError, TypeError, ValueError, LookupError, EOFError)


class MachineCode(_Cache):  # type: ignore[misc]  # Numba carries no annotations
    """The cache of one function of the generated module `module`.

    Loading initialises nothing that only compilation needs. Numba refreshes its registries before it looks into its
    cache, which takes a third of a second in a new process; linking needs only the addresses of its run-time functions.
    """

    def __init__(self, module: str, function: FunctionType) -> None:
        self._module, self._function = module, function
        self._loaded: dict[Any, Any] = {}  # what `loads` has loaded, until Numba asks for it

    @property
    def module(self) -> str:
        """The name of the generated module."""
        return self._module

    def holds(self, sig: Any) -> bool:
        """Whether the machine code for a signature is stored."""
        about = self._about(sig, cpu_target.target_context.codegen())
        return disk_cache.fetch_code(self._module, about) is not None

    def loads(self, sig: Any) -> bool:
        """Load the machine code for a signature, for Numba to ask for it next; whether that could be done."""
        self._loaded[sig] = self.load_overload(sig, cpu_target.target_context)
        return self._loaded[sig] is not None

    @property
    def cache_path(self) -> str:
        """The folder of the files."""
        return str(disk_cache.folder())

    def enable(self) -> None:
        """Part of Numba's interface: this cache is always in use."""

    def disable(self) -> None:
        """Part of Numba's interface: this cache is always in use."""

    def flush(self) -> None:
        """Part of Numba's interface: the cache folder drops files by itself."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function for a signature, or None."""
        if self._loaded.get(sig) is not None:
            return self._loaded.pop(sig)
        content = disk_cache.fetch_code(self._module, self._about(sig, target_context.codegen()))
        if content is None:
            return None
        rtsys.initialize(target_context)
        import numba.cpython.hashing  # noqa: F401 - adds the address of its secret

        try:
            kernels, symbols, reduced = pickle.loads(content)
            if symbols and not external_functions.provide(symbols):
                return None
            found = kernel_cache.rebuilt(kernels, reduced, target_context)
        except _NOT_FOUND:
            return None
        log.debug("%s%s: machine code from the cache folder", self._function.__name__, sig)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a compiled function, unless its code contains addresses (a large constant array)."""
        log.debug("%s%s: compiled", self._function.__name__, sig)
        about = self._about(sig, data.codegen)
        symbols = external_functions.symbols_in(data.library) if data.library.has_dynamic_globals else ()
        is_bound = symbols is None or " at 0x" in about or runs_as_python(data.library)
        if is_bound or not all(each.can_cache for each in data.lifted):
            return
        try:
            content = dumps((kernel_cache.called_by(data.library), symbols, data._reduce()))
        except (pickle.PicklingError, TypeError, AttributeError):
            return  # an object of the user's that has no name to find it by
        disk_cache.store_code(self._module, about, content)

    def _about(self, sig: Any, codegen: Any) -> str:
        """All that the machine code depends on, its module aside."""
        settings = [f"{name}={getattr(config, name, None)}" for name in _SETTINGS]
        return "\n".join([self._function.__name__, repr(sig), repr(codegen.magic_tuple()), *settings])
