"""Rewrites of a program that must not change its derivative.

rename       each local variable gets another name
reorder      two neighbouring statements that do not touch the same names trade places
outline      the value of an assignment becomes a call of a new function, which is what inlining undoes
unroll       a loop over a range of constants becomes its iterations, one after another
split        a vector argument becomes two, which the program puts together
"""

import ast
import copy
from random import Random
from typing import Any

import numpy as np

from tests.fuzz.program import Program

SAFE = {"np", "abs", "max", "min", "sum", "range", "len", "enumerate", "zip", "reversed", "prange", "float", "int"}


def rewritten(program: Program, random: Random) -> tuple[str, Program]:
    """The program, rewritten in one way that fits it, and the name of that."""
    names = list(REWRITES)
    random.shuffle(names)
    for name in names:
        module = ast.parse(program.text)
        arguments = REWRITES[name](module, random, program.arguments)
        if arguments is not None:
            return name, Program(ast.unparse(ast.fix_missing_locations(module)) + "\n", arguments)
    return "same", program


def directions(name: str, given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Directions for the arguments of a rewritten program."""
    if name != "split":
        return given
    place = _split_place(given)
    return (*given[:place], *_halves(given[place]), *given[place + 1 :])


def _main(module: ast.Module) -> ast.FunctionDef:
    return next(each for each in module.body if isinstance(each, ast.FunctionDef) and each.name == "program")


def rename(module: ast.Module, random: Random, arguments: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Give each local variable of `program` another name."""
    function = _main(module)
    inner = {
        each.arg
        for node in ast.walk(function)
        if isinstance(node, (ast.Lambda, ast.FunctionDef)) and node is not function
        for each in node.args.args
    }
    stored = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    stored |= {each.arg for each in function.args.args}
    numbers = list(range(len(stored)))
    random.shuffle(numbers)
    new = {name: f"r{number}" for name, number in zip(sorted(stored - inner), numbers, strict=False)}
    for node in ast.walk(function):
        if isinstance(node, ast.Name):
            node.id = new.get(node.id, node.id)
        elif isinstance(node, ast.arg):
            node.arg = new.get(node.arg, node.arg)
    return arguments


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} - {"np"}


def _is_simple(statement: ast.stmt) -> bool:
    """Whether a statement assigns new numbers or arrays to names, and does nothing else."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return False
    calls = [node.func for node in ast.walk(statement.value) if isinstance(node, ast.Call)]
    return all(
        (isinstance(each, ast.Attribute) and _names(each) <= set()) or (isinstance(each, ast.Name) and each.id in SAFE)
        for each in calls
    )


def reorder(module: ast.Module, random: Random, arguments: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Let two neighbouring assignments trade places where none reads or writes what the other one writes."""
    found = []
    for node in ast.walk(_main(module)):
        for body in (getattr(node, part, None) for part in ("body", "orelse")):
            if isinstance(body, list):
                found += [(body, n) for n in range(len(body) - 1) if _are_independent(body[n], body[n + 1])]
    if not found:
        return None
    for body, n in random.sample(found, min(3, len(found))):
        if _are_independent(body[n], body[n + 1]):
            body[n], body[n + 1] = body[n + 1], body[n]
    return arguments


def _are_independent(one: ast.stmt, other: ast.stmt) -> bool:
    if not (_is_simple(one) and _is_simple(other)):
        return False
    first, second = one.targets[0].id, other.targets[0].id  # type: ignore[attr-defined]
    return first not in _names(other) and second not in _names(one)


def outline(module: ast.Module, random: Random, arguments: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Make the value of an assignment the result of a new function."""
    function = _main(module)
    local = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    local |= {each.arg for each in function.args.args}
    assignments = [node for node in ast.walk(function) if isinstance(node, (ast.Assign, ast.AugAssign))]
    found = [node for node in assignments if _can_move(node.value)]
    if not found:
        return None
    statement = random.choice(found)
    taken = sorted(_names(statement.value) & local)
    name = ast.Name("outlined", ast.Load())
    parameters = ast.arguments([], [ast.arg(each) for each in taken], None, [], [], None, [])
    new = ast.FunctionDef("outlined", parameters, [ast.Return(statement.value)], [], None)
    new.type_params = []  # which Python has from 3.12 on
    statement.value = ast.Call(name, [ast.Name(each, ast.Load()) for each in taken], [])
    module.body.insert(module.body.index(function), new)
    return arguments


def _can_move(value: ast.expr) -> bool:
    """Whether an expression gives something new: a call of NumPy's or an operation, not a view or a structure."""
    kinds = (ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.Tuple, ast.List, ast.Dict)
    if not isinstance(value, (ast.Call, ast.BinOp)) or any(isinstance(node, kinds) for node in ast.walk(value)):
        return False
    function = value.func if isinstance(value, ast.Call) else None
    return function is None or ast.unparse(function) in {"np.sin", "np.tanh"}


def unroll(module: ast.Module, random: Random, arguments: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Write out the iterations of a loop over a constant range that is never left early."""
    found = []
    for node in ast.walk(_main(module)):
        for body in (getattr(node, part, None) for part in ("body", "orelse")):
            if isinstance(body, list):
                found += [(body, each) for each in body if _can_unroll(each)]
    if not found:
        return None
    body, loop = random.choice(found)
    turns = range(*(ast.literal_eval(each) for each in loop.iter.args))
    place, lines = body.index(loop), []
    for turn in turns:
        first = ast.Assign([copy.deepcopy(loop.target)], ast.Constant(turn))
        lines += [first, *copy.deepcopy(loop.body)]
    body[place : place + 1] = lines or [ast.Pass()]
    return arguments


def _can_unroll(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.For) or statement.orelse or not isinstance(statement.target, ast.Name):
        return False
    call = statement.iter
    if not (isinstance(call, ast.Call) and ast.unparse(call.func) in {"range", "prange"}):
        return False
    try:
        constants = [ast.literal_eval(each) for each in call.args]
    except ValueError:
        return False
    own = [node for each in statement.body for node in ast.walk(each)]
    return all(isinstance(each, int) for each in constants) and not any(
        isinstance(node, (ast.Break, ast.Continue)) for node in own
    )


def split(module: ast.Module, random: Random, arguments: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Make one vector argument two."""
    place = _split_place(arguments)
    function = _main(module)
    if place is None or any(isinstance(each, dict) for each in arguments):
        return None
    old = function.args.args[place].arg
    new = [f"{old}_first", f"{old}_rest"]
    function.args.args[place : place + 1] = [ast.arg(each) for each in new]
    function.body.insert(0, ast.parse(f"{old} = np.concatenate(({', '.join(new)}))").body[0])
    return (*arguments[:place], *_halves(arguments[place]), *arguments[place + 1 :])


def _split_place(arguments: tuple[Any, ...]) -> int | None:
    fitting = [n for n, each in enumerate(arguments) if isinstance(each, np.ndarray) and each.dtype.kind == "f"]
    return next((n for n in fitting if np.ndim(arguments[n]) == 1 and len(arguments[n]) > 2), None)


def _halves(value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return value[:2].copy(), value[2:].copy()


REWRITES = {each.__name__: each for each in (rename, reorder, outline, unroll, split)}
