"""The names of a Python text that mean something at the level of its module, by the rules of scopes.

def f(x):                   `np` and `scale` belong to the module, `x` and `y` to the function
    y = np.exp(x)
    return scale * y
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
Scope = frozenset[str]


def module_names(statement: ast.stmt) -> list[ast.Name]:
    r"""The nodes of a statement at a module's top that read a name of the module, or a builtin one, in their order.

    >>> [each.id for each in module_names(ast.parse("def f(x=a):\n    y = [b * x for x in c]\n    return y").body[0])]
    ['a', 'c', 'b']
    """
    return list(_read(statement, frozenset()))


def _read(node: ast.AST, local: Scope) -> Iterator[ast.Name]:
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load) and node.id not in local:
            yield node
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        yield from _of_function(node, local)
    elif isinstance(node, _SCOPES):
        yield from _of_comprehension(node, local)
    elif isinstance(node, ast.ClassDef):
        for each in (*node.decorator_list, *node.bases, *node.keywords):
            yield from _read(each, local)
        inner = local | bound_names(node.body)
        for each in node.body:  # functions in a class do not see its names
            yield from _read(each, local if isinstance(each, _SCOPES) else inner)
    else:
        for each in ast.iter_child_nodes(node):
            yield from _read(each, local)


def _of_function(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, local: Scope) -> Iterator[ast.Name]:
    given = node.args
    parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    parameters += [each for each in (given.vararg, given.kwarg) if each is not None]
    body = [node.body] if isinstance(node, ast.Lambda) else node.body
    outside: list[ast.AST | None] = [*given.defaults, *given.kw_defaults, *(each.annotation for each in parameters)]
    if not isinstance(node, ast.Lambda):
        outside = [*node.decorator_list, *outside, node.returns]
    for each in outside:
        if each is not None:
            yield from _read(each, local)
    inner = local | {each.arg for each in parameters} | bound_names(body)
    for each in body:
        yield from _read(each, inner - _declared(body, ast.Global))


def _of_comprehension(node: ast.AST, local: Scope) -> Iterator[ast.Name]:
    generators: list[ast.comprehension] = node.generators  # type: ignore[attr-defined]
    yield from _read(generators[0].iter, local)
    inner = local | bound_names([each.target for each in generators])
    for number, each in enumerate(generators):
        for part in (*([] if number == 0 else [each.iter]), *each.ifs):
            yield from _read(part, inner)
    for field in ("key", "value", "elt"):
        if hasattr(node, field):
            yield from _read(getattr(node, field), inner)


def bound_names(body: list[ast.stmt] | list[ast.expr]) -> Scope:
    r"""The names that statements or targets bind in their own scope.

    >>> sorted(bound_names(ast.parse("a, b = f(c)\ndef g(x):\n    y = x\nimport os.path").body))
    ['a', 'b', 'g', 'os']
    """
    found: set[str] = set()
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {each.asname or each.name.split(".")[0] for each in node.names}
        elif isinstance(node, ast.Name):
            found |= {node.id} if isinstance(node.ctx, (ast.Store, ast.Del)) else set()
        elif not isinstance(node, _SCOPES):
            found |= {node.name} if isinstance(node, ast.ExceptHandler) and node.name else set()
            pending += ast.iter_child_nodes(node)
    return frozenset(found) - _declared(body, ast.Global) - _declared(body, ast.Nonlocal)


def _declared(body: list[ast.stmt] | list[ast.expr], kind: type[ast.Global] | type[ast.Nonlocal]) -> Scope:
    return frozenset(name for each in body for node in ast.walk(each) if isinstance(node, kind) for name in node.names)


def all_identifiers(tree: ast.AST) -> set[str]:
    """Every name of a text: of variables, parameters, definitions, imports.

    >>> sorted(all_identifiers(ast.parse("def f(x): return x.size")))
    ['f', 'x']
    """
    found = set()
    for node in ast.walk(tree):
        for field in ("id", "arg", "name", "asname"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                found.add(value)
    return found
