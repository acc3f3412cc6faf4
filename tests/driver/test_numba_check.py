"""A Numba newer than those tested is checked once, and refused if a small gradient fails with it."""

import re
from pathlib import Path

import numba
import numpy as np
import pytest

import srcad
from srcad.driver import numba_check
from srcad.errors import UnsupportedVersion

ROOT = Path(srcad.__file__).parent.parent


@pytest.fixture
def newer(monkeypatch, tmp_path):
    """This Numba, as if it were newer than those tested."""
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(numba_check, "NEWEST", (0, 1))
    monkeypatch.setitem(numba_check._state, "checked", False)


def test_the_oldest_version_is_that_of_the_requirements():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    least = re.search(r'"numba>=(\d+)\.(\d+)[\d.]*"', text)
    assert (int(least[1]), int(least[2])) == numba_check.OLDEST


def test_the_installed_numba_is_one_of_those_tested():
    assert numba_check.is_tested(), f"run the tests with Numba {numba.__version__}, and raise NEWEST"


def test_the_sample_is_differentiated_right_uncompiled():
    x, h = np.array([0.5, -0.25, 1.5]), 1e-6
    slope = srcad.grad(numba_check._energy, jit=False)(x, 2.0)
    for i in range(3):
        step = h * (np.arange(3) == i)
        by_differences = (numba_check._energy(x + step, 2.0) - numba_check._energy(x - step, 2.0)) / (2.0 * h)
        assert slope[i] == pytest.approx(by_differences, rel=1e-6)


@pytest.mark.compiled
def test_a_newer_version_that_works_is_noted_in_the_cache(newer, tmp_path, monkeypatch):
    assert not numba_check.is_tested()
    assert srcad.grad(lambda x: x * x * x)(2.0) == 12.0
    assert numba_check._state["checked"]
    monkeypatch.setitem(numba_check._state, "checked", False)
    numba_check.check(lambda _: pytest.fail("checked again"))


@pytest.mark.parametrize("problem", ["it is wrong", ValueError("changed")])
def test_a_newer_version_that_fails_is_refused_with_those_that_work(newer, monkeypatch, problem):
    def failing(slope):
        if isinstance(problem, Exception):
            raise problem
        return problem

    monkeypatch.setattr(numba_check, "_problem", failing)
    for _ in range(2):
        with pytest.raises(UnsupportedVersion, match=r"newer than those tested(.|\n)*from 0\.61 to 0\.1, or"):
            srcad.grad(lambda x: x * x)(2.0)
    assert srcad.grad(lambda x: x * x, jit=False)(2.0) == 4.0
