"""Buffer reuse: an array that is dead after a loop nest provides the memory for an array that the nest starts to fill.

    t_bar = np.zeros((n, m))
    for i in range(n):                          t_bar = h_bar
        for j in range(m):                      for i in range(n):
            u = h_bar[i, j]          becomes        for j in range(m):
            h_bar[i, j] = 0.0                           u = h_bar[i, j]
            t_bar[i, j] += f(u)                         t_bar[i, j] = f(u)

    h = np.empty((n, m))                        h = t
    for i in range(n):                          for i in range(n):
        h[i] = np.tanh(t[i])                        h[i] = np.tanh(t[i])

Saves one array's trips through the caches, as in-place adjoints written by hand do. Input and output are the statements
of one function. Applies where both arrays are allocated by the function and have no other names, the first is not read
after the nest, both are subscripted only by the nest's loop indices in one order, the first's element is last read
before or where the second's is first stored, and the extents are proved equal (`point_facts`); if the second starts
as zeros, the loops must cover its full extents. An array of zeros keeps its own memory where later loops use it
together with an array that is not known to be unaliased, and store to one of them: LLVM knows that new zeros
(`runtime.allocate`) alias nothing, and would lose that fact.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import gast
from numba import types as nb

from srcad.transforms.analysis.affine.integer_facts import is_counted
from srcad.transforms.analysis.affine.linear_forms import Form
from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.analysis.liveness import liveness_of
from srcad.transforms.analysis.ranks import ranks_of
from srcad.transforms.ir.array_functions import MAKES_ZEROS, READ_ONLY_VIEWS
from srcad.transforms.ir.build import (
    Block,
    MentionedNames,
    assign,
    const,
    dotted_path,
    inner_blocks,
    load,
    mentions,
    one_or_tuple,
    place_of,
    position,
    subscript,
    walk_statements,
    written,
)
from srcad.transforms.ir.code import Code, store_counts
from srcad.transforms.ir.node_notes import note
from srcad.transforms.ir.side_effects import all_written, changed_in, stored_in
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.postoptimise.array_contraction_to_scalar import (
    common_index,
    first_store,
    is_zero_store,
    loops_around,
    made_in,
)

_EXITS = gast.Break, gast.Continue, gast.Return


def in_place(code: Code) -> Code:
    """Let arrays take over the memory of dead arrays.

    Functions with parallel loops are left unchanged: aliasing there could no longer be decided.
    """
    if any(is_parallel(each) for each in walk_statements(code.body)):
        return code
    owner = _Owner(code)
    owner.walk(code.body, Facts.at_start(code.kinds, owner.ranks.of))
    return code.with_body(code.body)


class _Owner:
    def __init__(self, code: Code) -> None:
        self.kinds = code.kinds
        self.aliases, self.ranks = aliases_of(code), ranks_of(code)
        self.stores = store_counts(code)
        self.live = liveness_of(code).after
        self.zeros = {
            made_in(each) for each in walk_statements(code.body) if made_in(each) is not None and _is_zeros(each)
        }
        # Views of what has no name; in NumPy such memory is not to be written.
        self.taken = {str(written(each)) for each in walk_statements(code.body) if _is_read_only(each)}
        self.mentioned = MentionedNames()

    def walk(self, block: Block, shapes: Facts) -> None:
        """Reuse buffers in a block and in its inner blocks."""
        for statement in list(block):
            if not inner_blocks(statement):
                shapes.learn(statement)
                continue
            shapes.forget(stored_in([statement]))
            self.hand_over(block, statement, shapes)
            for inner in inner_blocks(statement):
                self.walk(inner, shapes.copy())

    def hand_over(self, block: Block, nest: gast.stmt, shapes: Facts) -> None:
        """Let the arrays that are first stored in a loop nest take the memory of arrays that are last used there."""
        if not is_counted(nest) or any(isinstance(each, _EXITS) for each in walk_statements(nest.body)):
            return
        at = position(block, nest)
        used = mentions([nest])
        above = block[:at]
        ends = [name for name in used if self.ends(name, above, nest)]
        for k, made in enumerate(above if ends else ()):
            taker = made_in(made)
            if taker is not None and used[taker] and self.begins(taker, islice(above, k + 1, None)):
                if _is_zeros(made) and any(self.is_beside(taker, each) for each in block[at + 1 :]):
                    continue
                givers = (each for each in ends if each != taker)
                giver = next((each for each in givers if self.gives(each, taker, made, nest, shapes)), None)
                if giver is not None:
                    block.remove(made)
                    given = note(assign(taker, load(giver), place_of(made)), comment="reuses its memory")
                    block.insert(position(block, nest), given)
                    self.taken |= {giver, taker}
                    self.mentioned.forget(nest)

    def is_alone(self, name: str) -> bool:
        """Whether the array is allocated by the function, stored in one name only, once, and C-contiguous."""
        kind = self.kinds.get(name)
        is_array = isinstance(kind, nb.Array) and kind.ndim > 0 and kind.layout == "C"
        alone = self.stores[name] == len(self.aliases.connected(name)) == 1 and self.aliases.is_local(name)
        return is_array and alone and name not in self.taken

    def ends(self, name: str, above: Block, nest: gast.stmt) -> bool:
        """Whether an array that exists before a nest is dead after it."""
        if not self.is_alone(name) or name in self.live[nest]:
            return False
        return any(name in all_written(each) for each in above if not inner_blocks(each))

    def begins(self, name: str, between: Iterable[gast.stmt]) -> bool:
        """Whether an array is not mentioned between its allocation and a nest."""
        return self.is_alone(name) and not any(name in self.mentioned.of(each) for each in between)

    def is_beside(self, taker: str, statement: gast.stmt) -> bool:
        """Whether loops access the array and a second one, and store to one, which LLVM could then not tell apart."""
        used = mentions([statement]) if inner_blocks(statement) else ()
        changed = changed_in([statement])
        arrays = {name for name in used if name in self.stores and self.ranks.of.get(name) != 0}
        others = (arrays if taker in changed else arrays & changed) - {taker}
        return taker in used and any(not self.is_apart(name) for name in others)

    def is_apart(self, name: str) -> bool:
        """Whether LLVM knows that an array does not alias any other."""
        return name in self.zeros and self.stores[name] == 1 and name not in self.taken

    def gives(self, giver: str, taker: str, made: gast.Assign, nest: gast.For, shapes: Facts) -> bool:
        """Whether `giver` can provide the memory of `taker`; if so, rewrites the sums into zeros as stores."""
        loops = loops_around(nest, {giver, taker})
        index, extents = common_index(loops, {giver, taker}, shapes), shapes.forms_of(load(giver))
        if giver in self.taken or self.kinds[giver] != self.kinds[taker] or index is None or not extents:
            return False
        body = loops[-1].body
        at = next(k for k, each in enumerate(body) if taker in mentions([each]))
        store, is_inside = first_store(body[at], taker), bool(inner_blocks(body[at]))
        clear = next((each for each in body[:at] if is_zero_store(each, giver)), None)
        over = at + (store is not None) if clear is None else position(body, clear) + 1
        if giver in mentions(body[over:]) or (store is None and not is_inside):
            return False
        if extents != shapes.forms_of(load(taker)):
            return False
        if _is_zeros(made):
            counts = {each.target.id: _count(each, shapes) for each in loops}
            if [counts[name] for name in index] != extents:
                return False
        if store is not None:
            body[at] = store
            body[:] = [each for each in body if each is not clear]
        elif _is_zeros(made) and clear is None:
            element = subscript(load(taker), one_or_tuple([load(each) for each in index]), store=True)
            body.insert(at, assign(element, const(0.0), place_of(body[at])))
        return True


def _is_zeros(made: gast.Assign) -> bool:
    return dotted_path(made.value.func) in MAKES_ZEROS


def _is_read_only(statement: gast.stmt) -> bool:
    value = getattr(statement, "value", None)
    return isinstance(value, gast.Call) and dotted_path(value.func) in READ_ONLY_VIEWS


def _count(loop: gast.For, shapes: Facts) -> Form | None:
    """The trip count of a loop with step 1 from zero or step -1 down to zero; a negative value means no iterations."""
    ends = shapes.bounds(loop).every
    return ends[1] + 1 if ends is not None and ends[0] == Form() else None
