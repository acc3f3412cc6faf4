"""One text from statements of many modules: names that do not collide, imports of libraries, nothing of srcad's.

Statements keep their text, with its comments; only names change, where two modules use one for different things, and
where an attribute of a module becomes a name: `kernels.scatter(g)` is `scatter(g)`.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable

from srcad.names import Names
from srcad.tools.standalone.helper_closure import Closure, Needed, numba_decorators
from srcad.tools.standalone.helper_modules import Defined, External, HelperModule
from srcad.tools.standalone.module_names import all_identifiers

Edit = tuple[int, int, str]  # from which byte of a text to which one, and what stands there instead


class FlatText:
    """The text of a closure, apart from the statements of its root module, and the names that things have in it."""

    def __init__(self, closure: Closure, root: HelperModule) -> None:
        self._closure, self._root = closure, root
        self._order = closure.in_order()
        self._names: dict[str, str] = {}
        self._taken = {name for each in root.statements for name in all_identifiers(each)} | set(dir(builtins))
        self._taken -= root.imports.keys()
        self._inner = {name for each in self._order for name in all_identifiers(each.statement)}
        self._give_names()

    def _give_names(self) -> None:
        """A name for everything: its own where that is free, else one that ends in the name of its module."""
        for external in self._closure.externals():
            self._name(str(external), self._usual(external), external.module)
        for each in self._order:
            if each.module is not self._root:
                for name in sorted(name for name, at in each.module.definitions.items() if at is each.statement):
                    self._name(f"{each.module.name}:{name}", name, each.module.name)

    def _usual(self, external: External) -> str:
        """The name under which a module imports something of a library."""
        for each in self._order:
            for name, (module, attribute) in each.module.imports.items():
                if isinstance(module, str) and str(External(module, attribute)) == str(external):
                    return name
        return external.name or external.module

    def _name(self, key: str, wish: str, home: str) -> None:
        name = wish
        if name in self._taken:
            stem = home.rsplit(".", 1)[-1]
            name = Names({*self._taken, *self._inner}).fresh(f"{wish}_{stem}")
        self._taken.add(name)
        self._names[key] = name

    def name_of(self, meaning: Defined | External) -> str:
        """What something is called in the text."""
        if isinstance(meaning, External):
            return self._names[str(meaning)]
        return meaning.name if meaning.module is self._root else self._names[f"{meaning.module.name}:{meaning.name}"]

    def imports(self) -> list[str]:
        """The statements that import what is used of libraries, sorted, one for each module."""
        whole, parts = [], dict[str, list[str]]()
        for external in self._closure.externals():
            name = self.name_of(external)
            if external.name is None:
                whole.append(f"import {external.module}" + (f" as {name}" if name != external.module else ""))
            else:
                alias = external.name if name == external.name else f"{external.name} as {name}"
                parts.setdefault(external.module, []).append(alias)
        return [*sorted(whole), *(_import_from(module, names) for module, names in sorted(parts.items()))]

    def helpers(self) -> list[tuple[str, list[str]]]:
        """By module of helpers, the texts of the statements that are taken from it."""
        found: dict[str, list[str]] = {}
        for each in self._order:
            if each.module is not self._root:
                found.setdefault(each.module.name, []).append(self.text_of(each))
        return [*found.items()]

    def own(self) -> list[tuple[ast.stmt, str]]:
        """The statements of the root module, with their texts."""
        return [(each.statement, self.text_of(each)) for each in self._order if each.module is self._root]

    def text_of(self, needed: Needed) -> str:
        """The text of a statement, under these names."""
        lines = needed.module.lines
        decorators = getattr(needed.statement, "decorator_list", [])
        first = min(each.lineno for each in (needed.statement, *decorators)) - 1
        while first and lines[first - 1].startswith("#"):
            first -= 1
        last = needed.statement.end_lineno or first + 1
        text = "\n".join(lines[first:last])
        return _edited(text, [*self._renamed(needed, lines, first), *self._without(needed, lines, first)])

    def _renamed(self, needed: Needed, lines: list[str], first: int) -> Iterable[Edit]:
        for use in needed.uses:
            start, stop = _span(use.node, lines, first)
            yield start, stop, self.name_of(use.meaning)
        if needed.module is not self._root:
            yield from self._defined(needed, lines, first)

    def _defined(self, needed: Needed, lines: list[str], first: int) -> Iterable[Edit]:
        """The names that a statement defines, where they have changed."""
        statement = needed.statement
        is_assignment = not isinstance(statement, (ast.FunctionDef, ast.ClassDef))
        for name, at in needed.module.definitions.items():
            new = self._names.get(f"{needed.module.name}:{name}", name)
            if at is not statement or new == name:
                continue
            if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                start = _offset(lines, first, statement.lineno, statement.col_offset)
                start += len("def " if isinstance(statement, ast.FunctionDef) else "class ")
                yield start, start + len(name), new
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and (node.id, type(node.ctx)) == (name, ast.Store) and is_assignment:
                    yield *_span(node, lines, first), new

    def _without(self, needed: Needed, lines: list[str], first: int) -> Iterable[Edit]:
        """What is left out: imports of srcad; for plain Python, Numba's decorators."""
        for late in needed.late_imports:
            yield *_span(late, lines, first), "pass"
        if not self._closure.numba:
            for each in numba_decorators(needed.module, needed.statement):
                start, stop = _span(each, lines, first)
                yield start - 1, stop + 1, ""


def _import_from(module: str, names: list[str]) -> str:
    line = f"from {module} import {', '.join(sorted(names))}"
    return line if len(line) <= 120 else f"from {module} import (\n    " + ",\n    ".join(sorted(names)) + ",\n)"


def _offset(lines: list[str], first: int, line: int, column: int) -> int:
    """The place in bytes of a text that begins with the line `first`, of a place that `ast` tells."""
    return sum(len(each.encode()) + 1 for each in lines[first : line - 1]) + column


def _span(node: ast.expr | ast.stmt, lines: list[str], first: int) -> tuple[int, int]:
    start = _offset(lines, first, node.lineno, node.col_offset)
    return start, _offset(lines, first, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)


def _edited(text: str, edits: Iterable[Edit]) -> str:
    """A text after replacements.

    >>> _edited("a + b", [(0, 1, "left"), (4, 5, "right")])
    'left + right'
    """
    data = text.encode()
    for start, stop, new in sorted(set(edits), reverse=True):
        data = data[:start] + new.encode() + data[stop:]
    return data.decode()
