"""The generated function that a call runs on device values: array statements as they are, not loops over elements."""

from __future__ import annotations

import ast
import itertools
import linecache
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType, TracebackType
from typing import Any

import gast
from numba import types as nb

from srcad.cuda.functions import refused_operations as refused
from srcad.driver.version import Version
from srcad.errors import Place, SrcadError
from srcad.parsing import python_tree
from srcad.runtime.jit.numba_inference import CannotType
from srcad.transforms.ir.build import place_of

_numbers = itertools.count(1)


class GeneratedCode:
    """A generated module: its text, its function, and the user's line for each line of it."""

    def __init__(self, version: Version, kinds: Sequence[nb.Type]) -> None:
        """Raises NotDifferentiable and other SrcadErrors as the pipeline does."""
        if version.unit.hidden:
            raise refused.CAPTURED.error(name=version.unit.hidden[0].key)
        try:
            made = version.generated(tuple(kinds), loops=False, assumes=False)
        except CannotType as problem:
            raise refused.UNTYPED.at(problem.place, reason=problem.reason) from None
        self.text, self.name, self._bindings = made.text, made.functions[0], made.bindings
        self._places = _places(made.text, [*made.made.before, *made.made.functions])
        self._file = f"<srcad device code {next(_numbers)}>"
        linecache.cache[self._file] = (len(self.text), None, self.text.splitlines(keepends=True), self._file)
        self._compiled = compile(self.text, self._file, "exec")

    def function(self, libraries: Mapping[str, Any]) -> Callable[..., Any]:
        """The function, with these in place of the modules that the text imports."""
        module = ModuleType("srcad_device_code")
        module.__dict__.update(self._bindings)
        exec(self._compiled, module.__dict__)
        module.__dict__.update({name: each for name, each in libraries.items() if name in module.__dict__})
        found: Callable[..., Any] = module.__dict__[self.name]
        return found

    def place(self, problem: SrcadError) -> None:
        """Tell an error at which line of the user's it arose."""
        if problem.at is None:
            problem.called_from(next(self._passed(problem.__traceback__), None))

    def _passed(self, traceback: TracebackType | None) -> Iterator[Place]:
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == self._file and traceback.tb_lineno in self._places:
                yield self._places[traceback.tb_lineno]
            traceback = traceback.tb_next


def _places(text: str, functions: Sequence[gast.FunctionDef]) -> dict[int, Place]:
    """By line of a text, the user's line; nothing where text and trees are not one statement for one statement."""
    imports = ast.Import, ast.ImportFrom
    printed = [each for each in _statements(python_tree(text).body) if not isinstance(each, imports)]
    own = list(_statements(functions))
    if [type(each).__name__ for each in printed] != [type(each).__name__ for each in own]:
        return {}
    pairs = ((each.lineno, place_of(node)) for each, node in zip(printed, own, strict=True))
    return {line: place for line, place in pairs if place is not None}


def _statements(block: Any) -> Iterator[Any]:
    for each in block:
        yield each
        for name in ("body", "orelse", "handlers", "finalbody"):
            yield from _statements(getattr(each, name, ()))
