"""What is generated is kept under a name made of everything that it depends on, and never served for anything else."""

import os
import sys
import textwrap

import numba
import numpy as np
import pytest

import srcad
from srcad.driver.version import Request, Version
from srcad.runtime.jit import disk_cache
from tests.waiting import finished, started

PROGRAM = """
import sys
import numba
import numpy as np
import srcad
from numba.core import event

FACTOR = {factor}


def helper(x):
    return {helper}


@numba.njit
def f(x, n):
    total = 0.0
    for i in range(n):
        total += FACTOR * helper(x[i])
    return total


with event.install_recorder("numba:run_pass") as passes:
    found = srcad.grad(f)(np.array([1.0, 2.0]), 2)
print(found.tolist(), "generated" if "srcad.driver.pipeline" in sys.modules else "", len(passes.buffer))
"""


def program(factor=2.0, helper="x * x * x"):
    return textwrap.dedent(PROGRAM.format(factor=factor, helper=helper))


def start(path, folder):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "SRCAD_CACHE_DIR": str(folder)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment["PYTHONPYCACHEPREFIX"] = str(path.parent / "bytecode")
    return started([sys.executable, str(path)], env=environment)


def finish(process):
    output, errors = finished(process)
    assert process.returncode == 0, errors
    return output.split("]")[0] + "]", "generated" in output, int(output.split()[-1])


@pytest.mark.compiled
def test_a_second_process_generates_and_compiles_nothing(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(program())
    found, generated, passes = finish(start(path, tmp_path / "cache"))
    assert (found, generated) == ("[6.0, 24.0]", True)
    assert passes > 20
    assert finish(start(path, tmp_path / "cache")) == ("[6.0, 24.0]", False, 0)


@pytest.mark.compiled
def test_processes_that_fill_an_empty_cache_at_the_same_time_all_succeed(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(program())
    running = [start(path, tmp_path / "cache") for _ in range(2)]
    assert [finish(each)[0] for each in running] == ["[6.0, 24.0]"] * 2


@pytest.mark.compiled
def test_what_has_changed_is_never_served_from_the_cache(tmp_path):
    path = tmp_path / "program.py"
    for changes, expected in [
        ({}, "[6.0, 24.0]"),
        ({"factor": 1.0}, "[3.0, 12.0]"),
        ({"helper": "x * x"}, "[4.0, 8.0]"),
        ({}, "[6.0, 24.0]"),
    ]:
        path.write_text(program(**changes))
        assert finish(start(path, tmp_path / "cache"))[0] == expected


def generated_files():
    return {each.name for each in disk_cache.folder().glob("srcad_*.py")}


def test_types_wrt_and_mode_have_files_of_their_own(tmp_path, monkeypatch):
    # A folder of its own: the suite's other workers write into the common one meanwhile.
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path / "cache"))

    def f(x, y):
        return x * x * y + 12.5

    srcad.grad(f)(1.0, 2.0)
    srcad.grad(f)(np.float32(1.0), 2.0)
    srcad.grad(f, wrt=1)(1.0, 2.0)
    srcad.grad(f, wrt=(0,))(1.0, 2.0)
    srcad.value_and_grad(f)(1.0, 2.0)
    srcad.grad(f, jit=False)(1.0, 2.0)
    assert len(generated_files()) == 6
    srcad.api.derivative_object.Derivative(f, srcad.api.derivative_object.Request("grad", (0,), False))(1.0, 2.0)
    assert len(generated_files()) == 6


def over_prange(x):
    total = 0.0
    for i in numba.prange(x.size):
        total += x[i] * x[i]
    return total


def test_a_function_whose_loops_threads_share_is_kept_apart_from_one_whose_loops_they_do_not():
    shared, plain = (
        Version(numba.njit(parallel=parallel)(over_prange), Request("grad", (0,))) for parallel in (True, False)
    )
    assert shared.fingerprint() != plain.fingerprint()


act = np.tanh


def helper(x):
    return x * x


def with_helper(x):
    return helper(x) * 3.0


def with_alias(x):
    return act(x)


@pytest.mark.slow
@pytest.mark.parametrize("jit", [True, False])
def test_a_helper_that_is_bound_anew_is_noticed(monkeypatch, jit):
    slope, run = srcad.grad(with_helper, jit=jit), srcad.function(with_helper, jit=jit)
    assert (slope(2.0), run(2.0), srcad.vjp(with_helper, 2.0, jit=jit)[1](1.0)) == (12.0, 12.0, (12.0,))
    monkeypatch.setitem(globals(), "helper", lambda x: x * x * x)
    assert (slope(2.0), run(2.0), srcad.vjp(with_helper, 2.0, jit=jit)[1](1.0)) == (36.0, 24.0, (36.0,))


@pytest.mark.parametrize("jit", [True, False])
def test_another_name_for_a_function_of_a_library_may_be_bound_anew(monkeypatch, jit):
    slope = srcad.grad(with_alias, jit=jit)
    assert slope(0.3) == pytest.approx(1.0 / np.cosh(0.3) ** 2)
    monkeypatch.setitem(globals(), "act", np.sin)
    assert slope(0.3) == pytest.approx(np.cos(0.3))


def test_without_a_folder_everything_works_from_memory(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path / "file" / "none"))

    def f(x):
        return x * x * x * 0.25

    assert srcad.grad(f)(2.0) == 3.0
    assert srcad.grad(f, jit=False)(2.0) == 3.0


def test_a_captured_zero_that_changes_its_sign_is_another_number():
    zero = 0.0

    def angle(x):
        return np.arctan2(zero, -x) * x

    slope = srcad.grad(angle, jit=False)
    assert np.isclose(slope(1.0), np.pi)
    zero = -0.0
    assert np.isclose(slope(1.0), -np.pi)


class Line:
    def __init__(self):
        self.rate = 2.0

    def at(self, x):
        return self.rate * x

    def __call__(self, x):
        return self.rate * x


class Parabola(Line):
    def at(self, x):
        return self.rate * x * x

    def __call__(self, x):
        return self.rate * x * x


def test_a_captured_name_that_is_given_an_object_of_another_class_has_its_methods():
    curve = Line()
    by_method = srcad.grad(lambda x: curve.at(x) + 0.0, jit=False)
    by_call = srcad.grad(lambda x: curve(x) + 0.0, jit=False)
    assert [by_method(3.0), by_call(3.0)] == [2.0, 2.0]
    curve = Parabola()
    assert [by_method(3.0), by_call(3.0)] == [12.0, 12.0]
