"""`srcad doctor`: what srcad runs on, and what is wrong.

It ends with status 1 if something is wrong. With `--warm` it first compiles what many first calls need, once for all
programs of the user.
"""

from __future__ import annotations

import importlib
import os
import platform
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import gast
import llvmlite
import llvmlite.binding
import numba
import numpy as np

import srcad
from srcad.driver import numba_check
from srcad.runtime.jit import cache_size, disk_cache
from srcad.tools.warm_functions import FUNCTIONS

Line = tuple[str, str]
_VECTORS = ("avx512f", "avx2", "fma", "sve", "neon")


class Report:
    """Lines to be printed, by section, and what is wrong.

    >>> "srcad" in dict(Report.made().sections["versions"])
    True
    """

    def __init__(self) -> None:
        self.sections: dict[str, list[Line]] = {}
        self.problems: list[str] = []

    @staticmethod
    def made() -> Report:
        """What there is to say about this process."""
        report = Report()
        report.sections["versions"] = [*_versions(report.problems)]
        report.sections["processor"] = [*_processor()]
        report.sections["cache"] = [*_cache(report.problems)]
        report.sections["settings"] = [
            (name, value) for name, value in sorted(os.environ.items()) if name.startswith("SRCAD_")
        ] or [("none", "no variable SRCAD_... is set")]
        return report

    def text(self) -> str:
        """The report as it is printed."""
        width = max(len(name) for lines in self.sections.values() for name, _ in lines)
        parts = [
            "\n".join([title, *(f"  {name:{width}}  {value}" for name, value in lines)])
            for title, lines in self.sections.items()
        ]
        ending = [f"wrong: {each}" for each in self.problems] or ["nothing wrong found"]
        return "\n\n".join([*parts, "\n".join(ending)])


def _versions(problems: list[str]) -> Iterator[Line]:
    yield "srcad", srcad.__version__
    yield "Python", f"{platform.python_version()} ({platform.python_implementation()}, {sys.executable})"
    yield "NumPy", np.__version__
    tested = "tested" if numba_check.is_tested() else "newer or older than those tested: checked at the first gradient"
    yield "Numba", f"{numba.__version__}, {tested}"
    yield "llvmlite", f"{llvmlite.__version__}, LLVM {'.'.join(map(str, llvmlite.binding.llvm_version_info))}"
    yield "gast", str(getattr(gast, "__version__", "installed"))
    for name, module in (("SciPy", "scipy"), ("optree", "optree")):
        try:
            yield name, importlib.import_module(module).__version__
        except ImportError:
            yield name, "not installed"
        except Exception as problem:  # noqa: BLE001  whatever a broken installation raises
            yield name, "cannot be imported"
            problems.append(f"importing {module} fails: {type(problem).__name__}: {problem}")


def _processor() -> Iterator[Line]:
    features = llvmlite.binding.get_host_cpu_features()
    vectors = [each for each in _VECTORS if features.get(each)]
    yield "machine", f"{platform.system()} {platform.machine()}, {llvmlite.binding.get_host_cpu_name()}"
    yield "vectors", ", ".join(vectors) or "no vector instructions known"
    yield "cores", f"{_cores()} for this process, {os.cpu_count()} in all"
    yield "threads", f"{numba.config.NUMBA_NUM_THREADS} for prange (NUMBA_NUM_THREADS)"
    yield "BLAS", _blas()


def _cores() -> int | None:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def _blas() -> str:
    """The library of NumPy's matrix products."""
    try:
        about = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
        return f"{about['name']} {about['version']}"
    except (KeyError, TypeError):
        return "unknown"


def _cache(problems: list[str]) -> Iterator[Line]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        place = disk_cache.folder()
    problems += [str(each.message) for each in caught]
    if place is None:
        yield "folder", "none: nothing is kept between processes"
        if not problems and cache_size.limit():
            problems.append("the cache folder cannot be written: set SRCAD_CACHE_DIR to a folder of your own")
        return
    files = [each for each in os.scandir(place) if each.is_file()]
    size = sum(each.stat().st_size for each in files)
    code = sum(each.name.endswith(".code") for each in files)
    yield "folder", str(place)
    yield "size", f"{size / 2**20:.1f} of {cache_size.limit() / 2**20:.0f} MiB ({cache_size.VARIABLE})"
    yield "files", f"{sum(each.name.endswith('.py') for each in files)} modules, {code} of machine code"


def warm(say: Callable[[str], Any]) -> int:
    """Compile the gradients of `warm_functions`, unless they are stored; how many had to be compiled.

    Each line of progress goes to `say`. Without a usable cache folder nothing is compiled.
    """
    place = disk_cache.folder()
    if place is None:
        say("there is no cache folder to fill")
        return 0
    compiled, rng = 0, np.random.default_rng(0)
    for number, (function, arguments) in enumerate(FUNCTIONS.items(), 1):
        before, start = _count(place), time.perf_counter()
        given = arguments(rng)
        srcad.grad(function)(*given)
        made = _count(place) - before
        compiled += made > 0
        how = f"{made} files in {time.perf_counter() - start:.1f} s" if made else "stored already"
        say(f"{number:2} of {len(FUNCTIONS)}  {function.__name__.strip('_'):26} {how}")
    say("the cache was warm" if not compiled else f"{compiled} compiled; the next program need not")
    return compiled


def _count(place: Any) -> int:
    return sum(1 for each in os.scandir(place) if each.name.startswith("srcad_"))
