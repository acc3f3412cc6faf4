"""Scopes: what the names of a function refer to, be it local variables, variables of enclosing functions or captures.

A local name is a variable, unless it is stored once and holds a function, a module or a class: then it is a
compile-time constant. A free name is looked up where Python would look it up.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import FunctionType, MethodType, ModuleType
from typing import Any

import gast
import numpy as np

from srcad.errors import Place, is_own
from srcad.frontend.load_source import Source
from srcad.frontend.match_and_try import MEANT_BY_PATTERNS
from srcad.frontend.wrappers import MADE_HERE
from srcad.names import Names
from srcad.runtime.support.labelled_kinds import module_of
from srcad.transforms.ir.array_functions import LIBRARY
from srcad.transforms.ir.build import walk
from srcad.transforms.lowering.lowering_context import Attributes, Elements, Entries, Layout, Standing

_LIBRARIES = (
    frozenset({"numpy", "scipy", "numba", "autograd", "jax", "torch", "pandas", "xarray"}) | sys.stdlib_module_names
)
_FUNCTIONS = (gast.FunctionDef, gast.Lambda)
COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


@dataclass(frozen=True, eq=False)
class Meaning:
    """An object that is known at compile time, and where it is stored; without an owner it cannot change."""

    value: Any
    owner: Any = None
    key: Any = None  # with an owner, any key of a dictionary, None among them

    def attribute(self, name: str) -> Meaning:
        """The meaning of `value.name`. Raises AttributeError."""
        jitclass = getattr(type(self.value), "_numba_type_", None)  # of a dispatcher, a property
        methods, functions = (getattr(jitclass, f"jit_{kind}", {}) for kind in ("methods", "static_methods"))
        if name in methods:
            return Meaning(Method(methods[name].py_func, self))
        if name in functions:
            return Meaning(functions[name])
        value = getattr(self.value, name)
        if isinstance(value, MethodType) and value.__self__ is self.value:
            if is_of_library(self.value):
                return Meaning(value)
            return Meaning(Method(value.__func__, self))
        return Meaning(value, self._parts(Attributes), name)

    def element(self, position: int) -> Meaning:
        """The meaning of `value[position]`."""
        return Meaning(self.value[position], self._parts(Elements), str(position))

    def entry(self, key: Any) -> Meaning:
        """The meaning of `value[key]` of a dictionary."""
        return Meaning(self.value[key], self._parts(Entries), key)

    @property
    def layout(self) -> tuple[Any, Any]:
        """An owner, and its current value for "layout": how many parts there are, and which."""
        owner = self._parts(Layout)
        return owner, owner["layout"]

    def standing(self) -> Any:
        """The attributes of what stands for the object."""
        return self._parts(Standing)

    def _parts(self, kind: Any) -> Any:
        return kind(self.value) if self.owner is None else kind(self.owner, self.key)

    @property
    def is_data(self) -> bool:
        """Whether it is a value to compute with, and not an object that the compiler looks into."""
        return (
            is_array(self.value)
            or isinstance(self.value, (list, dict))
            or (type(self.value) is tuple or isinstance(self.value, (int, float, complex, str, np.generic, type(None))))
        )


@dataclass(frozen=True, eq=False)
class Method:
    """A Python function together with the object that it is bound to."""

    function: Any
    receiver: Meaning


@dataclass(frozen=True, eq=False)
class Procedure:
    """A function that can be lowered: its unchanged tree, and where its free names are looked up.

    source      the source of the function itself, or of the function that it is nested in
    scope       the scope of the enclosing function, if it is nested
    defaults    parameter -> its default; for nested functions an expression that is already resolved
    receiver    the object that a method is bound to
    """

    name: str
    tree: gast.FunctionDef
    source: Source
    scope: Scope | None = None
    defaults: Mapping[str, Meaning | gast.expr] = field(default_factory=dict)
    receiver: Meaning | None = None

    @property
    def parameters(self) -> list[str]:
        """The positional parameters, without the bound object of a method."""
        names = [argument.id for argument in [*self.tree.args.posonlyargs, *self.tree.args.args]]
        return names[1:] if self.receiver is not None else names

    @property
    def keyword_only(self) -> list[str]:
        """The parameters that are given by keyword only."""
        return [argument.id for argument in self.tree.args.kwonlyargs]

    @property
    def rest(self) -> str | None:
        """The parameter `*args`."""
        return None if self.tree.args.vararg is None else str(self.tree.args.vararg.id)

    @property
    def options(self) -> str | None:
        """The parameter `**kwargs`."""
        return None if self.tree.args.kwarg is None else str(self.tree.args.kwarg.id)

    @property
    def names(self) -> list[str]:
        """All parameters, without the bound object of a method."""
        gathered = [name for name in (self.rest, self.options) if name is not None]
        return [*self.parameters, *self.keyword_only, *gathered]

    @property
    def identity(self) -> tuple[Any, ...]:
        """A key for the function: closures over other values and methods of other objects have other keys."""
        if self.scope is not None:
            return self.source.file, self.tree.lineno, self.tree.col_offset
        partial = self.source.partial
        own = id(self.source.function), None if self.receiver is None else id(self.receiver.value)
        return own if partial is None else (*own, id(partial))


def source_order(procedure: Procedure) -> list[str]:
    """All parameters, in the order of the signature: `*args` before those that are given by keyword only."""
    rest, options = ([] if name is None else [name] for name in (procedure.rest, procedure.options))
    return [*procedure.parameters, *rest, *procedure.keyword_only, *options]


def procedure_of(source: Source, receiver: Meaning | None = None) -> Procedure:
    """The procedure for a loaded function; `receiver` says where a method's object is stored."""
    if receiver is None and source.receiver is not None:
        receiver = Meaning(source.receiver)
    defaults = {
        name: Meaning(value, source.defaults, name) if is_array(value) else Meaning(value)
        for name, value in source.defaults.items()
    }
    return Procedure(source.name, source.tree, source, None, defaults, receiver)


@dataclass(eq=False)
class Scope:
    """The names of one call of a procedure while it is lowered.

    variables   local name -> its name in the unit
    statics     local name -> the compile-time object that it refers to
    stores      local name -> how often the body stores it
    inside      the call through which the function was reached
    classes     parameter -> the class of the object that it is given, where that is known
    """

    procedure: Procedure
    variables: dict[str, str]
    statics: dict[str, Meaning]
    stores: Mapping[str, int]
    inside: Place | None = None
    classes: dict[str, type] = field(default_factory=dict)

    @property
    def identity(self) -> tuple[Any, ...]:
        """A key for the call without the values of its arguments: an inner call with an equal key is recursive."""
        known = (
            (name, meaning.value.identity if isinstance(meaning.value, Procedure) else id(meaning.value))
            for name, meaning in self.statics.items()
        )
        return self.procedure.identity, *known

    def place(self, node: gast.AST) -> Place:
        """The position of a node of the function in its file, with the call through which it was reached."""
        place = self.procedure.source.place(node)
        return Place(place.file, place.line, place.column, place.end_column, place.text, self.inside)

    def meaning(self, name: str) -> Meaning | str:
        """What a name refers to: a compile-time object, or a variable by its name in the unit. Raises KeyError."""
        scope: Scope | None = self
        if name in MEANT_BY_PATTERNS:
            return Meaning(MEANT_BY_PATTERNS[name])
        while scope is not None:
            if name in scope.statics:
                return scope.statics[name]
            if name in scope.variables:
                return scope.variables[name]
            source, scope = scope.procedure.source, scope.procedure.scope
        if name not in source.owners:
            raise KeyError(name)
        owner = source.owners[name]
        is_builtin = isinstance(owner, dict) and owner.get("__name__") == "builtins"
        return Meaning(source.lookup(name), None if is_builtin else owner, name)


def open_scope(
    procedure: Procedure, statics: Mapping[str, Meaning], names: Names, inside: Place | None = None
) -> Scope:
    """A scope in which each variable of the procedure has a fresh name."""
    tree = procedure.tree
    declared = declared_nonlocal(tree.body) | declared_global(tree.body)
    own = Counter(name for name in _stores(tree.body) if name not in declared)
    own.update(rebound(tree.body) & {*own, *procedure.names})
    own.update(_anew_in_loops(tree.body))
    scope = Scope(procedure, {}, dict(statics), own, inside)
    if procedure.receiver is not None:
        scope.statics[[*tree.args.posonlyargs, *tree.args.args][0].id] = procedure.receiver
    for name in [*procedure.names, *scope.stores]:
        if name not in scope.statics and name not in scope.variables:
            scope.variables[name] = names.fresh(name)
    return scope


def stored_parameters(procedure: Procedure) -> set[str]:
    """The parameters to which the body assigns."""
    stored = set(_stores(procedure.tree.body)) | rebound(procedure.tree.body)
    return stored & set(procedure.names)


def declared_nonlocal(body: list[gast.stmt]) -> set[str]:
    """The names that the function's own statements declare `nonlocal`."""
    return {name for node in _own_nodes(body) if isinstance(node, gast.Nonlocal) for name in node.names}


def declared_global(body: list[gast.stmt]) -> set[str]:
    """The names that the function's own statements declare `global`."""
    return {name for node in _own_nodes(body) if isinstance(node, gast.Global) for name in node.names}


def rebound(body: list[gast.stmt]) -> set[str]:
    """The names of the function, or of its enclosing functions, that nested functions may rebind."""
    found: set[str] = set()
    for node in _own_nodes(body):
        if isinstance(node, gast.FunctionDef):
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            arguments += [each for each in (node.args.vararg, node.args.kwarg) if each is not None]
            declared = declared_nonlocal(node.body)
            own = {each.id for each in arguments} | (set(_stores(node.body)) - declared)
            found |= declared | (rebound(node.body) - own)
    return found


def closed_over(body: list[gast.stmt]) -> set[str]:
    """The names in nested functions and lambdas, among them all variables that these read."""
    every = (node for statement in body for node in walk(statement) if isinstance(node, _FUNCTIONS))
    return {each.id for function in every for each in walk(function) if isinstance(each, gast.Name)}


def is_array(value: Any) -> bool:
    """Whether a captured object becomes a hidden parameter: an array, a random generator or a `Variable`."""
    return isinstance(value, (np.ndarray, np.random.Generator, np.random.RandomState)) or hasattr(
        type(value), "__srcad_variable__"
    )


def is_users(callee: Any) -> bool:
    """Whether a callable is written in Python, by the user or in a package that the rules do not cover.

    >>> is_users(is_users), is_users(np.mean), is_users(len)
    (False, False, False)
    """
    if hasattr(callee, "__wrapped_primal__"):
        return True
    if not isinstance(callee, (FunctionType, MethodType)) and not hasattr(callee, "targetoptions"):
        return False
    module = getattr(callee, "__module__", None) or ""
    if module.partition(".")[0] in _LIBRARIES:
        return False
    # Known by its file and not by its module: what a doctest of srcad's defines has the name of srcad's module.
    return module == MADE_HERE or not is_own(_file_of(callee))


def _file_of(callee: Any) -> str:
    code = getattr(getattr(callee, "py_func", callee), "__code__", None)
    return code.co_filename if code is not None else ""


def call_of(value: Any) -> FunctionType | None:
    """The `__call__` of an object of a user's class, if it is written in Python, else None."""
    if isinstance(value, type) or hasattr(value, "__srcad_primitive__") or hasattr(value, "__wrapped_primal__"):
        return None
    call = getattr(type(value), "__call__", None)  # noqa: B004 - not whether it is called, but by what
    call = getattr(call, "__wrapped_primal__", call)
    return call if isinstance(call, FunctionType) and is_users(call) else None


def is_of_library(value: Any) -> bool:
    """Whether an object is one of SciPy's, such as a distribution: its methods are functions with rules, or none."""
    return not isinstance(value, type) and module_of(type(value)).partition(".")[0] == LIBRARY


def is_static(value: Any) -> bool:
    """Whether a local name that is stored once may stand for this object at compile time."""
    return callable(value) or isinstance(value, (ModuleType, Procedure, Method))


def _stores(body: list[gast.stmt]) -> Iterator[str]:
    """The names stored by the function's own statements, once for each store."""
    for node in _own_nodes(body):
        match node:
            case gast.Name(id=name, ctx=gast.Store()):
                yield name
            case gast.FunctionDef(name=name):
                yield name
            case gast.ListComp() | gast.SetComp() | gast.DictComp() | gast.GeneratorExp():
                yield from (each.target.id for each in walk(node) if isinstance(each, gast.NamedExpr))


def _anew_in_loops(body: list[gast.stmt]) -> Iterator[str]:
    """The functions that are other ones in each iteration of a loop, by their defaults."""
    for loop in _own_nodes(body):
        for node in _own_nodes(loop.body) if isinstance(loop, (gast.For, gast.While)) else ():
            if isinstance(node, gast.FunctionDef):
                defaults = [*node.args.defaults, *(each for each in node.args.kw_defaults if each is not None)]
                if not all(isinstance(each, gast.Constant) for each in defaults):
                    yield node.name


def _own_nodes(body: list[gast.stmt]) -> Iterator[gast.AST]:
    """All nodes in source order, except those inside nested functions and comprehensions, which are scopes."""
    for node in body:
        yield node
        if not isinstance(node, (*_FUNCTIONS, *COMPREHENSIONS)):
            yield from _own_nodes(list(gast.iter_child_nodes(node)))
