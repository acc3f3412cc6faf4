"""What generated code calls beside NumPy, as `kernels.name`: plain functions that run as they stand and compile in
Numba.

Input        numbers, arrays, traces.
Output       numbers, arrays, traces.
Invariant    a kernel's name is part of generated text, which is stored on disk: renaming one changes texts.
Elsewhere    rules that call kernels (`runtime.rules`).
"""

import importlib
from typing import Any

from srcad.runtime.kernels.arrays.array_add_and_copy import add_to, copy_to, subtract_from
from srcad.runtime.kernels.arrays.axes import centred, others, others_adjoint, shares, sort_adjoint, sort_tangent
from srcad.runtime.kernels.arrays.complex_numbers import argument, direction, imaginary, modulus, squared_modulus
from srcad.runtime.kernels.arrays.convolve import convolve_adjoint
from srcad.runtime.kernels.arrays.element_moves import (
    diag_adjoint,
    diff_adjoint,
    opposite,
    parts_of_way,
    repeat_adjoint,
    take_adjoint,
    tile_adjoint,
    trace_adjoint,
    untranspose,
    weights,
)
from srcad.runtime.kernels.arrays.fourier import irfft_adjoint, resized, rfft_adjoint
from srcad.runtime.kernels.arrays.higher_order import axes_moved, axes_moved_back, mapped_over
from srcad.runtime.kernels.arrays.ieee_arithmetic import ieee_power, ieee_quotient, ignore_errors
from srcad.runtime.kernels.arrays.item_assignment import item_bar, with_item
from srcad.runtime.kernels.arrays.jacobian_assembly import (
    as_row,
    element_count,
    from_columns,
    from_row,
    into_columns,
    unit_direction,
)
from srcad.runtime.kernels.arrays.joins import unarray, uncolumn_stack, unconcatenate, unhstack, unstack, unvstack
from srcad.runtime.kernels.arrays.nest_broadcasting import common_extent, expand, expand_bar, unexpand
from srcad.runtime.kernels.arrays.numpy_definitions import (
    central_differences,
    norm_of_all,
    norm_of_matrices,
    norm_of_order,
    only_element,
    places,
    widths,
    with_first,
)
from srcad.runtime.kernels.arrays.pads import padded, unpad
from srcad.runtime.kernels.arrays.rule_results import (
    elements_of,
    fitted,
    inner,
    shaped_like,
    unit_like,
    unshaped,
    zero_like,
)
from srcad.runtime.kernels.arrays.scalar import (
    is_above,
    is_below,
    polygamma,
    power_bend,
    power_log,
    power_log_slope,
    power_slope,
    ratio,
    sinc_slope,
)
from srcad.runtime.kernels.arrays.scans import (
    at_leaders,
    cumprod_adjoint,
    cumprod_bend,
    cumprod_tangent,
    cumsum_adjoint,
    into_leaders,
    leaders,
    whole_turns,
)
from srcad.runtime.kernels.arrays.scatter import added_at, scatter, scatter_add
from srcad.runtime.kernels.arrays.select import list_beside, select, tuple_beside
from srcad.runtime.kernels.arrays.store_adjoint import stored_bar
from srcad.runtime.kernels.arrays.strong_products import strong_product, strong_quotient
from srcad.runtime.kernels.arrays.unbroadcast import broadcast_shape, reduced_size, restore, spread, unbroadcast
from srcad.runtime.kernels.linear_algebra import blas
from srcad.runtime.kernels.linear_algebra.cofactors import cofactors
from srcad.runtime.kernels.linear_algebra.decompositions import full_rank, orthogonal_factor, right_vectors
from srcad.runtime.kernels.linear_algebra.eigen import (
    eigenvectors,
    eigenvectors_adjoint,
    inverse_gaps,
    inverse_gaps_of_squares,
    singular_values,
    singular_values_adjoint,
    singular_values_tangent,
    values_of_vectors,
)
from srcad.runtime.kernels.linear_algebra.products import (
    add_outer,
    cholesky_adjoint,
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
from srcad.runtime.kernels.linear_algebra.tensor_contractions import (
    einsum_adjoint,
    tensordot_adjoint_a,
    tensordot_adjoint_b,
)
from srcad.runtime.kernels.overloads import elementary_functions as lanes
from srcad.runtime.kernels.overloads import numpy_shapes, reductions
from srcad.runtime.kernels.overloads.llvm_hints import natural, plus
from srcad.runtime.kernels.overloads.quick_numpy import largest, outer, smallest
from srcad.runtime.kernels.recording.binomial_checkpointing import (
    check_bytes,
    checkpointed_start,
    extra_steps,
    next_snapshot,
    snapshot,
    snapshot_count,
    snapshot_limit,
    snapshots_within,
)
from srcad.runtime.kernels.recording.finite_checks import check_finite, kept_before
from srcad.runtime.kernels.recording.growing_traces import grown, trip_count
from srcad.runtime.kernels.recording.iteration_partition import add_parts, may_overlap, part_of, parts
from srcad.runtime.kernels.recording.loop_extents import require_iteration, same_extent, slice_extent
from srcad.runtime.kernels.recording.observed_guards import Unobserved, expect
from srcad.runtime.kernels.recording.opaque_lists import hold, release
from srcad.runtime.kernels.recording.overlap import refuse_overlap
from srcad.runtime.kernels.recording.range_checks import check_fits, check_index, check_indices, check_match, check_room
from srcad.runtime.kernels.recording.typed_lists import (
    appended,
    element,
    elements,
    filled,
    listed,
    longer,
    longer_bar,
    longer_rows,
    new_list,
    removed,
    repeated,
    replaced,
    shifted,
)


def __getattr__(name: str) -> Any:
    """The kernels of SciPy's functions are `kernels.scipy.name`, and imported when they are first asked for."""
    if name != "scipy":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module("srcad.runtime.kernels.scipy")


__all__ = [
    "Unobserved",
    "add_outer",
    "add_parts",
    "add_to",
    "added_at",
    "appended",
    "argument",
    "as_row",
    "at_leaders",
    "axes_moved",
    "axes_moved_back",
    "blas",
    "broadcast_shape",
    "central_differences",
    "centred",
    "check_bytes",
    "check_finite",
    "check_fits",
    "check_index",
    "check_indices",
    "check_match",
    "check_room",
    "checkpointed_start",
    "cholesky_adjoint",
    "cofactors",
    "common_extent",
    "convolve_adjoint",
    "copy_to",
    "cumprod_adjoint",
    "cumprod_bend",
    "cumprod_tangent",
    "cumsum_adjoint",
    "determinant_sign",
    "diag_adjoint",
    "diff_adjoint",
    "direction",
    "dot_adjoint_a",
    "dot_adjoint_b",
    "eigenvectors",
    "eigenvectors_adjoint",
    "einsum_adjoint",
    "element",
    "element_count",
    "elements",
    "elements_of",
    "expand",
    "expand_bar",
    "expect",
    "extra_steps",
    "filled",
    "fitted",
    "from_columns",
    "from_row",
    "full_rank",
    "grown",
    "hold",
    "ieee_power",
    "ieee_quotient",
    "ignore_errors",
    "imaginary",
    "inner",
    "inner_adjoint_a",
    "inner_adjoint_b",
    "into_columns",
    "into_leaders",
    "inverse_gaps",
    "inverse_gaps_of_squares",
    "irfft_adjoint",
    "is_above",
    "is_below",
    "item_bar",
    "kept_before",
    "lanes",
    "largest",
    "leaders",
    "list_beside",
    "listed",
    "log_determinant",
    "longer",
    "longer_bar",
    "longer_rows",
    "mapped_over",
    "matmul_adjoint_a",
    "matmul_adjoint_b",
    "may_overlap",
    "modulus",
    "natural",
    "new_list",
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
    "outer",
    "padded",
    "part_of",
    "parts",
    "parts_of_way",
    "places",
    "plus",
    "polygamma",
    "power_bend",
    "power_log",
    "power_log_slope",
    "power_slope",
    "ratio",
    "reduced_size",
    "reductions",
    "refuse_overlap",
    "release",
    "removed",
    "repeat_adjoint",
    "repeated",
    "replaced",
    "require_iteration",
    "resized",
    "restore",
    "rfft_adjoint",
    "right_vectors",
    "same_extent",
    "scatter",
    "scatter_add",
    "select",
    "shaped_like",
    "shares",
    "shifted",
    "sinc_slope",
    "singular_values",
    "singular_values_adjoint",
    "singular_values_tangent",
    "slice_extent",
    "smallest",
    "snapshot",
    "snapshot_count",
    "snapshot_limit",
    "snapshots_within",
    "sort_adjoint",
    "sort_tangent",
    "spread",
    "squared_modulus",
    "stored_bar",
    "strong_product",
    "strong_quotient",
    "subtract_from",
    "take_adjoint",
    "tensordot_adjoint_a",
    "tensordot_adjoint_b",
    "tile_adjoint",
    "times",
    "times_transpose",
    "trace_adjoint",
    "transpose_times",
    "trip_count",
    "tuple_beside",
    "unarray",
    "unbroadcast",
    "uncolumn_stack",
    "unconcatenate",
    "unexpand",
    "unhstack",
    "unit_direction",
    "unit_like",
    "unpad",
    "unshaped",
    "unstack",
    "untranspose",
    "unvstack",
    "values_of_vectors",
    "weights",
    "whole_turns",
    "widths",
    "with_first",
    "with_item",
    "zero_like",
]
