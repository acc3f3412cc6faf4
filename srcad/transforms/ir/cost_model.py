"""By what the compiler's passes weigh one way against another, and where they give up: costs, thresholds and limits.

    if operation_cost(value, is_integer=False, is_array=False, primitive=np.exp) >= EXPENSIVE_OPERATION: ...

Costs are in a unit of their own, about the time of a multiplication that waits for its operands. They are guesses that
rank ways of doing the same: no result depends on them, only how fast it is there. Limits bound what a pass tries, so
that compiling ends in time; beyond one, the pass leaves the code as it is, or the compiler refuses the program.
"""

from __future__ import annotations

import math
from typing import Any

import gast
import numpy as np

# Operations: recomputing against recording (recipe, tables)

CHEAP_OPERATION = 0.3  # sums, products and comparisons, several of which a processor does at a time
EXPENSIVE_OPERATION = 12.0  # functions such as exp and sin, and powers: some tens of instructions
CHEAP_CALL = 1.0  # calls that become an instruction or two
ROOT = 3.0  # roots and divisions wait for the one unit that does them
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
CHEAP_CALLS = frozenset({abs, min, max, float, int, bool, len, math.fabs, np.maximum, np.minimum, np.abs})
ROOTS = frozenset({math.sqrt, np.sqrt, np.divide})

# Elementwise operations worth doing once for each element of a larger array, rather than once before (fuse)
REPEATABLE_OPERATORS = (gast.Add, gast.Sub, gast.Mult)


def operation_cost(value: gast.expr | None, is_integer: bool, is_array: bool, primitive: Any) -> float:
    """What one operation costs, by the type of its result and, if it is a call, the function called.

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


# Traces: what recording a value costs (recipe, cost, mincut, record)

RECORD = 4.0  # writing eight bytes, which leave the cache, and reading them again
RECORD_OF_TYPE = {"bool": 1.0, "float32": 2.5}  # fewer bytes
GROWING_TRACE_FACTOR = 2.2  # a trace that grows is copied now and then, and each entry asks whether there is room
FRESH_MEMORY_FACTOR = 1.25  # the system hands out pages as they are touched for the first time
CACHED_TRACE_FACTOR = 0.4  # what is written and read within an iteration of an outer loop stays in the cache
SKIPPED_WORK_FACTOR = 0.3  # work that is done only where an adjoint is not zero
INFINITE_COST = 1e12  # of what cannot be: more than everything else in a function together
GUESSED_ITERATIONS = 100  # of each loop around a statement; only how deep statements are matters

# Traces: their lengths (trace, checkpoint)

FIRST_TRACE_ENTRIES = 64  # entries that a trace which grows has room for at first: short loops never copy it
LARGEST_TRACE = 2**27  # entries of a trace that cannot grow; a gigabyte of doubles, reserved and only used as needed
ITERATIONS_AT_ONCE = 16  # recorded and reversed at once where a state is but numbers, so that there are fewer states

# What generated code looks like (fold, quick, guard, distribute, rolling, gather, window, parts)

MOST_FOLDED_NODES = 26  # nodes of an expression, about a line; what is longer keeps its name
FEWEST_QUICK_CALLS = 6  # loops take Numba as long as the kernel that does the same, which is compiled once
FEWEST_GUARDED_CHOICES = 2  # choices that pass on an adjoint to one of several, for a test to pay off
MOST_GUARDED_ADJOINTS = 2  # adjoints tested to skip a statement: more tests cost what they save
FEWEST_DISTRIBUTED_ITERATIONS = 16  # if their number is known: shorter loops gain less than their copies cost
MOST_LINES_APART = 4  # lines of an array that sums wait for; each is a buffer that has to stay in the cache
MOST_ELEMENTS_APART = 8  # elements that sums to gather are apart; in between nothing is added, in vain
MOST_WINDOW_ROWS = 4  # rows of an array that are kept at once; the index takes a remainder for each access
HEAVY_ITERATION = 64  # how much more an iteration does that has a loop or works on arrays than one of numbers, by guess

# Structures and calls, while lowering: structures, slots, splits, stacks, grow, packed, paths, lower and outline

MOST_PARTS = 256  # parts of one structure, each of which becomes a variable
MOST_INDEXED_PARTS = 64  # parts that an index known only at run time may select, by a branch for each
MOST_SPLIT_PIECES = 64  # arrays that np.split and its like make, each of which becomes a variable
MOST_REPEATED_PARTS = 64  # elements of a list of one value; longer ones are written to by numbers
LONGEST_TAKEN_APART = 64  # elements of a given list; shorter lists are taken apart, and may hold elements of many forms
FIRST_LIST_ROOM = 16  # elements that there is room for in lists of which nothing is known
MOST_UNROLLED_TURNS = 64  # iterations of a loop that is written out, since structures differ from turn to turn
MOST_LOOP_TRIALS = 20  # times that a loop's body is lowered until what holds at its start holds at its end
MOST_NESTED_CALLS = 24  # calls within calls; functions that make ever new functions end here
MOST_INLINED_STATEMENTS = 150  # of a helper, all calls taken together; it is called from then on

# Arrays that are one of several (choices, choose, runs)

MOST_STATES = 128  # of all names at one point, which are followed one by one; each choice may double them
MOST_CASES = 8  # copies of a piece of code, one for each array that a name may be
MOST_CHOICE_ROUNDS = 8  # times that choices are looked for again, as those made show others

# Proofs about indices (affine, cover, extent, indices, regions)

MOST_INEQUALITIES = 400  # eliminating a symbol may square their number; a larger system is left undecided
MOST_BOXES = 64  # boxes joined to others, in pairs, to see that they cover an array
DEEPEST_EXTENT = 8  # definitions followed to the greatest value of an index
DEEPEST_INDEX = 20  # definitions followed to the linear form of an index in generated code
DEEPEST_FORM = 20  # definitions followed to the linear form of a number of the primal, which may lead in circles
