"""The LLVM code of what is compiled: machine code only where it is called, and calls of large kernels.

    LinkedLibrary     code that others link; machine code is made when something asks for an address in it
    CallingLibrary    the code of a generated function or a kernel, which calls large kernels instead of linking them

To Numba, a `CodeLibrary` is an LLVM module on its way to machine code. Numba makes machine code of each, also of the
many small ones that are only linked into others, and inlined there; that is half of LLVM's time for a small kernel.

Code refers to Numba's environments (the Python objects that belong to a function) through global variables, which are
set where machine code comes into being: for the function itself and for all that are linked into it.

LLVM's third level of optimisation makes a version of a loop for each outcome of a condition that the loop does not
change ("unswitching"). A nest of many loops is full of such conditions, as each inner loop is guarded by whether it has
an iteration, and versions of versions take minutes to compile. So code with deep nests is compiled at the second level,
which does not do that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm
from numba.core import config
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.config import _OptLevel
from numba.core.environment import lookup_environment
from numba.core.runtime import rtsys

names_of_kernels: dict[Any, str] = {}  # of kernels that are called, by library: the names of their files
_ENVIRONMENT = "_ZN08NumbaEnv"
_DYNAMIC = "_3cdynamic_3e"  # `<dynamic>`, in the names of functions that belong to no module
DEEPEST_UNSWITCHED_NEST = 5  # with seven loops around a product of matrices, the third level takes minutes


def runs_as_python(library: Any) -> bool:
    """Whether compiled code runs some of it as Python (`numba.objmode`), with names of a function without a module.

    Numba stores it all the same where it belongs to a function that was linked; what is loaded then ends in an error,
    "missing Environment".
    """
    module = library._final_module
    names = [each.name for each in module.global_variables if each.name.startswith(_ENVIRONMENT)]
    found = [name for name in names if _DYNAMIC in name and not getattr(lookup_environment(name), "can_cache", bool)()]
    text = str(module) if found else ""
    return any(text.count(f"@{name}") > 1 for name in found)  # others only stand there, and are not read


class LinkedLibrary(JITCodeLibrary):  # type: ignore[misc]  # Numba carries no annotations
    """Code for which machine code is made when it is asked for."""

    has_machine_code = False
    environments: tuple[Any, ...] = ()  # those that machine code has the addresses of; they live as long as the code

    def make_machine_code(self) -> None:
        """Make machine code, unless it is there."""
        self._ensure_finalized()
        if self.has_machine_code:
            return
        self.has_machine_code = True
        if self._finds_functions_by_address():
            # Numba asks for this address between adding the code to the engine and making it complete: machine code
            # that is made in between completes this code as well, too early.
            rtsys.library.get_pointer_to_function("nrt_unresolved_abort")
        self._dynamic_globals.clear()  # noted again
        super()._finalize_final_module()
        found = (lookup_environment(each.name) for each in self._globals(_ENVIRONMENT))
        self.environments = tuple(each for each in found if each is not None)
        for each in self.environments:
            self._codegen.set_env(each.env_name, each)

    def get_pointer_to_function(self, name: str) -> int:
        """The address of a function; 0 if there is none of this name."""
        self.make_machine_code()
        return int(super().get_pointer_to_function(name))

    def _finalize_final_module(self) -> None:
        """Numba calls this for code that is optimised, or loaded."""
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True
        if getattr(self, "_compiled_object", None) is not None or self._finds_functions_by_address():
            self.make_machine_code()

    def _finds_functions_by_address(self) -> bool:
        """Whether the code calls functions whose code came later, as one that calls itself does."""
        return any(self._globals(RuntimeLinker.PREFIX))

    def _globals(self, prefix: str) -> Any:
        return (each for each in self._final_module.global_variables if each.name.startswith(prefix))

    def _get_compiled_object(self) -> Any:
        self.make_machine_code()
        return super()._get_compiled_object()


class CallingLibrary(LinkedLibrary):
    """The code of a function of srcad's, which calls large kernels.

    For code of others that links it, the kernels are linked in.
    """

    depth = 0  # of its deepest nest of loops
    _with_kernels: Any = None  # the module that others link

    def _optimize_functions(self, ll_module: Any) -> None:
        with _level_for(self.depth):
            super()._optimize_functions(ll_module)

    def _optimize_final_module(self) -> None:
        with _level_for(self.depth):
            super()._optimize_final_module()

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.called: dict[str, Any] = {}  # the libraries of kernels, by the names of their files

    def add_linking_library(self, library: Any) -> None:
        """Add the library of a function that this one calls."""
        name = names_of_kernels.get(library)
        if name is not None:
            self.called[name] = library
        elif isinstance(library, CallingLibrary):
            library._ensure_finalized()
            super().add_linking_library(_WithoutKernels(library))
            self.called.update(library.called)
        else:
            super().add_linking_library(library)

    @classmethod
    def from_bitcode(cls, codegen: Any, name: str, bitcode: bytes, called: Mapping[str, Any]) -> CallingLibrary:
        """The library of stored code without machine code, which calls these kernels."""
        made = cls(codegen, name)
        made.called.update(called)
        made._final_module = llvm.parse_bitcode(bitcode)
        made._finalize_final_module()
        return made

    def make_machine_code(self) -> None:
        """Make machine code, unless it is there; of the kernels that the code calls as well."""
        for kernel in self.called.values():
            kernel.make_machine_code()
        super().make_machine_code()

    @property
    def own_module(self) -> Any:
        """The module without the kernels that it calls."""
        return super()._get_module_for_linking()

    def _get_module_for_linking(self) -> Any:
        if not self.called:
            return self.own_module
        if self._with_kernels is None:
            module = self.own_module.clone()
            for kernel in self._reached().values():
                module.link_in(kernel.own_module, preserve=True)
            self._with_kernels = module
        return self._with_kernels

    def serialize_using_object_code(self) -> tuple[str, str, Any]:
        """What Numba stores of a library: machine code where there is some. The kernels have files of their own."""
        self._ensure_finalized()
        if not self.has_machine_code:
            stored: tuple[str, str, bytes] = self.serialize_using_bitcode()
            return stored
        return self.name, "object", (self._get_compiled_object(), self.own_module.as_bitcode())

    def _reached(self) -> dict[str, CallingLibrary]:
        """The kernels that the code calls, and those that these call."""
        reached: dict[str, CallingLibrary] = {}
        pending = [self.called]
        while pending:
            for name, kernel in pending.pop().items():
                if name not in reached:
                    reached[name] = kernel
                    pending.append(kernel.called)
        return reached

    def _verify_declare_only_symbols(self) -> None:
        called = {each.name for kernel in self.called.values() for each in kernel.own_module.functions}
        for each in self._final_module.functions:
            if each.is_declaration and each.name.startswith("_ZN5numba") and each.name not in called:
                raise AssertionError(f"Symbol {each.name} not linked properly")


def depth_of_loops(blocks: Mapping[int, Any]) -> int:
    """How many loops the innermost loop of a function is in, itself included; `blocks` are those of Numba's IR."""
    loops = compute_cfg_from_blocks(blocks).loops().values()
    return max((sum(loop.header in other.body for other in loops) for loop in loops), default=0)


@contextmanager
def _level_for(depth: int) -> Iterator[None]:
    """LLVM's level of optimisation for code with loops of this depth; under the compiler's lock."""
    before = config.OPT
    config.OPT = min(before, _OptLevel(2)) if depth > DEEPEST_UNSWITCHED_NEST else before
    try:
        yield
    finally:
        config.OPT = before


@dataclass(frozen=True)
class _WithoutKernels:
    """A library to link whose kernels are called by what links it."""

    library: CallingLibrary

    @property
    def _reload_init(self) -> Any:
        return getattr(self.library, "_reload_init", frozenset())  # which Numba has from 0.62 on

    @property
    def _linking_libraries(self) -> list[CallingLibrary]:
        return [self.library]  # `callers_cache` looks through it

    def _ensure_finalized(self) -> None:
        """Numba asks for this before it links."""

    def _get_module_for_linking(self) -> Any:
        return self.library.own_module
