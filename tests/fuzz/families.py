"""The families of random programs: each makes a program from a seed."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

from tests.fuzz import calls, carried, handles, language, nests, poles, tuples, vectors, views
from tests.fuzz.leaves import mapped, with_gaps
from tests.fuzz.program import Program

VECTOR = np.array([0.3, -0.7, 0.9, 0.2])
MATRIX = np.array([[0.2, 0.5, -0.4], [1.1, 0.6, 0.8]])


def of_vectors(seed: int) -> Program:
    """Statements on two numbers and a vector, joined in any way."""
    return Program(vectors.text_of(Random(seed)), (0.43, 0.81, VECTOR))


def of_trades(seed: int) -> Program:
    """The same, with arrays that trade places often."""
    return Program(vectors.text_of(Random(seed), trades=True), (0.43, 0.81, VECTOR))


def of_tuples(seed: int) -> Program:
    """Operators on tuples and lists."""
    return Program(tuples.program(seed), (VECTOR[:3], MATRIX, 3))


FAMILIES: dict[str, Callable[[int], Program]] = {
    "language": language.program,
    "vectors": of_vectors,
    "trades": of_trades,
    "tuples": of_tuples,
    "carried": carried.program,
    "nests": nests.program,
    "views": views.program,
    "handles": handles.program,
    "poles": poles.program,
    "calls": calls.program,
    "scipy": calls.of_scipy,
}
SHARES = (5, 1, 1, 2, 3, 3, 3, 1, 1, 8, 5)


def family_of(seed: int) -> str:
    """The family of a seed."""
    return Random(f"family {seed}").choices([*FAMILIES], SHARES)[0]


def program(seed: int) -> Program:
    """The program of a seed, of whichever family, some with arrays in another memory order than C."""
    found = FAMILIES[family_of(seed)](seed)
    order = Random(f"order {seed}").choices([_as_it_is, np.asfortranarray, with_gaps], (8, 1, 1))[0]
    return replace(found, arguments=mapped(lambda leaf: order(leaf) if np.ndim(leaf) > 1 else leaf, found.arguments))


def _as_it_is(leaf: Any) -> Any:
    return leaf
