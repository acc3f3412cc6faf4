"""A function as its captured values are now, and what has been generated from it.

A `Version` is what lies between the pipeline and the things that users call: it asks the cache folder before it asks
the pipeline, and hands out the generated functions, compiled for given types or as plain Python.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

import gast
import numpy as np
from numba import typeof
from numba.core import types
from numba.core.registry import CPUDispatcher

from srcad.driver.jacobian_loops import columns_text, rows_text
from srcad.driver.options import Options, checks_bounds
from srcad.refusals.types_and_results import HALF_PRECISION, LIST_ARGUMENT
from srcad.runtime.jit import disk_cache
from srcad.runtime.jit.disk_cache import Stored
from srcad.runtime.jit.dispatchers import compiled, load, plain
from srcad.runtime.jit.numba_inference import CannotType
from srcad.runtime.jit.uncompiled_trace import keeping, restoring_errors
from srcad.runtime.rulebook import registry
from srcad.runtime.support.event_log import log
from srcad.runtime.tape.core.operand import Operand
from srcad.transforms.inference.type_inference import callees_in, types_of
from srcad.transforms.ir.build import place_of, walk
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.pass_names import MEMORY_SCOPES
from srcad.transforms.ir.unit import Unit
from srcad.transforms.lowering.lowering_context import reader

if TYPE_CHECKING:
    from srcad.driver.pipeline import Generated

# The function, behind the ones that are generated in a mode, that calls the last of these for all unit directions.
_LOOPS = {"vjp": "rows", "tangent": "columns"}

# Of the options of a user's dispatcher those that change what the code computes or checks.
_KEPT_OPTIONS = ("fastmath", "error_model", "boundscheck", "nogil")


@dataclass(frozen=True)
class Request:
    """What is asked of the pipeline, types aside: the kind of derivative, and with respect to which parameters.

    For structured arguments `wrt` may have paths among the positions, which `srcad.api.pytree_specialisation` turns
    into leaves.
    """

    mode: str
    wrt: tuple[Any, ...]
    tuple_result: bool = True
    options: Options = field(default_factory=Options)


class Version:
    """A function, prepared for differentiation with the values that its captured names have now."""

    def __init__(self, function: Callable[..., Any], request: Request, unit: Unit | None = None) -> None:
        from srcad.frontend.lower import prepare  # and no more of the pipeline, which takes time to import

        self.function, self.request = function, request
        self.unit: Unit = unit or prepare(function)
        self._frozen = tuple((reader(owner, key), value) for owner, key, value in self.unit.frozen)
        # Whether captured numbers were written into the code, so that each call has to compare them.
        self.may_change = bool(self._frozen)
        self._hidden = tuple(reader(capture.owner, capture.key) for capture in self.unit.hidden)
        # Whether arrays are taken to fit without broadcasting, until a call shows otherwise.
        self.assumes = True
        # The parameters and axes along which these are broadcast all the same.
        self.units: frozenset[tuple[str, int]] = frozenset()
        # Their extents that are known, since the first call had these; None before the first call.
        self.extents: frozenset[tuple[str, int, int]] | None = None
        self._modules: dict[tuple[Any, ...], tuple[ModuleType, Stored]] = {}
        self._compiled: dict[tuple[Any, ...], tuple[CPUDispatcher, ...]] = {}
        self._by_module: dict[str, tuple[CPUDispatcher, ...]] = {}
        self._in_lanes: dict[tuple[Any, ...], tuple[Any, ...]] = {}
        self._uncompiled: dict[tuple[Any, ...], Callable[..., Any]] = {}
        self._results: dict[tuple[Any, ...], Any] = {}
        self._fingerprint: str | None = None

    def asked(self, request: Request) -> Version:
        """The same function with the same captured values, asked for another derivative, with the same options."""
        return Version(self.function, replace(request, options=self.request.options), self.unit)

    def is_current(self) -> bool:
        """Whether all captured numbers are what they were."""
        try:
            for read, value in self._frozen:
                now = read()
                if now is not value and not _is_same(now, value):
                    return False
        except (KeyError, ValueError):  # the name is gone
            return False
        return True

    def hidden(self) -> tuple[Any, ...]:
        """The captured arrays as they are now, in the order of the hidden parameters."""
        return tuple([_as_array(read()) for read in self._hidden])

    def captured(self) -> tuple[Any, ...]:
        """The captured arrays and variables as they are now, in the order of the hidden parameters."""
        return tuple([read() for read in self._hidden])

    def result_kind(self, arguments: Sequence[Any]) -> Any:
        """Numba's type of the result for these arguments, captured ones included; None if it has none."""
        key = tuple([(each.dtype, each.ndim) if hasattr(each, "dtype") else type(each) for each in arguments])
        if key not in self._results:
            try:
                self._results[key] = types_of(self.unit, tuple([plain(typeof(each)) for each in arguments])).result
            except (CannotType, ValueError):
                self._results[key] = None
        return self._results[key]

    def captured_apart(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The captured variables and the captured arrays as they are now."""
        found = [read() for read in self._hidden]
        variables = tuple([each for each in found if isinstance(each, Operand)])
        if len(variables) == len(found):
            return variables, ()
        return variables, tuple([each for each in found if not isinstance(each, Operand)])

    def variable_places(self) -> tuple[int, ...]:
        """Where among the hidden parameters the variables are."""
        return tuple(place for place, each in enumerate(self.captured()) if isinstance(each, Operand))

    def with_captured(self, values: Sequence[Any], arrays: Sequence[Any]) -> tuple[Any, ...]:
        """Arguments for all parameters: `values` are the user's own and the variables', `arrays` those captured."""
        if not arrays:
            return tuple(values)
        own, variables, others = len(self.own_parameters), self.variable_places(), iter(arrays)
        values_of = iter(values[own:])
        places = range(len(self.unit.hidden))
        return (*values[:own], *(next(values_of) if place in variables else next(others) for place in places))

    @functools.cached_property
    def own_parameters(self) -> tuple[str, ...]:
        """The parameters that the user wrote."""
        return self.unit.parameters[: len(self.unit.parameters) - len(self.unit.hidden)]

    def compiled(self, kinds: tuple[Any, ...], assumes: bool = False) -> tuple[CPUDispatcher, ...]:
        """The generated functions for these types of the parameters, as Numba dispatchers.

        With `assumes`, they may raise `kernels.Widens` for arrays that broadcast.
        """
        key = kinds, self._assumed(assumes)
        found = self._compiled.get(key)
        if found is None:
            module, stored = self.module(kinds, assumes)
            if module.__name__ not in self._by_module:
                self._by_module[module.__name__] = compiled(
                    module, stored.functions, compiler_options(self.unit, self.request), stored.assumes
                )
            found = self._compiled[key] = self._by_module[module.__name__]
        return found

    def suit(self, kinds: tuple[Any, ...], values: Sequence[Any]) -> bool:
        """Let the functions that are compiled next suit these arguments, of these types. Returns whether they change.

        Arguments that are seen to be broadcast are assumed to be, and where that does not help, nothing is assumed.
        """
        from srcad.driver.broadcast_arguments import broadcast_axes  # few calls need it

        before = self.assumes, self.units, self.extents or frozenset()
        self.extents = self._extents_for(values)
        may_broadcast = any(1 in getattr(each, "shape", ()) for each in values)
        while may_broadcast and self.assumes and len(kinds) == len(self.unit.parameters):
            stored = self._module(kinds, True, True)[1]
            if not stored.assumes:
                break
            fits, found = broadcast_axes(stored.text, stored.functions[0], values)
            if fits:
                break
            self.assumes = not found <= self.units
            self.units |= found
        return (self.assumes, self.units, self.extents) != before

    def _extents_for(self, values: Sequence[Any]) -> frozenset[tuple[str, int, int]]:
        """The extents taken to be known: those of small matrices in the first call, while they stay the same."""
        from srcad.driver.small_arguments import are_as_known, small_extents  # few calls need it

        if self.extents is None:
            return small_extents(self.unit, values) if self.request.mode != "core" else frozenset()
        return self.extents if are_as_known(self.unit, values, self.extents) else frozenset()

    def widen(self, kinds: tuple[Any, ...], values: Sequence[Any]) -> None:
        """Let the functions that are compiled next suit these arguments, which those compiled last do not."""
        try:
            self.assumes = self.suit(kinds, values) and self.assumes
        except CannotType:
            self.assumes = False

    def module(self, kinds: tuple[Any, ...], assumes: bool = False) -> tuple[ModuleType, Stored]:
        """The generated module that `compiled` compiles."""
        found = self._module(kinds, True, True)
        return self._module(kinds, True, False) if not assumes and found[1].assumes else found

    def in_lanes(self, index: int, kinds: tuple[Any, ...]) -> tuple[Any, ...]:
        """The generated function of this index for several directions at once, and for all unit directions; or none.

        `kinds` are the types of the arguments of the single sweep: the parameters, the trace, the directions.
        """
        from srcad.driver.vector_sweeps import Wanted, vector_sweeps  # few derivatives need it

        found = self._in_lanes.get((index, kinds, self.assumes))
        if found is None:
            count, mode = len(self.unit.parameters), self.request.mode
            recorded = getattr(kinds[count], "instance_class", None) if mode == "vjp" else None
            if recorded is None:
                name = self.module(kinds[:count], self.assumes)[0].__name__
            else:
                name = recorded.__module__
            given = next((each for each in self._modules.values() if each[0].__name__ == name), None)
            directions = tuple(range(count + (mode == "vjp"), len(kinds)))
            wanted = Wanted(directions, int(mode == "tangent"), mode == "tangent")
            options = compiler_options(self.unit, self.request)
            found = () if given is None else vector_sweeps(given, index, kinds, wanted, options)
            self._in_lanes[index, kinds, self.assumes] = found
        return found

    def is_stored(self, kinds: tuple[Any, ...], assumes: bool) -> bool:
        """Whether what `compiled` gives need not be generated: it is in memory or in the cache folder."""
        if (kinds, self._assumed(assumes)) in self._compiled or (kinds, True, self._assumed(True)) in self._modules:
            return True
        return disk_cache.fetch(self._name(kinds, True, True)) is not None

    def recorded_by(self, kinds: tuple[Any, ...]) -> tuple[CPUDispatcher, ...] | None:
        """The functions that belong to the one whose trace is among arguments of these types, behind the parameters."""
        count = len(self.unit.parameters)
        recorded = getattr(kinds[count], "instance_class", None) if len(kinds) > count else None
        return None if recorded is None else self.compiled_with(recorded.__module__)

    def compiled_with(self, module: str) -> tuple[CPUDispatcher, ...] | None:
        """The generated functions that belong together in the module of this name."""
        return self._by_module.get(module)

    def uncompiled(self, kinds: tuple[Any, ...], islands: bool = False) -> Callable[..., Any]:
        """The first generated function for these types of the parameters, as plain Python.

        That of a pair hands on its reverse function with the trace. With `islands`, a function that loops is compiled
        around the calls that Numba does not know.
        """
        found = self._uncompiled.get((kinds, islands))
        if found is None:
            found = self._uncompiled[kinds, islands] = self._make_uncompiled(kinds, islands)
        return found

    def _make_uncompiled(self, kinds: tuple[Any, ...], islands: bool) -> Callable[..., Any]:
        options = None
        if islands:
            checks = checks_bounds(self.request.options.boundscheck, self.unit.options)
            options = {**compiler_options(self.unit, self.request), "boundscheck": checks}
        try:
            module, stored = self._module(kinds, False, False)
        except CannotType:
            from srcad.driver.interpreted_mode import Interpreted

            return Interpreted(self.unit, self.request, kinds, options)
        functions: list[Callable[..., Any]] = [getattr(module, name) for name in stored.functions]
        if options is not None:
            from srcad.driver.result_precision import of_kind
            from srcad.runtime.jit.islands import Islands  # few functions need them
            from srcad.transforms.inference.typed_code_arithmetic import computes_otherwise

            given = {name: getattr(module, name) for name in stored.injected}
            writes = self.request.mode == "core"
            functions = [
                *Islands(stored.text, stored.functions, given, options, of_kind, computes_otherwise, writes).routines()
            ]
        forward = restoring_errors(functions[0], self.request.mode)
        if self.request.mode != "vjp":
            return forward
        return lambda *args: keeping(forward(*args), functions[1])

    def _assumed(self, assumes: bool) -> tuple[tuple[Any, ...], ...] | None:
        """What generated functions assume of shapes, as a key: nothing, or that only these arguments are broadcast.

        Extents that are known are part of it.
        """
        return (*sorted(self.units), *sorted(self.extents or ())) if assumes else None

    def _module(self, kinds: tuple[Any, ...], loops: bool, assumes: bool) -> tuple[ModuleType, Stored]:
        key = kinds, loops, self._assumed(assumes)
        found = self._modules.get(key)
        if found is None:
            found = self._modules[key] = self._make_module(kinds, loops, assumes)
        return found

    def _make_module(self, kinds: tuple[Any, ...], loops: bool, assumes: bool) -> tuple[ModuleType, Stored]:
        refuse_arguments(self.unit, kinds)
        name = self._name(kinds, loops, assumes)
        stored = disk_cache.fetch(name)
        if log.isEnabledFor(logging.DEBUG):
            of = f"{self.request.mode} of {self.unit.name}", ", ".join(map(str, kinds))
            log.debug("%s (%s): %s", *of, "generated" if stored is None else "source from the cache folder")
        if stored is not None:
            given = {each: self.unit.bindings[each] for each in stored.injected}
            return load(name, stored, given), stored
        return self._generate(name, kinds, loops, assumes)

    def _name(self, kinds: tuple[Any, ...], loops: bool, assumes: bool) -> str:
        """The name under which the cache folder keeps what is generated."""
        asked = (repr(self.request), f"loops={loops}", f"assumes={self._assumed(assumes)}")
        return disk_cache.key(self.fingerprint(), *asked, *map(repr, kinds))

    def _generate(self, name: str, kinds: tuple[Any, ...], loops: bool, assumes: bool) -> tuple[ModuleType, Stored]:
        request, generated = self.request, self.generated(kinds, loops, assumes)
        if request.mode == "core" and loops and len(kinds) != len(self.unit.parameters):
            types_of(self.unit, kinds)  # the pipeline has needed the types otherwise
        text, names = generated.text, tuple(generated.functions)
        loop = self._loop_text(names, kinds, generated.result) if loops else None
        if loop is not None:
            text, names = f"{text}\n\n{loop}", (*names, f"{self.unit.name}_{_LOOPS[request.mode]}")
        memory = generated.memory() if loops and MEMORY_SCOPES not in request.options.without else {}
        stored = Stored(text, names, tuple(sorted(generated.bindings)), generated.assumes, memory)
        known = all(self.unit.bindings.get(each) is value for each, value in generated.bindings.items())
        # An address in a name means an object that the next process knows nothing of.
        if known and " at 0x" not in self.fingerprint() + repr(kinds):
            disk_cache.store(name, stored)
        return load(name, stored, generated.bindings), stored

    @property
    def text(self) -> str | None:
        """The source that was made or loaded last; None before the first call."""
        return list(self._modules.values())[-1][1].text if self._modules else None

    def generated(self, kinds: tuple[Any, ...], loops: bool = True, assumes: bool = True) -> Generated:
        """What the pipeline makes of the request for these types."""
        from srcad.driver import pipeline

        request = self.request
        return pipeline.derive(
            self.unit,
            request.mode,
            request.wrt,
            kinds,
            loops=loops,
            tuple_result=request.tuple_result,
            assumes=assumes,
            units=self.units,
            extents=self.extents or (),
            without=request.options.without,
            max_trace_bytes=request.options.max_trace_bytes,
            debug=request.options.debug,
            boundscheck=request.options.boundscheck,
        )

    def _loop_text(self, names: tuple[str, ...], kinds: tuple[Any, ...], result: Any) -> str | None:
        """What makes a Jacobian of what was generated, where that is one function of unit directions."""
        ending = _LOOPS.get(self.request.mode)
        if ending is None:
            return None
        make = rows_text if ending == "rows" else columns_text
        return make(f"{self.unit.name}_{ending}", names[-1], kinds, self.request.wrt, result)

    def fingerprint(self) -> str:
        """All that the generated text depends on, types and request aside."""
        if self._fingerprint is None:
            unit = self.unit
            statements = [node for node in walk(unit.tree) if isinstance(node, gast.stmt)]
            places = [f"{place_of(each)} {notes_of(each).parallel}" for each in statements]
            meanings = [f"{name}={_describe(value)}" for name, value in sorted(unit.bindings.items())]
            options = [f"{name}={unit.options.get(name)}" for name in (*_KEPT_OPTIONS, "parallel")]
            options.append(registry.users_text(list(unit.bindings.values())))
            text = [gast.dump(unit.tree), *places, *meanings, *options, *unit.sources, *unit.parameters]
            self._fingerprint = "\0".join([unit.name, *text, str(len(unit.hidden))])
        return self._fingerprint


def compiler_options(unit: Unit, request: Request) -> dict[str, Any]:
    """What Numba is told when it compiles what has been generated: the options of the user's own `@njit`, and ours."""
    options = {name: value for name, value in unit.options.items() if name in _KEPT_OPTIONS}
    if request.mode == "core" and checks_bounds(request.options.boundscheck, unit.options) and callees_in(unit):
        options["boundscheck"] = True  # of functions that are called, types are not known before Numba compiles them
    has_rules = any(hasattr(type(each), "__srcad_result__") for each in unit.bindings.values())
    if has_rules and checks_bounds(request.options.boundscheck, unit.options):
        options["boundscheck"] = True  # nor of the functions of rules of the user's own
    if request.options.fastmath is not None:
        options["fastmath"] = request.options.fastmath
    if request.mode != "core":
        # A slope may be infinite where the function is not, as that of np.sqrt at 0: inf, as in NumPy, no error.
        options.setdefault("error_model", "numpy")
    return options


def refuse_arguments(unit: Unit, kinds: tuple[Any, ...]) -> None:
    """A list is no array: neither its elements' type nor its shape can be relied on. For float16 Numba lacks sums."""
    for name, kind in zip(unit.parameters, kinds, strict=True):
        if getattr(kind, "dtype", kind) is types.float16:
            raise HALF_PRECISION.error(name=name, function=unit.name)
        if isinstance(kind, (types.List, types.ListType)):
            raise LIST_ARGUMENT.error(name=name, function=unit.name, way=_hint(name, kind))


def _hint(name: str, kind: Any) -> str:
    """Lists of arrays become structures as lists of Python's, or tuples."""
    return f"pass tuple({name})" if isinstance(kind.dtype, types.Array) else f"pass np.asarray({name})"


def _describe(value: Any) -> str:
    if isinstance(value, type(np)):
        return f"module {value.__name__}"
    if hasattr(value, "__qualname__") and hasattr(value, "__module__") and "<locals>" not in value.__qualname__:
        return f"{value.__module__}.{value.__qualname__}"
    return repr(value)


def _is_same(now: Any, value: Any) -> bool:
    """Whether a captured value means the same as another one.

    >>> _is_same(2.0, 2.0), _is_same(2, 2.0), _is_same(-0.0, 0.0), _is_same(np.nan, float("nan"))
    (True, False, False, True)
    """
    if type(now) is not type(value):
        return False
    return bool(repr(now) == repr(value) if isinstance(value, (float, complex, np.inexact)) else now == value)


def _as_array(value: Any) -> Any:
    return value if type(value) is np.ndarray or not isinstance(value, Operand) else value._array()
