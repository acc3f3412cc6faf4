"""Load a function: its syntax tree, its text, and the current values of its free names.

Numba dispatchers are loaded as their Python function with its options, methods as their function with the object that
they are bound to. A function is refused if its text cannot be found, or is no longer the text that was compiled.
"""

from __future__ import annotations

import ast
import builtins
import copy
import functools
import inspect
import linecache
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import CellType, FunctionType, MethodType
from typing import Any

import gast

from srcad.errors import BadType, Place, SourceUnavailable
from srcad.frontend.commands_and_prompts import edited_or_kept_nowhere, text_of_command, way_to_keep
from srcad.frontend.functools_partial import left_open, partial_in, without_held
from srcad.frontend.parse import MismatchError, find_function, function_to_gast
from srcad.frontend.wrapped_functions import is_wrapper, plain_signature, spread
from srcad.parsing import python_tree
from srcad.refusals.constructs import WRAPPED_FUNCTION
from srcad.runtime.rulebook import registry
from srcad.runtime.support.labelled_kinds import module_of
from srcad.transforms.ir.build import walk

_COMMAND = "<string>"  # what `exec` is given, and `python -c`, whose text Python 3.13 keeps under this name
STARRED = "the parameters `*args` and `**kwargs` of the function itself are not supported"


@dataclass(frozen=True, eq=False)
class Source:
    """A user's function as `load` has read it.

    name        what generated functions are called after
    tree        gast.FunctionDef without decorators; lines and columns are those of the file
    file        the file, as messages name it
    lines       all lines of the file: line n is lines[n - 1]
    text        the function's own text, dedented
    owners      free name -> the mapping (globals, builtins) or closure cell that holds it
    defaults    parameter -> the object that is its default
    options     Numba options of the dispatcher (fastmath, error_model, ...)
    receiver    the object that a method is bound to
    function    the plain Python function that was read
    partial     the functools.partial that holds some of its arguments
    """

    name: str
    tree: gast.FunctionDef
    file: str
    lines: tuple[str, ...]
    text: str
    owners: Mapping[str, Any]
    defaults: Mapping[str, Any]
    options: Mapping[str, Any]
    receiver: Any | None
    function: FunctionType
    partial: functools.partial[Any] | None = None

    def place(self, node: Any) -> Place:
        """The position of a node in the file; a node without a position gets that of the function's first line."""
        if getattr(node, "lineno", None) is None:
            node = self.tree
        text = self.lines[node.lineno - 1].rstrip()
        one_line = node.end_lineno == node.lineno
        end = _characters(text, node.end_col_offset) if one_line else len(text)
        return Place(self.file, node.lineno, _characters(text, node.col_offset), end, text)

    def lookup(self, name: str) -> Any:
        """The current value of a free name. Raises KeyError if it has none."""
        owner = self.owners[name]
        if not isinstance(owner, CellType):
            return owner[name]
        try:
            return owner.cell_contents
        except ValueError:
            raise KeyError(name) from None


def load(function: Callable[..., Any]) -> Source:
    """Read a function: plain, nested, lambda, method, `@njit` dispatcher, functools.partial, or an object of srcad.

    >>> import textwrap
    >>> source = load(textwrap.dedent)
    >>> source.name, source.tree.args.args[0].id, source.lookup("_whitespace_only_re") is textwrap._whitespace_only_re
    ('dedent', 'text', True)
    """
    plain, options, receiver = unwrap(function)
    lines = _lines(plain)
    code, found = plain.__code__, _found(plain, lines)
    name = plain.__name__ if plain.__name__.isidentifier() else found.name or "anonymous"
    tree = function_to_gast(found, name)
    is_wrapping = hasattr(plain, "__wrapped__") and is_wrapper(plain)
    spread_tree = spread(plain, copy.deepcopy(tree)) if is_wrapping else None
    source = Source(
        name=name,
        tree=tree if spread_tree is None else spread_tree,
        file=code.co_filename,
        lines=tuple(line.rstrip("\r\n") for line in lines),
        text=_own_text(lines, found.node),
        owners=_owners(plain, tree),
        defaults=_defaults(plain),
        options=options,
        receiver=receiver,
        function=plain,
        partial=partial_in(function),
    )
    if is_wrapping and spread_tree is None:
        raise WRAPPED_FUNCTION.at(source.place(tree), name=name)
    custom = custom_in(function) or _ruled(function)
    if custom is not None:
        return _calling(source, custom)
    return source if source.partial is None else _without_held(source, source.partial)


def custom_in(function: Any) -> Any:
    """The function with a rule of the user's own that a callable is, or that an object of srcad wraps; else None."""
    while hasattr(function, "__wrapped_primal__") or isinstance(function, MethodType):
        if hasattr(type(function), "__srcad_custom__"):
            return function
        function = function.__func__ if isinstance(function, MethodType) else function.__wrapped_primal__
    return None


def _ruled(function: Any) -> Any:
    """The function, if the user has stated a rule for it, so that it is not looked into."""
    while hasattr(function, "__wrapped_primal__") and not isinstance(function, MethodType):
        function = function.__wrapped_primal__
    return None if registry.called_by(function) is None else function


def _calling(source: Source, custom: Any) -> Source:
    """The function as a call of itself, by its rule: what a user's rule belongs to is differentiated only so."""
    tree, name = source.tree, f"{source.name}_by_rule"
    arguments = tree.args
    given = [_read(each.id, tree) for each in [*arguments.posonlyargs, *arguments.args]]
    keywords = [gast.keyword(arg=each.id, value=_read(each.id, tree)) for each in arguments.kwonlyargs]
    called = _placed(gast.Call(func=_read(name, tree), args=given, keywords=keywords), tree)
    body = [_placed(gast.Return(value=called), tree)]
    calling = gast.FunctionDef(**{**{field: getattr(tree, field) for field in tree._fields}, "body": body})
    return replace(source, tree=gast.copy_location(calling, tree), owners={name: {name: custom}})


def _read(name: str, tree: gast.FunctionDef) -> gast.expr:
    return _placed(gast.Name(id=name, ctx=gast.Load(), annotation=None, type_comment=None), tree)


def _placed(node: Any, tree: gast.FunctionDef) -> Any:
    """A node at the line of the definition."""
    node.lineno = node.end_lineno = tree.lineno
    node.col_offset, node.end_col_offset = tree.col_offset, tree.col_offset + len("def")
    return node


def _found(plain: FunctionType, lines: list[str]) -> Any:
    code = plain.__code__
    try:
        return find_function(code, "".join(lines), code.co_filename)
    except MismatchError as mismatch:
        if code.co_filename == _COMMAND:
            raise _without_text(plain) from None
        raise SourceUnavailable(
            f"the source of {plain.__qualname__} in {code.co_filename} cannot be used: {mismatch}",
            hint=edited_or_kept_nowhere(code.co_filename),
        ) from None


def _without_held(source: Source, partial: functools.partial[Any]) -> Source:
    tree, owners = without_held(source.tree, source.owners, partial, source.receiver is not None)
    return replace(source, tree=tree, owners=owners)


def deepest_expression(function: Callable[..., Any]) -> Place | None:
    """The line of a function's file, within the function, with the most deeply nested expression."""
    plain, _, _ = unwrap(function)
    lines, deepest = _lines(plain), (0, 0)
    pending: list[tuple[ast.AST, int]] = [(python_tree("".join(lines)), 0)]
    while pending:  # without recursion, which is what has failed
        node, depth = pending.pop()
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.expr) and line >= plain.__code__.co_firstlineno:
            deepest = max(deepest, (depth, -line))
        inner = depth + isinstance(node, ast.expr)
        pending += [(child, inner) for child in ast.iter_child_nodes(node)]
    line = -deepest[1]
    if not line:
        return None
    text = lines[line - 1].rstrip()
    return Place(plain.__code__.co_filename, line, len(text) - len(text.lstrip()), len(text), text)


def signature_of(function: Callable[..., Any], eval_str: bool = False) -> inspect.Signature:
    """The signature that a caller of the function sees, without a bound object and arguments bound by a partial."""
    if hasattr(type(function), "__srcad_keeps__"):
        own: inspect.Signature = function.__signature__  # type: ignore[attr-defined]
        return own
    partial = partial_in(function)
    if partial is not None:
        return left_open(partial, signature_of(partial.func, eval_str))
    plain, _, receiver = unwrap(function)
    signature = _signature(plain, eval_str)
    parameters = list(signature.parameters.values())
    return signature.replace(parameters=parameters[receiver is not None :])


def plain_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """The Python function inside a dispatcher, a method or an object of srcad."""
    return unwrap(function)[0]


def name_of(function: Callable[..., Any]) -> str:
    """The function's name, or "anonymous" if the name is not an identifier."""
    name = plain_function(function).__name__
    return name if name.isidentifier() else "anonymous"


def unwrap(function: Any) -> tuple[FunctionType, dict[str, Any], Any | None]:
    """The plain Python function in a callable, the Numba options of its dispatcher, and the object that it is bound to.

    >>> unwrap([].append)
    Traceback (most recent call last):
    ...
    srcad.errors.SourceUnavailable: list.append is not written in Python
    hint: differentiate a Python function that calls it
    """
    options: dict[str, Any] = {}
    receiver = None
    while not isinstance(function, FunctionType):
        if isinstance(function, MethodType):  # which has the attributes of its function
            receiver, function = function.__self__, function.__func__
        elif hasattr(function, "__wrapped_primal__"):
            function = function.__wrapped_primal__
        elif isinstance(function, staticmethod):
            function = function.__func__
        elif hasattr(function, "py_func") and hasattr(function, "targetoptions"):
            options, function = dict(function.targetoptions), function.py_func
        elif isinstance(function, functools.partial):
            function = function.func
        elif type(function).__name__ == "CFunc" and module_of(type(function)).startswith("numba."):
            function = function.__wrapped__
        elif _is_callable_object(function):
            receiver, function = function, type(function).__call__
        else:
            raise _not_readable(function)
    return function, options, receiver


def _is_callable_object(value: Any) -> bool:
    """Whether a value is an object of a user's class with a `__call__`. Numba's own objects are compiled code."""
    kind = type(value)
    written_in_python = isinstance(getattr(kind, "__call__", None), FunctionType)  # noqa: B004  not whether, but which
    return written_in_python and not isinstance(value, type) and not module_of(kind).startswith("numba.")


def _not_readable(function: Any) -> BadType | SourceUnavailable:
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None) or repr(function)
    if isinstance(function, type):
        return BadType(f"{name} is a class, not a function", hint="pass a function or a method")
    if not callable(function):
        return BadType(
            f"a function is needed, not {type(function).__name__}", hint="pass the function itself, not a result of it"
        )
    if type(function).__name__ in ("DUFunc", "GUFunc"):
        return SourceUnavailable(
            f"{name} is compiled by numba.vectorize", hint="pass the function that was given to vectorize, as `@njit`"
        )
    if hasattr(function, "cache_info"):  # functools.cache
        hint = f"differentiate the function that it caches, `{name}.__wrapped__`"
    else:
        hint = "differentiate a Python function that calls it"
    return SourceUnavailable(f"{name} is not written in Python", hint=hint)


def _lines(function: FunctionType) -> list[str]:
    """All lines of the function's file, as they are now on the disk or in the interactive session."""
    file = function.__code__.co_filename
    linecache.checkcache(file)
    lines = linecache.getlines(file, function.__globals__) or text_of_command(function)
    if not lines:
        raise _without_text(function)
    return lines if lines[-1].endswith("\n") else [*lines[:-1], lines[-1] + "\n"]


def _without_text(function: FunctionType) -> SourceUnavailable:
    file = function.__code__.co_filename
    what = f"the source of {function.__qualname__} is not available: no text for {file!r}"
    return SourceUnavailable(what, hint=way_to_keep(file))


def _own_text(lines: list[str], node: Any) -> str:
    """The text of the function from `def` or `lambda` to its end, without the indentation of its first line."""
    stretch = [line.rstrip("\r\n") for line in lines[node.lineno - 1 : node.end_lineno]]
    stretch[-1] = stretch[-1][: _characters(stretch[-1], node.end_col_offset)]
    column = _characters(stretch[0], node.col_offset)
    stretch[0] = stretch[0][column:]
    return "\n".join([stretch[0], *(line[column:] if not line[:column].strip() else line for line in stretch[1:])])


def _owners(function: FunctionType, tree: gast.FunctionDef) -> dict[str, Any]:
    code = function.__code__
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    own = {*code.co_varnames, *code.co_cellvars}
    names = {node.id for statement in tree.body for node in walk(statement) if isinstance(node, gast.Name)}
    owners: dict[str, Any] = {}
    for name in sorted(names - own):
        if name in cells:
            owners[name] = cells[name]
        elif name not in function.__globals__ and hasattr(builtins, name):
            owners[name] = vars(builtins)
        else:
            owners[name] = function.__globals__
    return owners


def _signature(function: FunctionType, eval_str: bool = False) -> inspect.Signature:
    if hasattr(function, "__wrapped__"):
        return plain_signature(function, eval_str)
    return inspect.signature(function, follow_wrapped=False, eval_str=eval_str)


def _defaults(function: FunctionType) -> dict[str, Any]:
    parameters = _signature(function).parameters.values()
    return {parameter.name: parameter.default for parameter in parameters if parameter.default is not parameter.empty}


def _characters(line: str, column: int) -> int:
    """Convert a column counted in bytes, as in `ast`, to one counted in characters."""
    return len(line.encode()[:column].decode(errors="replace"))
