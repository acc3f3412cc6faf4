"""A first gradient goes through the packages from top to bottom."""

from pathlib import Path

import pytest

from srcad.tools.entered_modules import by_package, entered, package_of

PROJECT = Path(__file__).parents[2] / "pyproject.toml"
MOST = 152  # modules entered; more of them make srcad harder to follow
# Modules that call what they are given: decorators, solvers, and what applies a function to each node.
GIVEN = frozenset(
    {"stage_timer", "code", "dataflow", "build", "constant_conditions", "dispatchers", "memoisation", "strong_zeros"}
)


def layers(container):
    """The packages of a contract, from top to bottom."""
    tomllib = pytest.importorskip("tomllib")  # of Python 3.11
    contracts = tomllib.loads(PROJECT.read_text())["tool"]["importlinter"]["contracts"]
    (found,) = (each["layers"] for each in contracts if each.get("containers") == [container])
    return [name.strip() for layer in found for name in layer.replace("|", ":").split(":")]


def order():
    """All packages, from top to bottom."""
    inner = {name: layers(f"srcad.{name}") for name in ("transforms", "runtime")}
    return [f"{each}.{part}" if part else each for each in layers("srcad") for part in inner.get(each, [""])]


def test_few_modules_are_entered():
    text = by_package()
    count = int(text.split()[1])
    assert 100 < count <= MOST
    assert text.splitlines()[2].startswith("| `api` |")


def test_calls_go_down_but_for_functions_that_are_given():
    packages = order()
    _, calls = entered()
    known = [(caller, callee) for caller, callee, _ in calls if package_of(caller) in packages]
    assert len(known) > 100
    up = {
        (caller, callee)
        for caller, callee in known
        if package_of(callee) in packages
        and packages.index(package_of(callee)) < packages.index(package_of(caller))
        and caller.rpartition(".")[2] not in GIVEN
    }
    assert up == set()
