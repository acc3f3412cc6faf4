"""Desugar `match` into branches, and `try` by `try_statements`.

    match n:                            if n == 0:
        case 0:                             y = x
            y = x            becomes    else:
        case 1 | 2 if x > 0.0:              if (n == 1 or n == 2) and x > 0.0:
            y = -x                              y = -x
        case k:                             else:
            y = k * x                           k = n
                                                y = k * x

Supported patterns are constants, alternatives of them, names, and tuples of these against a tuple that is written out.
Patterns that look into objects are refused.
"""

from __future__ import annotations

import contextlib
import importlib
from typing import Any

import gast

from srcad.frontend.load_source import Source
from srcad.frontend.try_statements import changes_what_others_see, with_caught_finally, without_try
from srcad.names import Names
from srcad.refusals.constructs import NAMED_PATTERN_WITH_IF, SEQUENCE_PATTERN
from srcad.transforms.ir.build import clone, load, stored


def without_match(tree: gast.FunctionDef, source: Source) -> gast.FunctionDef:
    """The function without `match` and `try`, nested functions included; the same tree if there are none."""
    if not any(isinstance(node, (gast.Match, gast.Try, gast.With, gast.Raise)) for node in gast.walk(tree)):
        return tree
    used = {node.id for node in gast.walk(tree) if isinstance(node, gast.Name)}
    result: gast.FunctionDef = _Rewriter(source, Names([*used, *source.owners])).visit(tree)
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
        changed = {name for case in node.cases for name in _bound(case)}
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
        if case.guard is not None and names and tests:
            raise NAMED_PATTERN_WITH_IF.at(self.source.place(case.pattern))
        if case.guard is not None and names:
            guarded: gast.stmt = _located(gast.If(test=case.guard, body=body, orelse=rest), case.guard)
            return [*names, guarded]
        tests += [case.guard] if case.guard is not None else []
        body = [*names, *body]
        if not tests:
            return body
        test = tests[0] if len(tests) == 1 else gast.BoolOp(op=gast.And(), values=tests)
        made: gast.stmt = _located(gast.If(test=test, body=body, orelse=rest), case.pattern)
        return [made]

    def tests(self, pattern: Any, subject: gast.expr, names: list[gast.stmt]) -> list[gast.expr]:
        """The conditions under which a pattern matches; assignments of the names that it binds are added to `names`."""
        match pattern:
            case gast.MatchValue(value=value):
                return [_compared(subject, gast.Eq(), value, pattern)]
            case gast.MatchSingleton(value=value):
                return [_compared(subject, gast.Is(), gast.Constant(value=value, kind=None), pattern)]
            case gast.MatchOr(patterns=patterns):
                values = [self.tests(each, subject, names) for each in patterns]
                both = [each[0] if len(each) == 1 else gast.BoolOp(op=gast.And(), values=each) for each in values]
                return [_located(gast.BoolOp(op=gast.Or(), values=both), pattern)] if all(values) else []
            case gast.MatchAs(pattern=inner, name=name):
                found = [] if inner is None else self.tests(inner, subject, names)
                if name is not None:
                    assigned = gast.Assign(targets=[stored(name)], value=clone(subject), type_comment=None)
                    names.append(_located(assigned, pattern))
                return found
            case gast.MatchSequence(patterns=patterns) if isinstance(subject, gast.Tuple) and not any(
                isinstance(each, gast.MatchStar) for each in patterns
            ):
                if len(patterns) != len(subject.elts):
                    return [_located(gast.Constant(value=False, kind=None), pattern)]
                pairs = zip(patterns, subject.elts, strict=True)
                return [test for each, part in pairs for test in self.tests(each, part, names)]
        raise SEQUENCE_PATTERN.at(self.source.place(pattern))


def _bound(case: gast.match_case) -> set[str]:
    """The names that the pattern or the guard of a case binds."""
    nodes = [*gast.walk(case.pattern), *(gast.walk(case.guard) if case.guard is not None else ())]
    kept = {node.name for node in nodes if isinstance(node, gast.MatchAs) and node.name is not None}
    return kept | {node.target.id for node in nodes if isinstance(node, gast.NamedExpr)}


def _compared(subject: gast.expr, operator: gast.cmpop, value: gast.expr, at: Any) -> gast.expr:
    return _located(gast.Compare(left=clone(subject), ops=[operator], comparators=[value]), at)


def _located(node: Any, at: Any) -> Any:
    """The node with the source position of `at`, also for new nodes inside it."""
    for each in gast.walk(node):
        if isinstance(each, (gast.expr, gast.stmt)) and getattr(each, "lineno", None) is None:
            gast.copy_location(each, at)
    return node
