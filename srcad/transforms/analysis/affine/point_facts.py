"""Point facts: what is known about integers, array extents and tests at one point of the code.

    k = j - 1                       k is the form j - 1
    a = np.zeros((n + 1, m))        a has n + 1 rows
    for i in range(k):              inside: i >= 0, and k - 1 - i >= 0
        k = 0                       from here on, nothing is known about k

`learn`, `enter` and `under` follow the code; facts about a name end where it is stored. An integer or an extent that is
not known otherwise is a symbol of its own, `n` or `x.shape[0]`. Serves code in which names are stored several times and
expressions are nested; for core form, see `ssa_facts`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import gast
from numba import types as nb

from srcad.transforms.analysis.affine.extents import Dimension, Extent, Extents
from srcad.transforms.analysis.affine.integer_facts import index_parts, is_counted, is_full
from srcad.transforms.analysis.affine.linear_forms import Form, extent_symbol, is_extent, is_nonnegative, name_of
from srcad.transforms.ir.array_functions import last_part
from srcad.transforms.ir.build import (
    Block,
    attribute,
    clone,
    const,
    dotted_path,
    inner_blocks,
    load,
    names_in,
    subscript,
    walk,
)
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import all_written, stored_in

_RANKED = (nb.Array, nb.Number, nb.Boolean)
_ARITHMETIC = (gast.BinOp, gast.UnaryOp, gast.Name, gast.Constant, gast.operator, gast.USub, gast.expr_context)


class Facts(Extents):
    """The facts at one point; `known` has the forms that are not negative there."""

    def __init__(self, ranks: Mapping[str, int] | None = None, integers: Collection[str] = ()) -> None:
        """`ranks` has the rank of arrays by name, 0 for scalars; `integers` has the names of integers."""
        self.ranks: Mapping[str, int] = {} if ranks is None else ranks
        self.integers = frozenset(integers)
        self.forms: dict[str, Form] = {}
        self.known: tuple[Form, ...] = ()
        self.extents: dict[str, tuple[gast.expr, ...]] = {}  # of arrays, and the elements of tuples that hold extents
        self.numbers: dict[str, int] = {}  # extents that are known to be a number, by symbol
        self.tests: dict[str, gast.Compare] = {}
        self._mentioned: dict[str, frozenset[str]] = {}  # the names in the facts about a name's extents or test
        self._used: set[str] = set()  # the names in all facts, and some in former ones
        self._indices: frozenset[str] = frozenset()  # of the loops around
        self._varying: frozenset[str] = frozenset()  # names that mean something else in each iteration

    @staticmethod
    def at_start(kinds: Mapping[str, nb.Type], ranks: Mapping[str, int] | None = None) -> Facts:
        """No facts but the types of names, and the ranks of arrays, by which 0 stands for scalars."""
        if ranks is None:
            ranks = {name: getattr(kind, "ndim", 0) for name, kind in kinds.items() if isinstance(kind, _RANKED)}
        return Facts(ranks, [name for name, kind in kinds.items() if isinstance(kind, nb.Integer)])

    def copy(self) -> Facts:
        """An independent copy of the facts."""
        other = Facts(self.ranks, self.integers)
        other.forms, other.known = dict(self.forms), self.known
        other.extents, other.tests, other.numbers = dict(self.extents), dict(self.tests), dict(self.numbers)
        other._mentioned, other._used = dict(self._mentioned), set(self._used)
        other._indices, other._varying = self._indices, self._varying
        return other

    def learn(self, statement: gast.stmt) -> None:
        """Update the facts for a simple statement."""
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                form, rank = self.form(value), self.ranks.get(name)
                extents = None if rank == 0 else self.extents_in(value, rank)
                self.forget([name])
                if form is not None and name not in form.names:
                    self.forms[name] = form
                    self._used |= {name, *form.names}
                if extents and all(name not in names_in(each) for each in extents):
                    self.note(name, extents)
                elif isinstance(value, gast.Compare) and name not in names_in(value):
                    self.tests[name] = value
                    self._mention(name, (value,))
                self._learn_product(name, value)
            case gast.AugAssign(target=gast.Name(id=name)) if self.ranks.get(name):
                pass  # the same array
            case gast.Expr(value=gast.Call(func=function, args=[one, other])) if last_part(function) == "known_extent":
                self._learn_number(self.form(one), self.form(other))
            case _:
                self.forget([*all_written(statement)])

    def learn_check(self, statement: gast.stmt) -> None:
        """Note that two extents are equal, after a check that would have raised an exception."""
        match statement:
            case gast.Expr(value=gast.Call(func=function, args=[one, other])) if last_part(function) == "same_extent":
                first, second = self.form(one), self.form(other)
                self._learn_number(first, second)
                self._learn_number(second, first)
                if first is not None and second is not None and first != second:
                    self.suppose((first - second, second - first))

    def _learn_number(self, form: Form | None, number: Form | None) -> None:
        """Note that the extent of an array is a number."""
        if form is None or number is None or number.terms or form.constant or len(form.terms) != 1:
            return
        symbol, factor = form.terms[0]
        if factor == 1 and is_extent(symbol) and symbol not in self.numbers:
            self.numbers[symbol] = int(number.constant)
            self._used.add(name_of(symbol))
            for name, each in self.forms.items():
                if each == form:
                    self.forms[name] = number

    def forget(self, names: Collection[str]) -> None:
        """Kill the facts about these names, which are stored."""
        if self._used.isdisjoint(names):
            return
        for each in [each for each, form in self.forms.items() if each in names or not form.names.isdisjoint(names)]:
            del self.forms[each]
        self._indices = self._indices.difference(names)
        if self.numbers:
            self.numbers = {each: number for each, number in self.numbers.items() if name_of(each) not in names}
        if self.known:
            self.known = tuple(each for each in self.known if each.names.isdisjoint(names))
        for each in [each for each, used in self._mentioned.items() if each in names or not used.isdisjoint(names)]:
            del self._mentioned[each]
            self.extents.pop(each, None)
            self.tests.pop(each, None)

    def descend(self, statement: gast.stmt) -> list[tuple[Block, Facts]]:
        """The blocks in a loop or branch, each with the facts at its start. Updates the facts to after it."""
        stored, blocks = stored_in([statement]), inner_blocks(statement)
        if isinstance(statement, gast.If):
            inside = [self.under(statement.test, arm == 0) for arm in range(len(blocks))]
            self.forget(stored)
            return list(zip(blocks, inside, strict=True))
        self.forget(stored)
        if is_counted(statement):
            return [(statement.body, self.enter(statement))]
        if isinstance(statement, gast.While):
            return [(statement.body, self.under(statement.test, True))]
        return [(block, self.copy()) for block in blocks]

    def enter(self, loop: gast.For) -> Facts:
        """The facts in the body of a loop over a range, given those before it; `forget` first what the loop stores."""
        found, index, stored = self.copy(), loop.target.id, stored_in(loop.body)
        limits = self.bounds(loop).limits(index)
        found.forget([index])
        found.forms[index] = Form.of(index)
        found._indices |= {index}
        found._used.add(index)
        found.suppose(each for each in limits if not stored & each.names - {index})
        return found

    def under(self, test: gast.expr, holds: bool) -> Facts:
        """The facts in the arm of a branch where a test holds, or does not hold."""
        found = self.copy()
        found.suppose(self.implied(test, holds))
        return found

    def suppose(self, forms: Iterable[Form]) -> None:
        """Record forms that are not negative from here on."""
        new = tuple(forms)
        self.known += new
        self._used.update(*(each.names for each in new))

    def restrict(self, stored: Collection[str]) -> None:
        """Restrict the facts to one iteration of a loop that stores these names.

        From here on, a name of these has no form where its value is not known in terms of others, nor has the length of
        an array of these, since a symbol would stand for different values in different iterations.
        """
        self.forget(stored)
        self._varying = frozenset(stored)

    def is_nonnegative(self, form: Form) -> bool:
        """Whether a form is proved not to be negative here."""
        return is_nonnegative(form, self.known)

    def of_name(self, name: str) -> Form | None:
        """The form of an integer by name."""
        found = self.forms.get(name)
        return Form.of(name) if found is None and name not in self._varying else found

    def size(self, array: str, axis: int) -> Form | None:
        """The form of an extent; None for arrays of unknown rank."""
        own = self.of(array) or ()
        return self._of_extent(own[axis]) if 0 <= axis < len(own) else None

    def element(self, name: str, place: int) -> Form | None:
        """The form of an element of a tuple that holds extents."""
        own = self.extents.get(name, ()) if name not in self.ranks else ()
        return self._of_extent(own[place]) if -len(own) <= place < len(own) else None

    def _of_extent(self, node: gast.expr) -> Form | None:
        match node:
            case gast.Subscript(value=gast.Attribute(value=gast.Name(id=array), attr="shape"), slice=axis):
                symbol = extent_symbol(array, constant(axis))
                if symbol in self.numbers:
                    return Form.number(self.numbers[symbol])
                return None if array in self._varying else Form.of(symbol)
        return self.form(node)

    def rank_of(self, name: str) -> int | None:
        """The rank of an array, 0 for scalars."""
        return self.ranks.get(name)

    def is_number(self, symbol: str) -> bool:
        """Whether a symbol of a form is known to stand for a number, and not for an array."""
        return is_extent(symbol) or self.ranks.get(symbol) == 0 or symbol in self._indices

    def comparison(self, test: gast.expr) -> gast.expr | None:
        """The comparison that a test stands for, if its operands are integers."""
        found = self.tests.get(test.id) if isinstance(test, gast.Name) else test
        if not isinstance(found, gast.Compare) or not self._are_integers([found.left, *found.comparators]):
            return None
        return found

    def _are_integers(self, nodes: list[gast.expr]) -> bool:
        whole = self.integers | self._indices
        numbers = [node for node in nodes if not isinstance(constant(node), int)]
        return all(
            not isinstance(node, gast.Constant) and whole >= {*names_in(node)} for node in numbers
        )  # as `...` is

    def _learn_product(self, name: str, value: gast.expr) -> None:
        """After a matrix product, the right operand is known to have as many rows as the left one has columns."""
        match value:
            case gast.BinOp(left=gast.Name(id=left), op=gast.MatMult(), right=gast.Name(id=right)):
                pass
            case gast.Call(func=function, args=[gast.Name(id=left), gast.Name(id=right)]) if _is_dot(function):
                pass
            case gast.BinOp() | gast.UnaryOp() | gast.Call():
                for each in gast.iter_child_nodes(value):
                    self._learn_product(name, each)
                return
            case _:
                return
        ranks = self.ranks.get(left), self.ranks.get(right)
        if ranks in ((2, 2), (2, 1), (1, 1)) and name not in (left, right):
            self.note(right, ((self.of(left) or ())[-1], *(self.of(right) or ())[1:]))

    def note(self, array: str, extents: tuple[gast.expr, ...]) -> None:
        """Record the extents of an array, unless some are known already."""
        if array not in self.extents:
            self.extents[array] = extents
            self._mention(array, extents)

    def _mention(self, name: str, parts: tuple[gast.expr, ...]) -> None:
        """Record the names that an extent or a test of a name depends on."""
        self._mentioned[name] = frozenset(each for part in parts for each in names_in(part))
        self._used |= {name, *self._mentioned[name]}

    def mentioned(self, name: str) -> frozenset[str]:
        """The names that what is known of a name's extents, or of a test, depends on."""
        return self._mentioned.get(name, frozenset())

    def of(self, name: str) -> tuple[gast.expr, ...] | None:
        """The extents of an array, as expressions of values known here."""
        found = self.extents.get(name)
        own = self.ranks.get(name, 0) if found is None else 0
        return found or tuple(self._own_extent(name, axis) for axis in range(own)) or None

    def _own_extent(self, array: str, axis: int) -> gast.expr:
        """An extent of an array of which nothing is known but a number."""
        number = self.numbers.get(extent_symbol(array, axis))
        return subscript(attribute(load(array), "shape"), const(axis)) if number is None else const(number)

    def parts(self, node: gast.expr) -> tuple[gast.expr, ...] | None:
        """The extents of an array, or of a view of it by integers and full slices."""
        match node:
            case gast.Name(id=name):
                return self.of(name)
            case gast.Subscript(value=gast.Name(id=name)):
                own, index = self.of(name) or (), index_parts(node)
                others = [each for each in index if not is_full(each)]
                is_view = all(isinstance(each, (gast.Name, gast.Constant, gast.BinOp)) for each in others)
                if is_view and len(index) <= len(own) and self._are_integers(others):
                    kept = (extent for part, extent in zip(index, own, strict=False) if is_full(part))
                    return (*kept, *own[len(index) :]) or None
        return None

    def forms_of(self, array: gast.expr) -> list[Form] | None:
        """The extents of an array or a view as linear forms; None if one of them is unknown."""
        extents = self.parts(array) or ()
        found = [form for each in extents if (form := self.form(each)) is not None]
        return found if len(found) == len(extents) else None

    def extents_in(self, value: gast.expr, rank: int | None) -> tuple[gast.expr, ...] | None:
        """The extents of an array, or the extents that a tuple holds, as expressions."""
        match value:
            case gast.Attribute(value=gast.Name(id=array), attr="shape"):
                return self.of(array)
            case gast.Name(id=name) if name not in self.ranks:
                return self.extents.get(name)
            case gast.Subscript(value=gast.Name(id=array)) if self.ranks.get(array):
                return self.parts(value)
        found = self.extents_of(value, rank)
        if found is None and isinstance(value, gast.BinOp) and (array := self._only_array(value)) is not None:
            return self.of(array)
        return None if found is None else tuple(map(self._expression, found))

    def _expression(self, extent: Extent) -> gast.expr:
        if isinstance(extent, Dimension):
            own: gast.expr = (self.of(extent.array) or ())[extent.axis]
            return own
        match extent:
            case gast.Subscript(value=gast.Attribute(value=gast.Name(id=array), attr="shape"), slice=axis):
                known, place = self.of(array) or (), constant(axis)
                return known[place] if type(place) is int and -len(known) <= place < len(known) else clone(extent)
        return clone(extent)

    def dimensions(self, array: str) -> tuple[Extent, ...] | None:
        """The extents of an array whose rank or extents are known."""
        return tuple(Dimension(array, axis) for axis in range(len(self.of(array) or ()))) or None

    def held(self, name: str) -> tuple[Extent, ...] | None:
        """The extents that a tuple by name holds."""
        return self.extents.get(name) if name not in self.ranks else None

    def is_integer(self, node: gast.expr) -> bool:
        """Whether an expression is an extent of an array, or arithmetic on numbers."""
        match node:
            case gast.Subscript(value=gast.Attribute(attr="shape"), slice=axis):
                return type(constant(axis)) is int
            case gast.Attribute():
                return False
            case gast.Call(func=gast.Name(id="max" | "min" as name), args=args, keywords=[]) if name not in self.ranks:
                return all(map(self.is_integer, args))
        return type(constant(node)) is int or all(self.ranks.get(each) == 0 for each in names_in(node))

    def _only_array(self, value: gast.expr) -> str | None:
        """The only array in an arithmetic expression of names and literals; None for any other expression."""
        names = {*names_in(value)}
        arrays = [name for name in names if self.ranks.get(name) != 0]
        parts = [each for each in walk(value) if not isinstance(each, _ARITHMETIC) or isinstance(each, gast.MatMult)]
        return arrays[0] if not parts and len(arrays) == 1 and self.ranks.get(arrays[0]) else None


def have_natural_indices(loops: Iterable[gast.For], before: Facts) -> bool:
    """Whether the indices of loops, each inside of the last, are known never to be negative, which counts from the end.

    `before` has the facts before the first of them.
    """
    at = before
    for each in loops:
        low = at.bounds(each).low
        if low is None or not at.is_nonnegative(low):
            return False
        at = at.copy()
        at.forget(stored_in([each]))
        at = at.enter(each)
    return True


def _is_dot(function: gast.expr) -> bool:
    return dotted_path(function) == "np.dot"
