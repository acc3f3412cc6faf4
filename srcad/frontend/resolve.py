"""Name resolution: replace every name by what it refers to.

    from numpy import absolute as size        def f(x):
    RATE = 0.5                          ->        y = np.abs(x) * 0.5
    def f(x):                                     return y
        y = size(x) * RATE
        return y

Variables get names that are unique in the unit, and functions their canonical names. Captured numbers are written in as
literals; captured arrays become hidden parameters. A user's function, also a nested one or a lambda, gets a name that
is bound to it until the call is inlined. A branch whose test is a compile-time constant, such as a captured flag or a
literal argument, is replaced by the side that is taken.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import importlib
import sys
from dataclasses import replace
from types import ModuleType
from typing import Any

import gast
from numba import objmode

from srcad.frontend.captured_values import is_method_of_labelled, part_of_captured, spell
from srcad.frontend.context_managers import (
    around_yield,
    effects_of,
    entered_and_left,
    generator_of,
    is_users_manager,
    left_through,
    methods_called,
    stored_as,
)
from srcad.frontend.derivative_functions import DerivedFunction, along, made_by
from srcad.frontend.effects import effect_of_call, effect_of_store, effect_on_global, spelled, stands_for_itself
from srcad.frontend.frozen_distributions import Frozen, frozen_by, held, method_of_frozen
from srcad.frontend.functools_partial import computed_defaults, taken_defaults
from srcad.frontend.generators import CONSUMERS, Consumed, calls_no_function, collector, generator, starts_with, unbound
from srcad.frontend.parse import definition_of
from srcad.frontend.prange_and_checkpointed import check_context, note_header, refuse_elsewhere, with_marked_count
from srcad.frontend.scope import (
    Meaning,
    Method,
    Procedure,
    Scope,
    call_of,
    declared_global,
    is_array,
    is_static,
    open_scope,
    stored_parameters,
)
from srcad.frontend.super_calls import first_of_super, method_of_super
from srcad.frontend.try_statements import Attempted, is_attempt
from srcad.refusals.constructs import DECORATED_INNER_FUNCTION, IMPORT, UNKNOWN_HANDLER
from srcad.refusals.names_and_functions import (
    ASSIGNED_CAPTURE,
    COMPUTED_DEFAULT,
    DEEP_CALLS,
    FUNCTION_ASSIGNED_TWICE,
    NO_SUCH_ATTRIBUTE,
    UNDEFINED_NAME,
    WRITTEN_CAPTURE,
)
from srcad.runtime.rulebook.stand_ins import stand_in_for
from srcad.transforms.ir.build import assign, at, call, const, dotted, load, place_of, walk
from srcad.transforms.ir.constant_conditions import truth
from srcad.transforms.ir.cost_model import MOST_NESTED_CALLS
from srcad.transforms.lowering.calls.effect_arguments import Effect
from srcad.transforms.lowering.inlining import bind_arguments
from srcad.transforms.lowering.lowering_context import Draft

# Decorators that change nothing in what a function without side effects returns.
_WITHOUT_EFFECT = (functools.lru_cache, functools.cache, functools.wraps)


def resolve(scope: Scope, draft: Draft) -> list[gast.stmt]:
    """The body of the scope's procedure, with names resolved and a place on every node."""
    body = copy.deepcopy(scope.procedure.tree.body)
    for statement in body:
        for node in walk(statement):
            if hasattr(node, "lineno"):
                at(node, scope.place(node))
    return _Resolver(scope, draft).block(body)


class _Resolver(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    def __init__(self, scope: Scope, draft: Draft) -> None:
        self.scope, self.draft = scope, draft
        self.globals = declared_global(scope.procedure.tree.body)

    def block(self, block: list[gast.stmt]) -> list[gast.stmt]:
        result: list[gast.stmt] = []
        for statement in block:
            new = self.visit(statement)
            result += new if isinstance(new, list) else [] if new is None else [new]
        return result

    def meaning(self, node: gast.AST) -> Meaning | None:
        """The object that an expression refers to at compile time, if any."""
        match node:
            case gast.Name(id=name):
                meaning = self.look_up(name, node)
                return meaning if isinstance(meaning, Meaning) else None
            case gast.Attribute(value=value, attr=name):
                base = self.meaning(value)
                if base is None or base.is_data or isinstance(base.value, Procedure):
                    return None
                if is_method_of_labelled(base, name) or stand_in_for(base.value) is not None:
                    return None
                try:
                    return base.attribute(name)
                except AttributeError:
                    raise NO_SUCH_ATTRIBUTE.at(place_of(node), owner=_describe(base.value), name=name) from None
            case gast.Subscript() | gast.Call() if (part := part_of_captured(node, self.meaning)) is not None:
                return part
            case gast.Subscript(value=value, slice=gast.Constant(value=int() as position)):
                base = self.meaning(value)
                if base is not None and isinstance(base.value, tuple) and position < len(base.value):
                    return base.element(position)
            case gast.Lambda() if not computed_defaults(node, self.meaning):
                return Meaning(self.nested("lambda", node))
            case gast.Call(func=called) if not is_attempt(node):
                maker = self.meaning(called)
                if maker is not None and maker.value is getattr and len(node.args) == 2:
                    return self.attribute_by_name(*node.args)
                return None if maker is None else made_by(maker.value, node, self.meaning)
        return None

    def attribute_by_name(self, owner: gast.expr, name: gast.expr) -> Meaning | None:
        """What `getattr` gives for an object and a name that are known while compiling."""
        base = self.meaning(owner)
        text = name.value if isinstance(name, gast.Constant) else getattr(self.meaning(name), "value", None)
        if base is None or base.is_data or isinstance(base.value, Procedure) or not isinstance(text, str):
            return None
        return base.attribute(text) if hasattr(base.value, text) else None

    def look_up(self, name: str, node: gast.AST) -> Meaning | str:
        try:
            return self.scope.meaning(name)
        except KeyError:
            raise UNDEFINED_NAME.at(place_of(node), name=name) from None

    def visit_Name(self, node: gast.Name) -> gast.expr:
        meaning = self.look_up(node.id, node)
        if isinstance(meaning, str):
            node.id = meaning
            return node
        if not isinstance(node.ctx, gast.Load):
            raise ASSIGNED_CAPTURE.at(place_of(node), name=node.id)
        return spell(meaning, self.draft, place_of(node), node.id)

    def visit_Global(self, node: gast.Global) -> None:
        """Drop the statement: assignments of the names are effects."""

    def visit_Expr(self, node: gast.Expr) -> gast.stmt:
        """An effect, or another statement."""
        if isinstance(node.value, gast.Call) and not is_attempt(node.value):
            effect = effect_of_call(node.value, self.known, self.draft)
            if effect is not None:
                return self.effect(effect, node.value.args, node.value.keywords, node)
        return self.generic_visit(node)

    def visit_AugAssign(self, node: gast.AugAssign) -> gast.stmt:
        return self.changed_outside(node.target, node.op, node) or self.generic_visit(node)

    def changed_outside(self, target: gast.expr, op: gast.operator | None, node: Any) -> gast.stmt | None:
        """The effect of an assignment to a global, or to a part of a captured object; None for others."""
        arguments = [node.value]
        if isinstance(target, gast.Name):
            if target.id not in self.globals:
                return None
            owner = self.scope.procedure.source.function.__globals__
            effect = effect_on_global(target.id, owner, op, self.draft, place_of(node))
        else:
            effect = effect_of_store(target, op, self.known, self.draft)
            arguments = [target.slice, node.value] if isinstance(target, gast.Subscript) else arguments
        return None if effect is None else self.effect(effect, arguments, [], node)

    def effect(
        self, effect: Effect, arguments: list[gast.expr], keywords: list[gast.keyword], node: gast.stmt
    ) -> gast.stmt:
        """The statement for an effect of these arguments."""
        named = [gast.keyword(arg=each.arg, value=self.argument(each.value)) for each in keywords]
        return spelled(effect, [self.argument(each) for each in arguments], named, self.draft, node)

    def argument(self, node: gast.expr) -> gast.expr:
        """An argument of an effect."""
        meaning = self.known(node)
        if meaning is not None and stands_for_itself(meaning):
            return at(dotted(self.draft.bind("object", meaning.value)), place_of(node))
        return self.visit(node)

    def known(self, node: gast.AST) -> Meaning | None:
        """The object that a name, or an attribute of one, refers to at compile time, if any."""
        return self.meaning(node) if isinstance(node, (gast.Name, gast.Attribute)) else None

    def visit_Nonlocal(self, node: gast.Nonlocal) -> None:
        """Drop the statement: its names resolve to those of the enclosing function in any case."""

    def visit_For(self, node: gast.For) -> gast.AST | list[gast.stmt]:
        """A loop, or the statements for one over a generator."""
        if (consumed := self.consumed(node)) is not None:
            return consumed
        note_header(node, self.meaning, self.scope.procedure.source.options)
        return with_marked_count(self.generic_visit(node))

    def visit_While(self, node: gast.While) -> gast.AST:
        note_header(node, self.meaning, {})
        return with_marked_count(self.generic_visit(node))

    def generator_call(self, node: gast.AST) -> Procedure | None:
        """The generator function that a call calls; None for what is no such call."""
        return generator(self.meaning(node.func), self.draft) if isinstance(node, gast.Call) else None

    def consumed(self, node: gast.For) -> list[gast.stmt] | None:
        """The statements for a loop over a generator, also one that is counted; None for another loop."""
        inner, counted = node.iter, isinstance(node.iter, gast.Call) and node.iter.args and not node.iter.keywords
        counts = self.meaning(inner.func) if counted else None
        is_counted = counts is not None and counts.value is enumerate
        call = unbound(inner.args[0] if is_counted else inner, self.scope, self.meaning, self.draft)
        procedure = self.generator_call(call)
        if procedure is None:
            return None
        place, before, counter = place_of(node), list[gast.stmt](), None
        scope = self.entered(procedure, call, before)
        if is_counted:
            counter = self.draft.names.fresh("count")
            before.append(assign(counter, self.visit(starts_with(inner.args[1:])), place))
        node.iter = const(0)
        loop = self.generic_visit(node)
        return [*before, *Consumed(loop, self.draft.names, counter).statements(resolve(scope, self.draft))]

    def entered(self, procedure: Procedure, call: gast.Call, before: list[gast.stmt]) -> Scope:
        """The scope of a call of a generator function; statements for its arguments are added to `before`."""
        place = place_of(call)
        if place is not None and len(place.trail()) > 2 * MOST_NESTED_CALLS:  # two lines for each call
            raise DEEP_CALLS.at(place, function=procedure.name)
        if (meaning := self.meaning(call.func)) is not None and not isinstance(meaning.value, Procedure | Method):
            spell(meaning, self.draft, place, procedure.name)  # a function of another name may be put there
        call.args = [self.meant_or_visited(each) for each in call.args]
        for each in call.keywords:
            each.value = self.meant_or_visited(each.value)
        given = bind_arguments(call, procedure, place, lambda each: self.kept(each, before, call))
        stored = stored_parameters(procedure)
        statics = {
            name: each
            for name, each in given.items()
            if isinstance(each, Meaning) and is_static(each.value) and name not in stored
        }
        scope = open_scope(procedure, statics, self.draft.names, place)
        for name, each in given.items():
            if name not in statics:
                value = spell(each, self.draft, place, name) if isinstance(each, Meaning) else each
                before.append(assign(scope.variables[name], value, place))
        return scope

    def meant_or_visited(self, node: gast.expr) -> Any:
        """The function that an argument is, or the argument resolved."""
        meaning = self.meaning(node)
        return meaning if meaning is not None and is_static(meaning.value) else self.visit(node)

    def visit_Attribute(self, node: gast.Attribute) -> gast.AST:
        meaning = self.meaning(node)
        if meaning is None:
            return self.generic_visit(node)
        self.only_read(node, f"the attribute `{node.attr}`")
        return spell(meaning, self.draft, place_of(node), node.attr)

    def only_read(self, node: gast.Attribute | gast.Subscript, what: str) -> None:
        """Refuse writes to captured objects."""
        if not isinstance(node.ctx, gast.Load):
            raise WRITTEN_CAPTURE.at(place_of(node), what=what)

    def visit_Subscript(self, node: gast.Subscript) -> gast.AST:
        meaning = self.meaning(node)
        if meaning is None:
            return self.generic_visit(node)
        self.only_read(node, "an element")
        return spell(meaning, self.draft, place_of(node), "element")

    def visit_List(self, node: gast.List) -> gast.expr:
        """A target in brackets is the same as one in parentheses."""
        self.generic_visit(node)
        return node if isinstance(node.ctx, gast.Load) else at(gast.Tuple(node.elts, node.ctx), place_of(node))

    def visit_If(self, node: gast.If) -> gast.If | list[gast.stmt]:
        """Keep only the branch taken if the test is a constant: the other may hold names that cannot be resolved."""
        node.test = self.visit(node.test)
        known = truth(node.test)
        if known is not None:
            return self.block(node.body if known else node.orelse)
        node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        return node

    def visit_IfExp(self, node: gast.IfExp) -> gast.expr:
        node.test = self.visit(node.test)
        known = truth(node.test)
        if known is not None:
            return self.visit(node.body if known else node.orelse)
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return node

    def visit_Lambda(self, node: gast.Lambda) -> gast.expr:
        return self.as_value("lambda", node)

    def as_value(self, name: str, node: gast.FunctionDef | gast.Lambda) -> gast.expr:
        """A nested function that is held by a variable or a structure, with the defaults that are computed there."""
        held = taken_defaults(node, self.meaning)
        keywords = [gast.keyword(arg=key, value=self.visit(value)) for key, value in held.items()]
        made = spell(Meaning(self.nested(name, node)), self.draft, place_of(node), name)
        partial = spell(Meaning(functools.partial), self.draft, place_of(node))
        return at(gast.Call(func=partial, args=[made], keywords=keywords), place_of(node)) if held else made

    def comprehension(self, node: gast.expr) -> gast.expr:
        """Resolve a comprehension: its names are its own, but its first sequence is resolved in the enclosing scope."""
        names = {each.id for part in node.generators for each in walk(part.target) if isinstance(each, gast.Name)}
        inner = [each for each in walk(node) if isinstance(each, gast.Lambda)]
        is_read = any(isinstance(each, gast.Name) and each.id in names for part in inner for each in walk(part))
        first = node.generators[0]
        if calls_no_function(node, self.meaning):
            first.iter = self.collected(first.iter)
        first.iter = self.visit(first.iter)
        outer, variables, statics = self.scope, dict(self.scope.variables), dict(self.scope.statics)
        if is_read:  # a lambda keeps its scope, also after the comprehension
            self.scope = replace(outer, variables=dict(variables), statics=dict(statics))
        for name in sorted(names):
            self.scope.variables[name] = self.draft.names.fresh(name)
            self.scope.statics.pop(name, None)
        for part in node.generators:
            part.iter = part.iter if part is first else self.visit(part.iter)
            part.target = self.visit(part.target)
            part.ifs = [self.visit(test) for test in part.ifs]
        for field in ("elt", "key", "value"):
            if hasattr(node, field):
                setattr(node, field, self.visit(getattr(node, field)))
        self.scope = outer
        outer.variables.clear()
        outer.variables.update(variables)
        outer.statics.clear()
        outer.statics.update(statics)
        return node

    def visit_ListComp(self, node: gast.ListComp) -> gast.expr:
        return self.comprehension(node)

    def visit_SetComp(self, node: gast.SetComp) -> gast.expr:
        return self.comprehension(node)

    def visit_DictComp(self, node: gast.DictComp) -> gast.expr:
        return self.comprehension(node)

    def visit_GeneratorExp(self, node: gast.GeneratorExp) -> gast.expr:
        return self.comprehension(node)

    def visit_Call(self, node: gast.Call) -> gast.AST:
        if is_attempt(node):
            return self.attempt(node)
        self.collect(node)
        node = method_of_frozen(node, self.meaning, self.introduce)
        if (derivative := self.meaning(node)) is not None:
            return spell(derivative, self.draft, place_of(node), "derivative")
        meaning = self.meaning(node.func)
        if meaning is not None and (pushed := along(meaning.value, node, self.meaning)) is not None:
            node = at(pushed, place_of(node))
            meaning = Meaning(node.func)
        refuse_elsewhere(meaning, node)
        method = None if meaning is None else call_of(meaning.value)
        if (first := first_of_super(node, self.scope)) is not None:
            held = gast.Name(id=first, ctx=gast.Load(), annotation=None, type_comment=None)
            at(held, place_of(node))
            node.func = method_of_super(node, self.scope, self.meaning(held) or self.visit(held), self.draft)
        elif meaning is not None and method is not None:
            place = place_of(node.func)
            node.func = dotted(self.draft.bind("call", Method(method, meaning)))
            at(node.func, place)
        elif isinstance(node.func, DerivedFunction):
            node.func = spell(Meaning(node.func), self.draft, place_of(node), "derivative")
        else:
            node.func = self.visit(node.func)
        if meaning is not None and meaning.value is getattr and len(node.args) == 2:
            owner = self.meaning(node.args[0])
            if owner is not None and isinstance(owner.value, ModuleType):  # a name that is computed while lowering
                module = dotted(self.draft.bind(owner.value.__name__.rpartition(".")[2], owner.value))
                node.args = [at(module, place_of(node)), self.visit(node.args[1])]
                return node
        node.args = [self.visit(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        return node

    def collect(self, node: gast.Call) -> None:
        """Let a function that takes all values of a generator have them in a list."""
        inside = [k for k, each in enumerate(node.args) if isinstance(each, gast.Call)]
        meaning = self.meaning(node.func) if inside else None
        if meaning is not None and any(meaning.value is each for each in CONSUMERS):
            node.args[:1] = [self.collected(each) for each in node.args[:1]]

    def collected(self, node: gast.expr) -> gast.expr:
        """A call of a generator function as one that returns a list; others as they are."""
        node = unbound(node, self.scope, self.meaning, self.draft)
        if (procedure := self.generator_call(node)) is None:
            return node
        name = self.draft.names.temporary()
        self.scope.statics[name] = Meaning(collector(procedure))
        node.func = at(load(name), place_of(node.func))
        return node

    def attempt(self, node: gast.Call) -> gast.expr:
        """An attempt that `try_statements` has written, with the classes that its handlers name."""
        place = place_of(node)
        if not node.args:
            return at(call("kernels.caught"), place)
        function = self.meaning(node.args[0])
        handlers = []
        for each in node.args[1].elts:
            given = each.elts if isinstance(each, gast.Tuple) else [each]
            kinds = [Meaning(Exception) if isinstance(kind, gast.Constant) else self.meaning(kind) for kind in given]
            values = [None if kind is None else kind.value for kind in kinds]
            flat = [kind for value in values for kind in (value if isinstance(value, tuple) else (value,))]
            if not all(isinstance(kind, type) and issubclass(kind, BaseException) for kind in flat):
                raise UNKNOWN_HANDLER.at(place)
            handlers.append(tuple(flat))
        assert function is not None
        attempted = Attempted(function.value, tuple(handlers))
        return at(gast.Call(func=dotted(self.draft.bind("attempt", attempted)), args=[], keywords=[]), place)

    def visit_With(self, node: gast.With) -> list[gast.stmt]:
        """The body, with what its manager does at the start and at the end; one that may touch values is refused."""
        if len(node.items) > 1:
            inner = at(gast.With(items=node.items[1:], body=node.body, type_comment=None), place_of(node))
            node = at(gast.With(items=node.items[:1], body=[inner], type_comment=None), place_of(node))
        item, place = node.items[0], place_of(node.items[0].context_expr)
        manager = item.context_expr
        meaning = self.known(manager.func if isinstance(manager, gast.Call) else manager)
        value = None if meaning is None else meaning.value
        is_call, before, end = isinstance(manager, gast.Call), list[gast.stmt](), list[gast.stmt]()
        if is_call and (inner := generator_of(value)) is not None:
            procedure = generator(Meaning(inner), self.draft)
            assert procedure is not None
            scope = self.entered(procedure, manager, before)
            start, given, end = around_yield(resolve(scope, self.draft), place)
            before += [*start, *stored_as(item.optional_vars and self.visit(item.optional_vars), given, place)]
        elif is_call and value is contextlib.nullcontext and not manager.keywords:
            given = self.visit((*manager.args, const(None))[0])
            before = stored_as(item.optional_vars and self.visit(item.optional_vars), given, place)
        elif value is objmode:
            pass  # where the function runs as Python this does nothing, and what follows may be compiled
        elif is_users_manager(value if is_call else type(value)):
            before, end = self.managed(node, manager)
        elif item.optional_vars is None and (found := effects_of(manager, self.known, self.draft)) is not None:
            arguments = [self.argument(each) for each in manager.args] if is_call else []
            named = [gast.keyword(arg=e.arg, value=self.argument(e.value)) for e in manager.keywords] if is_call else []
            start, leave = entered_and_left(found, arguments, named, self.draft, manager)
            before, end = [start], [leave]
        else:
            check_context(item, meaning if is_call else None)
        return [*before, *left_through(self.block(node.body), end, self.draft.names, place)]

    def managed(self, node: gast.With, manager: gast.expr) -> tuple[list[gast.stmt], list[gast.stmt]]:
        """What an object of a user's class does at the start and at the end of a `with` statement."""
        item, place, name = node.items[0], place_of(manager), self.draft.names.temporary()
        self.scope.variables[name] = name
        start, end = methods_called(name, node)
        held = assign(name, self.visit(manager), place)
        target = item.optional_vars
        entered = gast.Expr(value=start) if target is None else assign(target, start, place)
        return [held, self.visit(at(entered, place))], [self.visit(end)]

    def visit_Import(self, node: gast.Import) -> None:
        """Bind the names to the modules."""
        for each in node.names:
            module = self.imported(each.name, node)
            root = module if each.asname else sys.modules[each.name.partition(".")[0]]
            self.bind_import(each.asname or each.name.partition(".")[0], root, node)

    def visit_ImportFrom(self, node: gast.ImportFrom) -> None:
        """Bind the names to members of a module."""
        module = self.imported("." * (node.level or 0) + (node.module or ""), node)
        for each in node.names:
            if not hasattr(module, each.name):
                self.imported(f"{module.__name__}.{each.name}", node)
            self.bind_import(each.asname or each.name, getattr(module, each.name), node)

    def imported(self, name: str, node: gast.stmt) -> Any:
        """A module, as Python would import it in the function."""
        package = self.scope.procedure.source.function.__globals__.get("__package__")
        try:
            return importlib.import_module(name, package)
        except ImportError as problem:
            raise IMPORT.at(place_of(node), problem=problem) from None

    def bind_import(self, name: str, thing: Any, node: gast.stmt) -> None:
        """Let a name stand for an object, unless it also stands for something else."""
        earlier = self.scope.statics.get(name)
        if name in self.scope.variables or (earlier is not None and earlier.value is not thing):
            raise FUNCTION_ASSIGNED_TWICE.at(place_of(node), name=name)
        self.scope.statics[name] = Meaning(thing)

    def visit_FunctionDef(self, node: gast.FunctionDef) -> list[gast.stmt]:
        before: list[gast.stmt] = []
        if self.scope.stores[node.name] > 1 and node.name in self.scope.variables:  # one of several functions
            return [assign(self.scope.variables[node.name], self.as_value(node.name, node), place_of(node))]
        for each in node.decorator_list:
            maker = self.meaning(each.func if isinstance(each, gast.Call) else each)
            if maker is None or not any(maker.value is kept for kept in _WITHOUT_EFFECT):
                raise DECORATED_INNER_FUNCTION.at(place_of(node))
        self.only_once(node.name, node)
        self.scope.statics[node.name] = Meaning(self.nested(node.name, node, before))
        return before

    def visit_Assign(self, node: gast.Assign) -> gast.AST | list[gast.stmt] | None:
        match node.targets:
            case [gast.Name(id=name)] if name in self.scope.variables and self.scope.stores[name] == 1:
                parameter = name in [*self.scope.procedure.parameters, *self.scope.procedure.keyword_only]
                meaning = None if parameter else self.meaning(node.value)
                if meaning is not None and is_static(meaning.value) and not is_array(meaning.value):
                    self.scope.statics[name] = meaning
                    return None
                frozen = None if parameter else frozen_by(node.value, self.meaning, self.introduce)
                if frozen is not None:
                    return self.frozen(name, frozen, node)
        if len(node.targets) == 1 and (stored := self.changed_outside(node.targets[0], None, node)) is not None:
            return stored
        node.value = self.visit(node.value)
        node.targets = [self.visit(target) for target in node.targets]
        return node

    def introduce(self, meaning: Meaning) -> gast.expr:
        """A name for an object that is known at compile time."""
        name = self.draft.names.temporary()
        self.scope.statics[name] = meaning
        return load(name)

    def frozen(self, name: str, made: Frozen, node: gast.Assign) -> list[gast.stmt]:
        """Keep the arguments of a frozen distribution, for which a name stands from here on."""
        before: list[gast.stmt] = []
        self.scope.statics[name] = Meaning(held(made, lambda each: self.kept(self.visit(each), before, node)))
        return before

    def kept(self, value: Any, before: list[gast.stmt], node: gast.AST) -> Any:
        """A name for a value that is computed by a statement in `before`; a function as it is."""
        if isinstance(value, Meaning):
            return value
        name = self.draft.names.temporary()
        before.append(assign(name, value, place_of(node)))
        self.scope.variables[name] = name
        return at(load(name), place_of(node))

    def visit_AnnAssign(self, node: gast.AnnAssign) -> gast.AST | list[gast.stmt] | None:
        if node.value is None:
            return None
        assign = gast.Assign(targets=[node.target], value=node.value, type_comment=None)
        at(assign, place_of(node))
        return self.visit_Assign(assign)

    def only_once(self, name: str, node: gast.stmt) -> None:
        if self.scope.stores[name] > 1 or name in self.scope.procedure.parameters:
            raise FUNCTION_ASSIGNED_TWICE.at(place_of(node), name=name)

    def nested(
        self, name: str, node: gast.FunctionDef | gast.Lambda, before: list[gast.stmt] | None = None
    ) -> Procedure:
        """A nested function. Defaults are evaluated at its definition: statements for them are added to `before`."""
        tree = definition_of(node, "lambda") if isinstance(node, gast.Lambda) else node
        arguments = tree.args
        optional = [*arguments.posonlyargs, *arguments.args][::-1]
        pairs = [*zip(optional, arguments.defaults[::-1], strict=False)]
        pairs += [*zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
        defaults = {each.id: self.default(each.id, value, before) for each, value in pairs if value is not None}
        return Procedure(name, tree, self.scope.procedure.source, self.scope, defaults)

    def default(self, name: str, node: gast.expr, before: list[gast.stmt] | None) -> Meaning | gast.expr:
        resolved = self.meaning(node) or self.visit(node)
        if isinstance(resolved, (Meaning, gast.Constant)):
            return resolved
        if before is None:
            raise COMPUTED_DEFAULT.at(place_of(node))
        variable = self.draft.names.fresh(name)
        before.append(assign(variable, resolved, place_of(node)))
        return load(variable)


def _describe(value: Any) -> str:
    name = getattr(value, "__name__", None)
    return f"`{name}`" if isinstance(name, str) else f"an object of type {type(value).__name__}"
