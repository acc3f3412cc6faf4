"""PyTorch: a function of NumPy arrays as a function of tensors, which PyTorch differentiates once or twice.

    from srcad.bridges.torch import as_function
    layer = as_function(simulate)
    layer(x, rate).sum().backward()

Arrays are views of the tensors' memory, in both directions. Gradients are computed by the compiled reverse sweep.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from srcad.api.argument_binding import Binding
from srcad.api.cotangent import matching
from srcad.bridges.leaf_calls import LeafCall, LeafCalls, leaves_of, owned, third_derivative
from srcad.errors import BadType
from srcad.frontend.load_source import signature_of
from srcad.runtime.support.array_snapshots import emptied
from srcad.runtime.support.nested_structures import flatten, map_leaves, pack_as


def as_function(f: Callable[..., Any], *, jit: bool = True) -> Callable[..., Any]:
    """A function of tensors that computes `f` and is differentiated by PyTorch: backwards, twice, and forwards.

    f       a function of numbers, arrays and structures of these
    jit     False runs generated source as plain Python

    The returned function takes tensors where `f` takes arrays; a tensor without axes reaches `f` as a number. What is
    no tensor is passed on as it is, and is a constant. Results are tensors, in the structure that `f` returns. Tensors
    of integers and bools are data. Gradients have the dtypes of their tensors.

    Raises BadType, which names the cure, for a tensor that is not on the CPU, is sparse or quantised, or is of half
    precision; BadArgument for a third derivative.

        >>> import torch                                                                # doctest: +SKIP
        >>> layer = as_function(lambda x, k: np.sum(np.sin(k * x)))                     # doctest: +SKIP
        >>> x = torch.zeros(3, dtype=torch.float64, requires_grad=True)                 # doctest: +SKIP
        >>> layer(x, 2.0).backward()                                                    # doctest: +SKIP
        >>> x.grad                                                                      # doctest: +SKIP
        tensor([2., 2., 2.], dtype=torch.float64)
    """
    import torch

    calls = LeafCalls(f, jit)
    signature = signature_of(calls.function)
    recorded, binding, names = _call_class(), Binding(signature), tuple(signature.parameters)

    def is_tensor(value: Any) -> bool:
        return isinstance(value, torch.Tensor)

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) != len(names):
            args = binding(args, kwargs)
        leaves, spec = leaves_of(args, is_tensor)
        values = [_array_of(leaf, calls.name) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        made = calls.at(tuple(values) if spec is None else spec.unflatten(values))
        given = [leaves[place] for place in made.places]
        found = recorded.apply(made, torch.is_grad_enabled(), *given)
        return made.result(found[0], found[1:])

    return call


@functools.cache
def _call_class() -> Any:
    """What PyTorch records for a call."""
    import torch

    class Call(torch.autograd.Function):
        """The value; its derivative is that of `_pull_class`."""

        @staticmethod
        def forward(ctx: Any, made: LeafCall, enabled: bool, *given: Any) -> Any:
            ctx.made, ctx.is_tensor = made, [isinstance(each, torch.Tensor) for each in given]
            wanted = ctx.needs_input_grad[2:]
            if enabled and True in wanted:
                value, ctx.pull = made.differentiated(tuple([k for k, each in enumerate(wanted) if not each]))
                # PyTorch raises an error in the backward pass if a tensor that is saved has been written to.
                ctx.save_for_backward(*[each for each in given if isinstance(each, torch.Tensor)])
            else:
                value = made.value()
            ctx.like = value if type(value) is float else map_leaves(emptied, value)
            return ctx.like, *_results(ctx, value)

        @staticmethod
        def backward(ctx: Any, _: Any, *bars: Any) -> Any:
            saved = ctx.saved_tensors
            if torch.is_grad_enabled():  # the derivative is to be differentiated again
                found = _pull_class().apply(ctx, len(bars), *bars, *saved)
            else:
                bar = _bar(ctx, bars)
                found = _adjoints(ctx, ctx.pull(bar), bar, saved)
            adjoints = iter(found)
            return None, None, *[next(adjoints) if is_tensor else None for is_tensor in ctx.is_tensor]

        @staticmethod
        def jvp(ctx: Any, *tangents: Any) -> Any:
            directions = [None if each is None else _array_of(each, ctx.made.run.__name__) for each in tangents[2:]]
            pull = ctx.made.differentiated()[1]
            found = flatten(pull.push(_padded(directions, pull)))
            return None, *[_like(dot, np.result_type(leaf)) for dot, leaf in zip(found, flatten(ctx.like), strict=True)]

    return Call


def _results(ctx: Any, value: Any) -> list[Any]:
    """The leaves of a value as tensors; those of integers and bools are marked as constants."""
    import torch

    if type(value) is float:
        return [torch.from_numpy(np.asarray(value))]
    found = [torch.from_numpy(_writable(leaf)) for leaf in flatten(value)]
    constants = [each for each in found if not _is_smooth(each)]
    if constants:
        ctx.mark_non_differentiable(*constants)
    return found


@functools.cache
def _pull_class() -> Any:
    """What PyTorch records for a backward pass that is to be differentiated."""
    import torch

    class Pull(torch.autograd.Function):
        """The adjoints of the tensors, from those of the results, in which they are linear."""

        @staticmethod
        def forward(ctx: Any, call: Any, count: int, *given: Any) -> Any:
            ctx.call, ctx.count = call, count
            ctx.set_materialize_grads(False)
            ctx.save_for_backward(*given)
            bar = _bar(call, given[:count])
            return _adjoints(call, call.pull(bar), bar, given[count:])

        @staticmethod
        def backward(ctx: Any, *directions: Any) -> Any:
            return None, None, *_again_class().apply(ctx.call, ctx.count, *directions, *ctx.saved_tensors)

    return Pull


@functools.cache
def _again_class() -> Any:
    """What PyTorch records for the backward pass of that."""
    import torch

    class Again(torch.autograd.Function):
        """The adjoints of the results' adjoints and of the tensors, from directions of what the pullback gives."""

        @staticmethod
        def forward(ctx: Any, call: Any, count: int, *given: Any) -> Any:
            ctx.name, number = call.made.run.__name__, sum(call.is_tensor)
            directions, bars, tensors = given[:number], given[number : number + count], given[number + count :]
            each = iter([None if one is None else _array_of(one, ctx.name) for one in directions])
            moved = [next(each) if is_tensor else None for is_tensor in call.is_tensor]
            bar = _bar(call, bars)
            by_argument, by_bar = call.pull.again(bar, _padded(moved, call.pull))
            mine = [_like(one, _dtype(like)) for one, like in zip(owned(tuple(by_bar), bar), bars, strict=True)]
            return *mine, *_adjoints(call, by_argument, (bar, tuple(by_bar)), tensors)

        @staticmethod
        def backward(ctx: Any, *_: Any) -> NoReturn:
            raise third_derivative(ctx.name)

    return Again


def _padded(directions: list[Any], pull: Any) -> list[Any]:
    """Directions of the arguments, and none of the captured variables after them."""
    return directions + [None] * (len(pull.made.seen) - len(directions))


def _bar(call: Any, bars: Sequence[Any]) -> Any:
    """The adjoint of the value, in its structure, from tensors."""
    if type(call.like) is float and bars[0].dim() == 0:
        return float(bars[0].item())
    return matching(pack_as(call.like, [each.numpy(force=True) for each in bars]), call.like, "the adjoint")


def _adjoints(call: Any, found: Sequence[Any], bar: Any, tensors: Sequence[Any]) -> tuple[Any, ...]:
    """A tensor or None for each tensor, which share no memory with anything else: PyTorch adds to them in place."""
    mine = [each for each, is_tensor in zip(found, call.is_tensor, strict=False) if is_tensor]
    apart = owned(mine, (bar, call.pull.held))
    return tuple([_like(each, _dtype(tensor)) for each, tensor in zip(apart, tensors, strict=True)])


def _like(value: Any, dtype: Any) -> Any:
    """A number or an array as a tensor of a NumPy dtype; None for None, and where the dtype is None."""
    import torch

    if value is None or dtype is None:
        return None
    return torch.from_numpy(_writable(value if getattr(value, "dtype", None) is dtype else np.asarray(value, dtype)))


def _dtype(tensor: Any) -> Any:
    """The dtype that NumPy has for that of a tensor, None for integers and bools."""
    return _numpy_dtype(tensor.dtype)


@functools.cache
def _numpy_dtype(dtype: Any) -> Any:
    import torch

    is_smooth = dtype.is_floating_point or dtype.is_complex
    return torch.empty(0, dtype=dtype).numpy().dtype if is_smooth else None


def _is_smooth(tensor: Any) -> bool:
    return bool(tensor.dtype.is_floating_point or tensor.dtype.is_complex)


def _writable(value: Any) -> Any:
    """An array that PyTorch can take the memory of."""
    array = np.asarray(value)
    flags = array.flags
    is_plain = flags.writeable and (flags.c_contiguous or all(each >= 0 for each in array.strides))
    return array if is_plain else array.copy()


def _array_of(tensor: Any, name: str) -> Any:
    """The memory of a tensor as an array; of a tensor without axes, a number."""
    try:
        array = tensor.detach().numpy()
    except (TypeError, RuntimeError):
        array = _resolved(tensor, name)
    if array.dtype == np.float16:
        _refuse(name, "of half precision", "compute in single or double precision: x.float(), x.double()")
    if array.ndim:
        return array if array.flags.c_contiguous else np.ascontiguousarray(array)
    return array.item() if array.dtype.char in "dD?lqihb" else array[()]


def _resolved(tensor: Any, name: str) -> Any:
    """The array of a tensor that NumPy does not take as it is. Raises BadType if there is none."""
    import torch

    if tensor.device.type != "cpu":
        _refuse(name, f"on the device {tensor.device}", "srcad computes on the CPU: give x.cpu()")
    if tensor.layout != torch.strided:
        _refuse(name, f"of the layout {tensor.layout}", "give a dense tensor: x.to_dense()")
    if tensor.is_quantized:
        _refuse(name, "quantised", "give x.dequantize()")
    if tensor.dtype == torch.bfloat16 or "float8" in str(tensor.dtype):
        _refuse(name, f"of the dtype {tensor.dtype}", "compute in single or double precision: x.float(), x.double()")
    try:
        return tensor.detach().resolve_conj().resolve_neg().numpy()
    except (TypeError, RuntimeError):
        hint = "use torch.autograd instead of torch.func, and call the function outside of torch.compile"
        _refuse(name, "without memory of its own", hint)


def _refuse(name: str, what: str, hint: str) -> NoReturn:
    raise BadType(f"a tensor given to `{name}` is {what}", hint=hint)
