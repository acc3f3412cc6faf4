"""Numbers with one value for each lane, in compiled code: vectors of LLVM, which processors compute with at once.

    t_dot = np.cos(x) * x_dot       one cosine, one product of vectors

A number of Python that is given where lanes are expected has the same value in each lane.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.extending import intrinsic, lower_builtin, models, register_model
from numba.core.imputils import lower_cast
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature

WIDTH = 8  # doubles: a register of AVX-512, two of AVX2, four of NEON


class Lanes(types.Type):  # type: ignore[misc]  # Numba carries no annotations
    """The type of a number with one value for each lane."""

    def __init__(self) -> None:
        super().__init__(f"lanes({WIDTH})")

    def can_convert_from(self, typingctx: Any, other: Any) -> Any:
        """Numbers are spread over the lanes."""
        return Conversion.safe if isinstance(other, (types.Float, types.Integer)) else None

    def unify(self, typingctx: Any, other: Any) -> Any:
        """A name that is now a number, now lanes, is lanes."""
        return self if isinstance(other, (types.Float, types.Integer)) else None


LANES = Lanes()
_VECTOR = ir.VectorType(ir.DoubleType(), WIDTH)
_PLACE = ir.IntType(32)


@register_model(Lanes)
class _Model(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


@lower_cast(types.Float, Lanes)
@lower_cast(types.Integer, Lanes)
def _spread(context: Any, builder: Any, kind: Any, _: Any, value: Any) -> Any:
    number = context.cast(builder, value, kind, types.float64)
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    first = builder.insert_element(undefined, number, ir.Constant(_PLACE, 0))
    zeros = ir.Constant(ir.VectorType(_PLACE, WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(first, undefined, zeros)


class _Arithmetic(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        """Lanes with lanes, or with a number."""
        numbers = (Lanes, types.Float, types.Integer)
        if any(isinstance(each, Lanes) for each in args) and all(isinstance(each, numbers) for each in args):
            return signature(LANES, *[LANES] * len(args))
        return None


def _teach(function: Any, instruction: str, count: int) -> None:
    """Let Numba compile an operator of lanes as one instruction of LLVM."""
    infer_global(function)(type("Arithmetic", (_Arithmetic,), {"key": function}))

    @lower_builtin(function, *[Lanes] * count)
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return getattr(builder, instruction)(*args)


for _operator, _in_place, _instruction in (
    (operator.add, operator.iadd, "fadd"),
    (operator.sub, operator.isub, "fsub"),
    (operator.mul, operator.imul, "fmul"),
    (operator.truediv, operator.itruediv, "fdiv"),
):
    _teach(_operator, _instruction, 2)
    _teach(_in_place, _instruction, 2)
_teach(operator.neg, "fneg", 1)


@intrinsic
def as_lanes(typingctx: Any, number: Any) -> Any:
    """Lanes that all have this value."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return context.cast(builder, args[0], sig.args[0], LANES)

    return LANES(number), generate


@intrinsic
def lane_of(typingctx: Any, lanes: Any, lane: Any) -> Any:
    """The value of one lane."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.extract_element(args[0], builder.trunc(args[1], _PLACE))

    return types.float64(LANES, types.int64), generate


@intrinsic
def with_value(typingctx: Any, lanes: Any, lane: Any, value: Any) -> Any:
    """The same lanes with another value in one of them."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.insert_element(args[0], args[2], builder.trunc(args[1], _PLACE))

    return LANES(LANES, types.int64, types.float64), generate


@intrinsic
def unless_zero(typingctx: Any, lanes: Any, found: Any) -> Any:
    """The second lanes, and zero where the first are zero."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        zero = ir.Constant(_VECTOR, [0.0] * WIDTH)
        is_zero = builder.fcmp_ordered("==", args[0], zero)
        return builder.select(is_zero, zero, args[1])

    return LANES(LANES, LANES), generate


@intrinsic
def is_any_nonzero(typingctx: Any, lanes: Any) -> Any:
    """Whether a lane is not zero, or no number."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        zero = ir.Constant(_VECTOR, [0.0] * WIDTH)
        bits = builder.bitcast(builder.fcmp_unordered("!=", args[0], zero), ir.IntType(WIDTH))
        return builder.icmp_unsigned("!=", bits, ir.Constant(ir.IntType(WIDTH), 0))

    return types.boolean(LANES), generate
