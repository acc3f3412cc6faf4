"""`srcad.map_gradient`: the gradient of a sum over batches that are taken one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from srcad.api.argument_binding import with_batch
from srcad.api.grad_vjp_jvp import value_and_grad
from srcad.api.pytree import flattened, take_apart
from srcad.errors import BadArgument, BadType
from srcad.frontend.load_source import name_of


class StreamedGradient:
    """What `srcad.map_gradient` returns: the gradient by parameters, over all batches."""

    def __init__(
        self, function: Callable[..., Any], batches: Any, wrt: int | str, reduce: str, value: bool, jit: bool
    ) -> None:
        self.function, self._batches, self._reduce, self._value = function, batches, reduce, value
        self._gradient = value_and_grad(function, wrt, jit=jit)
        self._is_spent = False

    def __repr__(self) -> str:
        return f"<srcad map_gradient of {name_of(self.function)}>"

    def __call__(self, *parameters: Any) -> Any:
        """The gradient, or with `value=True` the pair of value and gradient, for these first arguments."""
        total, count = _Total(), 0
        for batch in self._from_the_start():
            total.add(self._gradient(*with_batch(self.function, parameters, batch)))
            count += 1
        if not count:
            raise BadArgument("there are no batches", hint="pass at least one: the gradient of nothing has no shape")
        value, gradient = total.scaled(1.0 / count if self._reduce == "mean" else None)
        return (value, gradient) if self._value else gradient

    def _from_the_start(self) -> Iterator[Any]:
        is_made = not hasattr(type(self._batches), "__iter__")
        batches = self._batches() if is_made else self._batches
        if not is_made and iter(batches) is batches:
            if self._is_spent:
                raise BadArgument(
                    "the iterator of batches is used up",
                    hint="pass a list, an object that can be iterated over again, or a function that makes an iterator",
                )
            self._is_spent = True
        return iter(batches)


class _Total:
    """A running sum of structures of one form, in memory of its own."""

    def __init__(self) -> None:
        self._leaves: list[Any] | None = None
        self._spec: Any = None

    def add(self, data: Any) -> None:
        """Add a structure. The first one is copied."""
        if self._leaves is None:
            take_apart(data)
            self._leaves, self._spec = flattened(data)
            self._leaves = [each.copy() if isinstance(each, np.ndarray) else each for each in self._leaves]
            return
        for k, each in enumerate(flattened(data)[0]):
            held = self._leaves[k]
            if isinstance(held, np.ndarray):
                held += each
            elif held is not None:
                self._leaves[k] = held + each

    def scaled(self, factor: float | None) -> Any:
        """The sum, or its product with a factor."""
        assert self._leaves is not None
        leaves = self._leaves
        if factor is not None:
            leaves = [each if each is None else each * factor for each in leaves]
        return self._spec.unflatten(leaves)


def map_gradient(
    f: Callable[..., Any],
    batches: Iterable[Any] | Callable[[], Iterable[Any]],
    wrt: int | str = 0,
    reduce: str = "sum",
    value: bool = False,
    jit: bool = True,
) -> StreamedGradient:
    """The gradient of a sum over batches, which are taken one after the other: data need not fit into memory.

    f           a function of parameters and of a batch, with a real number as its result
    batches     any iterable, of which each element is the last argument of `f`, or a tuple of its last arguments; or a
                function that makes one. An iterator such as a generator serves for one call
    wrt         the parameter to differentiate by, as for `grad`
    reduce      "sum", or "mean": the sum divided by the number of batches
    value       True returns the pair of value and gradient

    Returns a function of the other arguments, which goes through all batches at each call. It keeps one batch and one
    gradient; sums are added in the order of the batches. Gradients have the structure and dtype of the parameter.
    Raises BadArgument if there are no batches, or if an iterator is used up.

    >>> import numpy as np
    >>> def loss(w, x, y):
    ...     return np.sum((x * w - y) ** 2)
    >>> batches = [(np.array([1.0, 2.0]), np.array([2.0, 3.0])), (np.array([3.0]), np.array([5.0]))]
    >>> map_gradient(loss, batches, value=True)(1.5)
    (0.5, -4.0)
    """
    if reduce not in ("sum", "mean"):
        raise BadArgument(f"reduce is {reduce!r}", hint="it is 'sum' or 'mean'")
    if not hasattr(type(batches), "__iter__") and not callable(batches):
        raise BadType(f"batches is a {type(batches).__name__}", hint="pass an iterable, or a function that makes one")
    return StreamedGradient(f, batches, wrt, reduce, value, jit)
