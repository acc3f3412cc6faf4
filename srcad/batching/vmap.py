"""`srcad.vmap`: a function, or a derivative of one, for many arguments at once."""

from __future__ import annotations

import functools
import inspect
import re
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcad.api.argument_binding import bind
from srcad.api.compiled_function import Function, function_of
from srcad.api.derivative_object import Derivative, made, readable
from srcad.api.pytree_specialisation import Shape, found_shape
from srcad.api.signature_stubs import shape_of
from srcad.api.structured_calls import finished
from srcad.batching.differentiable_loop import loop_with_source
from srcad.batching.element_loop import ElementLoop, element_kind
from srcad.batching.mapped_axes import Batch, axes_of_call, moved_results, stacked
from srcad.driver.compiled_routines import compiled_routine, kind_of, warn_of_fallback, written_arguments
from srcad.driver.memoisation import remembered
from srcad.driver.options import Options
from srcad.driver.version import Request, Version
from srcad.errors import BadType, PerformanceWarning, SourceUnavailable, SrcadError, UnsupportedSyntax
from srcad.frontend.load_source import name_of, signature_of
from srcad.frontend.wrappers import wrapper_of
from srcad.runtime.jit.numba_inference import CannotType
from srcad.runtime.support import debug_mode
from srcad.runtime.support.assumption_errors import Widens
from srcad.runtime.support.structured_arguments import level_of
from srcad.runtime.tape.core.active_recordings import active
from srcad.runtime.tape.core.operand import Operand
from srcad.transforms.ir.pytree_form import Form, from_tuples

_DIRECTED = ("tangent", "hvp")
_PLACED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_DRAWS = re.compile(r"\brandom\.|\bdefault_rng\b|\bRandomState\b")  # in a source
_IN_ORDER = ("prange(", "kernels.effect(", "print(")  # loops that take the threads, and what is seen from outside
_LONGEST = 64  # forms of arguments that are kept


class Vmapped:
    """What `srcad.vmap` returns: a function with the parameters of another one, over arrays with one more axis."""

    def __init__(self, function: Callable[..., Any], in_axes: Any, out_axes: Any, jit: bool) -> None:
        self.function, self.in_axes, self.out_axes, self.jit = function, in_axes, out_axes, jit
        self.__name__ = f"{_name(function)}_vmap"
        self.__signature__ = getattr(function, "__signature__", None) or signature_of(function)
        self._names = tuple(self.__signature__.parameters)
        if any(each.kind not in _PLACED for each in self.__signature__.parameters.values()):
            raise BadType(
                f"srcad.vmap is given {_name(function)}, which has starred or keyword-only parameters",
                hint="wrap it in a function with plain parameters",
            )
        self._loops: dict[Any, _Loop | None] = {}
        self._elements: Derivative | None = None

    def __repr__(self) -> str:
        return f"<srcad vmap of {_name(self.function)} with in_axes={self.in_axes!r}>"

    def __reduce__(self) -> Any:
        return Vmapped, (self.function, self.in_axes, self.out_axes, self.jit)

    @functools.cached_property
    def __wrapped_primal__(self) -> Callable[..., Any]:
        """The same as a function with a source, which can be differentiated."""
        return loop_with_source(self.function, self.__name__, self.__signature__, self.in_axes, self.out_axes)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The results of all elements: arrays with one more axis, in the structure of one result."""
        if kwargs or len(args) != len(self._names):
            bound = self.__signature__.bind(*args, **kwargs)
            given = [name in bound.arguments for name in self._names]
            args = bind(self.__signature__, args, kwargs)
        else:
            given = [True] * len(args)
        values = args
        if active.tapes or any(isinstance(each, Operand) for each in values):
            return function_of(self.__wrapped_primal__, self.jit)(*values)
        batch = Batch(self._names, values, axes_of_call(self.in_axes, self._names, given))
        return moved_results(self._results(batch, given), self.out_axes)

    def _results(self, batch: Batch, given: Sequence[bool]) -> Any:
        loop = self._loop(batch) if self.jit else None
        if loop is None:
            return self._one_by_one(batch, given)
        try:
            return loop(batch)
        except Widens:  # arrays broadcast that were taken not to: the loop is made again, for any
            loop.version.assumes = False
            self._loops.clear()
            return self._results(batch, given)

    def _loop(self, batch: Batch) -> _Loop | None:
        """The compiled loop for arguments of these types; None if there is none."""
        if any(isinstance(each, np.ndarray) and type(each) is not np.ndarray for each in batch.leaves):
            return None  # instances of subclasses, which the function itself takes or refuses
        if debug_mode.state.on:
            return None
        kinds = [(each.dtype, each.ndim, each.flags.c_contiguous, each.flags.f_contiguous, each.flags.writeable)
                 if type(each) is np.ndarray else _kind(each) for each in batch.leaves]  # fmt: skip
        key = (batch.spec, batch.is_mapped, *kinds)
        loop = self._loops.get(key)
        if key in self._loops and (loop is None or loop.is_current()):
            return loop
        if len(self._loops) >= _LONGEST:
            self._loops.clear()
        self._loops[key] = made_loop = self._made(batch)
        return made_loop

    def _made(self, batch: Batch) -> _Loop | None:
        if self._elements is None:
            self._elements = _derivative(self.function)
        derivative = self._elements
        if derivative is None:
            _warn(self.function, "it is no function whose source srcad reads")
            return None
        while True:
            try:
                return _Loop(derivative, batch)
            except CannotType as problem:
                if derivative._version is not None:
                    warn_of_fallback(derivative._version, problem)
                return None
            except NotImplementedError as problem:  # Numba has types, and no code
                if isinstance(problem, SrcadError):
                    raise
                _warn(self.function, f"Numba cannot compile it: {problem}")
                return None
            except SourceUnavailable:
                _warn(self.function, "its source is not found")
                return None
            except UnsupportedSyntax as problem:
                if not derivative.takes_constants(batch.element(0)[: derivative.own]):
                    if derivative.request.mode != "core":
                        raise
                    _warn(self.function, str(problem).partition("\n")[0])
                    return None

    def _one_by_one(self, batch: Batch, given: Sequence[bool]) -> Any:
        """All results, from calls of the function in Python. A plain function may write to what it is given."""
        is_plain = not isinstance(self.function, Derivative)
        element = batch.copied_element if is_plain else batch.element
        function = self.function if self.jit else _uncompiled(self.function)
        count = max(k + 1 for k, here in enumerate(given) if here)  # the defaults are the function's own
        return stacked([function(*element(k)[:count]) for k in range(batch.size)])


class _Loop:
    """The loop over the elements of arguments of one form and types."""

    def __init__(self, derivative: Derivative, batch: Batch) -> None:
        self.derivative = derivative
        self._shape: Shape | None = None
        run, request, element = derivative, derivative.request, batch.element(0)
        own = derivative.own
        is_constant = any(0 < level_of(each) <= derivative.constants for each in element[:own])
        self._picked: list[int] = list(range(len(batch.leaves)))
        if batch.is_structured or is_constant:
            run = self._structured(batch, element)
        self._run = run
        version = self.version = run.current()
        self._own = len(version.own_parameters)
        _refuse_random_numbers(version, [*element, *version.hidden()])
        _refuse_directions(request, element, own)
        args = self._arguments(batch)
        is_mapped = [batch.is_mapped[k] for k in self._picked]
        hidden = len(version.unit.hidden)
        is_mapped[self._own : self._own] = [False] * hidden
        names = run.native.py_func.__code__.co_varnames[: run.native.py_func.__code__.co_argcount]
        kinds = [kind_of(names[0] if names else "x", each) for each in args]
        inner = [element_kind(kind) if here else kind for kind, here in zip(kinds, is_mapped, strict=True)]
        stub = shape_of("element", tuple(f"a{k}" for k in range(len(args))))
        routine = compiled_routine(version, 0, stub, must_compile=True)
        written = written_arguments(version, inner) if run.request.mode == "core" else set[int]()
        if any(self._own <= k < self._own + hidden for k in written):
            raise CannotType("it may write to an array that it captures")
        self._loop = ElementLoop(version, routine, kinds, is_mapped, [k in written for k in range(len(args))])
        self._is_alone = any(each in (version.text or "") for each in _IN_ORDER)
        self._form = version.unit.result
        _refuse_forms(self._form)

    def _structured(self, batch: Batch, element: tuple[Any, ...]) -> Derivative:
        """The derivative of the function of leaves."""
        derivative, request, own = self.derivative, self.derivative.request, self.derivative.own
        if len(element) > own:
            raise CannotType("it has structures among its arguments, and directions")
        shapes = remembered(derivative.function, "shapes", dict[Any, Any])
        self._shape, values = found_shape(shapes, derivative.function, element, derivative.constants, request.wrt)
        self._picked = self._shape.picked or self._picked
        leaves = [leaf[0] if here else leaf for leaf, here in zip(batch.leaves, batch.is_mapped, strict=True)]
        if len(values) != len(self._picked) or any(
            np.shape(leaves[k]) != np.shape(value) for k, value in zip(self._picked, values, strict=True)
        ):
            raise CannotType("it has long lists, records or labelled arrays among its arguments")
        if any(batch.is_mapped[k] for k in set(range(len(batch.leaves))) - set(self._picked)):
            raise CannotType("an array that is mapped is a constant to it")
        wanted = Request(request.mode, self._shape.wrt(request.wrt), True, request.options)
        self._values = values
        return made(self._shape.flat, wanted, True)

    def is_current(self) -> bool:
        """Whether what the function captures is what it was."""
        return self._run.current() is self.version

    def _arguments(self, batch: Batch) -> list[Any]:
        args = [batch.leaves[k] for k in self._picked]
        args[self._own : self._own] = self.version.hidden()
        return args

    def __call__(self, batch: Batch) -> Any:
        found = self._loop(batch.size, self._arguments(batch), self._is_alone)
        if self._shape is None:
            is_value = self.derivative.request.mode == "core"
            return from_tuples(self._form, found) if is_value and isinstance(self._form, Form) else found
        return finished(self._shape, self.derivative.request, self._form, found, self._values)


def _derivative(function: Any) -> Derivative | None:
    """What computes the result for one element: a derivative, or the function compiled. None for other callables."""
    if isinstance(function, Derivative):
        return function
    options = Options()
    if isinstance(function, Function):
        function, options = function.__wrapped__, function.options
    elif hasattr(type(function), "__srcad_custom__"):
        function = wrapper_of(function, function.__name__, list(function.__signature__.parameters))
    try:
        return made(readable(function, "vmap"), Request("core", (), options=options.current()), True)
    except (TypeError, SourceUnavailable):
        return None


def _uncompiled(function: Any) -> Any:
    if isinstance(function, Function):
        return function_of(function.__wrapped__, False, function.options)
    if isinstance(function, Derivative):
        return made(function.function, function.request, False)
    if isinstance(function, Vmapped):
        return Vmapped(function.function, function.in_axes, function.out_axes, False)
    return function


def _kind(leaf: Any) -> Any:
    return type(leaf) if isinstance(leaf, (float, int, complex, np.generic)) and type(leaf) is not int else leaf


def _refuse_directions(request: Request, element: tuple[Any, ...], own: int) -> None:
    """Raise CannotType where directions are not of the shape and dtype of their arguments: the call in Python tells."""
    if request.mode not in _DIRECTED:
        return
    for place, direction in zip(request.wrt, element[own:], strict=True):
        value = element[place]
        if np.shape(value) != np.shape(direction) or np.asarray(value).dtype != np.asarray(direction).dtype:
            raise CannotType("a direction has another shape or dtype than its argument")


def _refuse_random_numbers(version: Version, values: Sequence[Any]) -> None:
    """Raise CannotType for a function that draws random numbers: threads would draw them in another order each time."""
    if any(isinstance(each, (np.random.Generator, np.random.RandomState)) for each in values) or any(
        _DRAWS.search(each) for each in version.unit.sources
    ):
        raise CannotType("it draws random numbers, which elements take in their order")


def _refuse_forms(form: Any) -> None:
    if isinstance(form, Form):
        if type(form) is not Form:
            raise CannotType("it returns records or lists of unknown length")
        for part in form.parts:
            _refuse_forms(part)


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", None) or name_of(function))


def _warn(function: Any, reason: str) -> None:
    warnings.warn(
        f"vmap of {_name(function)} calls it in Python, element by element: {reason}", PerformanceWarning, stacklevel=5
    )


def vmap(f: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0, jit: bool = True) -> Vmapped:
    """A function that calls `f` for each element along an axis of its arguments, and puts the results together.

    f           a function, or what `grad`, `value_and_grad`, `hvp`, `jacobian`, `hessian`, `function` or `vmap` returns
    in_axes     the axis along which arguments are mapped: an integer for all, or a tuple with an entry for each
                argument: an integer, None for an argument that all elements share, or for an argument that is a
                structure the same structure of these. Arguments that are left to their defaults are shared
    out_axes    where the new axis of the results is: an integer, or the structure of the result with integers in it

    Results have the structure and dtype of those of `f`, with one more axis. The elements may take different branches
    and numbers of iterations. The loop over them is compiled, and shared among threads where it takes long
    (`NUMBA_NUM_THREADS`, `numba.set_num_threads`); results are the same for any number of threads. Where Numba cannot
    compile `f`, or `f` draws random numbers, it is called in Python, and a PerformanceWarning says why; so it is with
    `jit=False`. If `f` writes to its arguments, each element writes to copies.

    What is returned can be differentiated, also in a function that calls it, if its mapped arguments and results are
    arrays; make it outside of that function. Raises BadArgument for axes that an argument does not have, of different
    sizes or of size 0, and for results that differ in shape; BadType for a mapped argument that is no array.

    >>> import numpy as np, srcad
    >>> def root(a, start):
    ...     x = start
    ...     while abs(x * x - a) > 1e-12 * a:
    ...         x = 0.5 * (x + a / x)
    ...     return x
    >>> vmap(root, (0, None))(np.array([4.0, 9.0]), 1.0).round(12)
    array([2., 3.])
    >>> vmap(srcad.grad(root), (0, None))(np.array([4.0, 9.0]), 1.0).round(4)
    array([0.25  , 0.1667])
    """
    if not callable(f):
        raise BadType(f"srcad.vmap is given a {type(f).__name__}", hint="give it a function")
    return Vmapped(f, in_axes, out_axes, jit)
