"""Machine code of kernels, compiled once for all gradients that use them, and called rather than inlined.

Numba compiles the implementation of each function that generated code calls (kernels of srcad, and functions of Numba's
own library such as `np.sort`) in every new process, links it into the gradient, and lets LLVM optimise it again there.
Here the first gradient that needs an implementation compiles it and stores its machine code in the cache folder:

    KernelCache       the cache of one implementation's dispatcher: a file for each tuple of argument types
    CallingLibrary    the code of a generated function or a kernel, which calls large kernels instead of linking them
    load(kernels)     the machine code of stored kernels is loaded, before that of a function that calls them

A kernel is identified by its source, the values that its closure holds, the argument types, the compiler's flags, the
processor, and the versions of srcad, Numba, LLVM, NumPy and Python. Small kernels are linked, and so inlined. Kernels
call kernels in the same way: no kernel is optimised a second time with those that call it.

Two processes may compile the same kernel at once, and the file of one that was dropped is made again by another. A
gradient that was linked to one copy runs with any other: symbols in machine code are named by what identifies a kernel.
The gradient still notes the symbol that it calls, and is not loaded if the kernel's is another.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterable, Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any

import numpy as np
from numba import _dynfunc
from numba.core import targetconfig, types
from numba.core.caching import NullCache, _Cache
from numba.core.compiler import Compiler, CompileResult, compile_result
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic
from numba.core.serialize import dumps
from numba.core.typing.templates import _OverloadFunctionTemplate

from srcad.runtime.jit import external_functions, unique_symbols
from srcad.runtime.jit.code_libraries import CallingLibrary, names_of_kernels, runs_as_python
from srcad.runtime.jit.disk_cache import environment, fetch_code, folder, store_code

# LLVM inlines functions of up to about 50 instructions. Those that it would not inline are called.
FEWEST_INSTRUCTIONS = 100
_PACKAGES = ("srcad.", "numba.")
_DIGEST = 16
_PLAIN_VALUES = (bool, int, float, complex, str)

# The machine code of kernels stays as long as the process, since other code calls it by its address.
_loaded: dict[str, CompileResult] = {}
_get_jit_decorator = _OverloadFunctionTemplate._get_jit_decorator


def decorator_with_cache(template: Any, pipeline: type) -> Any:
    """Numba's decorator for implementations of an overloaded function, which gives what it makes a cache.

    `pipeline` is the class that compiles them.
    """
    decorator = _get_jit_decorator(template)

    def with_options(*args: Any, **options: Any) -> Any:
        decorated = decorator(*args, **options)

        def made(function: Any) -> Any:
            dispatcher = decorated(function)
            identity = identity_of(function)
            if identity is None or type(dispatcher._cache) is not NullCache:
                return dispatcher
            if dispatcher._compiler.pipeline_class is Compiler:
                dispatcher._compiler.pipeline_class = pipeline
            if folder() is not None:
                dispatcher._cache = KernelCache(identity)
            return dispatcher

        return made

    return with_options


class KernelCache(_Cache):  # type: ignore[misc]  # Numba carries no annotations
    """The stored machine code of one implementation, for each tuple of argument types."""

    def __init__(self, identity: str) -> None:
        self._identity = identity

    @property
    def cache_path(self) -> str:
        """The folder."""
        return str(folder())

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """The compiled kernel, or None if it is not stored."""
        if not all(map(is_plain, sig)):
            return None
        name = self._name(sig, target_context.codegen())
        found = _load(name, target_context)
        if found is None:
            unique_symbols.number_next(name)
        # Numba notes times in what has been compiled in this process, and would note them twice.
        return None if found is None else found._replace(metadata=None)

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        """Store a compiled kernel."""
        symbols = external_functions.symbols_in(data.library) if data.library.has_dynamic_globals else ()
        if symbols is None or data.lifted or runs_as_python(data.library) or not all(map(is_plain, sig)):
            return
        name = self._name(sig, data.codegen)
        is_large = _is_large(data)
        if is_large:
            data.library.make_machine_code()
        unannotated = data._replace(type_annotation="")  # a text with all types, which nothing reads
        try:
            content = dumps((called_by(data.library), symbols, is_large, unannotated._reduce()))
        except (pickle.PicklingError, TypeError, AttributeError):
            return  # it refers to something of Numba's that has no name to find it by
        if store_code(f"kernel_{name}", "", content) is not None:
            _remember(name, data, is_large)

    def _name(self, sig: Any, codegen: Any) -> str:
        flags = targetconfig.ConfigStack.top_or_none()
        facts = self._identity, str(sig), repr(codegen.magic_tuple()), "" if flags is None else flags.summary()
        return hashlib.blake2b("\n".join([environment(), *facts]).encode(), digest_size=_DIGEST).hexdigest()

    def enable(self) -> None:
        """Nothing: the cache is always enabled."""

    def disable(self) -> None:
        """Nothing."""

    def flush(self) -> None:
        """Nothing: names of files depend on all that their contents depend on."""


def is_plain(kind: Any) -> bool:
    """Whether a type is described by its name alone: numbers, arrays and tuples of them, constants, element types.

    >>> is_plain(types.float64[:, ::1]), is_plain(types.pyobject)
    (True, False)
    """
    match kind:
        case types.Array():
            return type(kind) is types.Array and is_plain(kind.dtype)
        case types.NamedTuple() | types.NamedUniTuple():
            return False
        case types.BaseTuple():
            return all(map(is_plain, kind))
        case types.Literal() | types.Omitted():
            value = kind.literal_value if isinstance(kind, types.Literal) else kind.value
            return value is None or type(value) in _PLAIN_VALUES or value in _PLAIN_VALUES
        case types.DType():
            return is_plain(kind.dtype)
        case types.List():
            return kind.initial_value is None and is_plain(kind.dtype)
        case types.Optional():
            return is_plain(kind.type)
        case types.TypeRef():
            kind = kind.instance_type
            return kind.__module__.startswith(_PACKAGES) if isinstance(kind, type) else is_plain(kind)
    plain = types.Number, types.Boolean, types.NoneType, types.NumberClass, types.SliceType, types.UnicodeType
    return isinstance(kind, plain)


def identity_of(function: FunctionType) -> str | None:
    """A hash of a function's code and of what its closure holds; None if it is not of srcad or Numba, or holds objects.

    >>> identity_of(len) is None
    True
    """
    if not f"{getattr(function, '__module__', '')}.".startswith(_PACKAGES):
        return None
    try:
        facts = "\n".join(_facts(function))
    except TypeError:
        return None
    return hashlib.blake2b(facts.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _facts(value: Any) -> Iterator[str]:
    """Text that differs for values that make a difference in machine code; TypeError for other kinds of values."""
    match value:
        case FunctionType():
            yield f"function {value.__module__}"
            yield from _facts(value.__code__)
            for each in (value.__defaults__ or (), tuple(cell.cell_contents for cell in value.__closure__ or ())):
                yield from _facts(each)
        case CodeType():
            yield f"code {value.co_name} {value.co_firstlineno} {value.co_code.hex()} {value.co_names}"
            yield from _facts(value.co_consts)
        case tuple() | list():
            yield f"{type(value).__name__} of {len(value)} values"
            for each in value:
                yield from _facts(each)
        case None | bool() | int() | float() | complex() | str() | bytes() | np.number() | np.bool():
            yield f"{type(value).__name__} {value!r}"
        case types.Type() if is_plain(value):
            yield f"{type(value).__name__} {value!r}"
        case type():
            yield f"class {value.__module__} {value.__qualname__}"
        case Dispatcher():
            yield from _facts(value.py_func)
        case types.ExternalFunction():
            yield f"external {value.symbol} {value.sig}"
        case _Intrinsic():
            yield f"intrinsic {value._name}"
            yield from _facts(value._defn)
        case np.dtype() if value.fields is None and value.subdtype is None:
            yield f"dtype {value.str}"
        case _ if _is_numpys(value):
            yield f"numpy {value.__name__} {getattr(value, '__module__', None)}"
        case _ if value is Ellipsis or value is NotImplemented:
            yield repr(value)
        case _:
            raise TypeError(f"a closure holds {value!r}")


def _is_numpys(value: Any) -> bool:
    """Whether this is a function of NumPy's that can be found by its name.

    >>> _is_numpys(np.isnan), _is_numpys(np.linalg.inv), _is_numpys(len)
    (True, True, False)
    """
    module = np.linalg if getattr(value, "__module__", None) == "numpy.linalg" else np
    return getattr(module, getattr(value, "__name__", ""), None) is value


def load(kernels: Iterable[tuple[str, str]], target_context: Any) -> bool:
    """Load stored kernels, given by the names of their files and symbols; whether all of them are there."""
    for name, symbol in kernels:
        found = _load(name, target_context)
        if found is None or found.fndesc.llvm_func_name != symbol:
            return False
    return True


def rebuilt(kernels: Iterable[tuple[str, str]], reduced: Any, target_context: Any) -> CompileResult | None:
    """A stored function, given the kernels that it calls and what Numba stored of it; None if a kernel is not there."""
    if not load(kernels, target_context):
        return None
    called = {name: _loaded[name].library for name, _ in kernels}
    if reduced[0][1] == "bitcode":
        return _without_machine_code(called, reduced, target_context)
    found = CompileResult._rebuild(target_context, *reduced)
    found.library.__class__ = CallingLibrary  # Numba makes a JITCodeLibrary
    found.library.called, found.library.has_machine_code = called, True
    return found


def _without_machine_code(called: Mapping[str, Any], reduced: Any, target_context: Any) -> CompileResult:
    """A kernel that was stored as what others link. Does what `CompileResult._rebuild` does, but for machine code."""
    (name, _, bitcode), fndesc, environment, signature, _, _, annotation, reload_init, environments = reduced
    for each in reload_init:
        each()
    library = CallingLibrary.from_bitcode(target_context.codegen(), name, bitcode, called)
    return compile_result(
        target_context=target_context,
        typing_context=target_context.typing_context,
        library=library,
        environment=environment,
        entry_point=entry_of(library, fndesc, environment),
        fndesc=fndesc,
        type_annotation=annotation,
        signature=signature,
        objectmode=False,
        lifted=(),
        reload_init=reload_init,
        referenced_envs=environments,
    )


def entry_of(library: Any, description: Any, environment: Any) -> Any:
    """What stands for a kernel in Numba's tables: a function object that cannot be called from Python."""
    name = description.qualname.split(".")[-1]
    return _dynfunc.make_function(description.lookup_module(), name, "a kernel", 0, environment, (library,))


def called_by(library: Any) -> tuple[tuple[str, str], ...]:
    """The kernels that the code of a library calls: the names of their files and symbols."""
    return tuple((name, _loaded[name].fndesc.llvm_func_name) for name in sorted(getattr(library, "called", ())))


def _load(name: str, target_context: Any) -> CompileResult | None:
    found = _loaded.get(name)
    if found is None:
        data = fetch_code(f"kernel_{name}", "")
        if data is None:
            return None
        try:
            kernels, symbols, is_large, reduced = pickle.loads(data)
            if symbols and not external_functions.provide(symbols):
                return None
            found = rebuilt(kernels, reduced, target_context)
        except (ImportError, AttributeError, TypeError, ValueError):
            return None  # refers to something that this process does not have
        if found is not None:
            _remember(name, found, is_large)
    return found


def _is_large(kernel: CompileResult) -> bool:
    """Whether a kernel is called by others, rather than inlined in them."""
    entry = kernel.library.get_function(kernel.fndesc.llvm_func_name)
    instructions = (each for block in entry.blocks for each in block.instructions)
    return any(count >= FEWEST_INSTRUCTIONS for count, _ in enumerate(instructions, 1))


def _remember(name: str, kernel: CompileResult, is_large: bool) -> None:
    """Keep a kernel that is stored, and let others call it if it is large."""
    _loaded[name] = kernel
    if is_large:
        names_of_kernels[kernel.library] = name
