"""Which statements of which modules a text needs, directly or through others, and what each name in them means.

The text is itself a module (`HelperModule`), all of whose statements are needed. A statement needs the definitions of
the names that it reads, and what is registered with Numba for functions that it calls: overloads of helpers, and those
by which srcad teaches NumPy's functions to Numba.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from srcad.tools.standalone.helper_modules import (
    Defined,
    External,
    HelperModule,
    Meaning,
    helper_module,
    imported,
    is_own,
    meaning_of,
)
from srcad.tools.standalone.module_names import module_names

_KERNELS = "srcad.runtime.kernels"
_NUMBA = ("numba", "llvmlite")


@dataclass(frozen=True)
class Use:
    """A place in a text, a name or a chain of attributes, with what it means; `path` is its name in libraries."""

    node: ast.expr
    meaning: Defined | External
    path: str


@dataclass(eq=False)
class Needed:
    """A statement with what it uses."""

    module: HelperModule
    statement: ast.stmt
    uses: list[Use]
    late_imports: list[ast.stmt] = field(default_factory=list)  # of helpers, which are in the same text now


class Closure:
    """All that a text needs. Without `numba`, the helpers are to run as plain Python: nothing is registered."""

    def __init__(self, root: HelperModule, numba: bool = True) -> None:
        self.numba = numba
        self.needed: dict[ast.stmt, Needed] = {}
        self._pending: list[tuple[HelperModule, ast.stmt]] = [(root, each) for each in root.statements]
        self._paths: set[str] = set()  # what of libraries is called where Numba compiles
        self._overloaded: dict[object, list[tuple[HelperModule, ast.stmt]]] = {}
        self._known: set[str] = set()
        if numba:
            self._learn_all(helper_module(_KERNELS))
        while self._pending:
            self._take(*self._pending.pop(0))

    def in_order(self) -> list[Needed]:
        """What is needed, each after what it needs to be executed: by module as they import each other, by line."""
        order: list[HelperModule] = []
        for each in [needed.module for needed in self.needed.values()]:
            _visit(each, order, set())
        places = {module: number for number, module in enumerate(order)}
        return sorted(self.needed.values(), key=lambda each: (places[each.module], each.statement.lineno))

    def externals(self) -> list[External]:
        """The names of libraries that are used."""
        found = {str(use.meaning): use.meaning for each in self.needed.values() for use in each.uses}
        return [each for _, each in sorted(found.items()) if isinstance(each, External)]

    def _learn_all(self, package: HelperModule) -> None:
        """Note what the kernels register, and what they import does: it holds wherever the functions are called."""
        for module, name in package.imports.values():
            if isinstance(module, str) and module.startswith(_KERNELS):
                found = meaning_of(module, name)
                for home in (found.module if isinstance(found, Defined) else found, helper_module(module)):
                    if isinstance(home, HelperModule) and home.name not in self._known:
                        self._learn(home)
                        self._learn_all(home)

    def _learn(self, module: Meaning) -> None:
        if not isinstance(module, HelperModule) or module.name in self._known:
            return
        self._known.add(module.name)
        for key, statement in module.registrations:
            for each in self._keys(module, key):
                self._overloaded.setdefault(each, []).append((module, statement))

    def _keys(self, module: HelperModule, key: ast.expr) -> Iterator[object]:
        use = _use_at(module, key)
        if use is not None:
            yield use.path if isinstance(use.meaning, External) else (use.meaning.module.name, use.meaning.name)

    def _take(self, module: HelperModule, statement: ast.stmt) -> None:
        if statement in self.needed:
            return
        if self.numba:
            self._learn(module)
        late = _late_imports(statement)
        uses = [*_uses(module, statement, late)]
        if not self.numba:
            uses = [each for each in uses if each.node not in _numba_decorators(module, statement)]
        self.needed[statement] = Needed(module, statement, uses, [each for each in late if _is_of_helpers(each)])
        for use in uses:
            if isinstance(use.meaning, Defined):
                if self.numba:
                    self._learn(use.meaning.module)
                self._pending.append((use.meaning.module, use.meaning.statement))
                self._register((use.meaning.module.name, use.meaning.name))
        if self.numba and module.is_compiled and not self._is_overloaded(module, statement):
            for path in (*(each.path for each in uses), *_operators(statement)):
                self._register(path)

    def _is_overloaded(self, module: HelperModule, statement: ast.stmt) -> bool:
        """Whether Numba compiles something else in place of this function."""
        name = statement.name if isinstance(statement, ast.FunctionDef) else ""
        return (module.name, name) in self._overloaded

    def _register(self, key: object) -> None:
        self._pending += self._overloaded.get(key, ())


def _visit(module: HelperModule, order: list[HelperModule], entered: set[str]) -> None:
    """Put a module into the order, behind those that it imports."""
    if module.name in entered or module in order:
        return
    entered.add(module.name)
    for each in module.imports.values():
        if is_own(each[0]):
            found = meaning_of(*each)
            inner = found.module if isinstance(found, Defined) else found
            if isinstance(inner, HelperModule):
                _visit(inner, order, entered)
    order.append(module)


def _uses(module: HelperModule, statement: ast.stmt, late: list[ast.Import | ast.ImportFrom]) -> Iterator[Use]:
    """The places of a statement that mean something outside of it: the longest chains of attributes."""
    outer: dict[ast.AST, ast.Attribute] = {
        node.value: node for node in ast.walk(statement) if isinstance(node, ast.Attribute)
    }
    found = {node: module.meaning(node.id) for node in module_names(statement)}
    for each in late:
        given = imported(each)
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and node.id in given and isinstance(node.ctx, ast.Load):
                found[node] = meaning_of(*given[node.id])
    for node, meaning in found.items():
        if meaning is not None:
            yield _along(node, meaning, outer)


def _along(node: ast.expr, meaning: Meaning, outer: dict[ast.AST, ast.Attribute]) -> Use:
    """Follow attributes of modules of helpers to what they mean, and those of libraries for their path."""
    while isinstance(meaning, HelperModule):
        node = outer[node]
        assert isinstance(node, ast.Attribute)
        meaning = _attribute(meaning, node.attr)
    path, last = str(meaning), node
    while isinstance(meaning, External) and last in outer:
        last = outer[last]
        path = f"{path}.{last.attr}"
    return Use(node, meaning, path)


def _attribute(module: HelperModule, name: str) -> Meaning:
    found = module.meaning(name)
    return meaning_of(module.name, name) if found is None else found


def _use_at(module: HelperModule, node: ast.expr) -> Use | None:
    """What a key of a registration means: a name, or a chain of attributes."""
    uses = [*_uses(module, ast.Expr(node), [])]
    return uses[0] if uses else None


def _late_imports(statement: ast.stmt) -> list[ast.Import | ast.ImportFrom]:
    return [each for each in ast.walk(statement) if isinstance(each, (ast.Import, ast.ImportFrom))]


def _is_of_helpers(statement: ast.Import | ast.ImportFrom) -> bool:
    return isinstance(statement, ast.ImportFrom) and is_own(statement.module or "")


def _numba_decorators(module: HelperModule, statement: ast.stmt) -> set[ast.AST]:
    """All nodes of decorators by which Numba compiles a function."""
    return {node for each in numba_decorators(module, statement) for node in ast.walk(each)}


def numba_decorators(module: HelperModule, statement: ast.stmt) -> list[ast.expr]:
    """The decorators of a function that are Numba's."""
    found = []
    for each in getattr(statement, "decorator_list", ()):
        root: ast.AST = each.func if isinstance(each, ast.Call) else each
        while isinstance(root, ast.Attribute):
            root = root.value
        meaning = module.meaning(root.id) if isinstance(root, ast.Name) else None
        if isinstance(meaning, External) and is_of_numba(meaning):
            found.append(each)
    return found


def is_of_numba(meaning: External) -> bool:
    """Whether this is in Numba, or in what it is built on."""
    return meaning.module.split(".")[0] in _NUMBA


def _operators(statement: ast.stmt) -> Iterable[str]:
    """The operators that a statement applies and for which srcad registers something, as functions of `operator`."""
    found = set()
    for node in ast.walk(statement):
        if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.MatMult):
            found.add("operator.matmul")
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value is ...:
            found |= {"operator.getitem"} if isinstance(node.ctx, ast.Load) else set()
    return sorted(found)
