"""Node notes: information that passes attach to nodes for later passes, one record of typed fields per node.

    note(statement, effect=True)        a later stage asks        notes_of(statement).effect

mypy checks the names and types of notes, and `note` refuses unknown names at run time. A record is frozen: `note` gives
the node a new one, so that copies of a node (`build.clone`) share the record until one of them gets another note. Code
that replaces a node decides which of its notes hold for the new one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, ParamSpec, Protocol, TypeVar

import gast
import numpy as np
from numba import types as nb

from srcad.errors import Place

_T = TypeVar("_T")
_P = ParamSpec("_P")


@dataclass(frozen=True, kw_only=True)
class Notes:
    """The notes on a node. For each field: which nodes have it, what it says, who sets it and who reads it."""

    # From the source to the printed text

    place: Place | None = None
    """Where in the user's source a node comes from; None for code that the compiler added. Set by `build.at`; read by
    `build.place_of`.
    """
    is_placed: bool = False
    """A place, or that there is none, has been stated: core form requires it of every statement. Set by `build.at`;
    read by `build.has_place`.
    """

    # During lowering

    parallel: bool = False
    """Loop: threads may share it; it stems from a `numba.prange`, or from an array statement of such a function. Set by
    `prange_and_checkpointed`, `elementwise_fusion`, `type_annotations`, `loop_fusion`; read by
    `type_annotations.is_parallel`.
    """
    checkpointed: bool = False
    """Loop: over `srcad.checkpointed`. Set by `prange_and_checkpointed`, `trace_memory_limit`, `for_loops`; read by
    these and `loop_outlining`.
    """
    snapshot_bytes: int | None = None
    """Checkpointed loop: the most memory for its snapshots. Set by `trace_memory_limit`; read by `loop_outlining`."""
    on_disk: int = 0
    """Checkpointed loop: how many of its snapshots are kept in files. Set by `prange_and_checkpointed`, `for_loops`,
    `counted_loops`; read by these and `loop_outlining`."""
    recovers: float | None = None
    """Checkpointed loop: its iterations are undone by an inverse, to this relative tolerance; 0 is that of the dtype.
    Set by `prange_and_checkpointed`, `for_loops`; read by `loop_outlining`.
    """
    undoes: bool = False
    """Branch: it undoes an iteration. Set and read by `prange_and_checkpointed`."""
    after_class: type | None = None
    """Called attribute: `super()` looks the method up after this class. Set by `super_calls`; read by
    `container_methods`.
    """
    record_dtype: np.dtype[Any] | None = None
    """Name of a type: it means this dtype, which has fields. Set by `captured_values`; read by `record_arrays`."""
    looped_over: tuple[str, ...] = ()
    """Loop: names of what it visits, whose length must not change. Set by `for_loops`; read by `control_flow`,
    `consumed_iterators`.
    """
    is_iterated: bool = False
    """`x.flat`: a loop visits it, so it need not be a copy. Set by `for_loops`; read by `itertools_calls`."""
    is_loop_element: bool = False
    """Subscript: the element that a loop gets; for a dictionary, a key. Set by `for_loops`; read by
    `item_and_attribute_access`, `growing_list_operations`, `packed_list_reads`.
    """
    is_loop_test: bool = False
    """Test of a `while` loop, of which only the truth value is used. Set by `structured_exits`; read by `anf`."""
    effect: bool = False
    """Statement: it is never dropped, moved or skipped. Set by `build.effect`; read by most passes."""
    must_not_truncate: bool = False
    """Store of a ufunc's result into `out=`: refused for a narrower type. Set by `mutating_calls`; read by
    `in_place_resolution`.
    """
    accesses_records: bool = False
    """Statement: it reads or writes a field of records. Set by `record_arrays`; read by `list_aliasing`."""
    puts_into_list: bool = False
    """Store of an array into a list, as a copy. Set by `list_arrays`; read by `list_aliasing`."""
    copies_list_element: bool = False
    """Copy of an array that is in a list. Set by `list_arrays`; read by `list_aliasing`."""

    # During type inference

    is_stand_in: bool = False
    """Assignment: on a path where the name has no value yet. Set by `ssa`; read by `alias_cases`,
    `alias_versioning`.
    """
    unset: bool = False
    """Such an assignment: its value is chosen later, by the type that the name has elsewhere.
    Set by `ssa`, cleared by `in_place_resolution`; read by `type_inference`, `retyping`, `subroutine_types`,
    `execution_tracing`, `in_place_resolution`."""
    is_extent_after_loop: bool = False
    """Assignment of an extent that an array has after a loop. Set and read by `carried_shapes`."""

    # During optimisation

    asks_mask: bool = False
    """Branch: it asks a mask for one element, and LLVM can vectorise the loop. Set by `masked_nests`; read by
    `loop_fusion`.
    """

    # During differentiation

    begins_reverse: bool = False
    """Mark between two sweeps. Set by `sweep_boundary`; read by `sweep_boundary`, `forward_substitution`,
    `dead_code`.
    """
    completes_primal: bool = False
    """Mark after the primal's last statement. Set by `sweep_boundary`; read by `gradient_function`."""
    undone_by: str = ""
    """Store: the name of the value that it overwrites, which the reverse sweep puts back. Set by `sweep_construction`;
    read by `dead_code`.
    """
    puts_back: str = ""
    """Store of the reverse sweep: the name of the overwritten value that it puts back. Set by `sweep_construction`;
    read by `dead_code`.
    """
    whole: bool = False
    """Sum into an adjoint: the term is an array of the same shape and type.
    Set by `accumulation`; read by `reverse_plan`, `copy_elision_moves`, `array_sum_loops`,
    `kernel_calls`, `llvm_assumptions`."""
    exact: bool = False
    """Such a sum: the one array that the term reads has the shape itself. Set by `accumulation`; read by
    `array_sum_loops`."""
    value_is_number: bool = False
    """Initialisation of an adjoint: of a number. Set by `accumulation`; read by `reverse_plan`."""
    is_view: bool = False
    """Initialisation of an adjoint: it is a view of another one. Set by `accumulation`; read by `reverse_plan`,
    `independent_loop_schedule`.
    """
    in_c_order: bool = False
    """Initialisation of an adjoint: views of it are views of contiguous memory only. Set by `accumulation`; read by
    `reverse_plan`."""
    distinct_arrays: tuple[frozenset[str], ...] = ()
    """Reversed loop: groups of arrays that do not alias while it runs, since an outer loop permutes them.
    Set by `reverse_control_flow`; read by `loop_order`."""
    skips_zeros: bool = False
    """Branch: the statements that it skips would add zeros. Set by `zero_guards`; read by `control_dependence`."""
    rule_call: Any = None
    """Statement: it is part of a function of a user's rule, inlined for this `RuleResult`. Set by `calls_by_rule`; read
    by `users_rule_checks`.
    """
    of_rule: bool = False
    """Division: it stems from a derivative rule. Set by `build.noted`; read by `redundancy_elimination`."""
    of_integers: bool = False
    """Call: it makes a trace of integers. Set by `traces`; read by `interpreted_arithmetic`."""
    copies_into_trace: bool = False
    """Statement: it copies an array into its place in a trace. Set by `traces`; read by `kernel_calls`."""
    scratch: bool = False
    """Allocation: the iterations of a loop use the array one after the other. Set by `sweep_construction`; read by
    `work_sharing`.
    """
    sweep: Literal["primal", "tangent", "reverse"] = "primal"
    """Statement: the sweep that it belongs to. Set by `tangent_mode`, `debug_checks`; read by `debug_checks`."""
    numba_type: nb.Type | None = None
    """Name: its type, in functions that have parallel loops. Set by `type_annotations`; read by `work_sharing`,
    `parallel_loop_functions`.
    """
    kinds: Mapping[str, nb.Type] | None = None
    """Function: the types of its arrays and numbers. Set by `accumulation`; read by `pipeline`."""
    primals: int | None = None
    """Function: how many of its first results are the primal's, if known. Set by `accumulation`; read by `pipeline`."""
    is_finished: bool = False
    """Function: it is not to be simplified. Set by `snapshot_functions`; read by `pipeline`."""
    pair: Any = None
    """Constant: becomes the index of this `Pair` in the lists of traces. Set by `callee_pairs`; read by
    `module_assembly`.
    """
    begins_lists: bool = False
    """Assignment: makes the lists of traces. Set by `call_derivatives`; read by `module_assembly`."""
    counts_lists: str | None = None
    """Assignment: becomes the lengths of the lists that this variable holds. Set by `call_derivatives`; read by
    `module_assembly`.
    """

    # During post-optimisation

    folded: bool = False
    """Assignment: its value has replaced its reads; it is dropped. Set and read by `forward_substitution` and
    `copy_propagation`.
    """
    asks_for_iterations: bool = False
    """Branch: around a loop, its test holds if and only if that loop has iterations. Set by `scalar_replacement`; read
    by `array_contraction_to_scalar`."""
    gathers: Any = None
    """Loop, or branch around it, that adds gathered sums: the `Gathering` that it was made from.
    Set by `scatter_to_gather`, `row_buffered_gather`; read by `row_buffered_gather`, `accumulator_forwarding`."""
    rolls: Mapping[str, tuple[int, int]] | None = None
    """Loop that buffers a few lines of sums: for each array the axis, and the offset of the nearest line added to.
    Set by `row_buffered_gather`; read by `accumulator_forwarding`."""
    lane: Literal["free", "alone"] | None = None
    """Call of `exp` or the like: whether a kernel pays, or is only possible. Set by `vector_math`; read by it,
    `unordered_reductions`.
    """
    kernel: str | None = None
    """Call: the kernel that replaces its function. Set by `kernel_calls`, `vector_math`; read by `llvm_assumptions`."""
    calls_kernels: bool = False
    """Statement: a call in it becomes the call of a kernel. Set by `kernel_calls`, `vector_math`; read by
    `llvm_assumptions`.
    """
    stored_value: gast.expr | None = None
    """Call of a kernel that stores a result: what computes the same in new memory. Set by `stored_calls`; read by
    `descriptive_names`.
    """
    becomes_call: bool = False
    """Statement on whole arrays: becomes a call of a kernel. Set by `kernel_calls`; read by `llvm_assumptions`."""
    is_unordered: bool = False
    """Sum in a loop: its terms may be added in any order. Set by `unordered_reductions`; read by `llvm_assumptions`."""
    positions: tuple[str, ...] = ()
    """Parallel loop: integers that are never negative, positions in traces. Set by `counters_in_closed_form`; read by
    `work_sharing`, `race_test`."""
    natural: tuple[gast.expr, ...] = ()
    """Loop: nodes in it that are never negative. Set by `nonnegative_indices`; read by `llvm_assumptions`."""

    # For readers of the code

    comment: str | None = None
    """Statement: the comment beside it. Set by `comments`, and by passes that replace it; read by `printing`."""
    calls_own_function: bool = False
    """Call: of one of the user's functions, by its own name. Set and read by `explain`."""


_NONE = Notes()
_NAMES = frozenset(field.name for field in fields(Notes))


def notes_of(node: Any) -> Notes:
    """The notes on a node.

    >>> notes_of(gast.Pass()).effect, notes_of(note(gast.Pass(), effect=True)).effect
    (False, True)
    """
    found: Notes = getattr(node, "_srcad_notes", _NONE)
    return found


class _Note(Protocol[_P]):
    def __call__(self, node: _T, /, *arguments: _P.args, **changes: _P.kwargs) -> _T: ...


def _takes_what_makes(record: Callable[_P, Notes]) -> Callable[[Callable[..., Any]], _Note[_P]]:
    """Lets mypy check the keyword arguments of a function against the fields of a record."""
    return lambda function: function


@_takes_what_makes(Notes)
def note(node: Any, /, **changes: Any) -> Any:
    """Add notes to a node, keeping those that it has; returns the node."""
    if not changes.keys() <= _NAMES:
        raise TypeError(f"nodes have no such notes: {', '.join(sorted(changes.keys() - _NAMES))}")
    made = object.__new__(Notes)  # `dataclasses.replace` would go through all fields; omitted ones have their defaults
    vars(made).update(vars(notes_of(node)), **changes)
    node._srcad_notes = made
    return node
