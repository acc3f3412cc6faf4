"""PyTensor and PyMC: a function of NumPy arrays as an operation of a graph, with its gradient.

    from srcad.bridges.pytensor import as_op
    pm.Potential("likelihood", as_op(log_likelihood)(rate, data))

PyTensor's Numba backend compiles a call of a function that returns one number, and its gradient, into its own code,
where they run without Python. Other functions, and other backends, call the compiled derivative from Python.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba.core import types

from srcad.api.compiled_function import function_of
from srcad.api.cotangent import matching
from srcad.api.grad_vjp_jvp import grad
from srcad.bridges.leaf_calls import LeafCalls, owned, third_derivative
from srcad.errors import BadType, SrcadError
from srcad.frontend.load_source import signature_of
from srcad.runtime.support.nested_structures import flatten, pack_as


def as_op(f: Callable[..., Any], *, jit: bool = True) -> Callable[..., Any]:
    """A function of PyTensor's variables that computes `f` and is differentiated by PyTensor, once or twice.

    f       a function of numbers and arrays that returns a number, an array, or a tuple of these
    jit     False runs generated source as plain Python

    The returned function takes variables, arrays and numbers; a variable without axes reaches `f` as a number. It
    returns a variable, or a list of them for a tuple. Integers are data.

    Raises BadType, which names the cure, for sparse variables, structures, and dtypes of half precision.

        >>> import pytensor.tensor as pt                                                # doctest: +SKIP
        >>> x = pt.dvector("x")                                                         # doctest: +SKIP
        >>> pytensor.grad(as_op(lambda x: np.sum(x * x))(x), x).eval({x: [1.0, 2.0]})   # doctest: +SKIP
        array([2., 4.])
    """
    operation = _value_class()(f, jit)
    signature = signature_of(operation.of.calls.function)

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return operation(*[bound.arguments[name] for name in signature.parameters])

    return call


class _Function:
    """A function with the kinds of its results, and what the operations compute."""

    def __init__(self, function: Callable[..., Any], jit: bool) -> None:
        self.calls, self.jit = LeafCalls(function, jit), jit

    def results(self, variables: Sequence[Any]) -> list[tuple[str, int]]:
        """The dtype and the rank of each result, for variables."""
        examples = [_of_rank(np.ones((1,) * each.type.ndim, each.type.dtype)) for each in variables]
        call = self.calls.at(tuple(examples))
        try:
            version = call.run._version()
            kind = version.result_kind((*call.values, *version.hidden()))
        except SrcadError:  # not typed by Numba: tried, on ones
            value = flatten(call.value())
            return [(np.result_type(each).name, np.ndim(each)) for each in value]
        return [
            _dtype_and_rank(each, self.calls.name) for each in (kind if isinstance(kind, types.BaseTuple) else [kind])
        ]

    def captures(self) -> bool:
        """Whether the function reads arrays or numbers besides its arguments. Known after `results`."""
        version = self.calls.run._version()
        return bool(version.unit.hidden) or version.may_change

    def value(self, given: Sequence[Any]) -> list[Any]:
        """The results."""
        return flatten(self.calls.at(tuple(map(_of_rank, given))).value())

    def pulled(self, given: Sequence[Any], bars: Sequence[Any]) -> list[Any]:
        """The adjoints of the arguments that have one."""
        call = self.calls.at(tuple(map(_of_rank, given)))
        value, pull = call.differentiated()
        bar = matching(pack_as(value, bars), value, "the adjoint")
        found = pull(bar)
        return list(owned(tuple(found[place] for place in smooth_places(given)), (bar, call.values)))

    def pulled_again(self, given: Sequence[Any], bars: Sequence[Any], directions: Sequence[Any]) -> list[Any]:
        """The adjoints of the arguments that have one, and of `bars`, for directions of what `pulled` gives."""
        call = self.calls.at(tuple(map(_of_rank, given)))
        value, pull = call.differentiated()
        towards: list[Any] = [None] * len(pull.made.seen)
        for place, each in zip(smooth_places(given), directions, strict=True):
            towards[place] = each
        bar = matching(pack_as(value, bars), value, "the adjoint")
        by_argument, by_bar = pull.again(bar, towards)
        mine = [np.zeros(np.shape(like)) if each is None else each for each, like in zip(by_bar, bars, strict=True)]
        return list(owned((*[by_argument[place] for place in smooth_places(given)], *mine), (bar, call.values)))


def smooth_places(values: Sequence[Any]) -> list[int]:
    """The places of arrays or variables of real numbers.

    >>> smooth_places([np.ones(2), np.arange(3), np.ones((), np.float32)])
    [0, 2]
    """
    return [place for place, each in enumerate(values) if np.dtype(each.dtype).kind == "f"]


@functools.cache
def _shared_class() -> Any:
    """What the operations have in common: the function, by which they are equal, and a number of arguments."""
    from pytensor.graph.op import Op

    class Shared(Op):  # type: ignore[misc,unused-ignore]
        """An operation of PyTensor's graphs."""

        __props__ = ("function", "jit", "count")

        def __init__(self, function: Callable[..., Any], jit: bool, count: int = 0) -> None:
            self.function, self.jit, self.count, self.of = function, jit, count, _Function(function, jit)

        def perform(self, node: Any, inputs: Any, storage: Any) -> None:
            for cell, output, value in zip(storage, node.outputs, self.computed(inputs), strict=True):
                cell[0] = np.asarray(value, output.type.dtype)

        def pullback(self, inputs: Any, outputs: Any, bars: Any) -> Any:
            return self.L_op(inputs, outputs, bars)

    return Shared


@functools.cache
def _value_class() -> Any:
    """The value of the function."""
    import pytensor.tensor as pt
    from pytensor.graph.basic import Apply

    class Value(_shared_class()):  # type: ignore[misc]
        """The value of the function."""

        def make_node(self, *given: Any) -> Any:
            variables = [_variable(each, self.of.calls.name) for each in given]
            outputs = [pt.tensor(dtype=dtype, shape=(None,) * rank) for dtype, rank in self.of.results(variables)]
            return Apply(self, variables, outputs)

        def computed(self, inputs: Any) -> Any:
            return self.of.value(inputs)

        def L_op(self, inputs: Any, outputs: Any, bars: Any) -> Any:
            given = [_bar(bar, like) for bar, like in zip(bars, outputs, strict=True)]
            found = _pull_class()(self.function, self.jit, len(inputs)).make_node(*inputs, *given).outputs
            return _with_zeros(found, inputs)

    _compile_in_numba(Value, _value_in_numba)
    return Value


@functools.cache
def _pull_class() -> Any:
    """The adjoints of the arguments, from those of the results."""
    from pytensor.graph.basic import Apply

    class Pull(_shared_class()):  # type: ignore[misc]
        """The adjoints of the arguments."""

        def make_node(self, *given: Any) -> Any:
            return Apply(self, list(given), [given[k].type() for k in smooth_places(given[: self.count])])

        def computed(self, inputs: Any) -> Any:
            return self.of.pulled(inputs[: self.count], inputs[self.count :])

        def L_op(self, inputs: Any, outputs: Any, bars: Any) -> Any:
            directions = [_bar(bar, like) for bar, like in zip(bars, outputs, strict=True)]
            again = _again_class()(self.function, self.jit, self.count)
            return _with_zeros(again.make_node(*inputs, *directions).outputs, inputs)

    _compile_in_numba(Pull, _pull_in_numba)
    return Pull


@functools.cache
def _again_class() -> Any:
    """The adjoints of all that the pullback takes."""
    from pytensor.graph.basic import Apply

    class Again(_shared_class()):  # type: ignore[misc]
        """The adjoints of the arguments and of the results' adjoints."""

        def make_node(self, *given: Any) -> Any:
            ends = len(given) - len(smooth_places(given[: self.count]))
            return Apply(self, list(given), [given[k].type() for k in smooth_places(given[:ends])])

        def computed(self, inputs: Any) -> Any:
            ends = len(inputs) - len(smooth_places(inputs[: self.count]))
            return self.of.pulled_again(inputs[: self.count], inputs[self.count : ends], inputs[ends:])

        def L_op(self, inputs: Any, outputs: Any, bars: Any) -> Any:
            raise third_derivative(self.of.calls.name)

    return Again


def _bar(bar: Any, like: Any) -> Any:
    """An adjoint as a variable: zeros where a result is not connected."""
    import pytensor.tensor as pt
    from pytensor.gradient import DisconnectedType

    dtype = like.type.dtype if np.dtype(like.type.dtype).kind == "f" else "float64"
    is_nothing = isinstance(bar.type, DisconnectedType)
    return pt.zeros_like(like, dtype=dtype) if is_nothing else pt.cast(bar, dtype)


def _with_zeros(found: Sequence[Any], given: Sequence[Any]) -> list[Any]:
    """An adjoint for each variable, zeros for those of integers."""
    import pytensor.tensor as pt

    each, smooth = iter(found), smooth_places(given)
    return [next(each) if place in smooth else pt.zeros_like(x, dtype="float64") for place, x in enumerate(given)]


def _variable(given: Any, name: str) -> Any:
    """A variable of PyTensor's. Raises BadType if srcad cannot compute with its type."""
    import pytensor.tensor as pt

    try:
        found = pt.as_tensor_variable(given)
    except (TypeError, NotImplementedError, ValueError, AttributeError):
        hint = "give variables, arrays and numbers: each part of a structure by itself, dense matrices"
        raise BadType(f"`{name}` is given a {type(given).__name__}, which is no tensor", hint=hint) from None
    if np.dtype(found.type.dtype).kind not in "fiub" or found.type.dtype == "float16":
        hint = 'compute in real numbers of single or double precision: x.astype("float64")'
        raise BadType(f"`{name}` is given a variable of the dtype {found.type.dtype}", hint=hint)
    return found


def _of_rank(given: Any) -> Any:
    """An array; of an array without axes, a number."""
    array = np.asarray(given)
    if array.ndim:
        return np.ascontiguousarray(array)
    return array.item() if array.dtype.char in "d?lqihb" else array[()]


def _dtype_and_rank(kind: Any, name: str) -> tuple[str, int]:
    if isinstance(kind, types.Array):
        return str(kind.dtype), kind.ndim
    if not isinstance(kind, (types.Number, types.Boolean)):
        raise BadType(f"`{name}` returns a {kind}", hint="return numbers, arrays or one tuple of these")
    return ("bool" if isinstance(kind, types.Boolean) else str(kind)), 0


def _compile_in_numba(operation: Any, make: Callable[..., Any]) -> None:
    """Let PyTensor's Numba backend compile an operation by `make`, which may return None: then Python is called."""
    from pytensor.link.numba.dispatch.basic import generate_fallback_impl, register_funcify_and_cache_key

    @register_funcify_and_cache_key(operation)
    def compiled(op: Any, node: Any, **_: Any) -> Any:
        ranks = [each.type.ndim for each in node.inputs]
        found = make(op, node, ranks) if op.jit and len(node.outputs) else None
        return (generate_fallback_impl(op, node=node) if found is None else found), None


def _value_in_numba(op: Any, node: Any, ranks: list[int]) -> Any:
    """A compiled function of PyTensor's arrays that calls the compiled function."""
    if [each.type.ndim for each in node.outputs] != [0] or not _is_number(op, node.inputs):
        return None
    run = function_of(op.of.calls.function, True)
    return _njit("np.asarray(run({arguments}))", ranks, run, array="{name}.copy()")  # it may write into them


def _pull_in_numba(op: Any, node: Any, ranks: list[int]) -> Any:
    """The same of the gradient, times the adjoint of the one result."""
    own, smooth = ranks[: op.count], smooth_places(node.inputs[: op.count])
    if ranks[op.count :] != [0] or not _is_number(op, node.inputs[: op.count]):
        return None
    gradient = grad(op.of.calls.function, tuple(smooth))
    parts = [f"np.asarray(x{op.count}.item() * found[{k}])" for k in range(len(smooth))]
    result = parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
    return _njit(result, own, gradient, f"x{op.count}", "found = run({arguments})")


def _is_number(op: Any, variables: Any) -> bool:
    """Whether the function returns one real number, and captures nothing, which compiled code would freeze."""
    return op.of.results(variables) in ([("float64", 0)], [("float32", 0)]) and not op.of.captures()


def _njit(result: str, ranks: list[int], run: Any, more: str = "", first: str = "", array: str = "{name}") -> Any:
    """Compile a function of arrays; those without axes reach `run` as numbers, others as `array` says."""
    from pytensor.link.numba.dispatch.basic import numba_njit

    names = [f"x{place}" for place in range(len(ranks))]
    pairs = zip(names, ranks, strict=True)
    arguments = ", ".join(array.format(name=name) if rank else f"{name}.item()" for name, rank in pairs)
    lines = [f"def call({', '.join([*names, more] if more else names)}):"]
    lines += [f"    {first.format(arguments=arguments)}"] if first else []
    lines += [f"    return {result.format(arguments=arguments)}"]
    space: dict[str, Any] = {"np": np, "run": run}
    exec("\n".join(lines), space)
    return numba_njit(space["call"])
