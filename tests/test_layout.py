"""The layout of the sources: packages that can be overlooked, names that are used once, imports without circles.

The direction of imports stands in pyproject.toml, as contracts that `lint-imports` checks.
"""

import ast
import functools
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "srcad").rglob("*.py"))
MOST_MODULES = 30  # in one folder
MOST_LINES = 600  # of a file; tables of rules and of passes are as long as there are rules and passes
MOST_LINES_OF_A_FUNCTION = 40  # its docstring aside


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@pytest.fixture(scope="module", autouse=True)
def forgotten() -> Iterator[None]:
    """The trees take hundreds of megabytes, and no other module needs them."""
    yield
    parsed.cache_clear()


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in SOURCES}


def only_for_types(tree: ast.Module) -> set[ast.AST]:
    """The nodes under `if TYPE_CHECKING:`, which never run."""
    tests = [node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)]
    return {inner for test in tests for inner in ast.walk(test)}


def imported_modules(path: Path) -> set[str]:
    """The modules of srcad that a file imports, at its top or later."""
    tree = parsed(path)
    skipped = only_for_types(tree)
    found = set()
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name in MODULES}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found |= {inner if inner in MODULES else node.module} & MODULES.keys()
    return found


def circles(edges: dict[str, set[str]]) -> list[set[str]]:
    """Sets of modules each of which is reached from each other one (by what remains when ends are taken away)."""
    reached: dict[str, set[str]] = {}
    for start, first in edges.items():
        seen: set[str] = set()
        pending = [*first]
        while pending:
            module = pending.pop()
            if module not in seen:
                seen.add(module)
                pending += edges.get(module, ())
        reached[start] = seen
    return [
        {other for other in seen if module in reached.get(other, ())}
        for module, seen in reached.items()
        if module in seen
    ]


def test_folders_have_at_most_30_modules():
    sizes = Counter(path.parent for path in SOURCES)
    assert max(sizes.values()) <= MOST_MODULES, sizes.most_common(3)


def test_a_name_is_given_to_one_module():
    places = defaultdict(list)
    for path in SOURCES:
        if path.stem not in ("__init__", "__main__"):
            places[path.stem].append(path)
    # A rule and the kernel that computes for it may share a name.
    twins = ["kernels", "rules"]
    twice = {stem: paths for stem, paths in places.items() if len(paths) > 1}
    assert {
        stem: paths
        for stem, paths in twice.items()
        if sorted(path.relative_to(ROOT / "srcad").parts[1] for path in paths) != twins
    } == {}


def test_no_module_imports_itself_by_way_of_others():
    edges = {name: imported_modules(path) - {name} for name, path in MODULES.items()}
    # A package's own __init__ re-exports what its modules define; it is no module that they need.
    found = circles(edges)
    assert not found, found[:3]


def test_circles_are_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == [{"b", "c"}, {"b", "c"}]


def test_files_are_as_long_as_one_idea():
    files = [path for path in SOURCES if "rules" not in path.parts and path.name != "passes.py"]
    lengths = {path: len(path.read_text().splitlines()) for path in files}
    assert {path: length for path, length in lengths.items() if length > MOST_LINES} == {}


def test_the_core_of_the_tape_is_read_in_one_sitting():
    core = [path for path in SOURCES if path.parent.name == "core" and path.parent.parent.name == "tape"]
    assert len(core) > 5
    assert sum(len(path.read_text().splitlines()) for path in core) < 800


def lengths_of_functions(path: Path) -> Iterator[tuple[str, int]]:
    """Where the functions of a file are, and how many lines they have."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            told = node.body[0] if ast.get_docstring(node) else None
            length = node.end_lineno - node.lineno + 1 - (told.end_lineno - told.lineno + 1 if told else 0)
            yield f"{path}:{node.lineno}: {node.name}", length


def test_functions_have_at_most_40_lines():
    found = [each for path in SOURCES for each in lengths_of_functions(path)]
    assert len(found) > 1000
    assert [each for each in found if each[1] > MOST_LINES_OF_A_FUNCTION] == []


def test_modules_say_what_they_are():
    assert [path for path in SOURCES if path.stem in {"utils", "helpers", "misc", "common"}] == []
    assert [path for path in SOURCES if not ast.get_docstring(parsed(path))] == []


def test_each_package_says_what_goes_in_and_comes_out():
    for path in SOURCES:
        if path.name == "__init__.py" and path.parent.name != "srcad":
            told = ast.get_docstring(parsed(path))
            assert len(told.splitlines()) >= 4, path


def test_links_at_the_root_lead_into_the_package():
    for name in ("transforms", "runtime"):
        assert (ROOT / name).resolve() == ROOT / "srcad" / name
