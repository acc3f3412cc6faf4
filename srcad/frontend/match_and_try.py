"""Desugar `match` into branches, and `try` by `try_statements`.

    match n:                            if n == 0:
        case 0:                             y = x
            y = x            becomes    else:
        case 1 | 2 if x > 0.0:              if (n == 1 or n == 2) and x > 0.0:
            y = -x                              y = -x
        case k:                             else:
            y = k * x                           k = n
                                                y = k * x

Patterns that take something apart test its class first, and then its parts:

    case ("sin", Node(left, w=k)):      isinstance(e, ...) and len(e) == 2 and e[0] == "sin" and isinstance(e[1], Node)
                                            left = e[1].child; k = e[1].w

The tests are decided while lowering where the form of the subject is known.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Mapping
from typing import Any

import gast

from srcad.frontend.load_source import Source
from srcad.frontend.try_statements import changes_what_others_see, with_caught_finally, without_try
from srcad.names import Names
from srcad.refusals.constructs import OBJECT_PATTERN
from srcad.transforms.ir.build import clone, const, load, stored, subscript, walk
from srcad.transforms.lowering.structures.collection_types import PatternSequence

# What tests of patterns call: names that no program can give another meaning.
MEANT_BY_PATTERNS: dict[str, Any] = {
    "<isinstance>": isinstance,
    "<len>": len,
    "<list>": list,
    "<sequence>": PatternSequence,
    "<mapping>": Mapping,
}
# Classes whose patterns have one positional pattern, for the object itself.
_WHOLE = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


def without_match(tree: gast.FunctionDef, source: Source) -> gast.FunctionDef:
    """The function without `match` and `try`, nested functions included; the same tree if there are none."""
    if not any(isinstance(node, (gast.Match, gast.Try, gast.With, gast.Raise)) for node in walk(tree)):
        return tree
    used = {node.id for node in walk(tree) if isinstance(node, gast.Name)}
    rewriter = _Rewriter(source, Names([*used, *source.owners]))
    rewriter.shared.update(name for node in walk(tree) if isinstance(node, gast.Nonlocal) for name in node.names)
    result: gast.FunctionDef = rewriter.visit(tree)
    return result


def _for_failed_import(handlers: list[Any]) -> list[Any] | None:
    """The statements of the handler for an import that fails; None if that cannot be told."""
    for each in handlers:
        kinds = each.type.elts if isinstance(each.type, gast.Tuple) else [each.type]
        names = [getattr(kind, "id", None) for kind in kinds]
        if each.type is None or any(name in ("ImportError", "ModuleNotFoundError", "Exception") for name in names):
            return None if each.name is not None else each.body
    return None


def _as_list(made: Any) -> list[gast.stmt]:
    return made if isinstance(made, list) else [] if made is None else [made]


def _pass(node: gast.Try) -> gast.stmt:
    return gast.copy_location(gast.Pass(), node)


class _Rewriter(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    def __init__(self, source: Source, names: Names) -> None:
        self.source, self.names = source, names
        self.shared = set[str]()  # what nested functions may rebind while patterns are tested
        self.tried = 0  # the `try` statements with handlers around this place

    def visit_Try(self, node: gast.Try) -> list[gast.stmt]:
        """Branches that ask of each statement whether it raises; imports are tried at once."""
        if all(isinstance(each, (gast.Import, gast.ImportFrom)) for each in node.body) and not node.finalbody:
            kept = [*node.body, *node.orelse] if self.imports(node.body) else _for_failed_import(node.handlers)
            if kept is not None:
                return self.block(kept) or [_pass(node)]
        if node.finalbody and (self.tried or changes_what_others_see(node.finalbody, self.source.owners)):
            return self.block(with_caught_finally(node, self.names))
        self.tried += bool(node.handlers)
        node.body = self.block(node.body)
        self.tried -= bool(node.handlers)
        for handler in node.handlers:
            handler.body = self.block(handler.body)
        node.orelse = self.block(node.orelse)
        node.finalbody = self.block(node.finalbody)
        return without_try(node, self.names)

    def block(self, statements: list[gast.stmt]) -> list[gast.stmt]:
        """What statements become."""
        return [new for each in statements for new in _as_list(self.visit(each))]

    def imports(self, body: list[Any]) -> bool:
        """Whether imports succeed."""
        package = self.source.function.__globals__.get("__package__")
        try:
            for each in body:
                if isinstance(each, gast.Import):
                    for name in each.names:
                        importlib.import_module(name.name)
                    continue
                path = "." * (each.level or 0) + (each.module or "")
                module = importlib.import_module(path, package)
                for name in each.names:
                    if not hasattr(module, name.name):
                        importlib.import_module(f"{module.__name__}.{name.name}")
        except ImportError:
            return False
        return True

    def visit_Raise(self, node: gast.Raise) -> gast.stmt:
        """A `raise` without its cause, where that is None or a name: it changes neither class nor text."""
        if isinstance(node.cause, gast.Name) or (isinstance(node.cause, gast.Constant) and node.cause.value is None):
            node.cause = None
        return self.generic_visit(node)

    def visit_With(self, node: gast.With) -> Any:
        """`with suppress(E): ...` as `try: ... except E: pass`."""
        for position, item in enumerate(node.items):
            match item.context_expr:
                case gast.Call(func=function, args=kinds, keywords=[]) if self.meant(function) is contextlib.suppress:
                    body = node.body
                    if later := node.items[position + 1 :]:
                        body = [_located(gast.With(items=later, body=body, type_comment=None), node)]
                    listed = gast.Tuple(elts=kinds, ctx=gast.Load())
                    handler = gast.ExceptHandler(type=listed, name=None, body=[_located(gast.Pass(), node)])
                    tried = gast.Try(body=body, handlers=[handler] if kinds else [], orelse=[], finalbody=[])
                    made = self.visit_Try(_located(tried, node))
                    earlier = node.items[:position]
                    return [_located(gast.With(items=earlier, body=made, type_comment=None), node)] if earlier else made
        return self.generic_visit(node)

    def meant(self, node: gast.expr) -> Any:
        """The object that a name of a global, or an attribute of one, refers to."""
        if isinstance(node, gast.Attribute):
            return getattr(self.meant(node.value), node.attr, None)
        is_global = isinstance(node, gast.Name) and node.id in self.source.owners
        return self.source.lookup(node.id) if is_global else None

    def visit_Match(self, node: gast.Match) -> list[gast.stmt]:
        self.generic_visit(node)
        first: list[gast.stmt] = []
        changed = self.shared.union(*map(_bound, node.cases))
        subject = self.once(node.subject, changed, first)
        rest: list[gast.stmt] = []
        for case in reversed(node.cases):
            rest = self.branch(case, subject, rest)
        return first + rest

    def once(self, subject: gast.expr, changed: set[str], first: list[gast.stmt]) -> gast.expr:
        """An expression for the subject that may be read many times; a statement to compute it is added to `first`."""
        match subject:
            case gast.Constant():
                return subject
            case gast.Name(id=name) if name not in changed:
                return subject
            case gast.Tuple(elts=elements) if not any(isinstance(each, gast.Starred) for each in elements):
                return gast.Tuple(elts=[self.once(each, changed, first) for each in elements], ctx=gast.Load())
        name = self.names.fresh("subject")
        first.append(_located(gast.Assign(targets=[stored(name)], value=subject, type_comment=None), subject))
        return _located(load(name), subject)

    def branch(self, case: gast.match_case, subject: gast.expr, rest: list[gast.stmt]) -> list[gast.stmt]:
        """The branch for one case; `rest` has the statements for the later cases."""
        names: list[gast.stmt] = []
        tests = self.tests(case.pattern, subject, names)
        body: list[gast.stmt] = case.body
        if case.guard is not None and names:
            if not tests:
                return [*names, _located(gast.If(test=case.guard, body=body, orelse=rest), case.guard)]
            fits = self.names.fresh("fits")
            names.append(_assigned(fits, case.guard, case.guard))
            held = _located(gast.If(test=_all(tests), body=names, orelse=[]), case.pattern)
            chosen = _located(gast.If(test=load(fits), body=body, orelse=rest), case.pattern)
            return [_assigned(fits, const(False), case.pattern), held, chosen]
        tests += [case.guard] if case.guard is not None else []
        body = [*names, *body]
        if not tests:
            return body
        made: gast.stmt = _located(gast.If(test=_all(tests), body=body, orelse=rest), case.pattern)
        return [made]

    def tests(self, pattern: Any, subject: gast.expr, names: list[gast.stmt]) -> list[gast.expr]:
        """The conditions under which a pattern matches; assignments of the names that it binds are added to `names`."""
        match pattern:
            case gast.MatchValue(value=value):
                return [_compared(subject, gast.Eq(), value, pattern)]
            case gast.MatchSingleton(value=value):
                return [_compared(subject, gast.Is(), gast.Constant(value=value, kind=None), pattern)]
            case gast.MatchOr(patterns=patterns):
                return self.tests_of_alternatives(pattern, patterns, subject, names)
            case gast.MatchAs(pattern=inner, name=name):
                found = [] if inner is None else self.tests(inner, subject, names)
                if name is not None:
                    names.append(_assigned(name, clone(subject), pattern))
                return found
            case gast.MatchSequence(patterns=patterns) if isinstance(subject, gast.Tuple) and not any(
                isinstance(each, gast.MatchStar) for each in patterns
            ):
                if len(patterns) != len(subject.elts):
                    return [_located(gast.Constant(value=False, kind=None), pattern)]
                pairs = zip(patterns, subject.elts, strict=True)
                return [test for each, part in pairs for test in self.tests(each, part, names)]
            case gast.MatchSequence(patterns=patterns):
                return self.tests_of_elements(pattern, patterns, subject, names)
            case gast.MatchMapping(keys=keys, patterns=patterns, rest=None):
                found = [_called("<isinstance>", clone(subject), load("<mapping>"))]
                found += [gast.Compare(left=clone(key), ops=[gast.In()], comparators=[clone(subject)]) for key in keys]
                parts = [subscript(clone(subject), clone(key)) for key in keys]
                return [_located(each, pattern) for each in found + self.tests_of_parts(patterns, parts, names)]
            case gast.MatchClass(cls=kind, patterns=patterns, kwd_attrs=named, kwd_patterns=others):
                given = [*self.positional(kind, patterns, subject), *(_attribute(subject, each) for each in named)]
                found = [_called("<isinstance>", clone(subject), clone(kind))]
                if len(given) == len(patterns) + len(others):
                    found += self.tests_of_parts([*patterns, *others], given, names)
                    return [_located(each, pattern) for each in found]
        raise OBJECT_PATTERN.at(self.source.place(pattern))

    def tests_of_alternatives(
        self, whole: Any, patterns: list[Any], subject: gast.expr, names: list[gast.stmt]
    ) -> list[gast.expr]:
        """The condition under which one of the patterns matches; the names are those of the first that does."""
        bound: list[list[gast.stmt]] = [[] for _ in patterns]
        tests = [self.tests(each, subject, own) for each, own in zip(patterns, bound, strict=True)]
        if any(bound):
            chosen: list[gast.stmt] = []
            for test, own in zip(reversed(tests), reversed(bound), strict=True):
                chosen = [_located(gast.If(test=clone(_all(test)), body=own, orelse=chosen), whole)] if test else own
            names += chosen
        if not all(tests):
            return []
        return [_located(gast.BoolOp(op=gast.Or(), values=[_all(each) for each in tests]), whole)]

    def tests_of_parts(self, patterns: list[Any], parts: list[Any], names: list[gast.stmt]) -> list[gast.expr]:
        """The conditions under which each of the patterns matches its part."""
        return [test for each, part in zip(patterns, parts, strict=True) for test in self.tests(each, part, names)]

    def tests_of_elements(
        self, whole: Any, patterns: list[Any], subject: gast.expr, names: list[gast.stmt]
    ) -> list[gast.expr]:
        """The conditions under which a pattern of elements matches; one with a star takes those that are left."""
        star = next((k for k, each in enumerate(patterns) if isinstance(each, gast.MatchStar)), len(patterns))
        behind = len(patterns) - star - 1
        parts: list[gast.expr] = [subscript(clone(subject), const(k)) for k in range(star)]
        length: gast.expr = _called("<len>", clone(subject))
        found = [_called("<isinstance>", clone(subject), load("<sequence>"))]
        operator, count = (gast.Eq(), len(patterns)) if behind < 0 else (gast.GtE(), len(patterns) - 1)
        found.append(gast.Compare(left=length, ops=[operator], comparators=[const(count)]))
        found += self.tests_of_parts(patterns[:star], parts, names)
        if behind >= 0:
            last = [subscript(clone(subject), const(k)) for k in range(-behind, 0)]
            if patterns[star].name is not None:
                cut = gast.Slice(lower=const(star), upper=const(-behind) if behind else None, step=None)
                kept = _called("<list>", gast.Subscript(value=clone(subject), slice=cut, ctx=gast.Load()))
                names.append(_assigned(patterns[star].name, kept, whole))
            found += self.tests_of_parts(patterns[star + 1 :], last, names)
        return [_located(each, whole) for each in found]

    def positional(self, kind: gast.expr, patterns: list[Any], subject: gast.expr) -> list[gast.expr]:
        """What the positional patterns of a class are compared with; nothing if the class does not tell."""
        known = self.meant(kind)
        if known in _WHOLE:
            return [clone(subject)] if len(patterns) == 1 else []
        named = getattr(known, "__match_args__", ())[: len(patterns)]
        return [_attribute(subject, each) for each in named]


def _attribute(subject: gast.expr, name: str) -> gast.expr:
    return gast.Attribute(value=clone(subject), attr=name, ctx=gast.Load())


def _called(name: str, *arguments: gast.expr) -> gast.expr:
    return gast.Call(func=load(name), args=[*arguments], keywords=[])


def _assigned(name: str, value: gast.expr, at: Any) -> Any:
    return _located(gast.Assign(targets=[stored(name)], value=value, type_comment=None), at)


def _all(tests: list[gast.expr]) -> gast.expr:
    return tests[0] if len(tests) == 1 else gast.BoolOp(op=gast.And(), values=tests)


def _bound(case: gast.match_case) -> set[str]:
    """The names that the pattern or the guard of a case binds."""
    nodes = [*walk(case.pattern), *(walk(case.guard) if case.guard is not None else ())]
    kept = {node.name for node in nodes if isinstance(node, (gast.MatchAs, gast.MatchStar)) and node.name is not None}
    return kept | {node.target.id for node in nodes if isinstance(node, gast.NamedExpr)}


def _compared(subject: gast.expr, operator: gast.cmpop, value: gast.expr, at: Any) -> gast.expr:
    return _located(gast.Compare(left=clone(subject), ops=[operator], comparators=[value]), at)


def _located(node: Any, at: Any) -> Any:
    """The node with the source position of `at`, also for new nodes inside it."""
    for each in walk(node):
        if isinstance(each, (gast.expr, gast.stmt)) and getattr(each, "lineno", None) is None:
            gast.copy_location(each, at)
    return node
