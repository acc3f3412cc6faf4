"""The picture in docs/architecture.md, held to the code: imports point one way, and files keep to one idea."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "srcad").rglob("*.py"))
LEAVES = {"srcad.errors", "srcad.names"}
LAYERS = ["srcad.runtime", "srcad.transforms", "srcad"]


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in found if name == "srcad" or name.startswith("srcad.")}


def layer(module: str) -> int:
    return next(i for i, prefix in enumerate(LAYERS) if module == prefix or module.startswith(prefix + "."))


def is_leaf(module: str) -> bool:
    return any(module == leaf or module.startswith(leaf + ".") for leaf in LEAVES)


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_imports_point_from_the_package_to_transforms_to_runtime(path):
    module = module_name(path)
    for other in imported_modules(path):
        if module in LEAVES:
            assert is_leaf(other), f"{module} is a leaf but imports {other}"
        elif not is_leaf(other) and (other != "srcad" or layer(module) < 2):
            assert layer(other) <= layer(module), f"{module} imports {other}, which stands above it"


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_files_have_at_most_300_lines(path):
    if "rules" in path.parts:
        pytest.skip("tables of rules are as long as there are rules")
    assert len(path.read_text().splitlines()) <= 300


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_functions_have_at_most_40_lines(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = node.end_lineno - node.lineno + 1
            assert length <= 40, f"{path.name}:{node.lineno}: {node.name} has {length} lines"


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_modules_say_what_they_are(path):
    assert path.stem not in {"utils", "helpers", "misc", "common"}
    assert ast.get_docstring(ast.parse(path.read_text()))


def test_links_at_the_root_lead_into_the_package():
    for name in ("transforms", "runtime"):
        assert (ROOT / name).resolve() == ROOT / "srcad" / name
