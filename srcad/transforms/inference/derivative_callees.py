"""Derivative calls: calls of derivatives of a function, in core form before types are known.

    slope = srcad.grad(u, 1)(p, x)          becomes          t = u_grad(p, x); slope = t[0]

`u_grad` is a `DerivativeCall`: the function in core form, and what is asked of it. Its results are always a tuple.
`srcad.transforms.normalise.derivative_versions` gives it a function for the types of the arguments.
"""

from __future__ import annotations

from functools import cached_property
from hashlib import sha256
from typing import Any

from numba import types as nb

from srcad.runtime.jit.call_stubs import Declared
from srcad.transforms.inference.subroutine_types import Kinds, Subroutine
from srcad.transforms.ir.name_types import differentiable
from srcad.transforms.ir.unit import Unit


class DerivativeCall(Subroutine):
    """A derivative of `of`: "grad" gives gradients by the parameters in `wrt`, "tangent" the results' derivatives.

    Directions, `order` times one for each of the parameters in `wrt`, come before the arguments: `grad` then gives the
    gradient of the directional derivative. `parts` are the positions in `wrt` that are parts of a structure: integers
    among them have no derivative, and get 0.
    """

    def __init__(
        self,
        name: str,
        of: Subroutine,
        transform: str,
        wrt: tuple[int, ...],
        order: int = 0,
        parts: frozenset[int] = frozenset(),
    ) -> None:
        self.of, self.transform, self.wrt, self.order, self.parts = of, transform, wrt, order, parts
        super().__init__(name, f"{of.wish}_{transform}")

    @property
    def unit(self) -> Unit:
        """The function that is differentiated."""
        return self.of.unit

    @unit.setter
    def unit(self, unit: Unit) -> None:
        """It is given to `of`, not to this."""

    @cached_property
    def ssa(self) -> Unit:
        """The function that is differentiated, in SSA form."""
        return self.of.ssa

    @property
    def outputs(self) -> tuple[str, ...]:
        """It writes into none of its arguments."""
        return ()

    @property
    def count(self) -> int:
        """The number of directions."""
        return self.order * len(self.wrt)

    def __call__(self, *args: Any) -> Any:
        """It has no value before it has types."""
        raise TypeError(f"{self.name} is known to the compiler only")

    def __repr__(self) -> str:
        text = f"{self.transform} {self.wrt} {self.order} {sorted(self.parts)} {self.of!r}"
        return f"<derivative {self.name}, {sha256(text.encode()).hexdigest()}>"

    @cached_property
    def dispatcher(self) -> _DerivativeCall:
        """Its dispatcher for Numba's inference."""
        return _DerivativeCall(self)

    def result_type(self, kinds: Kinds) -> nb.Type:
        """The type of the results for arguments of these types, directions included."""
        own = kinds[self.count :]
        if self.transform == "grad":
            return nb.Tuple(tuple(derivative_kind(own[place]) for place in self.wrt))
        return nb.Tuple(tuple(map(derivative_kind, results_in(self.value_type(own)))))

    def value_type(self, kinds: Kinds) -> nb.Type:
        """The type of the function's own result."""
        inferring = self.of.dispatcher
        if kinds not in inferring.inferred:
            inferring.compile(kinds)
        return inferring.inferred[kinds].result


class _DerivativeCall(Declared):
    def __init__(self, call: DerivativeCall) -> None:
        parameters = [f"x{k}" for k in range(call.count + len(call.unit.parameters))]
        namespace: dict[str, object] = {}
        exec(f"def called({', '.join(parameters)}): pass", namespace)
        super().__init__(namespace["called"], nb.none)  # type: ignore[arg-type]
        self.call = call

    def result_type(self, arguments: Kinds) -> nb.Type:
        """The type of the results."""
        return self.call.result_type(arguments)


def results_in(kind: nb.Type) -> Kinds:
    """The types of the results of a function, which may be a tuple."""
    return tuple(kind) if isinstance(kind, nb.BaseTuple) else (kind,)


def derivative_kind(kind: nb.Type) -> nb.Type:
    """The type of a gradient or a tangent of something of this type; that of 0.0 if there is none.

    >>> derivative_kind(nb.Array(nb.float32, 1, "A")), derivative_kind(nb.int64)
    (Array(float32, 1, 'C', False, aligned=True), float64)
    """
    if not differentiable(kind):
        return nb.float64
    return nb.Array(kind.dtype, kind.ndim, "C") if isinstance(kind, nb.Array) else kind
