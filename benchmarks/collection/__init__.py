"""Workloads from many fields, by which it is judged whether an optimisation is general.

Each module has a table `WORKLOADS`. One third, chosen by a hash of their names, is sealed: its generated text is not
read by whoever writes a pass, and it counts only as a figure. An optimisation that gains on the others and not on the
sealed ones fits its examples.
"""

from __future__ import annotations

import importlib
import pkgutil

from benchmarks.collection.workload import Workload

_NOT_TABLES = ("workload", "measure", "in_jax")


def workloads() -> list[Workload]:
    """All workloads, in the order of the modules' names and of their tables."""
    names = sorted(each.name for each in pkgutil.iter_modules(__path__) if each.name not in _NOT_TABLES)
    return [each for name in names for each in importlib.import_module(f"{__name__}.{name}").WORKLOADS]
