"""`ForwardAccumulator`: forward mode on the tape, which computes directional derivatives along with the values.

with ForwardAccumulator(x, tangent) as accumulator:
y = f(x)
accumulator.jvp(y)          the change of y when x moves along the tangent
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.errors import BadArgument
from srcad.runtime.support.nested_structures import flatten, flatten_up_to, map_leaves
from srcad.runtime.tape.core.active_recordings import active
from srcad.runtime.tape.core.tensor import Tensor, tensor_of
from srcad.runtime.tape.recording.forward_recording import Accumulation
from srcad.runtime.tape.targets_and_sources import UnconnectedGradients, as_followed, is_zero


class ForwardAccumulator:
    """Computes Jacobian-vector products of the operations in its context.

    primals     a tensor or variable, or a nested structure of these
    tangents    the same structure: directions with the same shapes and dtypes

    Raises ValueError if a primal occurs twice or a tangent has another shape than its primal.

    >>> import srcad
    >>> x = srcad.constant([1.0, 2.0])
    >>> with srcad.ForwardAccumulator(x, srcad.constant([1.0, 10.0])) as accumulator:
    ...     y = x * x
    >>> accumulator.jvp(y).tolist()
    [2.0, 40.0]
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        followed = [as_followed(each, "primal") for each in flatten(primals)]
        given = flatten_up_to(primals, tangents)
        self._accumulation = Accumulation()
        self._is_recording = False
        for primal, tangent in zip(followed, given, strict=True):
            self._accumulation.watch(primal, tangent)

    def __enter__(self) -> ForwardAccumulator:
        if self._is_recording:
            raise BadArgument("Accumulator is already recording.", hint="make another one for the inner block")
        active.push(self._accumulation)
        active.accumulations += 1
        self._is_recording = True
        return self

    def __exit__(self, *exception: object) -> None:
        if self._is_recording:
            active.remove(self._accumulation)
            active.accumulations -= 1
            self._is_recording = False

    def jvp(self, primals: Any, unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE) -> Any:
        """The Jacobian-vector products of tensors, in the structure of `primals`.

        For a tensor that does not depend on the watched primals it is None, or zeros if `unconnected_gradients` is
        ZERO. Raises ValueError for an unknown `unconnected_gradients`, TypeError for a value that is not a tensor.
        """
        wants_zeros = is_zero(unconnected_gradients)

        def product(leaf: Any) -> Tensor | None:
            tensor = as_followed(leaf, "primal")
            found = self._accumulation.known.get(tensor._identity)
            return tensor_of(np.zeros_like(tensor._value)[()]) if found is None and wants_zeros else found

        return map_leaves(product, primals)
