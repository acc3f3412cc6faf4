"""`Derivative`: the callable that `srcad.grad`, `value_and_grad` and `hvp` return.

A `Derivative` has the parameters and defaults of the function that it differentiates, and can be called from Python and
inside `@njit`. It stores a Numba dispatcher in the slot `__call__`, where Python looks up a call. A call from Python
therefore costs what a call of the dispatcher costs, unless captured arrays have to be passed as well.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from dataclasses import replace
from types import FunctionType, MethodType
from typing import Any

import numpy as np
from numba.core import types
from numba.core.dispatcher import Dispatcher
from numba.extending import typeof_impl

from srcad.api.argument_binding import WithDirections, bind
from srcad.api.njit_derivative import frozen, native_of
from srcad.api.signature_stubs import defaults_of, shape_of
from srcad.api.wrt import refuse_paths, refuse_starred, text_of
from srcad.driver.compiled_routines import compiled_routine, of_plain_arrays, subject_of, telling, uncompiled_routine
from srcad.driver.memoisation import remembered
from srcad.driver.version import Request, Version
from srcad.errors import BadArgument, UnsupportedSyntax
from srcad.frontend.derivative_functions import Described, described
from srcad.frontend.load_source import name_of, signature_of
from srcad.refusals.derivatives import CUSTOM_GRADIENT_OF_TAPE
from srcad.runtime.jit.gc_pause import nothing_collected
from srcad.runtime.support import debug_mode, rule_changes
from srcad.runtime.support.compile_progress import announced
from srcad.runtime.support.event_log import log
from srcad.runtime.support.structured_arguments import Constants, is_structured
from srcad.transforms.ir.pytree_form import LEAF


class Derivative:
    """A function made from another one by differentiation.

    >>> import srcad
    >>> def area(width, height=2.0):
    ...     return width * width * height
    >>> slope = srcad.grad(area, wrt="width")
    >>> slope(3.0), slope(width=3.0, height=1.0), slope
    (12.0, 6.0, <srcad grad of area with respect to width>)
    """

    # `__call__` is a slot of each object: it holds the dispatcher itself, so that a call runs no Python in between.
    __slots__ = (
        *("__call__", "__dict__", "__weakref__", "_native", "_plain", "_structured", "_unchecked", "_version"),
        *("constants", "function", "jit", "request"),
    )
    __srcad_primitive__ = True

    __call__: Callable[..., Any]
    function: Callable[..., Any]
    request: Request
    jit: bool
    constants: Constants

    def __init__(self, function: Callable[..., Any], request: Request, jit: bool = True) -> None:
        self.function, self.request, self.jit = function, request, jit
        self._version: Version | None = None
        self._plain: Callable[..., Any] | None = None
        self._structured: Callable[..., Any] | None = None
        self.constants = Constants.FUNCTIONS
        self._native: Dispatcher | None = None
        self.__name__ = f"{name_of(function)}_{request.mode}"
        self.__signature__ = _signature(function, request)
        self.__call__ = self._first_call
        self._unchecked: Callable[..., Any] | None = None
        rule_changes.state.told.add(self)
        if not request.options.debug:
            debug_mode.register(self)
            if debug_mode.state.on:
                self.debug_switched(True)

    def __repr__(self) -> str:
        names = list(signature_of(self.function).parameters)
        of = ", ".join(text_of(names, place) for place in self.request.wrt)
        return f"<srcad {self.request.mode} of {name_of(self.function)} with respect to {of}>"

    def _repr_html_(self) -> str:
        """For notebooks: what it is, and the source that its last call with new types runs."""
        from srcad.printing.highlight import html_block

        return html_block(repr(self), self._version.text if self._version is not None else None)

    @property
    def __srcad_derived__(self) -> Described:
        """What it is a derivative of, for functions that call it."""
        request = self.request
        return Described(request.mode, self.function, request.wrt, request.tuple_result)

    def __reduce__(self) -> Any:
        return Derivative, (self.function, self.request, self.jit)

    def _first_call(self, *args: Any, **kwargs: Any) -> Any:
        given = bind(self.__signature__, args, kwargs)
        if any(map(is_structured, given[: self.own])):
            self._meet_structures()
        elif self.jit and not self.request.options.tiered:
            about = functools.partial(subject_of, self.function, self.request.mode)
            with announced(about, is_last=False):
                self._prepare_for(given)
                return self.__call__(*args, **kwargs)
        else:
            self._prepare_for(given)
        return self.__call__(*args, **kwargs)

    def _prepare_for(self, given: tuple[Any, ...]) -> None:
        """Make the routine; where that is refused, make texts, None and integers compile-time constants."""
        try:
            with nothing_collected():
                self.prepare()
        except UnsupportedSyntax:
            if not self.takes_constants(given):
                raise
            self._meet_structures()

    def takes_constants(self, given: tuple[Any, ...]) -> bool:
        """Make more of the arguments compile-time constants; False if there are no more that can be."""
        from srcad.api.pytree import more_constants  # late import: few functions are refused

        higher = more_constants(self.function, given[: self.own], self.constants)
        if higher is not None:
            self.constants = higher
        return higher is not None

    def rules_changed(self) -> None:
        """A rule of the user's own has been stated: what was made before is made again."""
        if self._version is not None:
            log.debug("%s of %s is made again: a rule was stated", self.request.mode, self._version.unit.name)
        self._version = self._plain = self._structured = self._native = None
        if self._unchecked is not None:
            self._unchecked = self._first_call
        else:
            self.__call__ = self._first_call

    def debug_switched(self, on: bool) -> None:
        """While debug mode is on, calls go to the derivative that is made with checks."""
        if on:
            self._unchecked, self.__call__ = self.__call__, self._checked_call
        elif self._unchecked is not None:
            self.__call__ = self._unchecked
            self._unchecked = None
        self._native = None

    def _checked_call(self, *args: Any, **kwargs: Any) -> Any:
        return made(self.function, self.request, self.jit)(*args, **kwargs)

    @property
    def own(self) -> int:
        """The number of the function's parameters. The directions of a tangent or `hvp` follow them."""
        return len(signature_of(self.function).parameters)

    def _meet_structures(self) -> Callable[..., Any]:
        """From now on, check the arguments of each call for structures."""
        from srcad.api.structured_calls import structured_call

        if self._structured is None:
            self._structured = structured_call(self, made)
        self.__call__ = self._structured
        return self._structured

    def plain_call(self, *args: Any) -> Any:
        """Call the derivative with arguments none of which is a structure."""
        if self._plain is None:
            self.prepare()
        assert self._plain is not None
        return self._plain(*args)

    @property
    def returns_structure(self) -> bool:
        """Whether the function returns more than numbers, arrays and tuples of these. Known after a first call."""
        return self._version is not None and self._version.unit.result is not LEAF

    def _redirect(self, args: tuple[Any, ...]) -> Callable[..., Any] | None:
        """The function to call instead of the compiled routine if one of `args` is a structure, else None."""
        if not any(map(is_structured, args)):
            return None
        call, own, hidden = self._meet_structures(), self.own, len(self._version.unit.hidden if self._version else ())
        return lambda *args: call(*(getattr(each, "value", each) for each in (*args[:own], *args[own + hidden :])))

    def prepare(self) -> Version:
        """Read the function and the current values of what it captures, and make the routine that a call runs."""
        refuse_paths(self.function, self.request.wrt)
        if self._version is not None:
            log.debug(
                "%s of %s is made again: what it captures has changed", self.request.mode, self._version.unit.name
            )
            self._native = None
        version = self._version = Version(self.function, self.request)
        if self.jit:
            routine: Callable[..., Any] = compiled_routine(version, 0, self._shape(version), redirect=self._redirect)
        else:
            routine = uncompiled_routine(version, 0)
        direct = self.jit and not version.unit.hidden and not version.may_change and _is_positional(self.__signature__)
        called = telling(version, routine) if self.jit else routine
        direct = direct and self.request.mode != "hvp"
        if called is routine and self.jit:
            checked = of_plain_arrays(routine)
            if direct:
                routine.met_arrays = functools.partial(self._met_arrays, routine, checked)  # type: ignore[attr-defined]
            else:
                called = checked
        if self.request.mode == "hvp":
            called = self._with_checked_directions(called, version)
        self._plain = self.__call__ = called if direct else self._with_captured(version, called)
        is_flat = hasattr(type(self.function), "__srcad_keeps__")
        if not is_flat and (self._structured is not None or self.returns_structure or not self.jit):
            self._meet_structures()
        return version

    def _met_arrays(self, routine: Callable[..., Any], checked: Callable[..., Any]) -> None:
        """From now on, refuse instances of subclasses of arrays."""
        if self._plain is routine:
            self._plain = checked
        if self.__call__ is routine:
            self.__call__ = checked

    def current(self) -> Version:
        """The version of the function for the current values of captured numbers."""
        version = self._version
        if version is None or (version.may_change and not version.is_current()):
            version = self.prepare()
        return version

    @property
    def native(self) -> Dispatcher:
        """The dispatcher for this object inside `@njit`. Captured arrays are constants there, as globals are."""
        if not self.jit:
            raise BadArgument(
                "a derivative made with jit=False cannot be called from compiled code", hint="make it without jit=False"
            )
        if self._native is None and self._unchecked is not None:
            self._native = made(self.function, self.request, self.jit).native
        if self._native is None:
            self._native = native_of(self, self._adapted)
        return self._native

    def _adapted(self, kinds: tuple[Any, ...]) -> Dispatcher | None:
        """The adapter that compiled code calls if some arguments are functions or tuples, else None."""
        from srcad.api.njit_arguments import adapter, is_handed  # late import: most calls have no structures

        return adapter(self, kinds, made) if any(map(is_handed, kinds[: self.own])) else None

    def native_routine(self) -> Dispatcher:
        """The dispatcher that compiled code calls for arguments that are numbers and arrays."""
        version = self._version or self.prepare()
        return frozen(version, compiled_routine(version, 0, self._shape(version), assumes=False), self)

    def _shape(self, version: Version) -> Callable[..., Any]:
        extra = len(self.request.wrt) if self.request.mode in _WITH_DIRECTIONS else 0
        names = (*version.unit.parameters, *_directions(version.unit.parameters, extra))
        defaults: tuple[Any, ...] = ()
        if not version.unit.hidden and not extra and _is_positional(self.__signature__):
            defaults = defaults_of(self.__signature__)
        return shape_of(self.__name__, names, defaults)

    def _with_checked_directions(self, routine: Callable[..., Any], version: Version) -> Callable[..., Any]:
        """A call that first checks that each direction has the shape of its argument."""
        count, places = len(version.unit.parameters), self.request.wrt

        def call(*args: Any) -> Any:
            for place, direction in zip(places, args[count:], strict=True):
                value = args[place]
                if not (type(value) is type(direction) is np.ndarray and value.shape == direction.shape):
                    args = (*args[:count], *self._matching(args, count))
                    break
            return routine(*args)

        return call

    def _matching(self, args: tuple[Any, ...], count: int) -> list[Any]:
        from srcad.api.cotangent import matching

        pairs = zip(self.request.wrt, args[count:], strict=True)
        return [matching(direction, args[place], "the direction") for place, direction in pairs]

    def _with_captured(self, version: Version, routine: Callable[..., Any]) -> Callable[..., Any]:
        """A call that passes the captured arrays as well, and prepares again when a captured number has changed."""
        own = len(version.own_parameters)
        signature, may_change, hidden = self.__signature__, version.may_change, version.unit.hidden
        count = len(signature.parameters)

        def call(*args: Any, **kwargs: Any) -> Any:
            if may_change and not version.is_current():
                self.prepare()
                return self.__call__(*args, **kwargs)
            if kwargs or len(args) != count:
                args = bind(signature, args, kwargs)
            if hidden:
                args = (*args[:own], *version.hidden(), *args[own:])
            return routine(*args)

        return call


def made(function: Callable[..., Any], request: Request, jit: bool) -> Derivative:
    """The `Derivative` of a function for a request. Equal requests give the same object, with its compiled code."""
    if debug_mode.state.on:
        request = replace(request, options=request.options.current())
    return remembered(function, (request, jit), lambda: Derivative(function, request, jit))


_WITH_DIRECTIONS = frozenset({"tangent", "hvp"})


def _signature(function: Callable[..., Any], request: Request) -> inspect.Signature:
    """The parameters of a derivative: those of the function, followed by the directions if it has any."""
    signature = signature_of(function)
    if request.mode not in _WITH_DIRECTIONS:
        return signature.replace(return_annotation=inspect.Signature.empty)
    refuse_starred(function, options=False)
    names = tuple(signature.parameters)
    asked = [re.sub(r"\W+", "_", text_of(names, place)).strip("_") for place in request.wrt]
    return WithDirections(signature, _directions((*asked, *names), len(request.wrt)))


def _directions(names: tuple[str, ...], count: int) -> tuple[str, ...]:
    found: list[str] = []
    for name in names[:count]:
        wish = f"{name}_dot"
        while wish in names or wish in found:
            wish += "_"
        found.append(wish)
    return tuple(found)


def _is_positional(signature: inspect.Signature) -> bool:
    return all(each.kind is not each.KEYWORD_ONLY for each in signature.parameters.values())


@typeof_impl.register(Derivative)  # type: ignore[untyped-decorator]  # Numba carries no annotations
def _typeof_derivative(value: Derivative, context: Any) -> types.Dispatcher:
    """To Numba, a derivative is its dispatcher."""
    return types.Dispatcher(value.native)


def readable(function: Any, what: str) -> Any:
    """A function with a source for a derivative made by srcad, or for a function of NumPy that has a rule.

    Other functions are returned as they are. `what` is the transform asked for. Raises NotDifferentiable for objects of
    srcad that cannot be differentiated.
    """
    if described(function) is not None:
        made: Any = vars(function).get("_as_function")
        if made is None:
            from srcad.frontend.wrappers import of_derivative  # late import: most functions have a source

            made = function._as_function = of_derivative(function)
        return made
    if getattr(function, "__srcad_primitive__", False):
        raise CUSTOM_GRADIENT_OF_TAPE.error(what=what, function=getattr(function, "__name__", function))
    if callable(function) and not isinstance(function, type) and not _has_source(function):
        return _of_primitive(function) or function
    return function


def _has_source(function: Any) -> bool:
    return isinstance(function, (FunctionType, MethodType, functools.partial)) and not _is_numpys(function)


def _is_numpys(function: Any) -> bool:
    return (getattr(function, "__module__", None) or "").partition(".")[0] in ("numpy", "math")


def _of_primitive(function: Any) -> Any:
    try:
        return _primitives(function)
    except TypeError:  # it cannot be hashed
        return None


@functools.cache
def _primitives(function: Any) -> Any:
    from srcad.frontend.wrappers import of_primitive

    return of_primitive(function)
