"""The compiler as a whole: the order of its stages, and what holds for all that it prints."""

import ast
import inspect
import os
import re
import sys
from pathlib import Path

import gast
import numpy as np
import pytest

from srcad.driver import pass_manager, pipeline
from srcad.driver.passes import FINISH, NORMALISE, OPTIMISE, SIMPLIFY
from srcad.errors import BadArgument
from srcad.frontend.language_subset import fence
from srcad.runtime.support import stage_timer
from srcad.tools.type_signatures import parse_signature
from srcad.transforms.ir.build import at, walk_statements
from srcad.transforms.ir.code import Code, Settings
from srcad.transforms.ir.verify import check_core
from tests.waiting import run


def drag(x, k):
    v = 1.0
    s = 0.0
    for i in range(x.shape[0]):
        a = k * v * v
        if a > 0.5:
            v = v - 0.1 * a
        else:
            v = v - 0.1 * np.sin(x[i]) * v
        s += v
    return s


def smooth(x, n):
    for _ in range(n):
        x[1:-1] = 0.5 * (x[:-2] + x[2:]) * x[1:-1]
    return np.sum(x * x)


def search(x):
    s = x
    while s < 10.0:
        if s * x > 7.0:
            break
        s = s * x + np.exp(-s)
    return s


PROGRAMS = [(drag, "f8[:], f8"), (smooth, "f8[:], i8"), (search, "f8")]
DERIVED = ["grad", "value_and_grad", "vjp", "tangent", "hvp"]


def text(function, signature, mode="grad", **options):
    return pipeline.derive(pipeline.prepare(function), mode, (0,), parse_signature(signature), **options).text


programs = pytest.mark.parametrize(("function", "signature"), PROGRAMS, ids=lambda each: getattr(each, "__name__", ""))
modes = pytest.mark.parametrize("mode", DERIVED)


def test_a_function_goes_through_the_passes_in_the_order_of_the_table(monkeypatch):
    run, passed = pass_manager.run, []

    def noting(row, state):
        passed.append(row.name)
        return run(row, state)

    monkeypatch.setattr(pass_manager, "run", noting)
    text(smooth, "f8[:], i8")
    assert passed == [row.name for row in (*NORMALISE, *OPTIMISE, *SIMPLIFY)]


def test_each_pass_that_is_run_is_timed():
    with stage_timer.running() as clock:
        text(smooth, "f8[:], i8")
    run = {
        row.name
        for row in (*NORMALISE, *OPTIMISE, *SIMPLIFY, *FINISH)
        if row.function and not {"debug", "interpreted", "assumes"} & {*row.when}
    }
    assert run <= clock.seconds.keys()


def test_array_statements_are_not_made_into_loops_where_that_is_not_asked_for():
    (fusion,) = (row for row in OPTIMISE if row.name == "elementwise_fusion")
    assert not pass_manager.settings_hold(fusion, Code(pipeline.prepare(smooth), settings=Settings(loops=False)))
    assert pass_manager.settings_hold(fusion, Code(pipeline.prepare(smooth)))
    assert text(smooth, "f8[:], i8", loops=False) != text(smooth, "f8[:], i8")


@programs
def test_what_is_prepared_is_core_form(function, signature):
    check_core(pipeline.prepare(function).tree)


@programs
@modes
@pytest.mark.parametrize("loops", [True, False])
def test_the_same_input_gives_the_same_bytes(function, signature, mode, loops):
    assert text(function, signature, mode, loops=loops) == text(function, signature, mode, loops=loops)


@pytest.mark.slow
def test_one_unit_serves_many_derivations():
    unit = pipeline.prepare(drag)
    kinds = parse_signature("f8[:], f8")
    first = pipeline.derive(unit, "grad", (0,), kinds).text
    for mode in DERIVED:
        pipeline.derive(unit, mode, (0, 1), kinds)
    assert pipeline.derive(unit, "grad", (0,), kinds).text == first


PRINT_ALL = """
from tests.driver.test_pipeline import DERIVED, PROGRAMS, text
for function, signature in PROGRAMS:
    for mode in DERIVED:
        print(text(function, signature, mode))
"""


@pytest.mark.compiled
def test_the_order_of_sets_changes_nothing():
    def printed(seed):
        return run(
            [sys.executable, "-c", PRINT_ALL],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
            cwd=Path(__file__).parents[2],
        ).stdout

    one, other = printed("1"), printed("2")
    assert one
    assert one == other


@programs
@modes
def test_generated_text_imports_only_what_it_uses_and_runs_alone(function, signature, mode):
    made = text(function, signature, mode)
    tree = ast.parse(made)
    imported = {
        alias.asname or alias.name.partition(".")[0]
        for node in tree.body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert imported <= used


ARGUMENTS = {drag: (np.array([0.3, 1.2, -0.5]), 0.9), smooth: (np.array([0.3, 1.2, -0.5, 2.0]), 2), search: (1.3,)}


@programs
def test_generated_text_runs_alone(function, signature):
    namespace = {}
    exec(text(function, signature), namespace)
    first, *rest = ARGUMENTS[function]
    found = namespace[f"{function.__name__}_grad"](first, *rest)
    expected = (function(first + 1e-6, *rest) - function(first - 1e-6, *rest)) / 2e-6
    assert np.sum(found) == pytest.approx(expected, rel=1e-6)


@programs
@modes
def test_every_function_that_is_named_is_in_the_text(function, signature, mode):
    made = pipeline.derive(pipeline.prepare(function), mode, (0,), parse_signature(signature))
    defined = [node.name for node in ast.parse(made.text).body if isinstance(node, ast.FunctionDef)]
    assert list(made.functions) == defined


def test_mode_core_prints_core_form():
    made = pipeline.derive(pipeline.prepare(drag), "core", (), ())
    namespace = {}
    exec(made.text, namespace)
    x = np.array([0.3, 1.2, -0.5])
    assert namespace["drag"](x, 0.4) == drag(x, 0.4)
    tree = gast.parse(made.text).body[-1]
    for statement in [tree, *walk_statements(tree.body)]:
        at(statement, None)
    check_core(tree)


def test_a_mode_that_is_not_known_is_refused_naming_those_that_are():
    with pytest.raises(BadArgument, match="grad, value_and_grad"):
        text(drag, "f8[:], f8", "gradient")


def test_comments_name_the_lines_of_the_user():
    made = text(drag, "f8[:], f8")
    first = inspect.getsourcelines(drag)[1]
    numbers = [int(found) for found in re.findall(r"# line (\d+)", made)]
    assert numbers
    assert all(first <= number <= first + 10 for number in numbers)


@pytest.mark.parametrize("mode", ["grad", "value_and_grad"])
def test_array_statements_stay_where_they_are_asked_for(mode):
    assert "[1:-1]" in text(smooth, "f8[:], i8", mode, loops=False)
    assert "[1:-1]" not in text(smooth, "f8[:], i8", mode, loops=True).split("_bar")[1]


def test_refusals_stand_before_all_rewriting():
    assert callable(fence)

    def yields(x):
        yield x

    with pytest.raises(SyntaxError, match=r"generator|yield"):
        pipeline.prepare(yields)
