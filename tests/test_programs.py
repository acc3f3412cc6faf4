"""Every program of tests/programs is differentiated in every way, and agrees with finite differences.

The suite takes what is slow for some of the programs; SRCAD_ALL_PROGRAMS=1, which `scripts/nightly` sets, for all.
"""

import importlib
import os
from itertools import groupby, islice
from pathlib import Path

import pytest

from tests.checking import COMPILED, UNCOMPILED, assert_gradient
from tests.programs.program import Program

FOLDER = Path(__file__).parent / "programs"
FAMILIES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in ("__init__", "program"))


def programs(only_compiled=False):
    for family in FAMILIES:
        table: list[Program] = importlib.import_module(f"tests.programs.{family}").PROGRAMS
        for number, program in enumerate(table):
            if program.compiled or not only_compiled:
                yield pytest.param(program, id=f"{family}-{number}-{program.name}")


ALL = bool(os.environ.get("SRCAD_ALL_PROGRAMS"))


def every(count, cases):
    """One in so many cases, or all of them at night."""
    return list(cases)[:: 1 if ALL else count]


def chosen(most=1):
    """The programs that the suite compiles, one of each family; all marked ones at night."""
    families = groupby(programs(only_compiled=True), key=lambda program: program.id.split("-")[0])
    return [program for _, family in families for program in islice(family, None if ALL else most)]


# What takes longest, or does for the most part what another mode does: for every so many programs, from which on.
EVERY = {"arrays": (8, 0), "loops": (3, 1), "tangent": (6, 1), "gradient": (3, 0), "second": (30, 0)}


def in_every_way():
    """Programs with modes; some modes are for some programs, and interpreted ones."""
    for number, program in enumerate(programs()):
        for mode in UNCOMPILED:
            every, first = EVERY.get(mode, (1, 0))
            is_due = number % every == first or program.values[0].interpreted
            if is_due or ALL:
                yield pytest.param(*program.values, mode, id=f"{program.id}-{mode}")


@pytest.mark.slow
@pytest.mark.parametrize(("program", "mode"), list(in_every_way()))
def test_program_agrees_with_finite_differences(program, mode):
    if program.interpreted and mode not in ("arrays", "tangent"):
        pytest.skip("Numba has no types for it")
    arguments = program.fresh_arguments()
    assert_gradient(program.function, *arguments, wrt=program.wrt, modes=[mode], rtol=program.rtol)


@pytest.mark.compiled
@pytest.mark.parametrize("program", chosen())
def test_compiled_program_agrees_with_finite_differences(program):
    arguments = program.fresh_arguments()
    assert_gradient(program.function, *arguments, wrt=program.wrt, modes=COMPILED[:1], rtol=program.rtol)


def test_corpus_is_large_enough_to_mean_something():
    names = {program.values[0].name for program in programs()}
    assert len(names) >= 200
    assert len(chosen()) >= 25
