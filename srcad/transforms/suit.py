"""Make generated loops suit Numba and LLVM: the passes that do it, in order.

Each takes the statements of one function, its parameters and the types of names, and gives the statements anew. All are
optional (`passes`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from numba import types as nb

from srcad.transforms.absorb import with_sums_absorbed
from srcad.transforms.available import with_shared_values
from srcad.transforms.build import Block
from srcad.transforms.contract import contracted
from srcad.transforms.distribute import distributed
from srcad.transforms.handed import with_memory_handed
from srcad.transforms.inherited import without_last_copies, without_last_shapes
from srcad.transforms.inplace import in_place
from srcad.transforms.lanes import note_lanes
from srcad.transforms.natural import with_natural_indices
from srcad.transforms.overwrite import with_zeros_overwritten
from srcad.transforms.quick import with_quick_calls
from srcad.transforms.regroup import regrouped
from srcad.transforms.running import with_running_indices
from srcad.transforms.scalars import with_scalars
from srcad.transforms.single import with_single_elements
from srcad.transforms.sink import with_sums_in_arms
from srcad.transforms.spent import without_spent_zeros
from srcad.transforms.traded import with_traded_adjoints
from srcad.transforms.unordered import with_free_sums
from srcad.transforms.whole import with_whole_sums


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
