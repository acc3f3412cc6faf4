"""`Template`, a derivative rule as data: read from the source of a rule function, to be spliced or executed."""

from __future__ import annotations

import builtins
import functools
import inspect
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gast

from srcad.errors import BadArgument
from srcad.parsing import syntax_tree


@dataclass(frozen=True)
class Template:
    """The content of a rule.

    parameters   the result first, then the inputs
    defaults     values of the inputs that a call may omit
    body         straight-line assignments to a name or to `d[name]`; for partials a `return` comes last
    bindings     free name of the body -> the object that it refers to
    refuses      the inputs by which the derivative is not known: their contribution is stated as `refused`

    >>> template = read_template(_example)
    >>> template.parameters, dict(template.defaults), len(template.body), sorted(template.bindings)
    (('y', 'x', 'axis'), {'axis': None}, 2, ['syntax_tree'])
    """

    parameters: tuple[str, ...]
    defaults: Mapping[str, Any]
    body: tuple[gast.stmt, ...]
    bindings: Mapping[str, object]
    refuses: frozenset[str] = frozenset()

    @functools.cached_property
    def guarded_forms(self) -> dict[Any, Template]:
        """The content with strong products, by the names that may be infinite and those that are not zero."""
        return {}

    @functools.cached_property
    def contributes_to(self) -> tuple[str, ...]:
        """The names with a statement `d[...] = `, in order."""
        targets = [statement.targets[0] for statement in self.body if isinstance(statement, gast.Assign)]
        return tuple(dict.fromkeys(target.slice.id for target in targets if isinstance(target, gast.Subscript)))

    @functools.cached_property
    def derivatives_read(self) -> frozenset[str]:
        """The names whose derivatives the statements read."""
        nodes = [node for statement in self.body for node in gast.walk(statement.value)]
        parts = [each for each in nodes if isinstance(each, gast.Subscript) and isinstance(each.value, gast.Name)]
        return frozenset(each.slice.id for each in parts if each.value.id == "d" and isinstance(each.slice, gast.Name))


def _example(y: Any, x: Any, axis: Any = None) -> None:
    t = syntax_tree(y)
    d[x] = t  # type: ignore[name-defined]  # noqa: F821  # read, never called


def read_template(function: Callable[..., Any] | None) -> Template | None:
    """The template of a rule function, read from its source; None for None. Raises BadArgument for other statements."""
    return None if function is None else _read(function)


@functools.cache
def _read(function: Callable[..., Any]) -> Template:
    tree = syntax_tree(textwrap.dedent(inspect.getsource(function))).body[0]
    if not isinstance(tree, gast.FunctionDef):
        raise BadArgument(f"the rule {function} is not a function definition", hint="state rules with `def`")
    body = [statement for statement in tree.body if not _is_docstring(statement)]
    for statement in body:
        if not _is_plain(statement):
            place = f"{function.__code__.co_filename}:{function.__code__.co_firstlineno + statement.lineno - 1}"
            raise BadArgument(f"{place}: a derivative rule holds assignments to a name or to d[name], nothing else")
    parameters = tuple(argument.id for argument in tree.args.args)
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is not inspect.Parameter.empty
    }
    body, refuses = _without_refused(body, parameters)
    return Template(parameters, defaults, tuple(body), _bindings(function, body, parameters), refuses)


def _without_refused(body: Sequence[gast.stmt], parameters: Sequence[str]) -> tuple[list[gast.stmt], frozenset[str]]:
    """The statements without contributions that are stated as `refused`, and the names of the inputs of these."""
    left, names = list[gast.stmt](), set[str]()
    for statement in body:
        value = statement.value
        if isinstance(statement, gast.Return):
            elements = value.elts if isinstance(value, gast.Tuple) else [value]
            names.update(name for name, each in zip(parameters[1:], elements, strict=False) if _is_refused(each))
            plain = [gast.Constant(value=None, kind=None) if _is_refused(each) else each for each in elements]
            statement.value = gast.Tuple(elts=plain, ctx=gast.Load()) if isinstance(value, gast.Tuple) else plain[0]
        elif _is_refused(value):
            names.add(statement.targets[0].slice.id)
            continue
        left.append(statement)
    return left, frozenset(names)


def _is_refused(value: gast.expr) -> bool:
    return isinstance(value, gast.Name) and value.id == "refused"


def _is_docstring(statement: gast.stmt) -> bool:
    return isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Constant)


def _is_plain(statement: gast.stmt) -> bool:
    if isinstance(statement, gast.Return):
        return statement.value is not None
    if not isinstance(statement, gast.Assign) or len(statement.targets) != 1:
        return False
    target = statement.targets[0]
    if isinstance(target, gast.Subscript):
        return isinstance(target.value, gast.Name) and target.value.id == "d" and isinstance(target.slice, gast.Name)
    return isinstance(target, gast.Name)


def _bindings(function: Callable[..., Any], body: Sequence[gast.stmt], parameters: Sequence[str]) -> dict[str, object]:
    names = [node for statement in body for node in gast.walk(statement) if isinstance(node, gast.Name)]
    own = {*parameters, "d", *(node.id for node in names if isinstance(node.ctx, gast.Store))}
    captured = inspect.getclosurevars(function)
    known = {**vars(builtins), **function.__globals__, **captured.nonlocals}
    return {name: known[name] for name in sorted({node.id for node in names} - own)}


@functools.cache
def signature_names(primitive: Any, inputs: tuple[str, ...]) -> tuple[str, ...]:
    """The names of a primitive's positional arguments: from its signature if it has one, else from the rule.

    >>> signature_names(sorted, ("a",))
    ('a',)
    """
    try:
        parameters = inspect.signature(primitive).parameters.values()
    except (TypeError, ValueError):
        return inputs
    named = [each.name for each in parameters if each.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    unnamed = sum(each.kind is inspect.Parameter.POSITIONAL_ONLY for each in parameters)
    is_open = any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in parameters)
    if is_open or unnamed >= len(inputs) or not {*inputs[unnamed:]} & {*named}:
        return inputs
    return (*inputs[:unnamed], *named)


_OF_UFUNCS = ("numpy", "scipy.special")  # a ufunc does not know its module


def _public_module(primitive: Any, name: str, module: str) -> str:
    """The outermost module that has a function: `scipy.linalg`, not `scipy.linalg._basic`."""
    parts = module.split(".")
    for each in (*(".".join(parts[: k + 1]) for k in range(len(parts))), *_OF_UFUNCS):
        if getattr(sys.modules.get(each), name, None) is primitive:
            return each
    return module


def _name_in_module(primitive: Any) -> str | None:
    """The name by which the public module has a function that does not know its own, as some of SciPy 1.15's."""
    module = sys.modules.get((getattr(primitive, "__module__", None) or "").partition("._")[0])
    return next((name for name, value in vars(module).items() if value is primitive), None) if module else None


def primitive_name(primitive: Any) -> str:
    """The name of a primitive in messages; a string is returned unchanged.

    >>> import numpy as np, math, operator
    >>> [primitive_name(each) for each in (np.sin, np.linalg.norm, math.erf, operator.add, abs)]
    ['np.sin', 'np.linalg.norm', 'math.erf', 'operator.add', 'abs']
    """
    if isinstance(primitive, str):
        return primitive
    name = getattr(primitive, "__name__", None) or _name_in_module(primitive) or repr(primitive)
    owner = getattr(primitive, "__self__", None)
    if hasattr(owner, "nin"):  # a method of a ufunc
        return f"{primitive_name(owner)}.{name}"
    module = getattr(primitive, "__module__", None) or ""
    if module.startswith("scipy.stats.") and isinstance(owner_name := getattr(owner, "name", None), str):
        return f"scipy.stats.{owner_name}.{name}"
    if module.startswith("srcad.runtime.kernels.scipy."):
        module = "kernels.scipy"
    if hasattr(primitive, "nin") or "._" in module:
        module = _public_module(primitive, name, module or "numpy")
    module = {"builtins": "", "_operator": "operator"}.get(module, module)
    module = "np" + module.removeprefix("numpy") if module.startswith("numpy") else module
    return f"{module}.{name}" if module else name
