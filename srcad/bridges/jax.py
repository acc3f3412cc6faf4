"""JAX: a function of NumPy arrays as a function of JAX's, under `jit`, `vmap`, `grad` and `jvp`.

    from srcad.bridges.jax import as_primitive
    simulated = as_primitive(simulate)
    jax.jit(jax.grad(simulated))(x, 2.0)

JAX calls back into Python (`jax.pure_callback`) for the value and for the compiled derivative. So it runs on the CPU,
and `vmap` runs the function once for each element.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

import numpy as np

from srcad.api.argument_binding import Binding
from srcad.api.cotangent import matching
from srcad.bridges.leaf_calls import LeafCall, LeafCalls, leaves_of
from srcad.bridges.xla_calls import call_back
from srcad.errors import BadArgument, BadType
from srcad.frontend.load_source import signature_of
from srcad.runtime.support.nested_structures import flatten, pack_as

_DTYPES = frozenset(map(np.dtype, "?bhilBHILfdFD"))
_GIVE_SHAPE = "give `shape`, a function of the arguments, or of arrays of their shapes, that returns an example"


def as_primitive(
    f: Callable[..., Any], *, mode: str = "reverse", shape: Callable[..., Any] | None = None, jit: bool = True
) -> Callable[..., Any]:
    """A function of JAX's arrays that computes `f`, and that JAX differentiates by srcad's derivative.

    f       a function of numbers, arrays and structures of these
    mode    "reverse" for `grad`, `vjp`, `jacrev` (a `jax.custom_vjp`, to be differentiated once or twice); "forward"
            for `jvp`, `jacfwd` (a `jax.custom_jvp`, once)
    shape   a function of the same arguments as `f` that returns something of the shapes and dtypes of its result. JAX
            asks for them before there are values. None calls `f` on ones; needed where the shape depends on values
    jit     False runs generated source as plain Python

    The returned function takes JAX's or NumPy's arrays and floats where `f` takes arrays and numbers; an array without
    axes reaches `f` as a number. Python's integers, bools, texts, functions and None are constants. Arrays of integers
    and bools are data. Gradients by complex arguments follow JAX's convention.

    Raises BadType for arrays of half precision; BadArgument if a result has another shape than the call on ones had, or
    than `shape` gave.

        >>> import jax                                                                  # doctest: +SKIP
        >>> jax.grad(as_primitive(lambda x: x * np.sin(x)))(0.0)                        # doctest: +SKIP
        Array(0., dtype=float32, weak_type=True)
    """
    import jax

    if mode not in ("reverse", "forward"):
        raise BadArgument(f"the mode {mode!r} is unknown", hint='it is "forward" or "reverse"')
    calls = LeafCalls(f, jit)
    signature = signature_of(calls.function)
    binding, count = Binding(signature), len(signature.parameters)
    made: dict[Any, _Primitive] = {}

    def is_foreign(value: Any) -> bool:
        return isinstance(value, jax.Array)

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) != count:
            args = binding(args, kwargs)
        leaves, spec = leaves_of(args, is_foreign)
        given = [leaf if isinstance(leaf, jax.Array) else jax.numpy.asarray(leaf) for leaf in leaves if _moves(leaf)]
        key = (spec, *[None if _moves(leaf) else _key(leaf) for leaf in leaves], *[(x.shape, x.dtype) for x in given])
        primitive = made.get(key)
        if primitive is None:
            form = _Arguments(calls, spec, leaves)
            primitive = made[key] = _Primitive(form, *_foretold(form, given, shape), mode)
        return primitive.result(primitive.run(*given))

    return call


class _Arguments:
    """Arguments of one form: which leaves are arrays of JAX's, and what the others are."""

    def __init__(self, calls: LeafCalls, spec: Any, leaves: Sequence[Any]) -> None:
        self.calls, self._spec = calls, spec
        self._moving = [place for place, leaf in enumerate(leaves) if _moves(leaf)]
        self._leaves = [None if _moves(leaf) else leaf for leaf in leaves]
        self.count = len(self._moving)

    def arguments(self, given: Sequence[Any]) -> tuple[Any, ...]:
        """The arguments of the user's function."""
        leaves = self._leaves.copy()
        for place, each in zip(self._moving, given, strict=True):
            leaves[place] = _number_or_array(each, self.calls.name)
        return tuple(leaves) if self._spec is None else self._spec.unflatten(leaves)

    def call(self, given: Sequence[Any]) -> LeafCall:
        """The call with JAX's arrays."""
        return self.calls.at(self.arguments(given))

    def places(self, call: LeafCall) -> list[int]:
        """The places of JAX's arrays among the values of a call."""
        return [call.places.index(place) for place in self._moving]


class _Primitive:
    """A function of JAX's arrays, of fixed shapes and dtypes, with its derivatives.

    `like` has the structure of the value, with shapes and dtypes as leaves.
    """

    def __init__(self, form: _Arguments, call: LeafCall, like: Any, mode: str) -> None:
        self._form, self._call, self._like = form, call, like
        self._results = flatten(like)
        self._smooth = [place for place, each in enumerate(self._results) if _is_smooth(each)]
        self.run = self._with_pullback() if mode == "reverse" else self._with_tangent()

    def result(self, leaves: Sequence[Any]) -> Any:
        """The leaves of the value in the structure that the user's function returns."""
        return self._call.result(self._like, leaves)

    def _value(self, *given: Any) -> Any:
        return call_back(lambda *given: self._checked(self._form.call(given).value(copied=True)), self._results, given)

    def _checked(self, value: Any) -> list[Any]:
        found = flatten(value)
        for leaf, like in zip(found, self._results, strict=True):
            if np.shape(leaf) != like.shape:
                told = f"`{self._form.calls.name}` returned an array of shape {np.shape(leaf)}, not {like.shape}"
                raise BadArgument(f"{told} as on arrays of ones", hint=_GIVE_SHAPE)
        return found

    def _bar(self, value: Any, bars: Iterable[Any]) -> Any:
        each = iter(bars)
        smooth = [np.asarray(next(each)) if _is_smooth(like) else np.zeros(like.shape) for like in self._results]
        return matching(pack_as(value, smooth), value, "the cotangent")

    def _with_pullback(self) -> Any:
        import jax

        run, pull = jax.custom_vjp(self._value), self._pull(self._form.count)

        def forward(*given: Any) -> Any:
            return run(*given), given

        def backward(given: Any, bars: Any) -> Any:
            adjoints = iter(pull(*given, *[bars[place] for place in self._smooth]))
            return tuple([next(adjoints) if _is_smooth(each) else None for each in given])

        run.defvjp(forward, backward)
        return jax.jit(run)  # compiled once, where JAX is not compiling anyway

    def _pull(self, count: int) -> Any:
        """The function from the arguments and the adjoints of the results to the adjoints of the arguments."""
        import jax

        again = self._pull_again(count)

        def compute(*arrays: Any) -> Any:
            call = self._form.call(arrays[:count])
            value, pull = call.differentiated()
            bar = self._bar(value, map(_conjugate, arrays[count:]))
            found = pull(bar)
            mine = [_conjugate(found[place]) for place in self._form.places(call)]
            return _chosen(mine, arrays[:count])

        @jax.custom_vjp
        def pulled(*arrays: Any) -> Any:
            return call_back(compute, [each for each in arrays[:count] if _is_smooth(each)], arrays)

        def backward(arrays: Any, directions: Any) -> Any:
            found = iter(again(*arrays, *directions))
            return tuple([next(found) if _is_smooth(each) else None for each in arrays])

        pulled.defvjp(lambda *arrays: (pulled(*arrays), arrays), backward)
        return jax.jit(pulled)

    def _pull_again(self, count: int) -> Any:
        """The function to the adjoints of all that `_pull` takes, for directions of what it gives."""
        import jax

        ends = count + len(self._smooth)

        def compute(*arrays: Any) -> Any:
            call = self._form.call(arrays[:count])
            value, pull = call.differentiated()
            bar, places = self._bar(value, arrays[count:ends]), self._form.places(call)
            towards: list[Any] = [None] * len(pull.made.seen)
            given = iter(arrays[ends:])
            for place, each in zip(places, arrays[:count], strict=True):
                towards[place] = np.asarray(next(given)) if _is_smooth(each) else None
            by_argument, by_bar = pull.again(bar, towards)
            found = [by_argument[place] for place in places] + [by_bar[place] for place in self._smooth]
            return _chosen(found, arrays[:ends])

        @jax.custom_jvp
        def twice(*arrays: Any) -> Any:
            return call_back(compute, [each for each in arrays[:ends] if _is_smooth(each)], arrays)

        name = self._form.calls.name
        twice.defjvp(lambda primals, tangents: _refuse_order(name, "three times", "two derivatives"))
        return jax.jit(twice)

    def _with_tangent(self) -> Any:
        import jax

        run, push = jax.custom_jvp(self._value), jax.custom_jvp(self._pushed)
        name = self._form.calls.name
        push.defjvp(lambda primals, tangents: _refuse_order(name, "twice in forward mode", "one"))

        def rule(primals: Any, tangents: Any) -> Any:
            smooth = [dot for each, dot in zip(primals, tangents, strict=True) if _is_smooth(each)]
            dots = iter(push(*primals, *smooth))
            still = jax.dtypes.float0
            told = [next(dots) if _is_smooth(each) else np.zeros(each.shape, still) for each in self._results]
            return run(*primals), told

        run.defjvp(rule)
        return jax.jit(run)

    def _pushed(self, *arrays: Any) -> Any:
        count = self._form.count

        def compute(*arrays: Any) -> Any:
            call = self._form.call(arrays[:count])
            pull = call.differentiated()[1]
            towards: list[Any] = [None] * len(pull.made.seen)
            given = iter(arrays[count:])
            for place, each in zip(self._form.places(call), arrays[:count], strict=True):
                towards[place] = np.asarray(next(given)) if _is_smooth(each) else None
            dots = flatten(pull.push(towards))
            return [dots[place] for place in self._smooth]

        return call_back(compute, [self._results[place] for place in self._smooth], arrays)


def _foretold(form: _Arguments, given: Sequence[Any], shape: Callable[..., Any] | None) -> tuple[LeafCall, Any]:
    """A call, and the structure of its value, with the shapes and dtypes that JAX uses for its leaves."""
    import jax

    known = [np.ones(each.shape, each.dtype) if isinstance(each, jax.core.Tracer) else each for each in given]
    call = form.call(known)
    try:
        value = call.value() if shape is None else None
    except Exception as problem:
        told = f"`{form.calls.name}` cannot be called on ones, to see the shape of its result: {problem}"
        raise BadArgument(told, hint=_GIVE_SHAPE) from problem
    if shape is not None:
        value = call.unstructured(shape(*form.arguments(known)))
    kinds = [(np.shape(leaf), jax.dtypes.canonicalize_dtype(np.result_type(leaf))) for leaf in flatten(value)]
    return call, pack_as(value, [jax.ShapeDtypeStruct(*kind) for kind in kinds])


def _chosen(found: Sequence[Any], arrays: Sequence[Any]) -> list[Any]:
    """Those of the adjoints that belong to arrays that can have one. JAX copies them."""
    pairs = zip(found, arrays, strict=True)
    return [np.zeros(each.shape) if bar is None else bar for bar, each in pairs if _is_smooth(each)]


def _conjugate(value: Any) -> Any:
    """An adjoint of srcad's as one of JAX's and back: of complex numbers, each is the conjugate of the other."""
    return np.conj(value) if type(value) is not float and np.iscomplexobj(value) else value


def _moves(leaf: Any) -> bool:
    """Whether a leaf becomes an array of JAX's; the others are constants."""
    import jax

    return isinstance(leaf, (jax.Array, np.ndarray, np.number, np.bool_, float, complex))


def _key(leaf: Any) -> Any:
    return (type(leaf), leaf if isinstance(leaf, (int, str)) else id(leaf))


def _is_smooth(array: Any) -> bool:
    return array.dtype.kind in "fc"


def _number_or_array(given: Any, name: str) -> Any:
    """A NumPy array of its own memory; of an array without axes, a number. Raises BadType for half precision."""
    array = np.array(given)
    if array.dtype not in _DTYPES:
        hint = "compute in single or double precision: x.astype(jnp.float32)"
        raise BadType(f"an array given to `{name}` has the dtype {array.dtype.name}", hint=hint)
    if array.ndim:
        return array
    return array.item() if array.dtype.char in "dD?lqihb" else array[()]


def _refuse_order(name: str, order: str, has: str) -> NoReturn:
    hint = "differentiate inside of srcad: bridge srcad.hessian(f), or a function that calls srcad.grad"
    raise BadArgument(f"`{name}` is differentiated {order} through a bridge that has {has}", hint=hint)
