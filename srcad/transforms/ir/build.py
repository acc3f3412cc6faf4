"""Building blocks: constructors and queries for core statements, shared by all passes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import gast

from srcad.errors import Place
from srcad.transforms.ir.node_notes import note, notes_of

Block = list[gast.stmt]


def load(name: str) -> gast.Name:
    """A name that is read."""
    return gast.Name(id=name, ctx=gast.Load(), annotation=None, type_comment=None)


def stored(name: str) -> gast.Name:
    """A name that is assigned."""
    return gast.Name(id=name, ctx=gast.Store(), annotation=None, type_comment=None)


def const(value: Any) -> gast.expr:
    """A literal; negative numbers become a minus sign and a literal, as in parsed code."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and (value < 0 or str(value) == "-0.0"):
        return gast.UnaryOp(op=gast.USub(), operand=gast.Constant(value=-value, kind=None))
    return gast.Constant(value=value, kind=None)


def dotted(path: str) -> gast.expr:
    """`np.linalg.norm` as nested attributes."""
    first, *rest = path.split(".")
    node: gast.expr = load(first)
    for attribute in rest:
        node = gast.Attribute(value=node, attr=attribute, ctx=gast.Load())
    return node


def call(function: str, *arguments: gast.expr, **keywords: gast.expr) -> gast.Call:
    """A call of a function given by its dotted name."""
    return gast.Call(
        func=dotted(function),
        args=list(arguments),
        keywords=[gast.keyword(arg=key, value=value) for key, value in keywords.items()],
    )


def binary(left: gast.expr, operator: type[gast.operator], right: gast.expr) -> gast.BinOp:
    """`left op right`."""
    return gast.BinOp(left=left, op=operator(), right=right)


def subscript(base: gast.expr, index: gast.expr, store: bool = False) -> gast.Subscript:
    """`base[index]`."""
    return gast.Subscript(value=base, slice=index, ctx=gast.Store() if store else gast.Load())


def index_value(index: gast.expr) -> gast.expr:
    """An index as an argument of a call: `1:` is `slice(1, None)`."""
    match index:
        case gast.Slice(lower=lower, upper=upper, step=step):
            bounds = [gast.Constant(value=None, kind=None) if part is None else part for part in (lower, upper, step)]
            return call("slice", *(bounds if step is not None else bounds[:2]))
        case gast.Tuple(elts=parts):
            return gast.Tuple(elts=[index_value(part) for part in parts], ctx=gast.Load())
    return index


def attribute(base: gast.expr, attr: str) -> gast.Attribute:
    """`base.attr`."""
    return gast.Attribute(value=base, attr=attr, ctx=gast.Load())


def tuple_of(*elements: gast.expr) -> gast.Tuple:
    """`(a, b)`."""
    return gast.Tuple(elts=list(elements), ctx=gast.Load())


def one_or_tuple(parts: Sequence[gast.expr]) -> gast.expr:
    """An index or shape with these parts: a single one by itself, several as a tuple."""
    return parts[0] if len(parts) == 1 else tuple_of(*parts)


def assign(target: str | gast.expr, value: gast.expr, place: Place | None = None) -> gast.Assign:
    """`target = value`, at a place of the user's source."""
    node = stored(target) if isinstance(target, str) else target
    return at(gast.Assign(targets=[node], value=value, type_comment=None), place)


def augment(
    target: gast.expr, operator: type[gast.operator], value: gast.expr, place: Place | None = None
) -> gast.AugAssign:
    """`target op= value`."""
    return at(gast.AugAssign(target=target, op=operator(), value=value), place)


def branch(test: gast.expr, body: Block, orelse: Block, place: Place | None = None) -> gast.If:
    """`if test: body else: orelse`; an empty body becomes `pass`."""
    return at(gast.If(test=test, body=body or [gast.Pass()], orelse=orelse), place)


def loop(index: str, bounds: list[gast.expr], body: Block, place: Place | None = None) -> gast.For:
    """`for index in range(*bounds): body`."""
    return at(
        gast.For(
            target=stored(index), iter=call("range", *bounds), body=body or [gast.Pass()], orelse=[], type_comment=None
        ),
        place,
    )


def at(node: Any, place: Place | None) -> Any:
    """The statement, with its place noted."""
    return note(node, place=place, is_placed=True)


def effect(statement: Any) -> Any:
    """Mark a statement as one with an effect: it is never dropped, moved or skipped."""
    return note(statement, effect=True)


def noted(node: gast.BinOp) -> gast.BinOp:
    """Note on a division or a power that it comes from a derivative rule."""
    return note(node, of_rule=isinstance(node.op, (gast.Div, gast.Pow)))


def place_of(node: gast.AST) -> Place | None:
    """The place in the user's source that a statement comes from."""
    return notes_of(node).place


def has_place(node: gast.AST) -> bool:
    """Whether a place is given, be it None as that of made-up code."""
    return notes_of(node).is_placed


def clone(node: Any) -> Any:
    """A copy that can be changed without changing the original; places, literals, operators, contexts are shared."""
    if isinstance(node, gast.AST):
        kind: Any = type(node)
        if not kind._fields and not issubclass(kind, gast.stmt):
            return node
        copied = kind.__new__(kind)
        copied.__dict__.update(
            {
                key: clone(value) if isinstance(value, (gast.AST, list)) else value
                for key, value in node.__dict__.items()
            }
        )
        return copied
    return [clone(each) for each in node] if isinstance(node, list) else node


def walk(node: gast.AST) -> list[Any]:
    """All nodes of a tree, level by level like `gast.walk`, without the load and store contexts."""
    found = [node]
    for each in found:
        for field in _inner_fields[type(each)]:
            value = getattr(each, field, None)
            if type(value) is list:
                found += [inner for inner in value if isinstance(inner, gast.AST)]
            elif value is not None and isinstance(value, gast.AST):
                found.append(value)
    return found


_LEAVES = frozenset({"ctx", "id", "attr", "kind", "type_comment"})  # fields that hold no relevant nodes


class _InnerFields(dict[Any, tuple[str, ...]]):
    """For each kind of node, the fields that may hold other nodes; computed on first use."""

    def __missing__(self, kind: Any) -> tuple[str, ...]:
        found = () if kind is gast.Constant else tuple(field for field in kind._fields if field not in _LEAVES)
        return self.setdefault(kind, found)


_inner_fields = _InnerFields()


def names_in(node: gast.AST | None) -> Iterator[str]:
    """Every name read in an expression, as often as it is read."""
    if node is None or type(node) is gast.Constant:
        return
    for child in walk(node):
        if type(child) is gast.Name and not isinstance(child.ctx, gast.Store):
            yield child.id


def is_loop(statement: gast.stmt) -> bool:
    """Whether this is a `for` or `while` loop."""
    return isinstance(statement, (gast.For, gast.While))


def is_range(iterator: gast.expr) -> bool:
    """Whether this is `range(...)`."""
    return isinstance(iterator, gast.Call) and dotted_path(iterator.func) == "range"


def is_exit(statement: gast.stmt) -> bool:
    """Whether this is the `if done: break` at the end of a loop that can stop early."""
    return isinstance(statement, gast.If) and len(statement.body) == 1 and isinstance(statement.body[0], gast.Break)


def written(statement: gast.stmt) -> str | None:
    """The name that a simple statement or a loop header binds (def)."""
    target: Any = None
    kind = type(statement)  # asked of each statement by most passes, where `match` would take several times as long
    if kind is gast.Assign and len(statement.targets) == 1:
        target = statement.targets[0]
    elif kind is gast.For:
        target = statement.target
    return None if type(target) is not gast.Name else str(target.id)


def stores_into(statement: gast.stmt) -> gast.Subscript | None:
    """The element or slice that a store writes."""
    match statement:
        case gast.Assign(targets=[gast.Subscript() as target]) | gast.AugAssign(target=gast.Subscript() as target):
            return target
    return None


_COMPOUND = (gast.If, gast.For, gast.While)


def inner_blocks(statement: gast.stmt) -> list[Block]:
    """The blocks of a compound statement."""
    if isinstance(statement, gast.If):
        return [statement.body, statement.orelse]
    return [statement.body] if isinstance(statement, (gast.For, gast.While)) else []


def header_of(statement: Any) -> Any:
    """A compound statement without its blocks."""
    body, orelse = statement.body, statement.orelse
    statement.body, statement.orelse = [], []
    shallow = clone(statement)
    statement.body, statement.orelse = body, orelse
    return shallow


def walk_statements(block: Iterable[gast.stmt]) -> Iterator[gast.stmt]:
    """All statements, nested ones included, in source order."""
    for statement in block:
        yield statement
        if isinstance(statement, _COMPOUND):
            for inner in inner_blocks(statement):
                yield from walk_statements(inner)


def walk_blocks(block: Block) -> Iterator[Block]:
    """The block and all blocks inside it, outer ones first, in source order."""
    yield block
    for statement in block:
        for inner in inner_blocks(statement):
            yield from walk_blocks(inner)


def outermost(block: Block, is_wanted: Callable[[gast.stmt], bool]) -> Iterator[tuple[Block, gast.stmt]]:
    """The wanted statements that are in no other wanted one, each with its block, in source order."""
    for statement in block:
        if is_wanted(statement):
            yield block, statement
        else:
            for inner in inner_blocks(statement):
                yield from outermost(inner, is_wanted)


def rewrite(block: Block, change: Callable[[gast.stmt], Iterable[gast.stmt]]) -> Block:
    """The block with each statement replaced by what `change` makes of it, after the statements inside it.

    A body that becomes empty gets a `pass`.
    """
    result: Block = []
    for statement in block:
        for arm, inner in enumerate(inner_blocks(statement)):
            inner[:] = rewrite(inner, change) or ([] if arm else [gast.Pass()])
        result += change(statement)
    return result


def without_statements(block: Block, is_dropped: Callable[[gast.stmt], bool]) -> Block:
    """The block without some statements; a body that becomes empty gets a `pass`."""
    return rewrite(block, lambda statement: [] if is_dropped(statement) else [statement])


def rewrite_blocks(block: Block, change: Callable[[Block], Block]) -> Block:
    """What `change` makes of the block, after the blocks inside it; a body that becomes empty gets a `pass`."""
    for statement in block:
        for arm, inner in enumerate(inner_blocks(statement)):
            inner[:] = rewrite_blocks(inner, change) or ([] if arm else [gast.Pass()])
    return change(block)


def mentions(block: Block) -> Counter[str]:
    """How often each name occurs in statements, read or stored."""
    return Counter(node.id for each in block for node in walk(each) if isinstance(node, gast.Name))


class MentionedNames:
    """The names that statements mention, each walked once: as long as statements do not come to mention other names."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[gast.stmt, frozenset[str]]] = {}  # statements as well, so that they stay

    def of(self, statement: gast.stmt) -> frozenset[str]:
        """The names that a statement mentions."""
        found = self._known.get(id(statement))
        if found is None:
            found = self._known[id(statement)] = statement, frozenset(mentions([statement]))
        return found[1]

    def forget(self, statement: gast.stmt) -> None:
        """Walk a statement again, which has changed, when it is asked for."""
        self._known.pop(id(statement), None)


def position(block: Block, statement: gast.stmt) -> int:
    """The position of this very statement, by identity, in a block."""
    return next(k for k, each in enumerate(block) if each is statement)


def rewrite_names(node: gast.AST, change: Callable[[str], str]) -> None:
    """Rename in place."""
    for child in walk(node):
        if isinstance(child, gast.Name):
            child.id = change(child.id)


def end_of_chain(renamed: Mapping[str, str], name: str) -> str:
    """What a name is called in the end, where names may have been renamed several times."""
    while name in renamed:
        name = renamed[name]
    return name


def dotted_path(node: gast.expr) -> str | None:
    """`np.linalg.norm` for nested attributes, or None for other expressions."""
    parts: list[str] = []
    while isinstance(node, gast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, gast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])
