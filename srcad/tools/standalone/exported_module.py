"""`srcad.export`: the text of a module with a derivative and all that it needs, and whether a file is up to date."""

from __future__ import annotations

import ast
import hashlib
import inspect
import platform
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numba.core import types

import srcad
from srcad.driver.options import Without
from srcad.driver.version import Version, compiler_options
from srcad.errors import BadArgument
from srcad.frontend.load_source import name_of, plain_function
from srcad.parsing import python_tree
from srcad.tools.source_text import Case, case_of, generated
from srcad.tools.standalone.flat_text import FlatText
from srcad.tools.standalone.helper_closure import Closure
from srcad.tools.standalone.helper_modules import HelperModule
from srcad.tools.standalone.literals import literal
from srcad.tools.standalone.refused_helpers import refuse_helpers
from srcad.tools.type_signatures import example_arguments

if TYPE_CHECKING:
    from srcad.driver.pipeline import Generated

_CHECKS = {
    "grad": "check_gradient",
    "value_and_grad": "check_gradient",
    "vjp": "check_pullback",
    "tangent": "check_tangent",
    "hvp": "check_curvature",
}
_VERSIONS = "Made with "  # begins the line of the header that a comparison passes over


def export(
    f: Callable[..., Any],
    mode: str = "grad",
    wrt: int | str | tuple[int | str, ...] = 0,
    signature: str | Sequence[Any] | None = None,
    args: Sequence[Any] | None = None,
    numpy_only: bool = False,
    scipy: bool = False,
    without: Without = (),
    boundscheck: bool | None = None,
) -> str:
    """The text of a module that holds a derivative of a function and needs NumPy and Numba, but not srcad.

    In it are the generated functions, the function itself in the compiler's terms, the helpers that these call, and a
    check against differences that runs where the module is executed: `python model_adjoint.py`. Arguments that are
    structures are passed as their leaves, captured arrays as last arguments.

    mode        "grad", "value_and_grad", "reverse" (a forward and a reverse function), "forward" (the tangent
                function) or "hvp"
    signature   the argument types as Numba writes them, "f8[:], f8"; or give `args`, which are also those of the check
    numpy_only  plain Python, which does not need Numba
    scipy       with `numpy_only`, the module may call SciPy
    without     passes of the compiler to be left out
    boundscheck False leaves out the checks that indices are in range

    The same function, types, options and versions give the same text. Raises BadArgument for what would need srcad or
    SciPy, or has no text, and other SrcadErrors as `srcad.source` does.

    >>> text = export(lambda x: x * x, signature="f8", numpy_only=True)
    >>> space = {"__name__": "model_adjoint"}
    >>> exec(text, space)
    >>> space["anonymous_grad"](3.0)
    6.0
    """
    case = case_of(f, mode, wrt, signature, args, without, boundscheck)
    if case.request.mode == "core":
        raise BadArgument("there is no derivative to export in the mode 'core'", hint='give mode="grad"')
    if scipy and not numpy_only:
        raise BadArgument(
            "compiled functions call SciPy by addresses that srcad looks up", hint="give numpy_only=True as well"
        )
    return _Export(f, case, not numpy_only, scipy).text()


def outdated(text: str, file: Path) -> str | None:
    """None if a file holds this text, versions of libraries aside; else what is different about it."""
    if not file.exists():
        return "there is no such file"
    found = file.read_text(encoding="utf-8")
    if _comparable(found) == _comparable(text):
        return None
    told = re.search(r"^Hash: (\w+)$", found, re.MULTILINE)
    if told is None:
        return "it was not written by srcad export"
    if told[1] != _hash(_body(found)):
        return "it was changed after it was written"
    return "the function, its options or srcad have changed since it was written"


def _comparable(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if not line.startswith(_VERSIONS)]


def _body(text: str) -> str:
    """What follows the header."""
    return text.split('"""', 2)[-1].strip()


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class _Export:
    function: Callable[..., Any]
    case: Case
    numba: bool
    scipy: bool

    def text(self) -> str:
        root = self._root()
        closure = Closure(root, self.numba)
        refuse_helpers(closure, self.numba, self.scipy)
        flat = FlatText(closure, root)
        parts = ["from __future__ import annotations", "\n".join(flat.imports()), *self._sections(flat)]
        body = "\n\n".join(each for each in parts if each) + "\n"
        return f'"""{self._header(body, root)}"""\n\n{body}'

    def _sections(self, flat: FlatText) -> list[str]:
        own = flat.own()
        main = own[-1][1] if isinstance(own[-1][0], ast.If) else ""
        titles = {"primal": "# The function itself"}
        named = [
            f"{titles.get(module, f'# From {module}')}\n\n" + "\n\n\n".join(texts) for module, texts in flat.helpers()
        ]
        generated_ = "\n\n\n".join(text for statement, text in own if not isinstance(statement, ast.If))
        return [f"\n{each}\n" for each in (*named, f"# The derivative\n\n{generated_}", main) if each]

    def _root(self) -> HelperModule:
        """The generated functions as a module, which imports the function itself and what checks them."""
        made = self._generated(self.case)
        primal = self._generated(replace(self.case, request=replace(self.case.request, mode="core")))
        itself = HelperModule.of_text("primal", self._compiled(primal, "core"))
        check = self._check(made, primal)
        root = HelperModule.of_text("", self._compiled(made, self.case.request.mode) + check)
        root.imports["primal"] = (itself, primal.functions[0])
        root.imports["check"] = ("srcad.tools.standalone.self_check", _CHECKS[self.case.request.mode])
        return root

    def _generated(self, case: Case) -> Generated:
        return generated(case, arrays=not self.numba, assumes=False)

    def _compiled(self, made: Generated, mode: str) -> str:
        """The text of generated functions with what it reads by name, and decorators for Numba."""
        known = [f"{name} = {_constant(name, value)}" for name, value in sorted(made.bindings.items())]
        text = _with_constants(made.text, known)
        if not self.numba:
            return re.sub(r"^from numba import prange$", "prange = range", text, flags=re.MULTILINE)
        options = compiler_options(self.case.unit, replace(self.case.request, mode=mode))
        shown = ", ".join(f"{name}={_shown(value)}" for name, value in sorted(options.items()))
        parallel = ", ".join(filter(None, [shown, "parallel=True"]))
        is_shared = {
            each.name
            for each in python_tree(text).body
            if isinstance(each, ast.FunctionDef) and "prange" in {getattr(n, "id", "") for n in ast.walk(each)}
        }
        decorated = re.sub(
            r"^def (\w+)",
            lambda found: f"@njit({parallel if found[1] in is_shared else shown})\n{found[0]}",
            text,
            flags=re.MULTILINE,
        )
        return f"import numpy as np\nfrom numba import njit\n{decorated}"

    def _check(self, made: Generated, primal: Generated) -> str:
        """What runs where the module is executed; nothing for complex numbers, which have no one slope."""
        kinds, request = self.case.kinds, self.case.request
        if any(isinstance(getattr(each, "dtype", each), types.Complex) for each in (*kinds, made.result)):
            return ""
        values = self.case.values
        if values is None:
            hidden = Version(self.case.function, request, self.case.unit).hidden()
            values = (*example_arguments(kinds[: len(kinds) - len(hidden)]), *hidden)
        names = self.case.unit.parameters
        given = [literal(each, f"the argument '{name}'") for name, each in zip(names, values, strict=True)]
        lines = "".join(f"        {each},\n" for each in given)
        functions = ", ".join(made.functions)
        return (
            f'\n\nif __name__ == "__main__":\n    example = (\n{lines}    )\n'
            f"    check(primal, {functions}, example, {request.wrt})\n"
        )

    def _header(self, body: str, root: HelperModule) -> str:
        case, request = self.case, self.case.request
        public = [each.name for each in root.statements if isinstance(each, ast.FunctionDef)]
        kinds = ", ".join(f"{name}: {kind}" for name, kind in zip(case.unit.parameters, case.kinds, strict=True))
        hidden = case.unit.parameters[len(case.unit.parameters) - len(case.unit.hidden) :]
        needs = "NumPy" if not self.numba else "NumPy and Numba (which takes matrix products from SciPy)"
        lines = [
            f"{', '.join(public)}: made by `srcad export` from {name_of(case.function)} in {_file(case.function)}.",
            "",
            f"Arguments: {kinds}",
            f"Mode: {request.mode}, by {', '.join(case.unit.parameters[k] for k in request.wrt)}",
            *([f"Captured: {', '.join(hidden)}, as the last arguments"] if hidden else []),
            *([f"Without: {', '.join(request.options.without)}"] if request.options.without else []),
            f"Needs: {needs + ' and SciPy' * self.scipy}",
            f"{_VERSIONS}{self._versions()}",
            f"Hash: {_hash(body.strip())}",
            "",
            'What is under "From srcad" is part of srcad, under the Apache License 2.0.',
            "Execute this file to check the derivative against differences.",
            "",
        ]
        return "\n".join(lines).replace("\\", "/").replace('"', "'")

    def _versions(self) -> str:
        used = {"srcad": srcad.__version__, "Python": platform.python_version(), "NumPy": np.__version__}
        return ", ".join(f"{name} {version}" for name, version in {**used, "Numba": numba.__version__}.items())


def _file(function: Callable[..., Any]) -> str:
    try:
        return Path(inspect.getsourcefile(plain_function(function)) or "?").name
    except TypeError:
        return "?"


def _constant(name: str, value: Any) -> str:
    return literal(value, f"'{name}', which the generated code reads,")


def _with_constants(text: str, known: list[str]) -> str:
    return "\n".join(["import numpy as np", *known, text]) if known else text


def _shown(value: Any) -> str:
    return f"{{{', '.join(map(repr, sorted(value)))}}}" if isinstance(value, (set, frozenset)) else repr(value)
