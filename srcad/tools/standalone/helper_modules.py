"""The modules from which helpers are taken, as texts: what they define, import, and register with Numba.

A definition is a statement at the module's top that binds names. A registration binds nothing that others use: it tells
Numba how to compile what it names first, which may be in another module.

    @overload(scatter)                      registers for `scatter`
    def _overload_scatter(g, shape, index): ...

    _by_elements(add_to, _add, _add_any)    registers for `add_to`
"""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias, Union

from srcad.parsing import python_tree
from srcad.tools.standalone.module_names import bound_names

OWN = "srcad"
_REGISTERS = frozenset(("overload", "lower_builtin", "type_callable", "infer_global", "_lowered_as"))


@dataclass(frozen=True)
class External:
    """A module of others, or what it has under a name."""

    module: str
    name: str | None = None

    def __str__(self) -> str:
        return self.module if self.name is None else f"{self.module}.{self.name}"


@dataclass(frozen=True)
class Defined:
    """What a statement of a helper module binds to a name."""

    module: HelperModule
    name: str

    @property
    def statement(self) -> ast.stmt:
        """The statement itself."""
        return self.module.definitions[self.name]


Meaning: TypeAlias = Union["HelperModule", Defined, External]


@dataclass(eq=False)
class HelperModule:
    """The text of a module, by its statements."""

    name: str
    text: str
    statements: list[ast.stmt] = field(default_factory=list)
    definitions: dict[str, ast.stmt] = field(default_factory=dict)
    imports: dict[str, tuple[str | HelperModule, str | None]] = field(default_factory=dict)
    registrations: list[tuple[ast.expr, ast.stmt]] = field(default_factory=list)

    @staticmethod
    def of_text(name: str, text: str) -> HelperModule:
        r"""A module from its text.

        >>> module = HelperModule.of_text("m", "import numpy as np\nhalf = 0.5\n@overload(np.fix)\ndef _(x): pass")
        >>> module.meaning("half").name, str(module.meaning("np")), len(module.registrations), module.meaning("len")
        ('half', 'numpy', 1, None)
        """
        module = HelperModule(name, text)
        for statement in python_tree(text).body:
            module._add(statement)
        return module

    @property
    def is_compiled(self) -> bool:
        """Whether Numba compiles what is in it."""
        return not self.name.startswith(f"{OWN}.tools.")

    @property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return self.text.splitlines()

    def _add(self, statement: ast.stmt) -> None:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            self.imports.update(imported(statement))
        elif isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.unparse(statement.test):
            for each in statement.body:
                self._add(each)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            return  # the docstring
        else:
            self.statements.append(statement)
            keys = _registered(statement)
            self.registrations += [(key, statement) for key in keys]
            if not keys:
                self.definitions.update(dict.fromkeys(bound_names([statement]), statement))

    def meaning(self, name: str) -> Meaning | None:
        """What a name means at the top of this module; None for a builtin one."""
        if name in self.definitions:
            return Defined(self, name)
        return meaning_of(*self.imports[name]) if name in self.imports else None


def meaning_of(module: str | HelperModule, name: str | None) -> Meaning:
    """What `from module import name` gives; with None, what `import module` gives."""
    if isinstance(module, HelperModule):
        assert name is not None
        return Defined(module, name)
    if not is_own(module):
        return _by_usual_name(module, name)
    if name is None:
        return helper_module(module)
    if _file_of(f"{module}.{name}") is not None:
        return helper_module(f"{module}.{name}")
    found = helper_module(module).meaning(name)
    return External(module, name) if found is None else found


@functools.cache
def _by_usual_name(module: str, name: str | None) -> External:
    """A module of others by the package that it is in, under whatever name it was imported.

    >>> str(_by_usual_name("numba", "types")), str(_by_usual_name("numpy", None))
    ('numba.core.types', 'numpy')
    """
    found: Any = importlib.import_module(module)
    if name is not None:
        found = getattr(found, name, None) or importlib.import_module(f"{module}.{name}")
    if not isinstance(found, ModuleType):
        return External(module, name)
    parent, _, last = found.__name__.rpartition(".")
    return External(parent, last) if parent else External(last)


def is_own(module: str | HelperModule) -> bool:
    """Whether a module is srcad's.

    >>> is_own("srcad.names"), is_own("numpy")
    (True, False)
    """
    return isinstance(module, HelperModule) or module == OWN or module.startswith(f"{OWN}.")


def imported(statement: ast.Import | ast.ImportFrom) -> dict[str, tuple[str, str | None]]:
    """The names that an import binds, and what of which module they are.

    >>> imported(ast.parse("from numba.core import types as t").body[0]), imported(ast.parse("import os.path").body[0])
    ({'t': ('numba.core', 'types')}, {'os': ('os', None)})
    """
    if isinstance(statement, ast.ImportFrom):
        return {each.asname or each.name: (statement.module or "", each.name) for each in statement.names}
    return {
        each.asname or each.name.split(".")[0]: (each.name if each.asname else each.name.split(".")[0], None)
        for each in statement.names
    }


@functools.cache
def helper_module(name: str) -> HelperModule:
    """A module of srcad, read from its file."""
    file = _file_of(name)
    assert file is not None
    return HelperModule.of_text(name, Path(file).read_text(encoding="utf-8"))


@functools.cache
def _file_of(name: str) -> str | None:
    try:
        found = importlib.util.find_spec(name)
    except ModuleNotFoundError:  # the name of something in a module, which is no package
        return None
    return None if found is None else found.origin


def _registered(statement: ast.stmt) -> list[ast.expr]:
    """What a statement registers something for."""
    if isinstance(statement, ast.FunctionDef):
        calls = [each for each in statement.decorator_list if isinstance(each, ast.Call)]
        return [each.args[0] for each in calls if _called(each) in _REGISTERS and each.args]
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        while isinstance(call.func, ast.Call):
            call = call.func
        return call.args[:1]
    return []


def _called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
