"""Parse a file and find the function that a given code object was compiled from.

The whole file is parsed, so that lines and columns are those of the file. A function counts as found only if its text,
compiled again, gives the same code object: the text of a file that was edited after its import is never used.
"""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Any

import gast

from srcad.parsing import python_tree

_MARK = 10_000_000  # line numbers given to lambdas that share a line, so that their code objects can be told apart
# Flags that say what kind of function it is. Others, such as those of `from __future__`, may come from the session.
_KINDS = (
    inspect.CO_VARARGS
    | inspect.CO_VARKEYWORDS
    | inspect.CO_GENERATOR
    | inspect.CO_COROUTINE
    | inspect.CO_ASYNC_GENERATOR
)

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class MismatchError(LookupError):
    """No function in the text compiles to the code object; the message says why."""


@dataclass(frozen=True)
class Found:
    """A function's node in its file, and the name that the file gives to it (None for a lambda without one)."""

    node: Function
    name: str | None


def find_function(code: CodeType, text: str, file: str) -> Found:
    """The function in `text` that compiles to `code`. Raises MismatchError if there is none or if several fit.

    >>> text = "f = lambda x: x * x, lambda x: x + x"
    >>> double = eval(text.partition(", ")[2])
    >>> found = find_function(double.__code__, text, "example.py")
    >>> ast.unparse(found.node), found.node.col_offset
    ('lambda x: x + x', 21)
    """
    module = _parsed(text, file)
    candidates = [node for node in _functions(text, file) if _begins(node, code)]
    if not candidates:
        raise MismatchError(f"line {code.co_firstlineno} holds no function `{code.co_name}`")
    same = _same(code, text, file, candidates, False) or _same(code, text, file, candidates, True)
    if not same:
        raise MismatchError(
            f"the text of `{code.co_name}` in line {code.co_firstlineno} is not what it was compiled from"
        )
    if len(same) > 1:
        same = [pair for pair in same if _columns(pair[1]) == _columns(code)] or same
    if len({ast.dump(node) for node, _ in same}) > 1:
        raise MismatchError(f"line {code.co_firstlineno} holds several functions that compile to the same code")
    node = same[0][0]
    return Found(node, _given_name(module, node))


def _same(
    code: CodeType, text: str, file: str, candidates: list[Function], apart: bool
) -> list[tuple[Function, CodeType]]:
    """The candidates that compile to `code`. With `apart`, each statement of the text is compiled by itself.

    IPython compiles the statements of a cell so. `np.sin(x)` has other instructions then, if the text imports `np`.
    """
    if len(candidates) > 1:
        compiled = _compiled_lambdas(_parsed(text, file), candidates, file, apart)
    else:
        compiled = _compiled(text, file, code, apart)
    return [(node, other) for node, other in zip(candidates, compiled, strict=False) if same_code(code, other)]


def function_to_gast(found: Found, name: str) -> gast.FunctionDef:
    """The function as a gast definition without decorators; a lambda becomes a definition of one `return`.

    >>> tree = ast.parse("f = lambda x: x").body[0].value
    >>> print(gast.unparse(function_to_gast(Found(tree, "f"), "f")).strip())
    def f(x):
        return x
    """
    tree = gast.ast_to_gast(found.node)
    if isinstance(tree, gast.Lambda):
        return definition_of(tree, name)
    tree.decorator_list = []
    return tree


def definition_of(node: gast.Lambda, name: str) -> gast.FunctionDef:
    """A lambda as a definition of one `return`."""
    result = gast.copy_location(gast.Return(value=node.body), node.body)
    tree = gast.FunctionDef(
        name=name, args=node.args, body=[result], decorator_list=[], returns=None, type_comment=None, type_params=[]
    )
    return gast.copy_location(tree, node)


def same_code(left: CodeType, right: CodeType) -> bool:
    """Whether two code objects do the same, apart from line numbers.

    >>> same_code(compile("x + 1", "a", "eval"), compile("x +  1", "b", "eval"))
    True
    >>> same_code(compile("x + 1", "a", "eval"), compile("x + 1.0", "b", "eval"))
    False
    """
    if _is_instrumented(left):
        return _outline(left) == _outline(right)
    return _behaviour(left) == _behaviour(right)


def _is_instrumented(code: CodeType) -> bool:
    """Whether pytest has rewritten the function's assertions, which introduces names that no user can write."""
    nested = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return any(name.startswith("@py") for name in code.co_names) or any(_is_instrumented(inner) for inner in nested)


def _outline(code: CodeType) -> tuple[Any, ...]:
    own = frozenset(name for name in code.co_varnames + code.co_cellvars if not name.startswith("@"))
    return code.co_name, code.co_argcount, code.co_kwonlyargcount, own, code.co_freevars


def _behaviour(code: CodeType) -> tuple[Any, ...]:
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & _KINDS
    return code.co_name, names, counts, code.co_code, tuple(_behaviour_of_constant(c) for c in code.co_consts)


def _behaviour_of_constant(value: Any) -> Any:
    if isinstance(value, CodeType):
        return _behaviour(value)
    if isinstance(value, tuple):
        return tuple(_behaviour_of_constant(element) for element in value)
    if isinstance(value, frozenset):
        return frozenset(_behaviour_of_constant(element) for element in value)
    return type(value).__name__, repr(value)  # as text: 1 == 1.0 == True, and nan != nan


def _columns(code: CodeType) -> list[Any]:
    """The columns of all instructions; none in Python 3.10, which does not record them."""
    positions = getattr(code, "co_positions", tuple)
    return [columns for _, _, *columns in positions()]


def _begins(node: Function, code: CodeType) -> bool:
    """Whether the node has the code's name and first line. A decorated function starts at its first decorator."""
    if isinstance(node, ast.Lambda):
        return code.co_name == "<lambda>" and node.lineno == code.co_firstlineno
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return node.name == code.co_name and first == code.co_firstlineno


def _compiled_lambdas(module: ast.Module, candidates: list[Function], file: str, apart: bool) -> list[CodeType]:
    """The code objects of several lambdas on one line, told apart by compiling a copy with line numbers for each."""
    marked = copy.deepcopy((module, candidates))
    firsts = [_MARK * (number + 1) for number in range(len(candidates))]
    for first, plain, moved in zip(firsts, candidates, marked[1], strict=True):
        # With all within it, as Python 3.12 has an instruction of its own where a lambda's value is on another line.
        for node, other in zip(ast.walk(plain), ast.walk(moved), strict=True):
            if hasattr(node, "lineno"):
                other.lineno = first + node.lineno - plain.lineno  # type: ignore[attr-defined]
                other.end_lineno = first + node.end_lineno - plain.lineno  # type: ignore[attr-defined]
    found = {code.co_firstlineno: code for code in _codes(marked[0], file, apart)}
    return [found[first] for first in firsts]


def _compiled(text: str, file: str, code: CodeType, apart: bool) -> list[CodeType]:
    wanted = code.co_name, code.co_firstlineno
    return [other for other in _all_codes(text, file, apart) if (other.co_name, other.co_firstlineno) == wanted]


@lru_cache(maxsize=64)
def _parsed(text: str, file: str) -> ast.Module:
    try:
        tree: ast.Module = python_tree(text, file)
        return tree
    except (SyntaxError, ValueError) as error:  # ValueError: a null byte
        raise MismatchError(f"the file does not parse: {error}") from None


@lru_cache(maxsize=64)
def _functions(text: str, file: str) -> tuple[Function, ...]:
    return tuple(node for node in ast.walk(_parsed(text, file)) if isinstance(node, Function))


@lru_cache(maxsize=64)
def _all_codes(text: str, file: str, apart: bool) -> tuple[CodeType, ...]:
    return tuple(_codes(_parsed(text, file), file, apart))


def _codes(module: ast.Module, file: str, apart: bool) -> Iterator[CodeType]:
    parts = [ast.Module([each], []) for each in module.body] if apart else [module]
    for part in parts:
        yield from _nested(_compile(part, file))


def _compile(module: ast.Module, file: str) -> CodeType:
    # Notebook cells may use `await` at their top level.
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    code: CodeType = compile(module, file, "exec", flags=flags, dont_inherit=True)
    return code


def _nested(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _nested(constant)


def _given_name(module: ast.Module, function: Function) -> str | None:
    if not isinstance(function, ast.Lambda):
        return function.name
    for node in ast.walk(module):
        if isinstance(node, ast.Assign) and node.value is function and isinstance(node.targets[0], ast.Name):
            return node.targets[0].id
    return None
