"""The modules that a first gradient enters, in order, and which calls go up from one package to one above it.

    python -m srcad.tools.entered_modules

A module is entered when one of its functions runs, other than at its import. In a new process with an empty cache, so
that nothing is remembered from other calls.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import subprocess
import sys
import tempfile
from types import FrameType
from typing import Any

import srcad

_FUNCTION_CODE = 2  # inspect.CO_NEWLOCALS: not of a module or class
# Modules that call what they are given: decorators, solvers, and what applies a function to each node.
GIVEN = frozenset({"stage_timer", "code", "dataflow", "build", "constant_conditions", "dispatchers", "memoisation"})


def square(x: float) -> float:
    """The function whose gradient is taken."""
    return x * x


def entered() -> tuple[dict[str, str], set[tuple[str, str, str]]]:
    """The modules entered by a gradient's first call, with the function; calls between modules of two packages."""
    for each in pkgutil.walk_packages(srcad.__path__, "srcad."):
        if not each.name.endswith("__main__"):
            importlib.import_module(each.name)
    modules: dict[str, str] = {}
    calls: set[tuple[str, str, str]] = set()

    def profile(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or not code.co_flags & _FUNCTION_CODE or code.co_name.startswith("<"):
            return
        module = frame.f_globals.get("__name__", "")
        if module.startswith("srcad."):
            modules.setdefault(module, code.co_name)
            caller = frame.f_back.f_globals.get("__name__", "") if frame.f_back else ""
            if caller.startswith("srcad.") and package_of(caller) != package_of(module):
                calls.add((caller, module, code.co_name))

    gradient = srcad.grad(square)
    sys.setprofile(profile)
    try:
        gradient(2.0)
    finally:
        sys.setprofile(None)
    return modules, calls


def package_of(module: str) -> str:
    """The package of a module: `transforms` and `runtime` are taken apart, as in the contracts of pyproject.toml.

    >>> package_of("srcad.transforms.ir.build"), package_of("srcad.driver.passes"), package_of("srcad.errors")
    ('transforms.ir', 'driver', 'errors')
    """
    first, *rest = module.split(".")[1:]
    return f"{first}.{rest[0]}" if first in ("transforms", "runtime") and len(rest) > 1 else first


def by_package() -> str:
    """One line for each package, in the order in which they are entered: its modules, in order."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "SRCAD_CACHE_DIR": folder}
        command = [sys.executable, "-m", "srcad.tools.entered_modules"]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def _main() -> None:
    packages: dict[str, list[str]] = {}
    for module in entered()[0]:
        if not module.startswith("srcad.tools."):
            packages.setdefault(package_of(module), []).append(module.rpartition(".")[2])
    rows = [f"| {sum(map(len, packages.values()))} modules | |", "|---|---|"]
    rows += [f"| `{package}` | {', '.join(modules)} |" for package, modules in packages.items()]
    sys.stdout.write("\n".join(rows) + "\n")


if __name__ == "__main__":
    _main()
