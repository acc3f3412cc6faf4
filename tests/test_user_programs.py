"""Programs as users write them: right uncompiled, at night in both modes and compiled; or refused with a way out.

What is expected are finite differences along a random direction through all that is differentiated.
"""

import importlib
import inspect
import os
from pathlib import Path

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError
from tests.differences import directional_derivative
from tests.programs.users.program import UserProgram
from tests.structures import like, numbers, part, with_part

FOLDER = Path(__file__).parent / "programs" / "users"
FIELDS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in ("__init__", "program"))
TABLES = {field: importlib.import_module(f"tests.programs.users.{field}").PROGRAMS for field in FIELDS}
PROGRAMS = [pytest.param(each, id=f"{field}-{each.name}") for field, table in TABLES.items() for each in table]
ALL = bool(os.environ.get("SRCAD_ALL_PROGRAMS"))

# These may be refused, with their place and a way out; they are never wrong.
REFUSED = {"portfolio_sharpe"}

# These take more than a few seconds to derive.
AT_NIGHT = {"three_bodies", "harris_corner_energy", "hypergradient"}


class Point:
    """The arguments of a program, as functions of a vector: all that is differentiated, in order."""

    def __init__(self, program: UserProgram) -> None:
        self.program = program
        self.names = list(inspect.signature(program.function).parameters)
        self.wrt = (program.wrt,) if isinstance(program.wrt, str) else program.wrt
        self.size = sum(numbers(each).size for each in self.parts(program.arguments()))

    def parts(self, arguments):
        given = dict(zip(self.names, arguments, strict=False))
        return [part(given, path) for path in self.wrt]

    def with_numbers(self, arguments, vector):
        given, at = dict(zip(self.names, arguments, strict=False)), 0
        for path in self.wrt:
            old = part(given, path)
            size = numbers(old).size
            with_part(given, path, like(old, vector[at : at + size]))
            at += size
        return list(given.values())

    def value(self, direction, step):
        arguments = self.program.arguments()
        start = np.concatenate([numbers(each) for each in self.parts(arguments)])
        return float(self.program.function(*self.with_numbers(arguments, start + step * direction)))


def reverse(point, direction, jit=False):
    value, gradients = srcad.value_and_grad(point.program.function, wrt=point.wrt, jit=jit)(*point.program.arguments())
    return value, np.concatenate([numbers(each) for each in gradients]) @ direction


def forward(point, direction, jit=False):
    arguments = point.program.arguments()
    nothing = [like(each, np.zeros(numbers(each).size)) for each in point.program.arguments()]
    moving = {path.partition(".")[0] for path in point.wrt}
    tangents = point.with_numbers(nothing, direction)
    tangents = [each if name in moving else None for name, each in zip(point.names, tangents, strict=False)]
    return srcad.jvp(point.program.function, arguments, tangents, jit=jit)


def check(program, modes, jit=False):
    point = Point(program)
    direction = np.random.default_rng(5).normal(size=point.size)
    expected, error = directional_derivative(lambda step: point.value(direction, step))
    assert error <= 0.1 * program.rtol * abs(expected), "finite differences are not to be trusted here"
    for mode in modes:
        value, slope = mode(point, direction, jit)
        np.testing.assert_allclose(value, point.value(direction, 0.0), rtol=1e-10)
        np.testing.assert_allclose(slope, expected, rtol=program.rtol, atol=10 * error)


def refusal_of(program):
    try:
        check(program, [reverse, forward] if ALL else [reverse])
    except SrcadError as problem:
        return problem
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", [each for each in PROGRAMS if ALL or each.values[0].name not in AT_NIGHT])
def test_program_is_right_uncompiled(program):
    problem = refusal_of(program)
    assert problem is None or (program.name in REFUSED and problem.at and problem.hint), problem


@pytest.mark.compiled
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "program", [each for each in PROGRAMS if each.values[0].name not in REFUSED][:: 1 if ALL else 30]
)
def test_program_is_right_compiled(program):
    check(program, [reverse, forward], jit=True)


def test_every_program_says_where_it_is_from():
    assert len(PROGRAMS) >= 40
    assert all("Origin: " in (each.values[0].function.__doc__ or "") for each in PROGRAMS)
