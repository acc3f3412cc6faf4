"""Points-to analysis: the allocations whose memory each name may refer to, in core form and in generated code.

    a = np.zeros(n)             a -> {a}        an allocation is named by the name that it is assigned to
    v = a[1:]                   v -> {a}        a view
    w = x if c else v           w -> {x, a}     x is a parameter
    kept.append(w)              kept -> {x, a}  the elements of a list or tuple are not told apart
    d = trace.d                 d -> {trace.d}  a part of a parameter

The sets are the least solution of the inclusions that all assignments state, in whichever order they run (Andersen).
What a call returns is known for functions with a rule or an entry in `array_functions`; any other function may return
each of its arguments. Scalars refer to no memory.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import gast
import numpy as np
from numba import types as nb

from srcad.transforms.analysis.dataflow import fixed_point
from srcad.transforms.analysis.ranks import ranks_of
from srcad.transforms.inference.subroutine_types import results_of_calls
from srcad.transforms.ir.array_functions import LIBRARY, MODULES, SHAPE_ATTRIBUTES, Result, named, result_of
from srcad.transforms.ir.build import Block, dotted_path, inner_blocks, is_range, stores_into, walk, walk_statements
from srcad.transforms.ir.code import Code, fact
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.primitive import IN_PLACE_FUNCTIONS, constant, primitive_of
from srcad.transforms.ir.side_effects import all_written, changed_memory
from srcad.transforms.ir.unit import Unit

_LISTS = (nb.List, nb.ListType, nb.BaseTuple)
_Nothing = frozenset[str]()
_Fresh = dict[str, set[str]]  # allocations, by name
_Changes = Callable[[gast.stmt], Iterable[str]]


@dataclass(frozen=True)
class Aliases:
    """What each name may refer to.

    of          the allocations, by name
    views       the array that a name is a view of, where one expression says so
    written     the allocations that some statement writes to
    given       the allocations that the caller made
    are_apart   whether different arrays of the caller share no memory
    """

    of: Mapping[str, frozenset[str]]
    views: Mapping[str, str]
    written: frozenset[str]
    given: frozenset[str]
    are_apart: bool

    def points_to(self, name: str) -> frozenset[str]:
        """The allocations that a name may refer to; none for a scalar."""
        return self.of.get(name, _Nothing)

    def may_alias(self, one: str, other: str) -> bool:
        """Whether two names may refer to the same memory."""
        first, second = self.points_to(one), self.points_to(other)
        if one == other or first & second:
            return True
        return not self.are_apart and bool(first & self.given) and bool(second & self.given)

    def is_local(self, name: str) -> bool:
        """Whether a name only refers to arrays that the function itself allocates."""
        return not self.points_to(name) & self.given

    def is_written(self, name: str) -> bool:
        """Whether the memory that a name refers to is written anywhere."""
        return bool(self.points_to(name) & self.written)

    def alias_class(self, name: str) -> str:
        """The representative of all names that are connected by memory that they may share.

        Two arrays of the caller are in one class only if the function itself connects them: `may_alias` says more.
        """
        return self._classes.get(name, name)

    def connected(self, name: str) -> frozenset[str]:
        """All names in the class of a name, that name included."""
        return self._members.get(self.alias_class(name), frozenset([name]))

    @cached_property
    def _members(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for name, representative in self._classes.items():
            found.setdefault(representative, set()).add(name)
        return {representative: frozenset(names) for representative, names in found.items()}

    @cached_property
    def _classes(self) -> dict[str, str]:
        """The connected components of the names, by union-find over the allocations."""
        up: dict[str, str] = {}

        def find(site: str) -> str:
            while up.get(site, site) != site:
                site = up[site]
            return site

        whole = {site for name, sites in self.of.items() for site in sites if name != site}
        for sites in self.of.values():
            around = {outer for site in sites for outer in _prefixes(site) if outer in whole}
            first, *others = sorted(sites | around) or [""]
            for other in others:
                up[find(other)] = find(first)
        members: dict[str, str] = {}
        return {name: members.setdefault(find(min(sites)), name) for name, sites in self.of.items() if sites}


def aliases_of_unit(unit: Unit, types: Types) -> Aliases:
    """The points-to sets of a unit in core form. Its parameters share no memory: those that are written are copies."""

    def may_hold(name: str) -> bool:
        kind = types.get(name)
        return kind is None or isinstance(kind, nb.Array) or _holds_arrays(kind)

    facts = _Facts(may_hold, lambda _: False, types.get, lambda call: _result_in_core_form(call, unit, types))
    collector = _Collector(facts, unit.parameters, unit.tree.body, results_of_calls(unit))
    return collector.solved(_stored_into, are_apart=True)


@fact
def aliases_of(code: Code) -> Aliases:
    """The points-to sets of a generated function, whose types are known in part."""
    ranks = ranks_of(code)
    facts = _Facts(lambda name: ranks.of.get(name) != 0, ranks.is_number, code.kinds.get, _result_in_generated_code)
    return _Collector(facts, code.parameters, code.body, ()).solved(changed_memory, are_apart=False)


def is_basic(index: gast.expr, types: Types) -> bool:
    """Whether a subscript uses only integers, slices, newaxis and the ellipsis: then it gives a view or an element."""
    return not _selects_places(index, types.get)


@dataclass(frozen=True)
class _Facts:
    """What is known about the names of one function, and about what its calls return.

    may_hold    whether a name may refer to memory
    is_number   whether an expression is known to be a scalar
    kind        the type of a name, or None
    result      what a call returns
    """

    may_hold: Callable[[str], bool]
    is_number: Callable[[gast.expr], bool]
    kind: Callable[[str], nb.Type | None]
    result: Callable[[gast.Call], Result]


class _Collector:
    """Collects the inclusions `points_to(name) >= points_to(other)` that the statements state."""

    def __init__(self, facts: _Facts, parameters: Iterable[str], body: Block, calls: Iterable[str]) -> None:
        """`calls` are the names of tuples that calls of other functions return, with arrays that nothing else holds."""
        self.facts = facts
        self.body = body
        self.statements = list(walk_statements(body))
        self.parameters = list(parameters)
        self.stored = {name for each in self.statements for name in all_written(each)}
        self.variables = {*self.parameters, *self.stored}
        self.calls = set(calls) & self._only_read_by_position(set(calls))
        self.sites = {name: {name} for name in self.parameters if facts.may_hold(name)}
        self.given = set(self.sites)
        self.includes: dict[str, set[str]] = {}
        self.views: dict[str, str] = {}
        self.results: dict[tuple[str, Any], str] = {}
        for each in self.statements:
            self._collect(each)
            self._collect_kept(each)

    def solved(self, changes: _Changes, are_apart: bool) -> Aliases:
        """The least sets that satisfy all inclusions; `changes` are the arrays that a statement writes to."""
        of = _least(self.sites, self.includes)
        written = frozenset(
            site for name, fresh in self._changed(self.body, {}, changes) for site in fresh or of.get(name, {name})
        )
        frozen = {name: frozenset(sites) for name, sites in of.items()}
        return Aliases(frozen, self.views, written, frozenset(self.given), are_apart)

    def _changed(self, block: Block, fresh: _Fresh, changes: _Changes) -> Iterator[tuple[str, set[str]]]:
        """The names through which statements write, with the one allocation that is meant if it was made on this path.

        `fresh` are the arrays that have been made since the block, or a path of branches to it, began.
        """
        for statement in block:
            yield from ((name, fresh.get(name, set())) for name in changes(statement))
            stored = {name for each in walk_statements([statement]) for name in all_written(each)}
            kept = fresh
            if not stored.isdisjoint(fresh):
                kept = {name: sites for name, sites in fresh.items() if name not in stored}
            for arm in inner_blocks(statement):
                yield from self._changed(arm, dict(fresh if isinstance(statement, gast.If) else kept), changes)
            fresh = kept
            match statement:
                case gast.Assign(targets=[gast.Name(id=name) as target], value=value):
                    if self.facts.may_hold(name) and self._is_array(target) and not any(self._sources(value)):
                        fresh[name] = {self._site(name, value)}

    def _collect(self, statement: gast.stmt) -> None:
        match statement:
            case gast.Assign(targets=[target], value=value):
                self._assign(target, value)
            case gast.AugAssign(target=gast.Name(id=name), value=value) if self._is_list(value):
                self._include(name, self._sources(value))
            case gast.For(target=target, iter=iterator) if not is_range(iterator):
                for name in _names_of(target):
                    self._bind(name, iterator)
            case gast.Expr(value=gast.Call(func=gast.Attribute(value=kept, attr=attr), args=args)) if attr in _ADDING:
                for name in self._sources(kept):
                    self._include(name, (source for each in args for source in self._sources(each)))

    def _collect_kept(self, statement: gast.stmt) -> None:
        """State that a function that nothing is known about may put its arguments into one that is not an array."""
        value = getattr(statement, "value", None)
        if not isinstance(value, gast.Call) or self._result(value) is not Result.ANY or _is_of_module(value.func):
            return
        sources = [source for each in value.args for source in self._sources(each)]
        for each in value.args:
            if isinstance(each, gast.Name) and not self._is_array(each):
                self._include(each.id, sources)

    def _assign(self, target: gast.expr, value: gast.expr) -> None:
        match target, value:
            case gast.Name(id=name), _:
                self._bind(name, value)
            case gast.Tuple(elts=targets), gast.Tuple(elts=values) if len(targets) == len(values):
                for one, part in zip(targets, values, strict=True):
                    self._assign(one, part)
            case gast.Tuple(), _:
                for name in _names_of(target):
                    self._bind(name, value)
            case gast.Subscript(value=base), _ if not self._is_array(base):
                for name in self._sources(base):
                    self._include(name, self._sources(value))

    def _bind(self, name: str, value: gast.expr) -> None:
        """State that a name may refer to what a value refers to."""
        if not self.facts.may_hold(name) or name in self.calls:
            return
        sources = list(dict.fromkeys(self._sources(value)))
        if sources:
            self._include(name, sources)
            if len(sources) == 1 and name not in sources and self._is_view(value):
                self.views[name] = sources[0]
        else:
            self.sites.setdefault(name, set()).add(self._site(name, value))

    def _is_view(self, value: gast.expr) -> bool:
        """Whether a value is known to be a view, or that or a copy."""
        return isinstance(value, gast.Subscript) or (
            isinstance(value, gast.Call) and self._result(value) is Result.FIRST
        )

    def _site(self, name: str, value: gast.expr) -> str:
        """The allocation that a value is: that of its first name, where one of the results of a call is read again."""
        match value:
            case gast.Subscript(value=gast.Name(id=base), slice=index) if base in self.calls:
                return self.results.setdefault((base, constant(index)), name)
        return name

    def _include(self, name: str, sources: Iterable[str]) -> None:
        if self.facts.may_hold(name):
            self.includes.setdefault(name, set()).update(sources)

    def _sources(self, value: gast.expr | None) -> Iterator[str]:
        """The names, or parts of names, to whose memory the value of an expression may refer; none if it is new."""
        match value:
            case gast.Name(id=name):
                if name in self.variables and name not in self.calls and self.facts.may_hold(name):
                    yield name
            case gast.Subscript(value=base, slice=index):
                is_new = self.facts.is_number(value) or _selects_places(index, self.facts.kind)
                if not is_new or self._is_list(base):
                    yield from self._sources(base)
            case gast.Attribute(value=base, attr=attr) if attr not in SHAPE_ATTRIBUTES:
                yield from self._part(value, base)
            case gast.Call():
                yield from self._returned(value)
            case gast.IfExp(body=body, orelse=orelse):
                yield from self._sources(body)
                yield from self._sources(orelse)
            case gast.Tuple(elts=parts) | gast.List(elts=parts) | gast.BoolOp(values=parts):
                for part in parts:
                    yield from self._sources(part)
            case gast.BinOp(left=left, right=right) if self._is_list(left) or self._is_list(right):
                yield from self._sources(left)
                yield from self._sources(right)
            case gast.Starred(value=inner):
                yield from self._sources(inner)

    def _part(self, value: gast.Attribute, base: gast.expr) -> Iterator[str]:
        """The sources of an attribute: a part of a parameter is an array of its own, of the caller."""
        path = dotted_path(value)
        root = path.split(".")[0] if path is not None else None
        if path is None or value.attr in _VIEW_ATTRIBUTES or root not in self.parameters:
            yield from self._sources(base)
            return
        self.sites.setdefault(path, set()).add(path)
        self.given.add(path)
        yield path
        if root in self.stored:
            yield str(root)

    def _returned(self, value: gast.Call) -> Iterator[str]:
        arguments = [*value.args, *(keyword.value for keyword in value.keywords)]
        result = self._result(value)
        if isinstance(value.func, gast.Attribute) and self._is_variable(value.func.value):
            arguments.insert(0, value.func.value)
        if result is Result.FIRST and arguments and self._is_list(arguments[0]):
            return  # the elements of a list or tuple are put into a new array
        for each in () if result is Result.NEW else arguments[:1] if result is Result.FIRST else arguments:
            yield from self._sources(each)

    def _result(self, value: gast.Call) -> Result:
        """What a call returns; a method of an array is the function of that name."""
        if isinstance(value.func, gast.Attribute) and self._is_variable(value.func.value):
            return result_of(getattr(np, value.func.attr, None), 1 + len(value.args))
        return self.facts.result(value)

    def _is_variable(self, node: gast.expr) -> bool:
        """Whether an expression is not the name of a module, or of a part of one."""
        path = dotted_path(node)
        return path is None or path.split(".")[0] in self.variables

    def _is_list(self, node: gast.expr) -> bool:
        """Whether an expression is known to be a list or tuple."""
        if isinstance(node, gast.Name):
            return isinstance(self.facts.kind(node.id), _LISTS)
        return isinstance(node, (gast.List, gast.Tuple))

    def _is_array(self, base: gast.expr) -> bool:
        """Whether what is stored into is known to be an array, which copies what is stored."""
        match base:
            case gast.Name(id=name):
                return isinstance(self.facts.kind(name), nb.Array) or name in self._arrays
            case gast.Subscript(value=inner):
                return self._is_array(inner)
            case gast.Attribute(value=inner, attr=attr):
                return attr in _VIEW_ATTRIBUTES and self._is_array(inner)
        return False

    @cached_property
    def _arrays(self) -> frozenset[str]:
        """The names that only arrays are assigned to, as far as the functions that make them show it."""
        values: dict[str, list[gast.expr | None]] = {name: [None] for name in self.parameters}
        for each in self.statements:
            for name in all_written(each):
                values.setdefault(name, []).append(getattr(each, "value", None))

        def fewer(found: frozenset[str]) -> frozenset[str]:
            return frozenset(
                name for name in found if all(_makes_array(each, found, self._result) for each in values[name])
            )

        return fixed_point(fewer, frozenset(values))

    def _only_read_by_position(self, calls: set[str]) -> set[str]:
        """The tuples of results that are only used as `results[0]`, `results[1]`, and so on."""
        if not calls:
            return calls
        nodes = [node for each in self.statements for node in walk(each) if not isinstance(each, gast.For)]
        reads = [node for node in nodes if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Load)]
        by_position = {
            id(node.value)
            for node in nodes
            if isinstance(node, gast.Subscript) and isinstance(constant(node.slice), int)
        }
        return calls - {node.id for node in reads if id(node) not in by_position}


_ADDING = frozenset({"append", "extend", "insert"})
_VIEW_ATTRIBUTES = frozenset({"T", "real", "imag"})


def _makes_array(value: gast.expr | None, arrays: Collection[str], result: Callable[[gast.Call], Result]) -> bool:
    """Whether a value is an array (or a number), given the names of arrays."""
    match value:
        case gast.Name(id=name):
            return name in arrays
        case gast.Call(args=[first, *_]) if result(value) is Result.FIRST:
            return _makes_array(first, arrays, result)
        case gast.Call():
            return result(value) is Result.NEW
    return False


def _least(sites: dict[str, set[str]], includes: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """The least sets with these elements that include each other as stated."""
    users: dict[str, set[str]] = {}
    for name, others in includes.items():
        sites.setdefault(name, set())
        for other in others:
            users.setdefault(other, set()).add(name)
    pending = list(sites)
    while pending:
        name = pending.pop()
        for user in users.get(name, ()):
            if not sites[name] <= sites[user]:
                sites[user] |= sites[name]
                pending.append(user)
    return sites


def _stored_into(statement: gast.stmt) -> list[str]:
    """The array that a statement of core form writes to: only stores do, calls do not."""
    target = stores_into(statement)
    return [] if target is None else [target.value.id]


def _result_in_core_form(call: gast.Call, unit: Unit, types: Types) -> Result:
    primitive = primitive_of(call, unit.bindings)
    if primitive is np.conjugate and isinstance(call.args[0], gast.Name) and types.is_real(call.args[0].id):
        return Result.FIRST  # the method, which is spelled in the same way, returns a real array itself
    if primitive is np.diff and not _order(call):
        return Result.FIRST  # differences of order 0 are the array itself
    if primitive in IN_PLACE_FUNCTIONS and isinstance(call.args[0], gast.Name) and types.is_array(call.args[0].id):
        return Result.FIRST  # where these are calls still
    return result_of(primitive, len(call.args))


def _order(call: gast.Call) -> Any:
    """The order of differences, `np.diff(x, n)`, that is written in a call; None if it is known only at run time."""
    given = [*call.args[1:2], *(keyword.value for keyword in call.keywords if keyword.arg == "n")]
    return constant(given[0]) if given else 1


def _result_in_generated_code(call: gast.Call) -> Result:
    return result_of(named(dotted_path(call.func)), len(call.args))


def _holds_arrays(kind: nb.Type) -> bool:
    """Whether values of a type have arrays inside."""
    if isinstance(kind, nb.Optional):
        return isinstance(kind.type, nb.Array) or _holds_arrays(kind.type)
    if isinstance(kind, nb.BaseTuple):
        return any(isinstance(each, nb.Array) or _holds_arrays(each) for each in kind)
    return isinstance(kind, (nb.List, nb.ListType)) and (isinstance(kind.dtype, nb.Array) or _holds_arrays(kind.dtype))


def _selects_places(index: gast.expr, kind: Callable[[str], nb.Type | None]) -> bool:
    """Whether an index is known to select single positions, by an array, so that the result is a copy."""
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    return any(
        isinstance(part, (gast.List, gast.Compare)) or (isinstance(part, gast.Name) and _is_places(kind(part.id)))
        for part in parts
    )


def _is_places(kind: nb.Type | None) -> bool:
    """Whether an index of this type selects single positions: an array or list, or a tuple that contains one."""
    if isinstance(kind, nb.BaseTuple):
        return any(_is_places(each) for each in kind)
    return isinstance(kind, (nb.Array, nb.List, nb.ListType))


def _is_of_module(function: gast.expr) -> bool:
    """Whether a function is one of NumPy, SciPy or of the kernels: these keep no reference to an argument."""
    return (dotted_path(function) or "").split(".")[0] in {*MODULES, LIBRARY}


def _prefixes(path: str) -> list[str]:
    """The paths that lead to a part of a parameter.

    >>> _prefixes("trace.calls.loop_58")
    ['trace', 'trace.calls']
    """
    parts = path.split(".")
    return [".".join(parts[:k]) for k in range(1, len(parts))]


def _names_of(target: gast.expr) -> list[str]:
    """The names that a target stores, nested ones included."""
    return [node.id for node in walk(target) if isinstance(node, gast.Name)]
