"""The direction of imports, read off the sources: runtime <- transforms <- srcad, with errors and names as leaves."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import srcad

ROOT = Path(srcad.__file__).parent
LEAVES = ("srcad.errors", "srcad.names")
MODULES = sorted(ROOT.rglob("*.py"))


def layer(module):
    """0 for what anyone may import, then upwards."""
    if module in LEAVES or any(module.startswith(leaf + ".") for leaf in LEAVES):
        return 0
    if module.startswith("srcad.runtime"):
        return 1
    if module.startswith("srcad.transforms"):
        return 2
    return 3


def name_of(path):
    parts = ("srcad", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path):
    """Modules of srcad that a file imports, wherever in the file it does so."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            module = node.module or ""
            # `from srcad.transforms import unit` names a module, `from srcad.errors import Place` does not.
            names = [f"{module}.{alias.name}" if is_package(module) else module for alias in node.names]
        else:
            continue
        yield from ((node.lineno, name) for name in names if name.split(".")[0] == "srcad")


def is_package(module):
    return (ROOT.parent / Path(*module.split("."))).is_dir()


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_imports_only_what_lies_below_it(path):
    own = layer(name_of(path))
    wrong = [f"{path}:{line}: imports {name}" for line, name in imported(path) if layer(name) > own]
    assert not wrong, "\n".join(wrong)


def test_all_layers_are_found():
    assert {layer(name_of(path)) for path in MODULES} == {0, 1, 2, 3}


def test_public_names_are_imported_when_asked_for():
    assert {*srcad._HOMES, "__version__"} == set(srcad.__all__)
    assert set(srcad.__all__) <= set(dir(srcad))
    for name in srcad.__all__:
        assert getattr(srcad, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'gradient_tape'"):
        srcad.gradient_tape  # noqa: B018 - it is the access that raises


def test_a_type_checker_sees_every_public_name_and_no_others():
    # With `__getattr__` in its sight, it would take any other name for one of srcad's.
    body = ast.parse((ROOT / "__init__.py").read_text(encoding="utf-8")).body
    shown = [node for node in body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    imports = [each for node in shown for each in node.body if isinstance(each, ast.ImportFrom)]
    assert {alias.name: each.module for each in imports for alias in each.names} == srcad._HOMES
    assert "__getattr__" not in [node.name for node in body if isinstance(node, ast.FunctionDef)]


def test_a_gradient_imports_neither_the_tape_nor_the_checks():
    program = "import sys, srcad; srcad.grad; print(*(name for name in sys.modules if name.startswith('srcad.')))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert "srcad.gradient" in loaded
    assert not {"srcad.runtime.tape", "srcad.runtime.dispatch", "srcad.check", "srcad.pipeline"} & set(loaded)
