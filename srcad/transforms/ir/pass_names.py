"""The compiler's optional passes: what each does, and the choice of those to go without.

    srcad.grad(f, without="fuse")           srcad show --without fuse,spot kernel.py:f          SRCAD_WITHOUT=fuse

Without any of them derivatives are right, only slower: a pass is switched off to find out what it gains, or whether a
doubtful number is its work. A unit carries the choice (`Unit.without`); each pass asks `unit.does(name)` at its door.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from srcad.errors import BadArgument

PASSES: Mapping[str, str] = {
    "fuse": "elementwise array statements become loop nests; without it they stay array statements",
    "assume": "arrays that may broadcast are taken not to, until a call shows otherwise",
    "early": "copies of arrays are made early, and the array's elements read from them",
    "tidy": "the same operation is done once, and before the loop that does not change it",
    "tables": "what a loop computes anew for the same indices of loops within is computed before it, into a table",
    "folds": "what iterations of a parallel loop pass on to each other is done by a serial loop behind the rest",
    "merge": "a loop is joined with the one that reads its results, for `iteration_local_reversal`",
    "spot": "a loop whose iterations share only sums is reversed iteration by iteration, with no trace",
    "recompute": "numbers are computed again in the reverse sweep where that is cheaper than recording them",
    "grid": "traces have a place for each iteration where the number of these is known; without it they grow",
    "skip": "adjoint statements that can only pass on zeros are skipped by a test",
    "first": "the first contribution to an adjoint is assigned, not added to zero",
    "prune": "what no result depends on is dropped",
    "copies": "what is copied is read in the copy's place; arrays that nobody wants any more hand over their memory",
    "fold": "values that are used once move into the expression that uses them",
    "scalars": "elements that a loop reaches again and again are held in variables",
    "reuse": "what has been computed, and is still at hand, is not computed anew",
    "regroup": "recurrences add last what the last iteration computed, where the primal's value is not asked for",
    "reorder": "reversed loops run forwards where the order does not matter",
    "running": "integers that loops count along, and views by their indices, are found again in reversed loops",
    "distribute": "sums into neighbouring elements get loops of their own, which vectorise",
    "gather": "of these, those into one line of an array, or lines side by side, become one sum for each element",
    "overwrite": "elements that are set to zero and later added to are stored instead, and the zeros are not",
    "inplace": "arrays whose elements are last read where those of another are first stored give it their memory",
    "contract": "arrays of which a loop needs a few rows, or one element, at once hold only these",
    "quick": "calls and array statements that take Numba long to compile become calls of kernels",
    "lanes": "exp, log and tanh in loops are arithmetic, of which LLVM makes vector instructions",
    "unordered": "sums of adjoints over a loop are added in any order, so several terms at once",
    "natural": "indices that are proved not to be negative are promised to be so",
    "parallel": "iterations of loops over prange are shared out among threads",
}

VARIABLE = "SRCAD_WITHOUT"


def chosen(without: str | Iterable[str] = ()) -> tuple[str, ...]:
    """The passes to go without: those named, and those that the environment names; in the order of the table.

    >>> chosen("spot, fuse"), chosen(["tidy"]), chosen()
    (('fuse', 'spot'), ('tidy',), ())
    """
    named = _named(without) | _named(os.environ.get(VARIABLE, ""), f" in {VARIABLE}")
    return tuple(name for name in PASSES if name in named)


def _named(without: str | Iterable[str], where: str = "") -> set[str]:
    parts = without.split(",") if isinstance(without, str) else without
    names = {part.strip() for part in parts} - {""}
    for name in sorted(names):
        if name not in PASSES:
            raise BadArgument(f"there is no pass '{name}'{where}", hint=f"passes are {', '.join(PASSES)}")
    return names
