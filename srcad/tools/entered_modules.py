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
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeAlias

import srcad

Call: TypeAlias = tuple[str, str, str]


def square(x: float) -> float:
    """The function whose gradient is taken."""
    return x * x


def entered() -> tuple[list[str], set[Call]]:
    """The modules that a gradient's first call enters, in order, and the calls between modules of srcad."""
    for each in pkgutil.walk_packages(srcad.__path__, "srcad."):
        if not each.name.endswith("__main__"):
            importlib.import_module(each.name)
    gradient = srcad.grad(square)
    return profiled(lambda: gradient(2.0))


def profiled(run: Callable[[], Any]) -> tuple[list[str], set[Call]]:
    """The modules of srcad of which named functions run, in order, and the calls from one to another.

    A call is the calling module, the called one, and the name of the function.

    >>> modules, calls = profiled(lambda: package_of("srcad.errors"))
    >>> modules, len(calls)
    (['srcad.tools.entered_modules'], 0)
    """
    modules: dict[str, None] = {}
    calls: set[Call] = set()

    def profile(frame: FrameType, event: str, _: Any) -> None:
        module, function = frame.f_globals.get("__name__", ""), frame.f_code.co_name
        if event != "call" or not module.startswith("srcad.") or function.startswith("<"):
            return  # `<lambda>` and the like are called by those that they have been given to
        modules[module] = None
        caller = frame.f_back.f_globals.get("__name__", "") if frame.f_back else ""
        if caller.startswith("srcad.") and caller != module:
            calls.add((caller, module, function))

    sys.setprofile(profile)
    try:
        run()
    finally:
        sys.setprofile(None)
    return [*modules], calls


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
