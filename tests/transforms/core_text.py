"""Small core functions as text: text to unit, unit to text, and the stages in between, for tests of single passes."""

import math
import operator
import textwrap

import gast
import numpy as np

from srcad.driver import pipeline
from srcad.errors import Place
from srcad.names import Names
from srcad.printing.printer import print_function
from srcad.tools.type_signatures import parse_signature
from srcad.transforms.analysis.program_facts import Program, analyse_forward
from srcad.transforms.inference.type_inference import Types, types_of
from srcad.transforms.ir.build import walk_statements
from srcad.transforms.ir.unit import Unit
from srcad.transforms.ir.verify import check_core
from srcad.transforms.normalise.in_place_resolution import settle
from srcad.transforms.normalise.ssa import to_ssa
from srcad.transforms.sweeps.gradient_function import reverse_program


def unit_of(text: str, **bindings: object) -> Unit:
    """The unit of one function in core form; its places have the lines of the text, the `def` on line 1."""
    text = text.strip("\n")
    tree = gast.parse(text).body[0]
    lines = text.split("\n")
    for statement in [tree, *walk_statements(tree.body)]:
        column = statement.col_offset
        statement.place = Place(
            "core.py", statement.lineno, column, len(lines[statement.lineno - 1]), lines[statement.lineno - 1]
        )
    check_core(tree)
    known = {node.id for node in gast.walk(tree) if isinstance(node, gast.Name)}
    modules = {"np": np, "math": math, "operator": operator}
    used = {name: module for name, module in modules.items() if name in known}
    return Unit(tree.name, tree, {**used, **bindings}, Names(known | {tree.name}))


def typed(text: str, signature: str) -> tuple[Unit, Types]:
    """A unit whose text is in SSA form already, with types."""
    unit = unit_of(text)
    return unit, types_of(unit, parse_signature(signature))


def settled(text: str, signature: str) -> tuple[Unit, Types]:
    """The unit in SSA form and settled, with types."""
    renamed = to_ssa(unit_of(text))
    types = types_of(renamed, parse_signature(signature))
    return settle(renamed, types)


def program_of(text: str, signature: str, wrt: tuple[int, ...] | None = None) -> Program:
    """All facts about a text in SSA form: for reverse mode, or for forward mode with respect to nothing."""
    unit, types = typed(text, signature)
    return analyse_forward(unit, types, []) if wrt is None else reverse_program(unit, types, wrt)


def at_line(unit: Unit, line: int) -> gast.stmt:
    """The statement on a line of the text."""
    return next(statement for statement in walk_statements(unit.tree.body) if statement.place.line == line)


def body_of(unit: Unit) -> str:
    """The text of a unit's body, set to the left."""
    return block_text(unit.tree.body)


def block_text(block: list[gast.stmt]) -> str:
    """The text of statements."""
    return "".join(print_function(statement) for statement in block)


def lines(text: str) -> str:
    """A literal of expected statements, set to the left."""
    import textwrap

    return textwrap.dedent(text).lstrip("\n")


def generated(text: str, signature: str, mode: str = "grad", wrt: tuple[int, ...] = (0,), **options: object) -> str:
    """The text that the whole compiler generates from a function in core form, without its comments."""
    made = pipeline.derive(unit_of(text), mode, wrt, parse_signature(signature), **options).text
    return "".join(line.split("  # ")[0] + "\n" for line in made.splitlines())


def run(text: str, signature: str, mode: str, *args: object, wrt: tuple[int, ...] = (0,), **options: object) -> object:
    """What the generated function gives, run by Python; `vjp` makes both calls, the last argument is the cotangent."""
    made = pipeline.derive(unit_of(text), mode, wrt, parse_signature(signature), **options)
    namespace = dict(made.bindings)
    exec(compile(made.text, "<generated>", "exec"), namespace)
    functions = [namespace[name] for name in made.functions]
    if mode != "vjp":
        return functions[0](*args)
    *given, cotangent = args
    _, trace = functions[0](*given)
    return functions[1](*given, trace, cotangent)


def numeric(text: str, name: str) -> object:
    """The function of a text itself, run by Python."""
    namespace = {"np": np, "math": math, "operator": operator}
    exec(compile(text.strip("\n"), "<core>", "exec"), namespace)
    return namespace[name]


def parsed(text: str) -> gast.FunctionDef:
    """The function of a text, with no stage before."""
    return gast.parse(textwrap.dedent(text)).body[0]


def result_of(tree: gast.FunctionDef, *args: object) -> object:
    """What a generated function gives when it is run as it stands."""
    namespace: dict[str, object] = {"np": np, "math": math}
    exec(print_function(tree), namespace)
    return namespace[tree.name](*args)
