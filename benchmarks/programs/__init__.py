"""Numerical programs as their users write them, with sample data: none was the model of a pass.

Each module has a table `PROGRAMS`. `benchmarks/pass_worth.py` measures with them what each optional pass gains. They
say something about passes only for as long as nobody writes a pass for one of them.
"""

from __future__ import annotations

import importlib
import pkgutil

from benchmarks.programs.sample import Sample


def samples() -> list[Sample]:
    """All programs, in the order of the modules' names and of their tables."""
    names = sorted(each.name for each in pkgutil.iter_modules(__path__) if each.name != "sample")
    return [each for name in names for each in importlib.import_module(f"{__name__}.{name}").PROGRAMS]
