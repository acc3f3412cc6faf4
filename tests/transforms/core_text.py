"""Small core functions as text: text to unit, unit to text, and the stages in between, for tests of single passes.

`apply` gives the text of a function after a pass, `apply_and_compare` also runs the function before and after it.
Passes are named as in the table of passes, and run as the driver runs them: `unit_after` on a function before
differentiation, `tree_after` on a generated function, `module_after` on all functions of a module. No test calls the
function of a pass itself.
"""

import copy
import math
import operator
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import gast
import numpy as np

from srcad.driver import back_end, pass_manager, pipeline
from srcad.driver.pass_row import Pass
from srcad.driver.passes import FINISH, NORMALISE, OPTIMISE, ROWS, SIMPLIFY
from srcad.errors import Place
from srcad.names import Names
from srcad.printing.printer import print_function
from srcad.runtime import kernels
from srcad.tools.type_signatures import parse_signature
from srcad.transforms.analysis.program_facts import Program, analyse_forward
from srcad.transforms.inference.type_inference import types_of
from srcad.transforms.ir.build import at, place_of, walk_statements
from srcad.transforms.ir.code import Code, Settings
from srcad.transforms.ir.generated_functions import Made
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.node_notes import note
from srcad.transforms.ir.unit import Unit
from srcad.transforms.ir.verify import check_core
from srcad.transforms.sweeps.gradient_function import reverse_program

MODULES = {"np": np, "math": math, "operator": operator, "kernels": kernels}


def unit_of(text: str, **bindings: object) -> Unit:
    """The unit of one function in core form; its places have the lines of the text, the `def` on line 1."""
    text = text.strip("\n")
    tree = gast.parse(text).body[0]
    lines = text.split("\n")
    for statement in [tree, *walk_statements(tree.body)]:
        column = statement.col_offset
        place = Place(
            "core.py", statement.lineno, column, len(lines[statement.lineno - 1]), lines[statement.lineno - 1]
        )
        at(statement, place)
    check_core(tree)
    known = {node.id for node in gast.walk(tree) if isinstance(node, gast.Name)}
    used = {name: module for name, module in MODULES.items() if name in known}
    return Unit(tree.name, tree, {**used, **bindings}, Names(known | {tree.name}))


def typed(text: str, signature: str) -> tuple[Unit, Types]:
    """A unit whose text is in SSA form already, with types."""
    unit = unit_of(text)
    return unit, types_of(unit, parse_signature(signature))


def settled(text: str, signature: str) -> tuple[Unit, Types]:
    """The unit in SSA form and settled, with types."""
    renamed = ssa_of(unit_of(text))
    after = unit_after("in_place_resolution", renamed, types_of(renamed, parse_signature(signature)))
    return after.unit, after.types


def ssa_of(unit: Unit) -> Unit:
    """The unit in SSA form."""
    return unit_after("ssa", unit).unit


def program_of(text: str, signature: str, wrt: tuple[int, ...] | None = None) -> Program:
    """All facts about a text in SSA form: for reverse mode, or for forward mode with respect to nothing."""
    unit, types = typed(text, signature)
    return analyse_forward(unit, types, []) if wrt is None else reverse_program(unit, types, wrt)


def at_line(unit: Unit, line: int) -> gast.stmt:
    """The statement on a line of the text."""
    return next(statement for statement in walk_statements(unit.tree.body) if place_of(statement).line == line)


def body_of(unit: Unit) -> str:
    """The text of a unit's body, set to the left."""
    return block_text(unit.tree.body)


def block_text(block: list[gast.stmt]) -> str:
    """The text of statements."""
    return "".join(print_function(statement) for statement in block)


def lines(text: str) -> str:
    """A literal of expected statements, set to the left."""
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
    namespace = dict(MODULES)
    exec(compile(text.strip("\n"), "<core>", "exec"), namespace)
    return namespace[name]


def parsed(text: str) -> gast.FunctionDef:
    """The function of a text, with no stage before."""
    return gast.parse(textwrap.dedent(text)).body[0]


def result_of(tree: gast.FunctionDef, *args: object) -> object:
    """What a generated function gives when it is run as it stands."""
    namespace: dict[str, Any] = dict(MODULES)
    exec(print_function(tree), namespace)
    return namespace[tree.name](*args)


def printed(node: gast.AST) -> str:
    """The text of an expression or of one statement, without the end of its line."""
    return print_function(node).strip()


def apply(
    passes: str | Sequence[str],
    text: str,
    kinds: Mapping[str, object] | str,
    mark: Callable[[gast.FunctionDef], None] | None = None,
    given: Callable[[str, str], tuple[Unit, Types]] = typed,
    **settings: Any,
) -> str:
    """The text of a function after a pass, or after several of them in order, named as in the table of passes.

    A generated function is given with a dictionary from names to Numba's types; `mark` may set notes on it before, and
    passes on all functions of a module may follow.
    A function before differentiation is given with a signature; `given` is the stage before, `typed` or `settled`.
    `settings` are those of `Settings`, or for a generated function what `tree_after` takes.
    """
    if isinstance(kinds, str):
        return print_function(unit_after(passes, *given(text, kinds), **settings).unit.tree)
    tree = parsed(text)
    if mark is not None:
        mark(tree)
    rows = [ROWS[name] for name in ([passes] if isinstance(passes, str) else passes)]
    tree = tree_after([row.name for row in rows if row not in FINISH], tree, kinds, **settings)
    note(tree, kinds=dict(kinds))
    modules = ("np", "math", "kernels") if "kernels." in text else ("np", "math")
    made = Made([tree], {name: MODULES[name] for name in modules}, (tree.name,))
    for row in rows:
        made = module_after(row.name, made) if row in FINISH else made
    return print_function(made.functions[0])


def unit_after(passes: str | Sequence[str], unit: Unit, types: Types | None = None, **settings: Any) -> Code:
    """A function before differentiation after passes, with the types of its names and the counters of its loops."""
    parameters = [parameter.id for parameter in unit.tree.args.args]
    signature = tuple(types.get(name) for name in parameters) if types else ()
    code = Code(unit, types or Types(), signature, settings=Settings(**settings))
    return _after(passes, code, (*NORMALISE, *OPTIMISE))


def tree_after(
    passes: str | Sequence[str],
    tree: gast.FunctionDef,
    kinds: Mapping[str, object],
    outputs: Sequence[str] = (),
    primals: int | None = 0,
    without: Iterable[str] = (),
    loops: bool = True,
) -> gast.FunctionDef:
    """A generated function after passes."""
    unit = Unit(tree.name, tree, {}, Names(), without=frozenset(without))
    code = Code(unit, Types(kinds), outputs=outputs, primals=primals, settings=Settings(loops=loops))
    return _after(passes, code, SIMPLIFY).unit.tree


def _after(passes: str | Sequence[str], code: Code, stage: Sequence[Pass]) -> Code:
    for row in _rows(passes, stage):
        assert pass_manager.is_due(row, code, code.unit.without) or not code.has_loops, row.name
        code = pass_manager.run(row, code)
    return code


def module_after(name: str, made: Made) -> Made:
    """The functions of a module after a pass on all of them."""
    (row,) = _rows(name, FINISH)
    return back_end.finished(made, True, {each.name for each in FINISH if each is not row})


def noted(trees: Iterable[gast.FunctionDef], bindings: Mapping[str, object]) -> Made:
    """A module of functions with what is noted on them written out."""
    return module_after("llvm_assumptions", Made(list(trees), dict(bindings), ("f",)))


def _rows(passes: str | Sequence[str], stage: Sequence[Pass]) -> list[Pass]:
    rows = [ROWS[name] for name in ([passes] if isinstance(passes, str) else passes)]
    assert all(row in stage for row in rows), f"of another stage: {passes}"
    return rows


def mark_whole(tree: gast.FunctionDef) -> None:
    """Note on all statements that what they add has the shape of what it is added to."""
    for statement in walk_statements(tree.body):
        note(statement, whole=True)


def apply_and_compare(
    passes: str | Sequence[str],
    text: str,
    kinds: Mapping[str, object] | str,
    cases: Iterable[tuple[object, ...]],
    rtol: float = 0.0,
    atol: float = 0.0,
    **options: Any,
) -> str:
    """The text of a function after passes, which give the same results and leave the same arguments in all cases."""
    found = apply(passes, text, kinds, **options)
    assert_same_results(text, found, cases, rtol, atol)
    return found


def changes(
    passes: str | Sequence[str],
    text: str,
    kinds: Mapping[str, object] | str,
    cases: Iterable[tuple[object, ...]] = (),
    **options: Any,
) -> bool:
    """Whether passes change a function; its results and what it leaves in its arguments stay in all cases."""
    return apply_and_compare(passes, text, kinds, cases, **options) != unchanged(text)


def assert_same_results(
    text: str,
    other: str,
    cases: Iterable[tuple[object, ...]],
    rtol: float = 0.0,
    atol: float = 0.0,
    invalid: tuple[type[Exception], ...] = (),
) -> int:
    """Two texts of a function give the same results for each tuple of arguments, and leave the same in these.

    Returns the number of cases, without those in which the first text raises one of the exceptions in `invalid`.
    """
    one, two = (_function_of(each) for each in (text, other))
    compared = 0
    for case in cases:
        before, after = copy.deepcopy(case), copy.deepcopy(case)
        try:
            expected = one(*before)
        except invalid:
            continue
        _assert_close((two(*after), after), (expected, before), rtol, atol, f"{case}\n{text}\n{other}")
        compared += 1
    return compared


def _function_of(text: str) -> Callable[..., object]:
    namespace: dict[str, Any] = dict(MODULES)
    text = textwrap.dedent(text)
    exec(text, namespace)
    return namespace[gast.parse(text).body[0].name]


def _assert_close(found: object, expected: object, rtol: float, atol: float, message: str) -> None:
    if isinstance(expected, (tuple, list)):
        for one, other in zip(found, expected, strict=True):
            _assert_close(one, other, rtol, atol, message)
    elif expected is None:
        assert found is None, message
    elif rtol or atol:
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol, err_msg=message)
    else:
        np.testing.assert_array_equal(found, expected, err_msg=message)


def unchanged(text: str) -> str:
    """The text as it is printed without any pass."""
    return print_function(parsed(text))
