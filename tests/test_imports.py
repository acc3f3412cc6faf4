"""What `import srcad` brings, and what it leaves for later."""

import ast
import sys
from pathlib import Path

import pytest

import srcad
from tests.waiting import run

ROOT = Path(srcad.__file__).parent


def test_public_names_are_imported_when_asked_for():
    assert {*srcad._HOMES, "__version__"} == set(srcad.__all__)
    assert set(srcad.__all__) <= set(dir(srcad))
    for name in srcad.__all__:
        assert getattr(srcad, name) is not None
    with pytest.raises(AttributeError, match=r"no attribute 'jit': use srcad\.function"):
        _ = srcad.jit
    with pytest.raises(AttributeError, match=r"no attribute 'gradient_tape'$"):
        srcad.gradient_tape  # noqa: B018 - it is the access that raises


def test_a_type_checker_sees_every_public_name_and_no_others():
    # With `__getattr__` in its sight, it would take any other name for one of srcad's.
    body = ast.parse((ROOT / "__init__.py").read_text(encoding="utf-8")).body
    shown = [node for node in body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    imports = [each for node in shown for each in node.body if isinstance(each, ast.ImportFrom)]
    assert {alias.name: each.module for each in imports for alias in each.names} == srcad._HOMES
    assert "__getattr__" not in [node.name for node in body if isinstance(node, ast.FunctionDef)]


@pytest.mark.slow
def test_a_gradient_imports_neither_the_tape_nor_the_checks():
    program = "import sys, srcad; srcad.grad; print(*(name for name in sys.modules if name.startswith('srcad.')))"
    loaded = run([sys.executable, "-c", program]).stdout.split()
    assert "srcad.api.derivative_object" in loaded
    assert not {
        "srcad.runtime.tape.gradient_tape",
        "srcad.runtime.tape.recording.dispatch",
        "srcad.tools.check_grads",
        "srcad.driver.pipeline",
    } & set(loaded)
