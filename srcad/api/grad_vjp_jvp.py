"""The functional API: `grad`, `value_and_grad`, `hvp`, `hessian`, `jacobian` and `function` return a function.

`vjp` and `jvp` take a function with its arguments, and return the value together with a pullback or a tangent.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

from srcad.api import njit_overloads
from srcad.api.argument_binding import bind, refuse_single
from srcad.api.derivative_object import Derivative, made, readable
from srcad.api.wrt import Wrt, among_arguments, chosen, positions, refuse_paths, refuse_starred, with_receiver
from srcad.driver.options import Options, Without
from srcad.driver.version import Request
from srcad.errors import BadArgument
from srcad.frontend.load_source import signature_of
from srcad.refusals.derivatives import HOLOMORPHIC
from srcad.runtime.support.structured_arguments import is_structured

# Only what `grad` needs is imported at the top: importing the rest takes longer than calling a cached gradient.
if TYPE_CHECKING:
    from srcad.api.compiled_function import Function

_Transform = TypeVar("_Transform", bound=Callable[..., Any])
_P = ParamSpec("_P")  # the parameters of a function, which its derivatives have too
_R = TypeVar("_R")


def _also_by_parts_of_self(transform: _Transform) -> _Transform:
    """Let a transform accept a method with `wrt="self.w"`; `argnums`, another name of `wrt`; and `static`.

    Of a method, it differentiates the underlying function by that part of `self`, and binds the method's object as the
    first argument.
    """

    @functools.wraps(transform)
    def outer(f: Callable[..., Any], wrt: Wrt = 0, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            wrt = chosen(wrt, kwargs.pop("argnums", None))
            if kwargs.pop("holomorphic", False):
                raise HOLOMORPHIC.error(transform=transform.__name__)
        static = kwargs.pop("static", ())
        method = with_receiver(f, wrt)
        if method is not None:
            function, where, receiver = method
            named = {} if static == () else {"static": _static().names_of(f, static)}
            return functools.partial(outer(function, where, *args, **kwargs, **named), receiver)
        if static != () or hasattr(type(f), "__srcad_static__"):
            return _static().with_static(lambda f, wrt: outer(f, wrt, *args, **kwargs), f, wrt, static)
        return transform(f, wrt, *args, **kwargs)

    return outer  # type: ignore[return-value]


def _static() -> Any:
    """The module about constant arguments, imported when it is needed."""
    from srcad.api import static_arguments

    return static_arguments


@overload
def function(
    f: Callable[_P, _R],
    *,
    jit: bool = True,
    fastmath: bool | None = None,
    without: Without = (),
    max_trace_bytes: int | None = None,
    boundscheck: bool | None = None,
    tiered: bool | None = None,
) -> Function[_P, _R]: ...
@overload
def function(
    f: None = None,
    *,
    jit: bool = True,
    fastmath: bool | None = None,
    without: Without = (),
    max_trace_bytes: int | None = None,
    boundscheck: bool | None = None,
    tiered: bool | None = None,
) -> Callable[[Callable[_P, _R]], Function[_P, _R]]: ...
def function(
    f: Callable[..., Any] | None = None,
    *,
    jit: bool = True,
    fastmath: bool | None = None,
    without: Without = (),
    max_trace_bytes: int | None = None,
    boundscheck: bool | None = None,
    tiered: bool | None = None,
) -> Any:
    """Compile a function, and let a `GradientTape` record each call of it as a single node. Usable as a decorator.

    jit         False runs the generated source as plain Python
    fastmath    lets compiled code, derivatives included, reorder sums and use approximate functions, as Numba's option
                of that name does; None takes the setting of the function's own `@njit`
    without     optional compiler passes to leave out in all derivatives, such as "loop_order"
    max_trace_bytes    the most bytes that loops, all together, may save between the forward and the reverse sweep:
                       loops that would save values in each iteration are checkpointed, with as many snapshots as fit
    boundscheck False takes it that all indices are in range, in the function and in all of its derivatives; an index
                that is not then reads and writes foreign memory. None checks them, unless the function's own `@njit`
                says `boundscheck=False`
    tiered      True runs the generated source as plain Python until another process has compiled it: no call waits for
                the compiler. Results are equal up to rounding. Inside of `@njit` functions it has no effect. None is as
                the environment says: yes with SRCAD_TIERED=1

    With `max_trace_bytes`, a derivative raises UnsupportedSyntax for what saves values and cannot be checkpointed (a
    recursive call), and raises TraceTooLarge at run time if not even one snapshot fits.

    >>> @function
    ... def kinetic(mass, speed):
    ...     return 0.5 * mass * speed * speed
    >>> kinetic(2.0, 3.0)
    9.0

    An index that is out of range raises IndexError, as in Python, and so it does in every derivative.

    >>> import numpy as np
    >>> @function
    ... def total(x, n):
    ...     s = 0.0
    ...     for i in range(n):
    ...         s += x[i]
    ...     return s
    >>> try:
    ...     grad(total)(np.ones(3), 5)
    ... except IndexError as problem:
    ...     print(str(problem).partition("(")[0])
    x[i]: index is out of range
    """
    if f is None:
        how = {"jit": jit, "fastmath": fastmath, "without": without, "max_trace_bytes": max_trace_bytes}
        return functools.partial(function, **how, boundscheck=boundscheck, tiered=tiered)
    from srcad.api.compiled_function import Function

    f = readable(f, "a srcad.function")
    options = Options.of(without, fastmath, f, max_trace_bytes, boundscheck, tiered)
    if isinstance(f, Function):
        return f if options == f.options else Function(f.__wrapped__, jit, options)
    return Function(f, jit, options)


@_also_by_parts_of_self
def grad(
    f: Callable[_P, Any],
    wrt: Wrt = 0,
    jit: bool = True,
    without: Without = (),
    boundscheck: bool | None = None,
    tiered: bool | None = None,
    *,
    argnums: Wrt | None = None,
    static: Wrt = (),
    has_aux: bool = False,
) -> Callable[_P, Any]:
    """The gradient of a function that returns one real number.

    f       the function to differentiate
    wrt     the argument to differentiate with respect to: an index, a name, a part such as "params.w", "layers[0]['b']"
            or, for a method, "self.w"; or a tuple of these, which gives a tuple of gradients
    jit     False runs the generated source as plain Python, for stepping through it
    without  optional compiler passes to leave out, such as "loop_order"; the results are the same
    boundscheck  False leaves out the checks that indices are in range, as for `function`
    tiered  True runs the generated source as plain Python while it is compiled in the background, as for `function`
    argnums  another name of `wrt`
    static  the arguments that are compile-time constants, by index or name: numbers, texts, None, or tuples, lists and
            dictionaries of these. What a branch on them rules out is not looked at. Each value is compiled once
    has_aux  `f` returns a pair, of which the first part is differentiated; the result is a pair as well: the gradient,
            and the second part of what `f` has returned, which may be of any structure and is a constant

    Returns a function of the same arguments as `f`. A gradient has the shape and the dtype of its argument. Raises
    BadArgument if `wrt` names no parameter.

    >>> import numpy as np
    >>> def energy(x, k):
    ...     return 0.5 * k * np.sum(x * x)
    >>> grad(energy)(np.array([1.0, 2.0]), 3.0)
    array([3., 6.])
    >>> grad(energy, wrt=("k", 0))(np.array([1.0, 2.0]), 3.0)
    (2.5, array([3., 6.]))
    """
    if has_aux:
        return _with_auxiliary(f, False, wrt, jit, without, boundscheck, tiered)
    if isinstance(f, Derivative) and f.request.mode == "grad" and not f.request.tuple_result:
        from srcad.api.jacobian_and_hessian import derivative_of_derivative

        refuse_starred(f.function)
        options = Options.of(without, function=f.request, boundscheck=boundscheck, tiered=tiered)
        return derivative_of_derivative(f, *positions(f.function, wrt), jit, options)
    f = readable(f, "grad")
    return _derivative(f, "grad", wrt, jit, without, boundscheck, tiered)


@_also_by_parts_of_self
def value_and_grad(
    f: Callable[_P, _R],
    wrt: Wrt = 0,
    jit: bool = True,
    without: Without = (),
    boundscheck: bool | None = None,
    tiered: bool | None = None,
    *,
    argnums: Wrt | None = None,
    static: Wrt = (),
    has_aux: bool = False,
) -> Callable[_P, tuple[_R, Any]]:
    """The value of a function together with its gradient, in one call that costs less than two separate ones.

    Takes the arguments of `grad`; the returned function gives the pair (value, gradient), with `has_aux` the pair
    ((value, auxiliary result), gradient).

    >>> def square(x):
    ...     return x * x
    >>> value_and_grad(square)(3.0)
    (9.0, 6.0)
    """
    if has_aux:
        return _with_auxiliary(f, True, wrt, jit, without, boundscheck, tiered)
    f = readable(f, "value_and_grad")
    return _derivative(f, "value_and_grad", wrt, jit, without, boundscheck, tiered)


@_also_by_parts_of_self
def hvp(
    f: Callable[..., Any],
    wrt: Wrt = 0,
    jit: bool = True,
    without: Without = (),
    boundscheck: bool | None = None,
    tiered: bool | None = None,
    *,
    argnums: Wrt | None = None,
    static: Wrt = (),
) -> Callable[..., Any]:
    """The product of the Hessian with a vector (Hessian-vector product), computed without forming the Hessian.

    Returns a function of the arguments of `f`, followed by one vector for each argument in `wrt`; each vector has the
    shape of its argument.

    >>> import numpy as np
    >>> def f(x):
    ...     return x[0] * x[0] * x[1]
    >>> hvp(f)(np.array([1.0, 2.0]), np.array([1.0, 0.0]))
    array([4., 2.])
    """
    f = readable(f, "hvp")
    return _derivative(f, "hvp", wrt, jit, without, boundscheck, tiered)


@_also_by_parts_of_self
def hessian(
    f: Callable[_P, Any],
    wrt: Wrt = 0,
    jit: bool = True,
    without: Without = (),
    boundscheck: bool | None = None,
    tiered: bool | None = None,
    *,
    argnums: Wrt | None = None,
    static: Wrt = (),
) -> Callable[_P, Any]:
    """The Hessian of a function that returns one real number, or an array: all second partial derivatives.

    The result has the shape of the argument twice, after the shape of the function's result; for a tuple in `wrt` it is
    a tuple of rows of such blocks.

    >>> import numpy as np
    >>> def f(x):
    ...     return x[0] * x[0] * x[1]
    >>> hessian(f)(np.array([1.0, 2.0]))
    array([[4., 2.],
           [2., 0.]])
    """
    from srcad.api.jacobian_and_hessian import Hessian

    f = readable(f, "hessian")
    where, many = positions(f, wrt)
    options = Options.of(without, function=f, boundscheck=boundscheck, tiered=tiered)
    return Hessian(made(f, Request("hvp", where, True, options), jit), many)


@_also_by_parts_of_self
def jacobian(
    f: Callable[_P, Any],
    wrt: Wrt = 0,
    mode: str | None = None,
    jit: bool = True,
    without: Without = (),
    boundscheck: bool | None = None,
    tiered: bool | None = None,
    *,
    argnums: Wrt | None = None,
    static: Wrt = (),
) -> Callable[_P, Any]:
    """The Jacobian: all first partial derivatives, with the shape of the result followed by that of the argument.

    mode    "forward" takes one tangent sweep per element of the arguments, "reverse" one reverse sweep per element of
            the result; None takes the mode with fewer sweeps

    >>> import numpy as np
    >>> def polar(x):
    ...     return np.array([np.hypot(x[0], x[1]), x[0] * x[1]])
    >>> jacobian(polar)(np.array([3.0, 4.0]))
    array([[0.6, 0.8],
           [4. , 3. ]])
    """
    from srcad.api.jacobian_and_hessian import Jacobian, jacobian_of_gradient

    if mode not in (None, "forward", "reverse"):
        raise BadArgument(f"the mode {mode!r} is unknown", hint='it is "forward", "reverse" or None')
    if isinstance(f, Derivative) and f.request.mode == "grad" and not f.request.tuple_result:
        options = Options.of(without, function=f.request, boundscheck=boundscheck, tiered=tiered)
        return jacobian_of_gradient(f, *positions(f.function, wrt), jit, options)
    f = readable(f, "jacobian")
    where, many = positions(f, wrt)
    return Jacobian(f, where, many, mode, jit, Options.of(without, function=f, boundscheck=boundscheck, tiered=tiered))


def vjp(
    f: Callable[..., Any],
    *args: Any,
    wrt: Wrt | None = None,
    jit: bool = True,
    without: Without = (),
    boundscheck: bool | None = None,
    tiered: bool | None = None,
    has_aux: bool = False,
) -> Any:
    """The value of f(*args) and its pullback (vector-Jacobian product).

    The pullback takes a cotangent with the shape of the value. It returns a tuple with one gradient per argument, None
    for an argument that cannot have a derivative; with `wrt`, it returns the gradients for `wrt` only. It may be called
    any number of times, also after the arguments have changed. With `has_aux`, `f` returns a pair, of which the first
    part is differentiated, and the second is the third of what is returned: (value, pullback, auxiliary result).

    >>> import numpy as np
    >>> value, pullback = vjp(lambda x, n: x ** n, np.array([1.0, 2.0]), 2)
    >>> value, pullback(np.array([1.0, 0.0])), pullback(np.array([0.0, 1.0]))
    (array([1., 4.]), (array([2., 0.]), None), (array([0., 4.]), None))
    """
    from srcad.api.pytree_specialisation import until_supported

    f = readable(f, "vjp")
    if has_aux:
        how: Any = {"wrt": wrt, "jit": jit, "without": without, "boundscheck": boundscheck, "tiered": tiered}
        return _vjp_with_auxiliary(f, args, how)
    options = Options.of(without, function=f, boundscheck=boundscheck, tiered=tiered)
    f, wrt, given = among_arguments(f, wrt, args)
    refuse_starred(f)
    args = bind(signature_of(f), tuple(given), {})
    places, many = (None, True) if wrt is None else positions(f, wrt)
    return until_supported(f, args, lambda: _vjp(f, args, places, many, jit, options))


def _vjp(
    f: Callable[..., Any], args: tuple[Any, ...], places: Any, many: bool, jit: bool, options: Options
) -> tuple[Any, Callable[[Any], Any]]:
    """`vjp` by the parameters at these places, or by all of them."""
    from srcad.api import structured_calls
    from srcad.api.compiled_function import function_of
    from srcad.api.pytree_specialisation import shaped
    from srcad.api.vjp_pair import pair_of
    from srcad.runtime.support.array_snapshots import snapshot

    variables = () if places is None else places
    if (found := shaped(f, args, False, variables)) is not None:
        return structured_calls.structured_vjp(*found, args, places, many, jit, options)
    run = function_of(f, jit, options)
    if run.returns_structure and (found := shaped(run.__wrapped__, args, True, variables)) is not None:
        return structured_calls.structured_vjp(*found, args, places, many, jit, options)
    args = snapshot(args)
    if places is None:
        return _whole_vjp(run, args)
    refuse_paths(f, places)
    version, routines = pair_of(f, places, jit, options).current()
    arguments = (*args, *snapshot(version.hidden()))
    value, trace = routines.forward(*arguments)
    pull = routines.pullback(arguments, value, trace)
    # The trace may hold the value itself, which the caller may change: that gets a copy.
    return snapshot(value), pull if many else lambda cotangent: pull(cotangent)[0]


def _vjp_with_auxiliary(f: Callable[..., Any], args: tuple[Any, ...], how: dict[str, Any]) -> tuple[Any, ...]:
    from srcad.api.auxiliary_results import pair_and_pullback

    (value, auxiliary), pull = pair_and_pullback(f, functools.partial(vjp, **how), args)
    return value, lambda cotangent: pull((cotangent, auxiliary)), auxiliary


def _whole_vjp(run: Function[..., Any], args: tuple[Any, ...]) -> tuple[Any, Callable[[Any], Any]]:
    from srcad.api.cotangent import matching
    from srcad.runtime.support.array_snapshots import snapshot

    values = (*args, *(each._array() for each in run.captured_variables()))
    value, pull = run.forward(values, snapshot(run.captured_arrays()))
    return snapshot(value), lambda cotangent: tuple(pull(matching(cotangent, value, "the cotangent")))[: len(args)]


def jvp(
    f: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    jit: bool = True,
    without: Without = (),
    boundscheck: bool | None = None,
    tiered: bool | None = None,
) -> tuple[Any, Any]:
    """The value of f(*primals) and its derivative along `tangents` (Jacobian-vector product).

    There is one tangent per argument, with the argument's shape; None means that the argument does not move.

    >>> jvp(lambda x, n: x ** n, (3.0, 2), (1.0, None))
    (9.0, 6.0)
    """
    from srcad.api.cotangent import matching

    f = readable(f, "jvp")
    for name, each in (("primals", primals), ("tangents", tangents)):
        refuse_single(each, name)
    if len(primals) != len(tangents):
        raise BadArgument(
            f"there are {len(primals)} primals but {len(tangents)} tangents",
            hint="give one for each argument: None if it does not move",
        )
    refuse_starred(f, options=False)
    moving = tuple(place for place, each in enumerate(tangents) if each is not None)
    if not moving:
        raise BadArgument("no tangent is given", hint="call the function itself for its value alone")
    args = bind(signature_of(f), tuple(primals), {})
    directions = [tangents[place] for place in moving]
    if not any(map(is_structured, args)):
        directions = [matching(tangents[place], primals[place], "the tangent") for place in moving]
    options = Options.of(without, function=f, boundscheck=boundscheck, tiered=tiered)
    found: tuple[Any, Any] = made(f, Request("tangent", moving, options=options), jit)(*args, *directions)
    return found


def _with_auxiliary(
    f: Callable[..., Any],
    with_value: bool,
    wrt: Wrt,
    jit: bool,
    without: Without,
    boundscheck: bool | None,
    tiered: bool | None,
) -> Callable[..., Any]:
    from srcad.api.auxiliary_results import GradientWithAuxiliary

    f = readable(f, "value_and_grad" if with_value else "grad")
    positions(f, wrt)
    how: Any = {"wrt": wrt, "jit": jit, "without": without, "boundscheck": boundscheck, "tiered": tiered}
    return GradientWithAuxiliary(f, functools.partial(vjp, **how), with_value)


def _derivative(
    f: Callable[..., Any],
    mode: str,
    wrt: Wrt,
    jit: bool,
    without: Without,
    boundscheck: bool | None,
    tiered: bool | None,
) -> Derivative:
    where, many = positions(f, wrt)
    options = Options.of(without, function=f, boundscheck=boundscheck, tiered=tiered)
    return made(f, Request(mode, where, many, options), jit)


for _each in (grad, value_and_grad, hvp, hessian, jacobian, vjp, jvp):  # what they are, for functions that call them
    setattr(_each, "__srcad_transform__", getattr(_each, "__name__"))  # noqa: B009, B010 - for the type checker

njit_overloads.register((grad, value_and_grad, hvp), (vjp, jvp, jacobian, hessian))
