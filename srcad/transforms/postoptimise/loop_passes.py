"""Make generated loops suit Numba and LLVM: the passes that do it, in order.

Each takes the statements of one function, its parameters and the types of names, and gives the statements anew. All are
optional (`pass_names`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from numba import types as nb

from srcad.transforms.ir.build import Block
from srcad.transforms.postoptimise.accumulator_forwarding import with_sums_absorbed
from srcad.transforms.postoptimise.array_contraction import contracted
from srcad.transforms.postoptimise.array_contraction_to_scalar import with_single_elements
from srcad.transforms.postoptimise.array_sum_loops import with_whole_sums
from srcad.transforms.postoptimise.buffer_reuse import in_place
from srcad.transforms.postoptimise.copy_elision_branches import with_traded_adjoints
from srcad.transforms.postoptimise.copy_elision_last_use import without_last_copies, without_last_shapes
from srcad.transforms.postoptimise.copy_elision_moves import with_memory_handed
from srcad.transforms.postoptimise.dead_zero_stores import without_spent_zeros
from srcad.transforms.postoptimise.induction_variables import with_running_indices
from srcad.transforms.postoptimise.kernel_calls import with_quick_calls
from srcad.transforms.postoptimise.loop_distribution import distributed
from srcad.transforms.postoptimise.nonnegative_indices import with_natural_indices
from srcad.transforms.postoptimise.reassociable_sums import with_free_sums
from srcad.transforms.postoptimise.reassociation import regrouped
from srcad.transforms.postoptimise.redundancy_elimination import with_shared_values
from srcad.transforms.postoptimise.scalar_replacement import with_scalars
from srcad.transforms.postoptimise.sum_sinking import with_sums_in_arms
from srcad.transforms.postoptimise.vector_math import note_lanes
from srcad.transforms.postoptimise.zero_store_forwarding import with_zeros_overwritten


def suited(
    body: Block,
    parameters: tuple[str, ...],
    kinds: Mapping[str, nb.Type],
    without: Collection[str] = (),
    primals: int | None = None,
) -> Block:
    """The statements as Numba likes them; the first `primals` results are the primal's, if None there may be more."""
    for name, before in (
        ("fuse", with_whole_sums),
        ("skip", with_sums_in_arms),
        ("scalars", with_scalars),
        ("reuse", with_shared_values),
    ):
        body = body if name in without else before(body, parameters, kinds)
    body = body if "regroup" in without or primals != 0 else regrouped(body, parameters, kinds)
    body = distributed(body, parameters, kinds, without)
    for name, behind in (
        ("gather", with_sums_absorbed),
        ("running", with_running_indices),
        ("copies", without_last_copies),
        ("copies", without_last_shapes),
        ("copies", with_traded_adjoints),
        ("quick", with_quick_calls),  # by ranks, which the next ones change
        ("contract", with_single_elements),
        ("contract", contracted),
        ("prune", without_spent_zeros),
        ("inplace", in_place),
        ("copies", with_memory_handed),
        ("overwrite", with_zeros_overwritten),
    ):
        body = body if name in without else behind(body, parameters, kinds)
    if "lanes" not in without:
        note_lanes(body, parameters, kinds)
    body = body if "unordered" in without or primals is None else with_free_sums(body, parameters, kinds, primals)
    return body if "natural" in without else with_natural_indices(body, parameters, kinds)
