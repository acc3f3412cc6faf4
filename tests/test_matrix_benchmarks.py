"""Programs with matrices in benchmarks/: gradients are those of differences, and so are the adjoints by hand."""

import numpy as np
import pytest

import srcad
from benchmarks.matrices.by_hand import ADJOINTS
from benchmarks.matrices.programs import WORKLOADS
from tests.differences import directional_derivative, flat, moved


def test_each_program_has_an_adjoint_by_hand():
    assert sorted(each.name for each in WORKLOADS) == sorted(ADJOINTS)


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda each: each.name)
def test_gradient_is_that_of_differences_and_that_by_hand(workload):
    arguments = workload.fresh_arguments(False)
    rng = np.random.default_rng(3)
    directions = {k: rng.normal(size=np.shape(arguments[k])) for k in workload.wrt}

    def along(step):
        return workload.function(
            *(moved(each, directions[k], step) if k in directions else each for k, each in enumerate(arguments))
        )

    expected, error = directional_derivative(along)
    by_hand = getattr(ADJOINTS[workload.name], "py_func", ADJOINTS[workload.name])
    for gradient in (srcad.grad(workload.function, wrt=workload.wrt, jit=False), by_hand):
        found = gradient(*arguments)
        slope = sum(np.dot(flat(one), flat(directions[k])) for one, k in zip(found, workload.wrt, strict=True))
        assert slope == pytest.approx(expected, rel=1e-6, abs=max(1e-9, 10.0 * error))
