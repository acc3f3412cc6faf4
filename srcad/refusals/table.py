"""The themes of the table, in the order of the documentation."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from srcad.refusals import (
    constructs,
    derivatives,
    large_functions,
    long_lists,
    loops,
    memory,
    names_and_functions,
    numpy_calls,
    records,
    solvers,
    structures,
    tapes,
    types_and_results,
    users_rules,
)
from srcad.refusals.refusal import Refusal

THEMES: dict[str, ModuleType] = {
    "Statements and expressions": constructs,
    "Loops and iterators": loops,
    "Names, functions and their arguments": names_and_functions,
    "Rules of your own": users_rules,
    "Solvers": solvers,
    "Calls of NumPy and of Python's library": numpy_calls,
    "Lists, tuples, dictionaries and objects": structures,
    "Long lists, and lists of unknown length": long_lists,
    "Records, and arrays of objects": records,
    "Types of arguments, variables and results": types_and_results,
    "Arrays that share memory": memory,
    "Functions that call themselves, or are large": large_functions,
    "Derivatives of derivatives, and inside `@njit`": derivatives,
    "Tapes": tapes,
}


def rows(theme: ModuleType) -> dict[str, Refusal[Any]]:
    """Key -> row, in the order of the file.

    >>> next(iter(rows(constructs)))
    'GENERATOR'
    """
    return {name: value for name, value in vars(theme).items() if isinstance(value, Refusal)}
