"""The object that `srcad.function` returns: a compiled function that a `GradientTape` records as a single node.

`Function.forward` runs the generated forward function and returns the value with its pullback, a
`srcad.api.recorded_call.Pulled`, which the node keeps.
"""

from __future__ import annotations

import functools
import operator
import warnings
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np
from numba.core import types
from numba.core.dispatcher import Dispatcher
from numba.extending import typeof_impl

from srcad.api.argument_binding import Binding
from srcad.api.derivative_object import Derivative
from srcad.api.pytree import flattened, take_apart
from srcad.api.recorded_call import Differentiated, Pulled, is_differentiable
from srcad.driver.compiled_routines import kind_of, written_arguments
from srcad.driver.memoisation import remembered
from srcad.driver.options import Options
from srcad.driver.result_precision import in_precision, is_single
from srcad.driver.version import Request, Version
from srcad.errors import AssignsVariable, EntersTape, PerformanceWarning, SrcadError
from srcad.frontend.load_source import name_of, plain_function, signature_of
from srcad.runtime.support import debug_mode, rule_changes
from srcad.runtime.support.nested_structures import map_leaves
from srcad.runtime.support.structured_arguments import is_structured
from srcad.runtime.tape.core.active_recordings import active
from srcad.runtime.tape.core.operand import Operand
from srcad.runtime.tape.core.tensor import Tensor
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.recording.compiled_calls import record_call
from srcad.runtime.tape.values.conversions import constant
from srcad.transforms.ir.pytree_form import LEAF, from_tuples

_P = ParamSpec("_P")
_R = TypeVar("_R")

# Types of arguments that are not structures.
_PLAIN = frozenset((Tensor, Variable, np.ndarray, float, int))


_ARRAYS = frozenset((np.ndarray, np.float64, float, int))


def _holds_operands(value: Any) -> bool:
    """Whether an argument is a tensor or variable, or a structure with one."""
    if isinstance(value, Operand):
        return True
    return is_structured(value) and any(isinstance(each, Operand) for each in take_apart(value)[0])


def _kind(leaf: Any) -> Any:
    kind = type(leaf)
    return (kind, leaf.dtype) if kind is Tensor or kind is Variable else kind


def _as_tensor(leaf: Any) -> Any:
    return constant(leaf) if isinstance(leaf, (np.ndarray, np.generic)) else leaf


class Function(Generic[_P, _R]):
    """A function that runs compiled and that a `GradientTape` records as one node.

    >>> import srcad
    >>> @srcad.function
    ... def product(x, y=2.0):
    ...     return x * y
    >>> product(3.0), srcad.grad(product, wrt="y")(3.0)
    (6.0, 3.0)
    """

    def __init__(self, function: Callable[..., Any], jit: bool = True, options: Options | None = None) -> None:
        self.__wrapped__ = self.__wrapped_primal__ = function
        self.__name__, self.__doc__ = name_of(function), plain_function(function).__doc__
        self.__module__, self.__qualname__ = plain_function(function).__module__, plain_function(function).__qualname__
        self.__signature__ = signature_of(function)
        self._count = len(self.__signature__.parameters)
        self._bind = Binding(self.__signature__)
        self._is_flat = hasattr(type(function), "__srcad_keeps__")
        self._core = Derivative(function, Request("core", (), options=(options or Options()).current()), jit)
        self._shapes: dict[tuple[Any, ...], tuple[Function[..., Any], Version, Any]] = {}
        self._pairs: dict[tuple[Any, ...], Differentiated | None] = {}
        self._written: dict[tuple[Any, ...], Collection[int]] = {}
        self._paired: Version | None = None
        self._is_python = False
        self._unchecked: Derivative | None = None
        rule_changes.state.told.add(self)
        if not self._core.request.options.debug:
            debug_mode.register(self)

    def __repr__(self) -> str:
        return f"<srcad function {self.__name__}>"

    @property
    def options(self) -> Options:
        """The options with which all derivatives of this function are made."""
        return (self._unchecked or self._core).request.options

    def __reduce__(self) -> Any:
        return Function, (self.__wrapped__, self._core.jit, self.options)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return (
            self if instance is None else function_of(self.__wrapped__.__get__(instance), self._core.jit, self.options)
        )

    def rules_changed(self) -> None:
        """A rule of the user's own has been stated: what was made before is made again."""
        self._paired, self._is_python = None, False
        self._pairs.clear()
        self._shapes.clear()
        self._written.clear()

    def debug_switched(self, on: bool) -> None:
        """While debug mode is on, the function and what a tape needs of it are made with checks."""
        core = self._core
        if on:
            request = core.request
            checked = Derivative(core.function, replace(request, options=request.options.current()), core.jit)
            self._unchecked, self._core = core, checked
        elif self._unchecked is not None:
            self._core = self._unchecked
            self._unchecked = None
        self._paired = None
        self._pairs.clear()

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """The value: tensors while a tape records or if an argument is a tensor, else numbers and arrays."""
        if self._is_python:
            return self._in_python(args, kwargs)  # type: ignore[no-any-return]
        try:
            recorded = bool(active.tapes)
            if not recorded:
                for each in (*args, *kwargs.values()) if kwargs else args:
                    if type(each) not in _ARRAYS and _holds_operands(each):
                        recorded = True
                        break
                else:
                    return self._core(*args, **kwargs)  # type: ignore[no-any-return]
            bound = self._bind(args, kwargs) if kwargs or len(args) != self._count else args
            for each in bound:
                if type(each) not in _PLAIN and is_structured(each):
                    return self._structured(bound)  # type: ignore[no-any-return]
            version = self._version()
            if version.unit.result is not LEAF and not self._is_flat:
                return self._structured(bound)  # type: ignore[no-any-return]
            if not version.unit.hidden:
                return record_call(self, bound)  # type: ignore[no-any-return]
            return record_call(self, bound, *version.captured_apart(), functools.partial(self._forward, version))  # type: ignore[no-any-return]
        except (EntersTape, AssignsVariable) as problem:
            self._is_python = True
            what = "enters a tape" if isinstance(problem, EntersTape) else "assigns to a variable"
            reason = f"it {what}, so that its operations are recorded one by one"
            warnings.warn(f"{problem.at}: {self.__name__} runs as Python: {reason}", PerformanceWarning, stacklevel=2)
            return self._in_python(args, kwargs)  # type: ignore[no-any-return]

    def _in_python(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run the function as plain Python, with its array arguments as tensors, so that tapes can watch them."""
        args, kwargs = map_leaves(_as_tensor, (args, kwargs))
        return self.__wrapped__(*args, **kwargs)

    @property
    def returns_structure(self) -> bool:
        """Whether the result is more than numbers, arrays and tuples of these."""
        return not self._is_flat and self._version().unit.result is not LEAF

    def _structured(self, args: tuple[Any, ...]) -> Any:
        """A call with structured arguments or results: a tape records the call of the function of their leaves."""
        leaves, spec = flattened(args)
        key = (spec, *[each.dtype if type(each) is np.ndarray else _kind(each) for each in leaves])
        known = self._shapes.get(key)
        if known is None or known[0]._version() is not known[1]:
            return self._shaped(args, key, leaves)
        run, _, form = known
        value = run(*leaves)
        return value if form is LEAF else from_tuples(form, value)

    def _shaped(self, args: tuple[Any, ...], key: tuple[Any, ...], leaves: list[Any]) -> Any:
        """`_structured` for structures seen for the first time, and for calls that need more checks than their form."""
        from srcad.api.pytree_specialisation import shaped

        found = shaped(self.__wrapped__, args, True)
        assert found is not None
        shape, values = found
        run = function_of(shape.flat, self._core.jit, self.options)
        version = run._version()
        shape.check_shared(args, version)
        is_same = len(leaves) == len(values) and all(map(operator.is_, leaves, values))
        if is_same and not version.unit.changes and not version.unit.hidden and not shape.has_constants:
            self._shapes[key] = run, version, version.unit.result
        return shape.result(version.unit.result, run(*values))

    def primal(self, values: Sequence[Any]) -> Any:
        """The value for the arguments `values`, which the values of the captured variables follow."""
        version = self._version()
        own = tuple(values[: len(version.own_parameters)])
        found = self._core(*own)
        if self._core.jit:
            found = in_precision(found, version, (*own, *version.hidden()) if version.unit.hidden else own)
        if not version.unit.hidden:
            return found
        theirs = [each for each in version.hidden() if isinstance(each, np.ndarray)]
        return _apart(found, theirs)

    def written(self, values: Sequence[Any]) -> Collection[int]:
        """The positions of the arguments that the function may write to."""
        version = self._version()
        arguments = (*values[: len(version.own_parameters)], *version.hidden())
        key = version, *((each.dtype, each.ndim) if type(each) is np.ndarray else type(each) for each in arguments)
        if key not in self._written:
            pairs = zip(version.unit.parameters, arguments, strict=True)
            try:
                self._written[key] = written_arguments(version, [kind_of(name, each) for name, each in pairs])
            except SrcadError:  # of kinds that Numba does not have
                self._written[key] = range(len(arguments))
        return self._written[key]

    def forward(
        self, values: Sequence[Any], arrays: Sequence[Any] | None = None, plain: tuple[int, ...] = ()
    ) -> tuple[Any, Any]:
        """The value and its pullback, which maps the adjoint of the value to the adjoints of all `values`.

        `values` are the arguments, followed by the values of the captured variables; `arrays` replace the captured
        arrays. Neither may change while the pullback is in use. No adjoint is computed for the positions in `plain`.
        The adjoint of a value that cannot have a derivative is None.
        """
        return self._forward(self._version(), values, arrays, plain)

    def _forward(
        self, version: Version, values: Sequence[Any], arrays: Sequence[Any] | None, plain: tuple[int, ...]
    ) -> tuple[Any, Any]:
        """`forward` for the given version of the function."""
        arguments = tuple(values)
        if version.unit.hidden:
            arguments = version.with_captured(values, self.captured_arrays() if arrays is None else arrays)
        key: list[Any] = [plain]
        for each in arguments:
            kind = type(each)
            key.append(each.dtype if kind is np.ndarray else kind)
        made = self._pairs.get(tuple(key)) or self._differentiated(version, arguments, plain, tuple(key))
        if made is None:
            own = len(version.own_parameters)
            return self._core(*values[:own]), lambda bar: (None,) * len(values)
        value, trace = made.pair.forward(*arguments)
        pulled = Pulled(made, arguments, value, trace)
        return in_precision(value, version, arguments) if made.is_single else value, pulled

    def _version(self) -> Version:
        """The current version of the function. If it has changed, the pairs generated for the old one are dropped."""
        version = self._paired
        if version is not None and not version.may_change and version is self._core._version:
            return version
        version = self._core.current()
        if version is not self._paired:
            self._paired = version
            self._pairs.clear()
        return version

    def captured_variables(self) -> tuple[Any, ...]:
        """The `Variable` objects that the function reads besides its arguments."""
        return self._version().captured_apart()[0]

    def captured_arrays(self) -> tuple[Any, ...]:
        """The arrays that the function reads besides its arguments."""
        return self._version().captured_apart()[1]

    def _differentiated(
        self, version: Version, arguments: tuple[Any, ...], plain: tuple[int, ...], key: tuple[Any, ...]
    ) -> Differentiated | None:
        """The derivative by all arguments that can have one, except those at `plain`; None if there are none."""
        kinds = [kind_of(name, each) for name, each in zip(version.unit.parameters, arguments, strict=True)]
        # Captured arrays are constants to a tape: their adjoints are not computed.
        own = len(version.own_parameters)
        seen = (
            *(place for place in range(own) if place not in plain),
            *(own + place for place in version.variable_places()),
        )
        wrt = tuple(place for place in seen if is_differentiable(kinds[place]))
        is_single_somewhere = any(map(is_single, arguments))
        found = self._pairs[key] = Differentiated(version, wrt, self._core.jit, is_single_somewhere) if wrt else None
        return found


def _apart(found: Any, theirs: Sequence[Any]) -> Any:
    """The result of a function, copied where it shares memory with the arrays `theirs` of the user."""
    if isinstance(found, tuple):
        parts = [_apart(each, theirs) for each in found]
        return type(found)(*parts) if hasattr(found, "_fields") else tuple(parts)
    if isinstance(found, np.ndarray) and any(np.may_share_memory(found, each) for each in theirs):
        return found.copy()
    return found


def function_of(function: Callable[..., Any], jit: bool, options: Options | None = None) -> Function[..., Any]:
    """The `Function` made from a function. Calls with the same function and options return the same object."""
    if isinstance(function, Function):
        return function if options in (None, function.options) else Function(function.__wrapped__, jit, options)
    how = (options or Options()).current()
    return remembered(function, ("function", jit, how), lambda: Function(function, jit, how))


@typeof_impl.register(Function)  # type: ignore[untyped-decorator]  # Numba carries no annotations
def _typeof_function(value: Function[..., Any], context: Any) -> types.Dispatcher:
    """Inside `@njit`, a `Function` is the dispatcher of its compiled primal."""
    native: Dispatcher = value._core.native
    return types.Dispatcher(native)
