"""The table of passes: what the compiler does to a function, in order.

Everything else reads this table: the driver runs it, `srcad show --after PASS` and `--diff PASS` stop in it,
`--without` and `SRCAD_WITHOUT` take rows out, `--timings` and the documentation list it. To add a pass, write its
module, its test, and its row here.

A row that has a function is run by the pass manager: a function from `Code` to `Code`, in `FINISH` from a module to a
module. A row without a function is a choice that the stage named by `within` makes: the row gives it a name, so that it
can be left out or timed.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

# What a pass may need to hold, and may leave holding.
TYPES = "types"  # every name has a Numba type
SSA = "ssa"  # every name has one store on each path
RESOLVED = "resolved"  # in-place or not is decided for each operator; calls are of versions for their argument types
UNALIASED = "unaliased"  # no name stands for one array here and for another there
COUNTED = "counted"  # loops that may stop early count their iterations
MARKED = "marked"  # the boundary between the sweeps is marked, and names that both store are told apart
PLAIN_SUMS = "plain sums"  # sums are statements, not yet calls that tell LLVM more


@dataclass(frozen=True)
class Pass:
    """One row.

    name        that of its module, where it has a module of its own
    function    "module:function" under `srcad`, imported when it is first run; empty for a choice within a stage
    does        what it does, for the documentation
    needs       what has to hold before it
    keeps       of what holds before, what holds after it; None for all of it
    gives       what holds after it
    optional    whether it may be left out: derivatives are then right as well, only slower
    when        settings under which it is run, names of attributes of `Settings` or `Code` ("not ..." for absence)
    within      the row whose stage makes the choice, or times the step
    retypes     whether names that it has made are to be given types
    source      where the method is from
    """

    name: str
    function: str
    does: str
    needs: tuple[str, ...] = ()
    keeps: tuple[str, ...] | None = None
    gives: tuple[str, ...] = ()
    optional: bool = False
    when: tuple[str, ...] = ()
    within: str = ""
    retypes: bool = False
    source: str = ""

    def load(self) -> Any:
        """The function of the row."""
        module, _, name = self.function.partition(":")
        return getattr(import_module(f"srcad.{module}"), name)


# Before types are known: only functions as the user wrote them; those that they call go through `callee_normalisation`.
NORMALISE = (
    Pass(
        "lower",
        "",
        "Python becomes core form: one primitive call to a statement, structures taken apart, helpers inlined",
        gives=(PLAIN_SUMS,),
        source="Flanagan et al., The essence of compiling with continuations, PLDI 1993 (A-normal form)",
    ),
    Pass(
        "list_arrays",
        "transforms.normalise.list_arrays:with_lists",
        "lists of run-time length become arrays with room, of the type that their elements have",
    ),
    Pass(
        "ssa",
        "transforms.normalise.ssa:to_ssa",
        "every name is stored once on each path",
        gives=(SSA,),
        source="Cytron et al., Efficiently computing static single assignment form, TOPLAS 13(4), 1991",
    ),
    Pass(
        "exception_messages",
        "transforms.normalise.exception_messages:with_plain_messages",
        "messages that Numba cannot build are left out of `raise` and `print`",
        when=("loops",),
    ),
    Pass(
        "optional_values",
        "transforms.normalise.optional_values:with_flags",
        "a name that holds None on some paths gets a flag that says so",
    ),
    Pass(
        "type_inference",
        "driver.mid_end:infer_types",
        "Numba's inference gives every name a type; what it finds unreachable is dropped",
        gives=(TYPES,),
        source="Hindley, The principal type-scheme of an object, 1969; Numba's own constraint propagation",
    ),
    Pass(
        "type_splitting",
        "",
        "where a name would have two types, loops are peeled and what follows loops and branches is repeated",
        within="type_inference",
        source="Chambers and Ungar, Iterative type analysis and extended message splitting, PLDI 1990",
    ),
    Pass(
        "in_place_resolution",
        "transforms.normalise.in_place_resolution:settle",
        "in place or not is decided by types; names that are one array become one name",
        needs=(TYPES, SSA),
        keeps=(TYPES, PLAIN_SUMS),
        gives=(RESOLVED,),
        source="Budimlic et al., Fast copy coalescing and live-range identification, PLDI 2002",
    ),
    Pass(
        "callee_specialisation",
        "driver.mid_end:specialise_callees",
        "each call of a function that is not inlined becomes one of its version for these argument types",
        needs=(TYPES, RESOLVED),
        source="Cooper, Hall and Kennedy, A methodology for procedure cloning, 1993",
    ),
    Pass(
        "type_decided_branches",
        "driver.mid_end:drop_decided_branches",
        "branches and orders of copies that types decide are dropped",
        needs=(TYPES,),
        source="Wegman and Zadeck, Constant propagation with conditional branches, TOPLAS 13(2), 1991",
    ),
)

# Of these, what a tangent goes through again before it is differentiated.
AGAIN = tuple(row for row in NORMALISE if row.name in ("in_place_resolution", "callee_specialisation"))

# With types: every function, those that are called as well.
OPTIMISE = (
    Pass(
        "list_aliasing",
        "transforms.normalise.list_aliasing:refuse_shared",
        "writes into arrays that a list holds as well are refused",
        needs=(TYPES,),
        when=("not is_again", "has_arrays"),
    ),
    Pass(
        "alias_versioning",
        "transforms.normalise.alias_versioning:choose",
        "code that uses a name for one of several arrays gets a version for each of them",
        needs=(TYPES, RESOLVED),
        gives=(UNALIASED,),
        when=("not is_again", "has_arrays"),
        source="Byler et al., Multiple version loops, ICPP 1987",
    ),
    Pass(
        "view_write_checks",
        "transforms.normalise.view_write_checks:refuse_hidden_views",
        "writes that reach a view which generated code does not have are refused",
        needs=(TYPES, UNALIASED),
        when=("not is_again", "has_arrays"),
    ),
    Pass(
        "bounds_checks",
        "transforms.normalise.bounds_checks:with_bounds_checks",
        "subscripts that are not proved to be in range are checked, before loops where that is the same",
        needs=(TYPES, RESOLVED),
        when=("loops", "checks_bounds", "not is_again", "has_arrays"),
        source="Gupta, Optimizing array bound checks using flow analysis, ACM LOPLAS 2, 1993",
    ),
    Pass(
        "loop_outlining",
        "driver.mid_end:outline_checkpointed_loops",
        "a checkpointed loop becomes a call, of which the reverse sweep keeps snapshots",
        needs=(TYPES, RESOLVED),
        when=("is_reversed", "has_loops"),
        source="Griewank and Walther, Algorithm 799: revolve, TOMS 26(1), 2000",
    ),
    Pass(
        "elementwise_fusion",
        "transforms.optimise.elementwise_fusion:fuse",
        "elementwise array statements become loop nests; without it they stay array statements",
        needs=(TYPES, RESOLVED),
        optional=True,
        when=("loops", "has_arrays"),
        retypes=True,
        source="Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001 (loop fusion)",
    ),
    Pass(
        "broadcast_assumption",
        "",
        "arrays that may broadcast are taken not to, until a call shows otherwise",
        optional=True,
        within="elementwise_fusion",
    ),
    Pass(
        "check_placement",
        "transforms.optimise.check_placement:with_checks_placed",
        "checks of extents that loop nests show to be equal go, and the others move up again",
        needs=(TYPES, RESOLVED),
        optional=True,
        when=("loops", "checks_bounds", "not is_again", "has_arrays"),
    ),
    Pass(
        "typed_messages",
        "transforms.normalise.exception_messages:with_plain_messages",
        "`exception_messages` again, of what types show",
        needs=(TYPES,),
        when=("loops",),
    ),
    Pass(
        "copy_hoisting",
        "transforms.optimise.copy_hoisting:with_early_copies",
        "copies of arrays are made early, and elements of the original are read from them",
        needs=(TYPES, RESOLVED),
        optional=True,
        when=("not is_again", "has_arrays"),
    ),
    Pass(
        "cse_and_licm",
        "transforms.optimise.cse_and_licm:tidy",
        "common subexpressions are computed once, loop-invariant ones before the loop",
        needs=(TYPES, RESOLVED),
        optional=True,
        when=("not is_again",),
        source="Muchnick, Advanced Compiler Design and Implementation, 1997, sections 13.1 and 13.2",
    ),
    Pass(
        "ordered_reductions",
        "transforms.parallel.ordered_reductions:with_folds_apart",
        "what iterations of a parallel loop pass on to each other moves to a serial loop after it",
        needs=(TYPES, RESOLVED),
        optional=True,
        when=("not is_again", "has_loops"),
        source="Kennedy and McKinley, Loop distribution with arbitrary control flow, Supercomputing 1990",
    ),
    Pass(
        "prepare_for_differentiation",
        "transforms.normalise.prepare_for_differentiation:ready",
        "parameters that are written into are copied, loops that may stop early count their iterations",
        needs=(TYPES, RESOLVED),
        gives=(COUNTED,),
    ),
)

# Differentiation: one step, whose parts are named so that they can be timed or left out.
DIFFERENTIATE = (
    Pass(
        "loop_fusion",
        "",
        "a loop is joined with the one that reads its results, for `iteration_local_reversal`",
        optional=True,
        within="differentiate",
        source="Allen and Kennedy, 2001, section 6.2.5",
    ),
    Pass(
        "program_facts",
        "",
        "activity, aliases and positions of all names",
        within="differentiate",
        source="Hascoet and Pascual, The Tapenade automatic differentiation tool, TOMS 39(3), 2013",
    ),
    Pass("reverse_plan", "", "the steps of the reverse sweep, in order", within="differentiate"),
    Pass(
        "iteration_local_reversal",
        "",
        "a loop whose iterations share only sums is reversed iteration by iteration, with no trace",
        optional=True,
        within="differentiate",
        source="Hascoet, Fidanova and Held, Adjoining independent computations, 2002",
    ),
    Pass(
        "tbr",
        "",
        "which values the reverse sweep needs, and how it gets them",
        within="differentiate",
        source="Hascoet, Naumann and Pascual, To be recorded analysis in reverse-mode AD, FGCS 21(8), 2005",
    ),
    Pass(
        "recomputation",
        "",
        "numbers are computed again in the reverse sweep where that is cheaper than recording them",
        optional=True,
        within="tbr",
        source="Moses et al., Reverse-mode AD and optimization of GPU kernels via Enzyme, SC 2021 (minimum cut)",
    ),
    Pass(
        "preallocated_traces",
        "",
        "traces have a place for each iteration where the number of these is known; without it they grow",
        optional=True,
        within="tbr",
    ),
    Pass(
        "zero_guards",
        "",
        "adjoint statements that can only pass on zeros are skipped by a test",
        optional=True,
        within="differentiate",
    ),
    Pass(
        "first_assignment",
        "",
        "the first contribution to an adjoint is assigned, not added to zero",
        optional=True,
        within="differentiate",
    ),
    Pass("sweep_assembly", "", "the statements of both sweeps, with their traces", within="differentiate"),
    Pass(
        "differentiate",
        "",
        "a forward and a reverse sweep, or a tangent, from the rules of the primitives",
        needs=(TYPES, RESOLVED, COUNTED),
        keeps=(PLAIN_SUMS,),
        gives=(MARKED, TYPES),
        source="Griewank and Walther, Evaluating Derivatives, 2nd edition, 2008",
    ),
)

# Each generated function.
SIMPLIFY = (
    Pass(
        "sweep_separation",
        "driver.back_end:tell_sweeps_apart",
        "names that both sweeps store are told apart",
        needs=(MARKED,),
    ),
    Pass(
        "dead_code",
        "driver.back_end:drop_dead_code",
        "what no result depends on is dropped",
        optional=True,
        source="Muchnick, 1997, section 18.10",
    ),
    Pass(
        "copy_propagation",
        "transforms.postoptimise.copy_propagation:without_copies",
        "reads of a copy become reads of the original",
        optional=True,
        source="Muchnick, 1997, section 12.5",
    ),
    Pass(
        "forward_substitution",
        "transforms.postoptimise.forward_substitution:substitute",
        "values that are used once move into the expression that uses them",
        needs=(MARKED,),
        optional=True,
        source="Padua and Wolfe, Advanced compiler optimizations for supercomputers, CACM 29(12), 1986",
    ),
    Pass(
        "sweep_notes",
        "transforms.sweeps.debug_checks:with_sweeps_noted",
        "under `srcad.debug`, each statement is told which sweep it belongs to",
        needs=(MARKED,),
        when=("debug",),
    ),
    Pass(
        "interpreted_arithmetic",
        "transforms.postoptimise.interpreted_arithmetic:with_infinities",
        "divisions and powers of rules give infinities where Python raises an exception, in code that is not compiled",
        needs=(MARKED,),
        when=("interpreted",),
    ),
    Pass(
        "sweep_joining",
        "driver.back_end:join_sweeps",
        "names that both sweeps store are one name again; marks between the sweeps go",
        needs=(MARKED,),
        keeps=(TYPES, PLAIN_SUMS),
    ),
    Pass(
        "array_sum_loops",
        "transforms.postoptimise.array_sum_loops:with_whole_sums",
        "sums of whole arrays become loops where all extents are seen to be the same",
        needs=(TYPES, PLAIN_SUMS),
        optional=True,
        when=("loops", "has_arrays"),
    ),
    Pass(
        "dead_stores",
        "transforms.postoptimise.dead_stores:without_dead_stores",
        "elements of adjoints are not set to zero where nothing reads them afterwards",
        optional=True,
        when=("loops", "has_loops", "has_arrays"),
        source="Muchnick, 1997, section 18.10",
    ),
    Pass(
        "scalar_replacement",
        "transforms.postoptimise.scalar_replacement:with_scalars",
        "elements that a loop reaches again and again are held in variables",
        needs=(TYPES,),
        optional=True,
        when=("loops", "has_loops"),
        source="Callahan, Carr and Kennedy, Improving register allocation for subscripted variables, PLDI 1990",
    ),
    Pass(
        "redundancy_elimination",
        "transforms.postoptimise.redundancy_elimination:with_shared_values",
        "what has been computed before, and still holds, is not computed again",
        needs=(TYPES,),
        optional=True,
        when=("loops",),
        source="Knoop, Ruething and Steffen, Lazy code motion, PLDI 1992",
    ),
    Pass(
        "reassociation",
        "transforms.postoptimise.reassociation:regrouped",
        "recurrences add last what the previous iteration computed, in functions that return no primal value",
        needs=(TYPES,),
        optional=True,
        when=("loops", "without_primal", "has_loops"),
        source="Kuck, The Structure of Computers and Computations, 1978 (tree height reduction)",
    ),
    Pass(
        "loop_distribution",
        "transforms.postoptimise.loop_distribution:distributed",
        "sums into neighbouring elements get loops of their own, which vectorise",
        needs=(TYPES, PLAIN_SUMS),
        optional=True,
        when=("loops", "has_loops"),
        source="Kennedy and McKinley, 1990",
    ),
    Pass(
        "loop_order",
        "",
        "reversed loops run forwards where the order does not matter",
        optional=True,
        within="loop_distribution",
        source="Allen and Kennedy, 2001 (loop reversal)",
    ),
    Pass(
        "scatter_to_gather",
        "",
        "of these sums, those into one line of an array, or lines side by side, become one sum for each element",
        optional=True,
        within="loop_distribution",
        source="Hueckelheim et al., Automatic differentiation for adjoint stencil loops, ICPP 2019",
    ),
    Pass(
        "accumulator_forwarding",
        "transforms.postoptimise.accumulator_forwarding:with_sums_absorbed",
        "what is only summed up to be added to another array is added there at once",
        needs=(TYPES, PLAIN_SUMS),
        optional=True,
        when=("loops", "has_arrays"),
    ),
    Pass(
        "induction_variables",
        "transforms.postoptimise.induction_variables:with_running_indices",
        "integers that loops count along, and views by their indices, are found again in reversed loops",
        needs=(TYPES,),
        optional=True,
        when=("loops", "has_loops"),
        source="Muchnick, 1997, section 14.1",
    ),
    Pass(
        "shape_copy_elision",
        "transforms.postoptimise.shape_copy_elision:without_last_shapes",
        "adjoints are allocated by known extents, not by an array that is kept for its shape",
        needs=(TYPES,),
        optional=True,
        when=("loops", "has_arrays"),
    ),
    Pass(
        "kernel_calls",
        "transforms.postoptimise.kernel_calls:with_quick_calls",
        "calls and array statements that take Numba long to compile become calls of kernels",
        needs=(TYPES,),
        optional=True,
        when=("loops", "has_arrays"),
    ),
    Pass(
        "array_contraction_to_scalar",
        "transforms.postoptimise.array_contraction_to_scalar:with_single_elements",
        "an array of which each iteration uses one element of its own becomes a number",
        needs=(TYPES,),
        optional=True,
        when=("loops", "has_loops"),
        source="Gao et al., Collective loop fusion for array contraction, LCPC 1992",
    ),
    Pass(
        "array_contraction",
        "transforms.postoptimise.array_contraction:contracted",
        "an array of which a loop needs a few rows at once holds only these",
        needs=(TYPES,),
        optional=True,
        when=("loops", "has_loops"),
        source="Lefebvre and Feautrier, Automatic storage management for parallel programs, 1998",
    ),
    Pass(
        "buffer_reuse",
        "transforms.postoptimise.buffer_reuse:in_place",
        "an array that is dead after a statement provides the memory for its result",
        needs=(TYPES,),
        optional=True,
        when=("loops", "has_arrays"),
        source="Hudak and Bloss, 1985",
    ),
    Pass(
        "first_contributions",
        "transforms.postoptimise.first_contributions:with_first_stores",
        "arrays of zeros that loops fill from end to end are not set to zero before",
        needs=(TYPES,),
        optional=True,
        when=("loops", "has_loops"),
        source="Griewank and Walther, Evaluating Derivatives, 2nd edition, 2008, section 6.2",
    ),
    Pass(
        "copy_elision_moves",
        "transforms.postoptimise.copy_elision_moves:with_memory_handed",
        "arrays that are dead afterwards pass on their memory; what is added to zeros alone is not added",
        needs=(TYPES,),
        optional=True,
        when=("loops", "has_arrays"),
    ),
    Pass(
        "vector_math",
        "transforms.postoptimise.vector_math:note_lanes",
        "exp, log and tanh in loops are arithmetic, of which LLVM makes vector instructions",
        needs=(TYPES,),
        optional=True,
        when=("loops",),
    ),
    Pass(
        "unordered_reductions",
        "transforms.postoptimise.unordered_reductions:with_free_sums",
        "sums of adjoints over a loop are added in any order, so several terms at once",
        needs=(TYPES, PLAIN_SUMS),
        optional=True,
        when=("loops", "knows_primals", "has_loops"),
    ),
    Pass(
        "nonnegative_indices",
        "transforms.postoptimise.nonnegative_indices:with_natural_indices",
        "indices that are proved not to be negative are promised to be so",
        needs=(TYPES,),
        optional=True,
        when=("loops", "has_loops"),
    ),
    Pass(
        "delayed_updates",
        "transforms.postoptimise.delayed_updates:with_delayed_updates",
        "outer products that a loop adds to a large matrix wait for others, and are added together",
        needs=(TYPES, PLAIN_SUMS),
        optional=True,
        when=("loops", "has_loops", "has_arrays"),
        source="McDaniel et al., Delayed Slater determinant update algorithms, J. Chem. Phys. 147, 2017",
    ),
    Pass(
        "plain_names",
        "transforms.postoptimise.forward_substitution:with_plain_names",
        "numbered names take the plain name where it is free; ranges are written short",
    ),
    Pass(
        "debug_checks",
        "transforms.sweeps.debug_checks:with_checks",
        "under `srcad.debug`, a check follows each statement that can make a NaN or an infinity",
        when=("debug",),
    ),
)

# All functions of a module together.
FINISH = (
    Pass(
        "work_sharing",
        "transforms.parallel.work_sharing:divided",
        "iterations of loops over prange are shared out among threads",
        needs=(PLAIN_SUMS,),
        optional=True,
        when=("loops",),
    ),
    Pass(
        "llvm_assumptions",
        "transforms.postoptimise.llvm_assumptions:with_promises",
        "what has been noted on loops and calls is written out as calls that tell LLVM",
        needs=(PLAIN_SUMS,),
        keeps=(TYPES,),
        when=("loops",),
    ),
    Pass(
        "memory_scopes",
        "",
        "LLVM is told which arrays share no memory; the text stays the same",
        optional=True,
        within="llvm_assumptions",
        source="LLVM Language Reference, `noalias` and `alias.scope` metadata",
    ),
)

STAGES = {
    "normalise": NORMALISE,
    "optimise": OPTIMISE,
    "differentiate": DIFFERENTIATE,
    "simplify": SIMPLIFY,
    "finish": FINISH,
}
ROWS = {row.name: row for rows in STAGES.values() for row in rows}
PASSES = {name: row.does for name, row in ROWS.items() if row.optional}

# Left out under `srcad.debug`, so that each operation of the user's line is a statement with its names.
UNCHECKED = frozenset(PASSES) - {"first_assignment", "zero_guards", "preallocated_traces"}
