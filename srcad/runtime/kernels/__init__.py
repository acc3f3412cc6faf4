"""What generated code calls beside NumPy: plain functions that run as they stand and compile in Numba.

Importing this package also teaches Numba functions and arguments of NumPy that it lacks (`reductions`,
`numpy_shapes`).
"""

from srcad.runtime.kernels import numpy_shapes, reductions
from srcad.runtime.kernels.axes import others, others_adjoint, shares, sort_adjoint, sort_tangent
from srcad.runtime.kernels.complex import argument, imaginary, modulus
from srcad.runtime.kernels.contract import einsum_adjoint, tensordot_adjoint_a, tensordot_adjoint_b
from srcad.runtime.kernels.convolve import convolve_adjoint
from srcad.runtime.kernels.eigen import (
    eigenvectors,
    eigenvectors_adjoint,
    inverse_gaps,
    singular_values,
    singular_values_adjoint,
    singular_values_tangent,
)
from srcad.runtime.kernels.factor import full_rank, orthogonal_factor, right_vectors
from srcad.runtime.kernels.held import hold, release
from srcad.runtime.kernels.item import item_bar, with_item
from srcad.runtime.kernels.join import unarray, uncolumn_stack, unconcatenate, unhstack, unstack, unvstack
from srcad.runtime.kernels.meanings import (
    central_differences,
    norm_of_all,
    norm_of_matrices,
    norm_of_order,
    only_element,
    places,
)
from srcad.runtime.kernels.moves import (
    diag_adjoint,
    diff_adjoint,
    opposite,
    repeat_adjoint,
    take_adjoint,
    tile_adjoint,
    trace_adjoint,
    untranspose,
    weights,
)
from srcad.runtime.kernels.observed import Unobserved, expect
from srcad.runtime.kernels.overlap import refuse_overlap
from srcad.runtime.kernels.pads import padded, unpad
from srcad.runtime.kernels.parts import add_parts, may_overlap, part_of, parts
from srcad.runtime.kernels.products import (
    cholesky_adjoint,
    cofactors,
    determinant_sign,
    dot_adjoint_a,
    dot_adjoint_b,
    inner_adjoint_a,
    inner_adjoint_b,
    log_determinant,
    matmul_adjoint_a,
    matmul_adjoint_b,
    times,
    times_transpose,
    transpose_times,
)
from srcad.runtime.kernels.revolve import (
    check_bytes,
    checkpointed_start,
    extra_steps,
    next_snapshot,
    snapshot,
    snapshot_count,
    snapshot_limit,
    snapshots_within,
)
from srcad.runtime.kernels.scalar import (
    damped,
    is_above,
    is_below,
    polygamma,
    power_log,
    power_slope,
    ratio,
    sinc_slope,
)
from srcad.runtime.kernels.scans import cumprod_adjoint, cumprod_bend, cumprod_tangent, cumsum_adjoint, whole_turns
from srcad.runtime.kernels.scatter import added_at, scatter, scatter_add
from srcad.runtime.kernels.select import select
from srcad.runtime.kernels.spectrum import irfft_adjoint, resized, rfft_adjoint
from srcad.runtime.kernels.spread import broadcast_shape, reduced_size, restore, spread, unbroadcast
from srcad.runtime.kernels.stored import stored_bar
from srcad.runtime.kernels.traces import grown, trip_count
from srcad.runtime.kernels.widen import common_extent, expand, expand_bar, same_extent, unexpand

__all__ = [
    "Unobserved",
    "add_parts",
    "added_at",
    "argument",
    "broadcast_shape",
    "central_differences",
    "check_bytes",
    "checkpointed_start",
    "cholesky_adjoint",
    "cofactors",
    "common_extent",
    "convolve_adjoint",
    "cumprod_adjoint",
    "cumprod_bend",
    "cumprod_tangent",
    "cumsum_adjoint",
    "damped",
    "determinant_sign",
    "diag_adjoint",
    "diff_adjoint",
    "dot_adjoint_a",
    "dot_adjoint_b",
    "eigenvectors",
    "eigenvectors_adjoint",
    "einsum_adjoint",
    "expand",
    "expand_bar",
    "expect",
    "extra_steps",
    "full_rank",
    "grown",
    "hold",
    "imaginary",
    "inner_adjoint_a",
    "inner_adjoint_b",
    "inverse_gaps",
    "irfft_adjoint",
    "is_above",
    "is_below",
    "item_bar",
    "log_determinant",
    "matmul_adjoint_a",
    "matmul_adjoint_b",
    "may_overlap",
    "modulus",
    "next_snapshot",
    "norm_of_all",
    "norm_of_matrices",
    "norm_of_order",
    "numpy_shapes",
    "only_element",
    "opposite",
    "orthogonal_factor",
    "others",
    "others_adjoint",
    "padded",
    "part_of",
    "parts",
    "places",
    "polygamma",
    "power_log",
    "power_slope",
    "ratio",
    "reduced_size",
    "reductions",
    "refuse_overlap",
    "release",
    "repeat_adjoint",
    "resized",
    "restore",
    "rfft_adjoint",
    "right_vectors",
    "same_extent",
    "scatter",
    "scatter_add",
    "select",
    "shares",
    "sinc_slope",
    "singular_values",
    "singular_values_adjoint",
    "singular_values_tangent",
    "snapshot",
    "snapshot_count",
    "snapshot_limit",
    "snapshots_within",
    "sort_adjoint",
    "sort_tangent",
    "spread",
    "stored_bar",
    "take_adjoint",
    "tensordot_adjoint_a",
    "tensordot_adjoint_b",
    "tile_adjoint",
    "times",
    "times_transpose",
    "trace_adjoint",
    "transpose_times",
    "trip_count",
    "unarray",
    "unbroadcast",
    "uncolumn_stack",
    "unconcatenate",
    "unexpand",
    "unhstack",
    "unpad",
    "unstack",
    "untranspose",
    "unvstack",
    "weights",
    "whole_turns",
    "with_item",
]
