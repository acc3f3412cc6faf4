"""The thirteen workloads (fields on grids, losses of models): what `srcad.source` prints is a program of its own."""

import functools
import runpy

import numpy as np
import pytest
from numba import njit, typeof

import srcad
from tests.differences import flat
from tests.programs import grids, models

WORKLOADS = [pytest.param(program, id=program.name) for program in grids.PROGRAMS + models.PROGRAMS]


def test_there_are_thirteen_workloads():
    assert len(WORKLOADS) == 13


@functools.cache
def text_of(program, arrays):
    signature = [typeof(argument) for argument in program.fresh_arguments()]
    return srcad.source(program.function, mode="grad", wrt=program.wrt, signature=signature, arrays=arrays)


@pytest.mark.slow
@pytest.mark.parametrize("program", WORKLOADS)
@pytest.mark.parametrize("arrays", [False, True], ids=["loops", "arrays"])
def test_printed_source_runs_alone_and_gives_the_same_gradient(program, arrays, tmp_path):
    text = text_of(program, arrays)
    script = tmp_path / "printed.py"
    script.write_text(text)
    alone = runpy.run_path(str(script))[f"{program.name}_grad"]
    expected = srcad.grad(program.function, wrt=program.wrt, jit=False)(*program.fresh_arguments())
    np.testing.assert_allclose(flat(alone(*program.fresh_arguments())), flat(expected), rtol=1e-10, atol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("program", WORKLOADS)
def test_printed_source_is_the_same_every_time(program):
    assert text_of.__wrapped__(program, False) == text_of(program, False)


@pytest.mark.compiled
def test_gradient_serves_in_a_compiled_loop_that_descends():
    rng = np.random.default_rng(0)
    points, centres = rng.normal(size=(30, 2)), rng.normal(size=(3, 2))
    slope = srcad.grad(models.nearest_centre_cost, wrt=1)

    @njit
    def descend(points, centres, rate, steps):
        for _ in range(steps):
            centres = centres - rate * slope(points, centres)
        return centres

    before = models.nearest_centre_cost(points, centres)
    found = descend(points, centres, 0.02, 400)
    assert models.nearest_centre_cost(points, found) < before
    # At a minimum each centre is the mean of the points nearest to it.
    nearest = np.argmin(((points[:, None] - found[None]) ** 2).sum(2), axis=1)
    for j in np.unique(nearest):
        np.testing.assert_allclose(found[j], points[nearest == j].mean(axis=0), rtol=1e-4)
