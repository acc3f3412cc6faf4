"""Exported modules run without srcad, and give what srcad gives."""

import ast
import subprocess
import sys

import numpy as np
import pytest

import srcad
from srcad.errors import BadArgument
from srcad.tools.command import main
from srcad.tools.standalone.exported_module import outdated

X = np.array([0.5, 1.5, -0.25, 2.0])
W = np.array([[1.0, -0.5], [0.25, 2.0], [1.5, 0.0], [0.5, 0.5]])
SCALE = np.array([2.0, 3.0])


def layered(x, w):
    y = np.tanh(x @ w)
    total = 0.0
    while total < 3.0:
        total = total + np.sum(y * y)
    return total


def smoothed(u, nu, steps):
    v = u.copy()
    for _ in range(steps):
        for i in range(1, v.shape[0] - 1):
            v[i] = v[i] + nu * (v[i + 1] - 2.0 * v[i] + v[i - 1])
    return np.max(v) * v[1]


def gathered(x, w):
    places = np.array([0, 2, 2])
    return np.sum(np.exp(x[places])) + np.sum(w[:, 1] * x) ** 2


def scaled(x):
    return x[:2] * SCALE


# Runs in a process that cannot import srcad: the names of functions, with arguments.
RUN = """
import runpy, sys
import numpy as np

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {blocked}:
            raise ImportError(name + " is not there")

sys.meta_path.insert(0, Blocked())
sys.path.insert(0, {folder!r})
for name, *args in {calls}:
    module = runpy.run_module(name + "_adjoint", run_name="__main__")
    args = [np.array(each) if isinstance(each, list) else each for each in args]
    value, gradients = module[name + "_value_and_grad"](*args)
    print([np.asarray(each).tolist() for each in (value, *gradients)])
assert not any(name.split(".")[0] in {blocked} for name in sys.modules)
"""

CALLS = [
    (layered, (0, 1), (X, W)),
    (smoothed, (0, 1), (X, 0.1, 3)),
    (gathered, (0, 1), (X, W)),
]


def run_apart(folder, cases, numpy_only):
    """What the exported modules print and return, in another process."""
    calls = []
    for f, wrt, args in cases:
        text = srcad.export(f, mode="value_and_grad", wrt=wrt, args=args, numpy_only=numpy_only)
        (folder / f"{f.__name__}_adjoint.py").write_text(text)
        given = [each.tolist() if isinstance(each, np.ndarray) else each for each in args]
        calls.append((f.__name__, *given))
    blocked = ("srcad", "numba", "llvmlite") if numpy_only else ("srcad",)
    script = RUN.format(calls=calls, blocked=blocked, folder=str(folder))
    done = subprocess.run(
        [sys.executable, "-I", "-c", script], capture_output=True, text=True, timeout=300, check=False, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert all("agrees with differences" in line for line in lines[::2])
    return [ast.literal_eval(line) for line in lines[1::2]]


def flat(result):
    return [np.asarray(part) for each in result for part in (each if isinstance(each, tuple) else (each,))]


def test_without_numba_results_agree_up_to_rounding(tmp_path):
    for (f, wrt, args), found in zip(CALLS, run_apart(tmp_path, CALLS, numpy_only=True), strict=True):
        expected = flat(srcad.value_and_grad(f, wrt=wrt, jit=False)(*args))
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13)


@pytest.mark.compiled
@pytest.mark.parametrize(
    "cases", [CALLS[:1], pytest.param(CALLS[1:], marks=pytest.mark.nightly)], ids=["layered", "others"]
)
def test_with_numba_results_agree_bit_for_bit(cases, tmp_path):
    for (f, wrt, args), found in zip(cases, run_apart(tmp_path, cases, numpy_only=False), strict=True):
        expected = flat(srcad.value_and_grad(f, wrt=wrt)(*args))
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("mode", ["grad", "reverse", "forward", "hvp"])
def test_every_mode_checks_itself(mode, capsys):
    text = srcad.export(smoothed, mode=mode, wrt=("u", "nu"), args=(X, 0.1, 2), numpy_only=True)
    exec(compile(text, "smoothed_adjoint.py", "exec"), {"__name__": "__main__"})
    assert "agrees with differences" in capsys.readouterr().out


def test_the_text_is_the_same_each_time_and_has_nothing_twice():
    text = srcad.export(layered, wrt="w", signature="f8[:], f8[:, :]")
    assert text == srcad.export(layered, wrt="w", signature="f8[:], f8[:, :]")
    names = [each.name for each in ast.parse(text).body if isinstance(each, ast.FunctionDef)]
    assert len(names) == len({*names})
    assert not any("import" in line and "srcad" in line for line in text.splitlines())
    assert "from layered in test_exported_module.py" in text


def test_captured_arrays_are_last_arguments():
    text = srcad.export(scaled, mode="forward", args=(X,), numpy_only=True)
    assert "Captured: SCALE, as the last arguments" in text
    space = {"__name__": "exported"}
    exec(compile(text, "scaled_adjoint.py", "exec"), space)
    value, dot = space["scaled_tangent"](X, SCALE, np.ones(4))
    np.testing.assert_array_equal(value, scaled(X))
    np.testing.assert_array_equal(dot, SCALE)


def test_the_mode_core_is_refused():
    with pytest.raises(BadArgument, match="no derivative to export"):
        srcad.export(scaled, mode="core", args=(X,))


def test_the_command_writes_and_compares(tmp_path, capsys):
    source, file = tmp_path / "model.py", tmp_path / "model_adjoint.py"
    source.write_text("def f(x, k):\n    return k * x * x\n")
    line = ["export", f"{source}:f", "--signature", "f8, f8", "-o", str(file), "--numpy-only"]
    assert main([*line, "--check"]) == 1
    assert main(line) == 0
    assert main([*line, "--check"]) == 0
    file.write_text(file.read_text() + "# changed\n")
    assert main([*line, "--check"]) == 1
    assert "it was changed after it was written" in capsys.readouterr().out


def test_outdated_tells_why(tmp_path):
    file = tmp_path / "adjoint.py"
    old, new = (srcad.export(f, signature="f8", numpy_only=True) for f in (lambda x: x * x, lambda x: x * x * x))
    assert outdated(old, file) == "there is no such file"
    file.write_text(old)
    assert outdated(old, file) is None
    assert outdated(new, file) == "the function, its options or srcad have changed since it was written"
    file.write_text("x = 1\n")
    assert outdated(old, file) == "it was not written by srcad export"
