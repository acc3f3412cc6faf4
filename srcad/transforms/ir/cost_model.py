"""Cost model: the costs, thresholds and limits by which the passes choose between alternatives and give up.

    if operation_cost(value, is_integer=False, is_array=False, primitive=np.exp) >= EXPENSIVE_OPERATION: ...

Costs are in units of roughly one multiplication, including its latency. They are guesses that rank alternative
ways of doing the same: no result depends on them, only the speed of the code. Limits bound what a pass tries, so that
compile times are bounded; beyond one, the pass leaves the code as it is, or the compiler refuses the program.
"""

from __future__ import annotations

import math
from typing import Any

import gast
import numpy as np

from srcad.runtime import kernels

# Operations: recomputing against recording (recomputation)

CHEAP_OPERATION = 0.3  # sums, products and comparisons, several of which a processor does at a time
EXPENSIVE_OPERATION = 12.0  # functions such as exp and sin, and powers: some tens of instructions
CHEAP_CALL = 1.0  # calls that become an instruction or two
ROOT = 3.0  # roots and divisions share one execution unit
REMAINDER = 4.0  # of a division, which then is corrected for the signs
VIEW = 1.0  # a new header for the same memory; no element is read
ELEMENT_READ = 0.6  # from memory that is mostly in the cache, and used right away
SELECTION = 1.0  # one of two values, with its test

OPERATOR_COSTS: dict[type[gast.AST], float] = {
    gast.Div: ROOT,
    gast.Pow: EXPENSIVE_OPERATION,
    gast.Mod: REMAINDER,
    gast.FloorDiv: REMAINDER,
}
CHEAP_CALLS = frozenset({abs, min, max, float, int, bool, len, math.fabs, np.maximum, np.minimum, np.abs, np.clip}) | {
    *(np.floor, np.ceil, np.trunc, np.rint, math.floor, math.ceil, math.trunc, kernels.to_integer),  # one instruction
    *(np.real, np.conj, kernels.imaginary, kernels.squared_modulus),
}
ROOTS = frozenset({math.sqrt, np.sqrt, np.divide, kernels.modulus})

# Elementwise operations worth doing once for each element of a larger array, rather than once before (fuse)
REPEATABLE_OPERATORS = (gast.Add, gast.Sub, gast.Mult)


def operation_cost(value: gast.expr | None, is_integer: bool, is_array: bool, primitive: Any) -> float:
    """The cost of one operation, by the type of its result and, for a call, the function called.

    >>> operation_cost(gast.parse("x / y").body[0].value, False, False, None)
    3.0
    >>> operation_cost(gast.parse("np.exp(x)").body[0].value, False, False, np.exp)
    12.0
    """
    match value:
        case gast.BinOp(op=op):
            return CHEAP_OPERATION if is_integer else OPERATOR_COSTS.get(type(op), CHEAP_OPERATION)
        case gast.Call() if is_array:
            return VIEW
        case gast.Call():
            return CHEAP_CALL if primitive in CHEAP_CALLS else ROOT if primitive in ROOTS else EXPENSIVE_OPERATION
        case gast.Subscript():
            return ELEMENT_READ
        case gast.IfExp():
            return SELECTION
    return CHEAP_OPERATION


# Traces: the cost of recording a value (recomputation, storage_costs, min_cut, tbr)

RECORD = 4.0  # writing eight bytes, which leave the cache, and reading them again
RECORD_OF_TYPE = {"bool": 1.0, "float32": 2.5}  # fewer bytes
GROWING_TRACE_FACTOR = 2.2  # a growing trace is copied now and then, and each entry tests for room
FRESH_MEMORY_FACTOR = 1.25  # the operating system provides pages when they are first touched
CACHED_TRACE_FACTOR = 0.4  # what is written and read within an iteration of an outer loop stays in the cache
SKIPPED_WORK_FACTOR = 0.3  # work that is done only where an adjoint is not zero
INFINITE_COST = 1e12  # of what is impossible: more than everything else in a function together
GUESSED_ITERATIONS = 100  # of each loop around a statement; only how deep statements are matters

# Traces: their lengths (traces, loop_outlining)

FIRST_TRACE_ENTRIES = 64  # initial capacity of a growing trace: short loops never copy it
LARGEST_TRACE = 2**27  # entries of a trace that cannot grow; a gigabyte of doubles, reserved and only used as needed
ITERATIONS_AT_ONCE = 16  # iterations reversed together where the state consists of scalars, for fewer snapshots

# The form of generated code (post-optimisation, zero guards, parallel loops)

MOST_FOLDED_NODES = 26  # nodes of an expression, about a line; what is longer keeps its name
FEWEST_QUICK_CALLS = 6  # Numba compiles loops as slowly as the equivalent kernel, which is compiled only once
FEWEST_GUARDED_CHOICES = 2  # selections that pass an adjoint to one of several, for a test to pay off
MOST_GUARDED_ADJOINTS = 2  # adjoints tested to skip a statement: more tests cost what they save
FEWEST_DISTRIBUTED_ITERATIONS = 16  # if their number is known: shorter loops gain less than their copies cost
FEWEST_HOISTED_PRODUCTS = 16  # the same, of products in a loop, which would become one product of matrices
FEWEST_TERMS = 32  # multiplications for a row of a product of matrices: below that, loops of numbers are quicker
MOST_LINES_APART = 4  # lines of an array for which sums are buffered; each buffer has to stay in the cache
MOST_ELEMENTS_APART = 8  # distance of elements whose sums are gathered; zeros are added in between
MOST_WINDOW_ROWS = 4  # rows of an array in a rolling buffer; each access computes a remainder
HEAVY_ITERATION = 64  # assumed cost of an iteration with a loop or array operations, against scalars

# Structures and calls, during lowering

MOST_PARTS = 256  # parts of one structure, each of which becomes a variable
MOST_INDEXED_PARTS = 64  # parts that an index known only at run time may select, with a branch for each
MOST_SPLIT_PIECES = 64  # arrays that np.split and the like make, each of which becomes a variable
MOST_REPEATED_PARTS = 64  # elements of a repeated list that become variables; longer lists become arrays
LONGEST_TAKEN_APART = 64  # elements of a list argument; shorter lists become variables of any forms
FIRST_LIST_ROOM = 16  # initial capacity of lists of unknown length
MOST_UNROLLED_TURNS = 64  # iterations of a loop that is unrolled, since its iterations handle different structures
MOST_UNROLLED_OPERATIONS = 400  # of all iterations; beyond that, constants that a loop visits are read from an array
MOST_UNROLLED_WHILE = 256  # iterations of a `while` loop whose test is known before each of them
MOST_GUARDED_TURNS = 32  # of those, iterations after one that may have left the loop
MOST_LOOP_TRIALS = 20  # lowerings of a loop's body until the state at its start equals that at its end (fixed point)
MOST_NESTED_CALLS = 22  # calls within calls; stops functions that keep making new functions
MOST_REPEATED_STATEMENTS = 300  # by type splitting, over all joins at which a name has two types
MOST_PEELED_ITERATIONS = (
    8  # of one loop, for names that have another type in each; types mostly settle after one or two
)
MOST_INLINED_STATEMENTS = 150  # of a helper, over all calls; beyond that it is called instead of inlined
MOST_KEPT_INLINE = 6000  # the same for one that cannot be called, since it changes or returns objects
MOST_FORMS = 500  # calls of a recursive function that is inlined for each form of its arguments, as over a tree
MOST_NESTED_FORMS = 10  # such calls within each other

# Alias case-splitting (alias_cases, alias_versioning)

MOST_STATES = 128  # of all names at one point, tracked one by one; each branch may double them
MOST_CASES = 8  # versions of a piece of code, one for each array that a name may refer to
MOST_CHOICE_ROUNDS = 8  # repetitions of the search, since versioning may reveal further cases

# Proofs about indices (analysis.affine, trip_counts)

MOST_INEQUALITIES = 400  # eliminating a symbol may square their number; a larger system is left undecided
MOST_BOXES = 64  # boxes joined in pairs, to prove that they cover an array
DEEPEST_EXTENT = 8  # definitions followed to the greatest value of an index
DEEPEST_FORM = 20  # definitions followed to the linear form of a number of the primal, which may lead in circles
