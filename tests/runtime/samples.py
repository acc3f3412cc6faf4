"""Sample points for every entry of the rule tables: what to call a primitive with, away from kinks and poles.

A new line in a rule table needs a line here; a test fails while it has none. Floating-point arguments (arrays and
numbers) are differentiated, and all others are kept.
"""

from __future__ import annotations

import builtins
import math
import operator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import srcad.runtime.checkpointed  # noqa: F401 - files rules when it is imported
from srcad.runtime import kernels
from srcad.runtime.kernels.arrays import rearrangements
from srcad.runtime.kernels.tape_rules import composed_functions
from srcad.runtime.stop_gradient import stop_gradient


@dataclass(frozen=True)
class Sample:
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    fixed: tuple[int, ...] = ()  # positions of arguments that are floats but have no derivative


def s(*args: Any, fixed: tuple[int, ...] = (), **kwargs: Any) -> Sample:
    return Sample(args, kwargs, fixed)


_random = np.random.default_rng(12345)


def normal(*shape: int) -> np.ndarray:
    return _random.normal(size=shape)


def between(low: float, high: float, *shape: int) -> np.ndarray:
    return _random.uniform(low, high, size=shape)


ANY, POSITIVE, UNIT, ABOVE = normal(4), between(0.3, 2.0, 4), between(-0.8, 0.8, 4), between(1.2, 3.0, 4)
MATRIX, CUBE = normal(3, 4), normal(2, 3, 4)
SQUARE = normal(3, 3) + 3.0 * np.eye(3)
SYMMETRIC = SQUARE @ SQUARE.T
TALL, ROW = normal(3, 1), normal(4)
SIGNED = np.array([-1.7, -0.4, 0.6, 2.3])
INTEGERS = np.array([1, 2, 0, 3])

# Elementwise functions: one argument, and where it may lie.
UNARY = {
    np.exp: ANY, np.exp2: ANY, np.expm1: ANY, np.log: POSITIVE, np.log2: POSITIVE, np.log10: POSITIVE,
    np.log1p: POSITIVE, np.sqrt: POSITIVE, np.cbrt: SIGNED,
    np.square: ANY, np.reciprocal: SIGNED, np.sin: ANY, np.cos: ANY, np.tan: UNIT,
    np.arcsin: UNIT, np.arccos: UNIT, np.arctan: ANY, np.sinh: ANY, np.cosh: ANY, np.tanh: ANY, np.arcsinh: ANY,
    np.arccosh: ABOVE, np.arctanh: UNIT, np.sinc: np.array([-1.3, 0.4, 0.003, 2.2]), np.degrees: ANY, np.rad2deg: ANY,
    np.radians: ANY, np.deg2rad: ANY, np.nan_to_num: ANY, np.real: ANY, np.conjugate: ANY, np.negative: ANY,
    np.positive: ANY, np.absolute: SIGNED, np.fabs: SIGNED, np.float64: ANY, operator.neg: ANY, operator.pos: ANY,
    operator.abs: SIGNED, builtins.abs: SIGNED, kernels.sinc_slope: np.array([-1.3, 0.4, 0.7, 2.2]),
    np.sign: SIGNED, np.floor: SIGNED, np.ceil: SIGNED, np.trunc: SIGNED, np.rint: SIGNED, np.fix: SIGNED,
    np.round: SIGNED, np.around: SIGNED,
}  # fmt: skip
BINARY = {
    operator.add: (ANY, ROW), operator.sub: (ANY, ROW), operator.mul: (ANY, ROW), operator.truediv: (ANY, SIGNED),
    np.add: (ANY, ROW), np.subtract: (ANY, ROW), np.multiply: (ANY, ROW), np.divide: (ANY, SIGNED),
    operator.pow: (POSITIVE, ROW), np.power: (POSITIVE, ROW), np.float_power: (POSITIVE, ROW),
    builtins.pow: (POSITIVE, ROW), operator.mod: (SIGNED, ABOVE), np.remainder: (SIGNED, ABOVE),
    np.fmod: (SIGNED, ABOVE), np.maximum: (ANY, ROW), np.fmax: (ANY, ROW), np.minimum: (ANY, ROW),
    np.fmin: (ANY, ROW), np.logaddexp: (ANY, ROW), np.logaddexp2: (ANY, ROW), np.arctan2: (SIGNED, POSITIVE),
    np.hypot: (SIGNED, POSITIVE), kernels.ratio: (ANY, SIGNED), kernels.power_slope: (POSITIVE, ABOVE),
    kernels.strong_product: (SIGNED, ROW), kernels.strong_quotient: (SIGNED, POSITIVE),
    kernels.power_log: (ANY, POSITIVE), kernels.power_log_slope: (ANY, POSITIVE),
    operator.floordiv: (SIGNED, ABOVE), np.floor_divide: (SIGNED, ABOVE),
}  # fmt: skip
# Functions of numbers.
SCALAR = {
    math.exp: (0.3,), math.expm1: (0.3,), math.log1p: (0.3,), math.log2: (0.3,), math.log10: (0.3,), math.sqrt: (0.3,),
    math.sin: (0.3,), math.cos: (0.3,), math.tan: (0.3,), math.asin: (0.3,), math.acos: (0.3,), math.atan: (0.3,),
    math.sinh: (0.3,), math.cosh: (0.3,), math.tanh: (0.3,), math.asinh: (0.3,), math.acosh: (1.3,), math.atanh: (0.3,),
    math.degrees: (0.3,), math.radians: (0.3,), math.erf: (0.3,), math.erfc: (0.3,), math.gamma: (1.7,),
    math.lgamma: (2.7,), math.fabs: (-0.3,), math.atan2: (0.3, -0.7), math.hypot: (0.3, -0.7), math.pow: (0.3, 1.7),
    math.fmod: (-5.3, 1.7), math.remainder: (5.3, 1.7), builtins.float: (0.3,), builtins.max: (0.3, 0.7),
    builtins.min: (0.3, 0.7), np.float32: (0.3,),
    math.floor: (0.3,), math.ceil: (0.3,), math.trunc: (0.3,), builtins.int: (0.3,), builtins.round: (0.3,),
}  # fmt: skip

SAMPLES: dict[Any, list[Sample]] = {
    **{function: [s(x)] for function, x in UNARY.items()},
    **{function: [s(*xs)] for function, xs in BINARY.items()},
    **{function: [s(*xs)] for function, xs in SCALAR.items()},
    math.log: [s(0.3), s(0.3, 1.7)],
    np.copysign: [s(SIGNED, -2.0, fixed=(1,))],
    math.copysign: [s(0.3, -2.0, fixed=(1,))],
    np.heaviside: [s(np.array([0.0, 1.0, -1.0]), 0.5, fixed=(0,))],
    np.ldexp: [s(ANY, 3)],
    math.ldexp: [s(0.3, 3)],
    kernels.power_bend: [s(ANY, POSITIVE, ABOVE), s(2.0, 0.7, -1.3), s(0.0, POSITIVE, -1.0)],
    kernels.fitted: [s(MATRIX, 1.0 + MATRIX, "a rule", fixed=(1,)), s(0.3, 0.7, "a rule", fixed=(1,))],
    kernels.inner: [s(ANY, ROW), s(MATRIX, 1.0 + MATRIX), s(0.3, 0.7)],
    kernels.shaped_like: [s(np.ravel(MATRIX), MATRIX, fixed=(1,)), s(ANY[:1], 0.7, fixed=(1,))],
    kernels.unshaped: [s(MATRIX), s(0.3)],
    kernels.polygamma: [s(0, 0.7), s(1, 2.3), s(2, -0.6)],
    kernels.select: [s(ANY > 0, ROW, POSITIVE), s(True, 0.3, 0.7)],
    np.where: [s(ANY > 0, ROW, POSITIVE), s(MATRIX > 0, TALL, 2.5)],
    np.clip: [s(SIGNED, -0.5, 0.7), s(SIGNED, None, 0.7), s(SIGNED, -0.5, None), s(MATRIX, TALL - 1.0, ROW + 5.0)],
    np.sum: [s(MATRIX), s(MATRIX, 0), s(CUBE, axis=(0, -1)), s(CUBE, axis=1, keepdims=True)],
    np.mean: [s(1.5), s(MATRIX), s(MATRIX, 0), s(CUBE, axis=(0, -1)), s(CUBE, axis=1, keepdims=True)],
    np.prod: [s(MATRIX), s(MATRIX, 0), s(CUBE, axis=(0, -1)), s(CUBE, axis=1, keepdims=True),
              s(np.array([0.0, 2.0, 3.0])), s(np.array([0.0, 2.0, 0.0]))],
    np.max: [s(MATRIX), s(MATRIX, 0), s(CUBE, axis=(0, -1)), s(CUBE, axis=1, keepdims=True)],
    np.min: [s(MATRIX), s(MATRIX, 0), s(CUBE, axis=(0, -1)), s(CUBE, axis=1, keepdims=True)],
    np.cumsum: [s(ANY), s(MATRIX), s(CUBE, axis=1)],
    np.cumprod: [s(ANY), s(MATRIX), s(CUBE, axis=1), s(np.array([2.0, 0.0, 3.0, 0.0]))],
    kernels.cumprod_tangent: [s(ANY, ROW), s(CUBE, CUBE + 1.0, 1)],
    kernels.spread: [s(1.5, (2, 3)), s(ROW, (3, 4), 0), s(TALL, (3, 4), 1, True)],
    kernels.restore: [s(1.5, (2, 3)), s(ROW, (3, 4), 0)],
    kernels.unbroadcast: [s(MATRIX, ROW, fixed=(1,)), s(MATRIX, TALL, fixed=(1,)), s(MATRIX, 1.0, fixed=(1,))],
    kernels.others: [s(ANY), s(MATRIX, 1), s(CUBE, (0, 2))],
    kernels.cumsum_adjoint: [s(ANY, (4,)), s(MATRIX, (3, 4), 0)],
    rearrangements.take_along_adjoint: [
        s(MATRIX, (3, 4), np.array([[0, 0, 2, 2]] * 3), 1),
        s(ANY, (3,), INTEGERS % 3, None),
    ],
    rearrangements.step: [s(SIGNED)],
    composed_functions.norm_of_vectors: [s(SIGNED, 1), s(SIGNED, np.inf), s(MATRIX, -np.inf, 1), s(CUBE, 1, 0, True)],
    kernels.at_leaders: [s(MATRIX, np.array([[0, 0, 2, 2]] * 3), 1)],
    kernels.into_leaders: [s(MATRIX, np.array([[0, 0, 2, 2]] * 3), 1)],
    np.transpose: [s(MATRIX), s(CUBE, (1, 2, 0))],
    np.swapaxes: [s(CUBE, 0, 2)],
    np.moveaxis: [s(CUBE, 0, -1)],
    np.expand_dims: [s(MATRIX, 1)],
    np.squeeze: [s(TALL), s(TALL, 1)],
    np.flip: [s(ANY), s(MATRIX, 1), s(CUBE, (0, 1))],
    np.reshape: [s(MATRIX, (2, 6)), s(MATRIX, -1)],
    np.ravel: [s(MATRIX)],
    np.asarray: [s(MATRIX)],
    np.ascontiguousarray: [s(MATRIX.T)],
    np.asfortranarray: [s(MATRIX)],
    np.copy: [s(MATRIX)],
    np.array: [s(MATRIX), s((0.3, 1.7)), s(((0.3, 1.7), (0.2, 0.1)))],
    np.astype: [s(MATRIX, np.float64)],
    np.atleast_1d: [s(1.5), s(ANY)],
    np.atleast_2d: [s(ANY), s(MATRIX)],
    np.atleast_3d: [s(MATRIX)],
    np.broadcast_to: [s(ROW, (3, 4)), s(TALL, (2, 3, 4)), s(1.5, (2,))],
    np.concatenate: [s((ANY, ROW)), s((MATRIX, normal(3, 2)), 1), s((MATRIX, normal(2, 2)), axis=None)],
    np.stack: [s((ANY, ROW)), s((MATRIX, MATRIX * 2), axis=1), s((MATRIX, MATRIX), -1)],
    np.vstack: [s((ANY, MATRIX)), s((ANY, ROW))],
    np.hstack: [s((ANY, ROW)), s((MATRIX, TALL))],
    np.column_stack: [s((normal(3), MATRIX))],
    np.roll: [s(ANY, 1), s(MATRIX, -2, 1), s(MATRIX, (1, 2), (0, 1))],
    np.repeat: [s(ANY, 3), s(MATRIX, 2, 1), s(MATRIX, 2), s(ANY, INTEGERS), s(MATRIX, INTEGERS, 1),
                s(MATRIX, 0), s(MATRIX, 0, 1), s(ANY, INTEGERS * 0)],
    np.tile: [s(ANY, 3), s(MATRIX, (2, 1, 2)), s(CUBE, 2)],
    np.diag: [s(ANY), s(ANY, 1), s(SQUARE), s(MATRIX, -1)],
    np.diagonal: [s(MATRIX), s(MATRIX, 1)],
    np.trace: [s(SQUARE), s(MATRIX, 1)], np.arange: [s(2.5), s(0.3, 2.1), s(0.3, 2.1, 0.5)],
    np.tril: [s(MATRIX), s(MATRIX, 1), s(ANY), s(ANY, 1)],
    np.triu: [s(MATRIX), s(CUBE, -1)],
    np.sort: [s(ANY), s(MATRIX), s(MATRIX, 0), s(MATRIX, None)],
    np.take: [s(ANY, 2), s(MATRIX, np.array([0, 0, 5])), s(MATRIX, np.array([[1, 1], [0, 2]]), 1)],
    operator.getitem: [s(ANY, 2), s(MATRIX, (slice(None), np.array([0, 0, 2]))), s(MATRIX, MATRIX > 0),
                       s(MATRIX, (slice(None, None, 2), None, ..., 1)),
                       s(MATRIX, (np.array([0, 0]), np.array([1, 1])))],
    kernels.cumprod_adjoint: [s(ANY, ROW), s(normal(3, 4), MATRIX, 1), s(normal(12), MATRIX)],
    kernels.cofactors: [s(SQUARE, np.linalg.det(SQUARE))],
    kernels.with_item: [s(ANY, 1, 2.5), s(MATRIX, (slice(None), 0), ROW[:3]), s(ANY, np.array([0, 2, 2]), ROW[:3])],
    kernels.item_bar: [s(ANY, 1), s(MATRIX, (slice(None), 0)), s(ANY, np.array([0, 2, 2]))],
    kernels.scatter: [s(1.5, (3,), 1), s(normal(3), (4,), np.array([0, 0, 2]))],
    np.diff: [s(ANY), s(MATRIX, 2, 1), s(MATRIX, axis=0), s(ANY, 9)],
    np.pad: [
        s(ANY, 2, constant_values=0.7),
        s(MATRIX, ((1, 2), (0, 1)), constant_values=(1.0, 2.0)),
        s(ANY, 2), s(MATRIX, ((1, 0), (2, 3))), s(ANY, (2, 1), "edge"), s(MATRIX, ((1, 0), (2, 3)), mode="wrap"),
             s(ANY, 2, "reflect"), s(MATRIX, 2, mode="symmetric"), s(ANY, (2, 1), "mean"), s(MATRIX, 2, "linear_ramp"),
             s(MATRIX, ((1, 0), (2, 3)), mode="mean")],
    kernels.padded: [s(ANY, 2), s(ANY, 2, "edge")],
    kernels.longer: [s(ANY), s(ANY[:0])],
    kernels.longer_rows: [s(MATRIX, MATRIX[0], fixed=(1,))],
    kernels.axes_moved: [s(CUBE, 3, 0), s(CUBE, 2, 0), s(CUBE, 1, 0)],
    kernels.unpad: [s(normal(7), (4,), (1, 2)), s(normal(7), (4,), (2, 1), "edge")],
    np.full: [s((2, 3), 1.5), s((3,), ROW[:3])],
    np.full_like: [s(MATRIX, 1.5, fixed=(0,))],
    np.linspace: [s(0.3, 1.7, 5), s(0.3, 1.7, num=4, endpoint=False), s(ANY, POSITIVE, 3), s(0.3, MATRIX, 3, False)],
    np.fft.fftshift: [s(normal(5)), s(MATRIX, 1)],
    np.fft.ifftshift: [s(normal(5)), s(MATRIX, 1)],
    kernels.resized: [s(ANY, 6, 0), s(MATRIX, 2, -1)],
    np.convolve: [
        s(ANY, POSITIVE[:2]), s(ANY[:2], POSITIVE, "full"), s(ANY, POSITIVE[:3], "same"), s(ANY, POSITIVE[:2], "valid"),
        s(ANY, POSITIVE, "same"), s(ANY[:3], POSITIVE, "valid"),
    ],
    kernels.convolve_adjoint: [s(normal(5), POSITIVE[:2], ANY, "full"), s(ANY, POSITIVE[:3], ANY, "same")],
    kernels.eigenvectors: [s(SYMMETRIC)],
    kernels.orthogonal_factor: [s(MATRIX.T), s(SQUARE)],
    kernels.right_vectors: [s(MATRIX), s(MATRIX.T), s(SQUARE)],
    np.bincount: [s(INTEGERS, ANY), s(INTEGERS, ANY, 6)],
    kernels.singular_values: [s(MATRIX), s(MATRIX.T)],
    kernels.inverse_gaps: [s(np.array([0.3, 1.0, 2.5]))],
    kernels.modulus: [s(SIGNED)],
    kernels.squared_modulus: [s(SIGNED)],
    np.imag: [s(ANY)],
    np.angle: [s(POSITIVE)],
    kernels.added_at: [
        s(ANY, np.array([0, 2, 2]), ANY[:3]), s(MATRIX, np.array([2, 2]), 0.5), s(MATRIX, (INTEGERS[:2], 1), ANY[:2]),
    ],
    kernels.sort_adjoint: [s(ANY, ROW, fixed=(1,))],
    kernels.sort_tangent: [s(ANY, ROW, fixed=(1,))],
    kernels.diag_adjoint: [s(ANY, (4, 4)), s(ANY, (5, 5), 1), s(SQUARE, (3,))],
    kernels.diff_adjoint: [s(ANY)],
    kernels.widths: [s(ANY, np.ones(3), fixed=(1,)), s(0.4, np.ones(3), fixed=(1,))],
    kernels.take_adjoint: [s(normal(3), (4,), np.array([0, 0, 2]))],
    kernels.repeat_adjoint: [s(normal(6), (3,), 2)],
    kernels.expand: [s(ROW, (3, 4))],
    operator.matmul: [s(SQUARE, MATRIX), s(MATRIX, ROW), s(normal(3), MATRIX), s(ANY, ROW), s(CUBE, normal(4, 2)),
                      s(CUBE, ROW), s(normal(3), CUBE), s(normal(5, 1, 3, 4), normal(2, 4, 2))],
    np.matmul: [s(SQUARE, MATRIX), s(MATRIX, ROW), s(normal(3), MATRIX), s(ANY, ROW)],
    np.dot: [s(SQUARE, MATRIX), s(MATRIX, ROW), s(normal(3), MATRIX), s(ANY, ROW), s(CUBE, normal(4, 2)), s(CUBE, ROW),
             s(MATRIX, 1.5), s(normal(5, 4), normal(2, 4, 3))],
    kernels.times: [s(SQUARE, MATRIX)],
    kernels.transpose_times: [s(MATRIX, SQUARE)],
    kernels.times_transpose: [s(MATRIX, normal(2, 4))],
    np.vdot: [s(ANY, ROW), s(MATRIX, MATRIX * MATRIX)],
    np.cross: [s(ANY[:3], POSITIVE[:3]), s(CUBE[:, :, :3], ANY[:3]), s(ANY[:3], CUBE[:, :, :3])],
    np.inner: [s(ANY, ROW), s(MATRIX, normal(2, 4)), s(MATRIX, ROW), s(ROW, MATRIX), s(CUBE, MATRIX)],
    np.outer: [s(ANY, normal(3))],
    np.tensordot: [s(MATRIX, normal(3, 4)), s(CUBE, MATRIX, 2), s(CUBE, normal(4, 2, 5), ((0, 2), (1, 0))),
                   s(CUBE, MATRIX, ((1,), (0,))), s(MATRIX, 1.3, 0), s(1.3, MATRIX, 0), s(1.3, -0.7, 0)],
    np.einsum: [s("ij,j->i", MATRIX, ROW), s("ij->j", MATRIX), s("ij,jk", SQUARE, MATRIX),
                s("i,ij,j->", normal(3), MATRIX, ROW), s("ij,k->k", MATRIX, ROW),
                s("ii", SQUARE), s("iij->j", normal(2, 2, 3)), s("...j,...j", MATRIX, MATRIX * 2.0),
                s("ij,j->i", MATRIX, ROW[:1]), s("ij,jk->ik", TALL, normal(4, 2)), s("ij,ij->i", MATRIX, TALL)],
    np.linalg.norm: [s(ANY), s(MATRIX), s(MATRIX, axis=1), s(MATRIX, axis=0, keepdims=True)],
    np.linalg.inv: [s(SQUARE), s(np.stack((SQUARE, SQUARE.T)))],
    np.linalg.det: [s(SQUARE)],
    np.linalg.slogdet: [s(SQUARE)],
    kernels.log_determinant: [s(SQUARE)],
    np.linalg.solve: [s(SQUARE, normal(3)), s(SQUARE, MATRIX)],
    np.linalg.cholesky: [s(SYMMETRIC)],
}  # fmt: skip

# Reverse only: themselves tangents, whose own tangents would be second derivatives in forward mode.
REVERSE_ONLY = {kernels.cumprod_tangent}

# Defined by other primitives: only their value is compared.
DEFINED: dict[Any, list[Sample]] = {
    np.divmod: [s(SIGNED, 0.7)],
    kernels.with_first: [s(ANY, 1.0), s(MATRIX, 0.0, 1)],
    kernels.mapped_over: [s(math.sin, MATRIX), s(math.hypot, MATRIX, MATRIX[0]), s(math.exp, 0.3)],
    np.apply_along_axis: [s(np.sum, 0, MATRIX), s(np.cumsum, -1, MATRIX), s(np.diag, 0, CUBE), s(np.max, 1, CUBE)],
    builtins.divmod: [s(2.3, 0.7)],
    np.modf: [s(SIGNED)],
    math.modf: [s(2.3)],
    builtins.sum: [s(ANY), s(MATRIX, 1.0)],
    np.var: [s(MATRIX), s(CUBE, axis=(0, 2), ddof=1), s(MATRIX, axis=1, keepdims=True)],
    np.std: [s(MATRIX), s(CUBE, axis=(0, 2), ddof=1), s(MATRIX, axis=1, keepdims=True)],
    np.ptp: [s(MATRIX), s(MATRIX, axis=0)],
    np.vecdot: [s(ANY, ROW), s(MATRIX, MATRIX + 1.0, axis=0), s(MATRIX, ANY[:3], axis=0)],
    np.linalg.vecdot: [s(ANY, ROW)],
    np.matvec: [s(MATRIX, ANY), s(CUBE, MATRIX[:2])],
    np.vecmat: [s(ANY[:3], MATRIX), s(CUBE[:, :, 0], CUBE)],
    np.linalg.matmul: [s(SQUARE, MATRIX)],
    np.linalg.outer: [s(ANY, ROW)],
    np.linalg.tensordot: [s(MATRIX, MATRIX), s(SQUARE, MATRIX, axes=1)],
    np.linalg.cross: [s(ANY[:3], ROW[:3]), s(SQUARE, SQUARE * 2.0 - 1.0, axis=0)],
    np.matrix_transpose: [s(MATRIX), s(CUBE)],
    np.linalg.matrix_transpose: [s(CUBE)],
    np.linalg.diagonal: [s(MATRIX, offset=1), s(CUBE), s(CUBE, offset=-1), s(CUBE, offset=2)],
    np.linalg.trace: [s(MATRIX), s(CUBE, offset=1)],
    np.linalg.svdvals: [s(MATRIX)],
    np.linalg.vector_norm: [
        s(ANY),
        s(MATRIX, keepdims=True),
        s(MATRIX, axis=1, ord=3),
        s(MATRIX, axis=0, keepdims=True),
    ],
    np.linalg.matrix_norm: [s(MATRIX), s(SQUARE, ord="nuc"), s(CUBE, ord=1), s(MATRIX, keepdims=True)],
    np.cumulative_sum: [s(ANY), s(MATRIX, axis=1, include_initial=True)],
    np.cumulative_prod: [s(ANY, include_initial=True), s(MATRIX, axis=0)],
    np.nanprod: [s(np.array([1.5, np.nan, 2.0])), s(MATRIX, axis=0, keepdims=True)],
    np.nancumsum: [s(np.array([1.5, np.nan, 2.0])), s(MATRIX, axis=1)],
    np.nancumprod: [s(np.array([1.5, np.nan, 2.0])), s(MATRIX)],
    np.diagflat: [s(ANY), s(MATRIX[:2, :2], 1)],
    np.compress: [s([True, False, True], MATRIX, axis=0), s([True, False, True], ANY)],
    np.average: [s(MATRIX), s(MATRIX, axis=1), s(ANY, weights=POSITIVE), s(SQUARE, 1, POSITIVE[:3])],
    np.trapezoid: [s(ANY), s(ANY, POSITIVE), s(ANY, dx=0.1), s(MATRIX), s(MATRIX, ANY), s(ANY, CUBE)],
    np.fliplr: [s(MATRIX)],
    np.flipud: [s(MATRIX)],
    np.append: [s(ANY, 2.0), s(MATRIX, MATRIX, axis=1)],
    np.median: [s(ANY), s(normal(5))],
    np.interp: [
        s(between(-0.5, 3.5, 5), np.array([0.0, 1.0, 2.5, 3.0]), ANY),
        s(0.4, np.array([0.0, 1.0]), ANY[:2]),
        s(between(-0.5, 1.5, 5), np.array([0.0, 1.0]), ANY[:2], left=5.0, right=-5.0),
        s(np.array([-0.5, 0.3, 1.6]), np.array([0.0, 0.0, 1.0, 1.0]), ANY, fixed=(1,)),
    ],
    np.polyval: [s(ANY, 0.3), s(ANY, MATRIX), s(ANY[:1], ANY)],
    np.meshgrid: [
        *(s(ANY, POSITIVE[:3]), s(ANY, POSITIVE[:3], indexing="ij")),
        *(s(ANY, POSITIVE[:3], ANY[:2]), s(ANY[:2], POSITIVE[:3], ANY, indexing="ij")),
    ],
    np.quantile: [s(ANY, 0.3), s(MATRIX, 1.0), s(ANY, 0.0), s(ANY, np.array([0.2, 0.9]), fixed=(1,))],
    np.percentile: [s(ANY, 62.5)],
    np.nansum: [s(np.array([1.0, np.nan, 2.0])), s(MATRIX, axis=0)],
    np.nanmean: [s(np.array([1.0, np.nan, 2.0])), s(MATRIX, axis=1)],
    np.nanmax: [s(np.array([1.0, np.nan, 2.0])), s(MATRIX, axis=1)],
    np.nanmin: [s(np.array([1.0, np.nan, 2.0])), s(MATRIX, axis=0)],
    np.extract: [s(MATRIX > 0.0, MATRIX), s(ANY > 0.0, ANY)],
    np.rot90: [s(MATRIX, k) for k in range(-1, 4)],
    math.fsum: [s(ANY), s([0.5, 2.0])],
    math.prod: [s(ANY), s([0.5, 2.0])],
    math.dist: [s(ANY, POSITIVE), s((0.5, 2.0), (1.0, 1.0))],
    np.linalg.multi_dot: [s([MATRIX, MATRIX.T]), s([SQUARE, SQUARE, SQUARE])],
    kernels.only_element: [s(ANY[:1]), s(MATRIX[:1, 1:2]), s(0.5)],
    kernels.norm_of_order: [
        *(s(ANY, order) for order in (0, 1, 2, 3, np.inf, -np.inf)),
        *(s(MATRIX, order) for order in (1, -1, 2, -2, np.inf, -np.inf, "fro", "nuc")),
        *(s(MATRIX, order, axis=0) for order in (0, 1, 2, 3)),
        *(s(MATRIX, order, axis=1, keepdims=True) for order in (np.inf, -np.inf)),
    ],
    kernels.norm_of_matrices: [
        *(s(CUBE, order, (0, 2)) for order in (1, -1, "fro")),
        *(s(CUBE, order, (2, 1), True) for order in (np.inf, -np.inf)),
    ],
    kernels.norm_of_all: [s(ANY, 1), s(MATRIX, "fro")],
    np.add.reduce: [s(ANY), s(MATRIX), s(MATRIX, axis=1)],
    np.multiply.reduce: [s(ANY), s(MATRIX)],
    np.maximum.reduce: [s(ANY), s(MATRIX)],
    np.minimum.reduce: [s(ANY), s(MATRIX, axis=1)],
    np.add.accumulate: [s(ANY), s(MATRIX)],
    np.multiply.accumulate: [s(ANY), s(MATRIX, axis=1)],
    np.subtract.outer: [s(ANY, POSITIVE[:3]), s(MATRIX, ANY)],
    np.add.outer: [s(ANY, POSITIVE[:3])],
    np.multiply.outer: [s(ANY, POSITIVE[:3])],
    np.kron: [s(MATRIX, SQUARE)],
    np.gradient: [
        *(s(ANY), s(ANY, 0.1), s(MATRIX, axis=1), s(MATRIX, 0.5, axis=0), s(ANY, np.cumsum(POSITIVE))),
        *(s(MATRIX, 0.5, axis=1, edge_order=2), s(MATRIX, np.cumsum(POSITIVE), axis=1, edge_order=2)),
    ],
    np.maximum.accumulate: [s(ANY), s(MATRIX, axis=1)],
    np.minimum.accumulate: [s(ANY)],
    kernels.central_differences: [s(MATRIX, 0.5, fixed=(1,))],
    np.linalg.qr: [s(MATRIX.T), s(SQUARE), s(MATRIX.T, mode="r")],
    np.linalg.svd: [s(MATRIX, full_matrices=False), s(MATRIX.T, compute_uv=False)],
    np.linalg.pinv: [s(MATRIX), s(MATRIX.T)],
    np.linalg.lstsq: [s(MATRIX.T, ANY), s(MATRIX, MATRIX[:, :2]), s(SQUARE, ANY[:3])],
    np.linalg.cond: [s(SQUARE), s(SQUARE, 1)],
    np.linalg.matrix_power: [s(SQUARE, 3), s(SQUARE, -2), s(SQUARE, 0)],
    np.polyfit: [s(np.arange(4.0), ANY, 2)],
    np.vander: [s(ANY), s(ANY, 3), s(ANY, 2, increasing=True)],
    np.cov: [
        s(normal(4, 3), normal(4, 2), rowvar=False),
        s(MATRIX),
        s(ANY),
        s(ANY, POSITIVE),
        s(MATRIX, rowvar=False, ddof=0),
        s(MATRIX, bias=True),
    ],
    np.corrcoef: [s(MATRIX), s(ANY, POSITIVE), s(MATRIX, rowvar=False)],
    np.histogram: [
        s(np.array([0.1, 0.9, 0.35, 1.0]), 3, None, None, ANY, fixed=(0,)),
        s(ANY, 3),
        s(np.array([0.1, 0.9, 0.35, 1.7]), 4, (0.0, 1.0), None, ANY, fixed=(0, 2)),
        s(np.array([0.1, 0.9, 0.35, 1.0]), np.array([0.0, 0.35, 1.0]), None, None, ANY, fixed=(0, 1)),
    ],
    np.choose: [s(np.array([0, 1, 1, 0]), [ANY, POSITIVE])],
    np.dstack: [s((MATRIX, MATRIX)), s([ANY, POSITIVE]), s([CUBE, CUBE])],
    np.block: [s([ANY, POSITIVE]), s([[SQUARE, SQUARE], [MATRIX[:, :3], SQUARE]]), s([[ANY], [MATRIX]])],
    np.insert: [s(ANY, 1, 0.5), s(ANY, -1, POSITIVE)],
    np.delete: [s(ANY, 1), s(ANY, -1)],
    np.take_along_axis: [
        s(MATRIX, np.array([[0, -1], [3, 2], [1, 1]]), 1),
        s(MATRIX, np.array([[0, 1, 2, -1], [2, 2, 0, 1]]), 0),
        s(ANY, np.array([2, 2, 0]), 0),
    ],
    np.logspace: [s(0.3, 1.1, 4), s(0.3, 1.1, 3, endpoint=False, base=2.0)],
    np.geomspace: [s(0.3, 2.1, 4)],
    np.logaddexp.reduce: [s(ANY), s(MATRIX), s(MATRIX, axis=1)],
    np.nanvar: [s(np.array([1.0, np.nan, 2.0])), s(MATRIX, axis=1, ddof=1)],
    np.nanstd: [s(np.array([1.0, np.nan, 2.0])), s(MATRIX, axis=0)],
    np.unwrap: [s(np.array([0.1, 3.0, -3.0, 2.9, -9.0]))],
    np.ediff1d: [s(ANY), s(MATRIX)],
    np.select: [s([ANY > 0.5, ANY > 0.0], [ANY, POSITIVE]), s([ANY > 0.0], [POSITIVE], default=2.0)],
    np.linalg.eigvalsh: [s(SYMMETRIC), s(SQUARE)],
    np.linalg.eigh: [s(SYMMETRIC), s(SQUARE)],
    np.correlate: [s(ANY, POSITIVE[:2]), s(ANY, POSITIVE[:3], "full"), s(ANY, POSITIVE, "same")],
}

# Only of complex numbers, or with complex results: `test_rules` has tests of their own for these.
COMPLEX = {
    *(kernels.imaginary, kernels.argument, kernels.modulus, kernels.direction, builtins.complex),
    *(np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft, np.fft.fft2, np.fft.ifft2),
}

# No derivative because nothing of floating point goes in or comes out, or because the result is piecewise constant.
DISCRETE = {
    *(
        kernels.leaders,
        kernels.whole_turns,
        kernels.full_rank,
        kernels.parts_of_way,
        np.fft.fftfreq,
        np.fft.rfftfreq,
        kernels.places,
        kernels.checkpointed_start,
        kernels.snapshot_count,
    ),
    *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, operator.and_, operator.or_),
    *(operator.xor, operator.invert, operator.lshift, operator.rshift, operator.not_, operator.is_, operator.is_not),
    *(
        operator.contains,
        builtins.bool,
        builtins.len,
        builtins.range,
        builtins.isinstance,
        builtins.type,
        builtins.print,
    ),
    *(builtins.str, builtins.repr, builtins.any, builtins.all, builtins.callable, builtins.hash, builtins.id),
    *(np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal, np.bitwise_and, np.bitwise_or),
    *(np.bitwise_xor, np.invert, np.left_shift, np.right_shift, np.int64, np.int32, np.bool_, np.signbit, np.spacing),
    *(np.isnan, np.isinf, np.isfinite, np.logical_and, np.logical_or, np.logical_xor, np.logical_not, math.isnan),
    *(math.isinf, math.isfinite, math.isclose, math.factorial, math.comb, math.perm, math.gcd, math.lcm, math.isqrt),
    *(np.gcd, np.lcm, np.isclose, np.allclose, np.array_equal, np.iscomplexobj, np.isrealobj, np.isscalar),
    *(kernels.is_below, kernels.is_above, np.any, np.all, np.argmax, np.argmin, np.count_nonzero, kernels.shares),
    *(
        kernels.reduced_size,
        kernels.broadcast_shape,
        np.zeros,
        np.ones,
        np.empty,
        np.eye,
        np.identity,
        np.tri,
    ),
    *(np.zeros_like, np.ones_like, np.empty_like, np.shape, np.size, np.ndim, np.argsort, np.argwhere, np.nonzero),
    *(np.flatnonzero, np.searchsorted, np.digitize, np.tril_indices, np.triu_indices, np.diag_indices, np.ndindex),
    *(
        np.result_type,
        kernels.weights,
        kernels.opposite,
        np.linalg.matrix_rank,
        kernels.determinant_sign,
        stop_gradient,
    ),
}
