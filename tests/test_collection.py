"""The collection of workloads: its gradients are those of differences, and who is sealed is chosen by names."""

import warnings

import numpy as np
import pytest

import srcad
from benchmarks.collection import measure, workloads
from tests.differences import directional_derivative, flat, moved
from tests.night import by_day, every

WORKLOADS = [pytest.param(each, id=each.name) for each in workloads()]


def test_names_are_unique_and_a_third_is_sealed():
    names = [each.name for each in workloads()]
    assert len(set(names)) == len(names) >= 50
    assert 0.2 < sum(each.sealed for each in workloads()) / len(names) < 0.45


@pytest.mark.parametrize("workload", by_day(WORKLOADS, every(12)))
def test_gradient_is_that_of_differences_in_a_direction(workload):
    arguments = workload.fresh_arguments(False)
    rng = np.random.default_rng(3)
    directions = {k: rng.normal(size=np.shape(arguments[k])) for k in workload.wrt}

    def along(step):
        return workload.function(
            *(moved(each, directions[k], step) if k in directions else each for k, each in enumerate(arguments))
        )

    expected, error = directional_derivative(along)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = srcad.grad(workload.function, wrt=workload.wrt, jit=False)(*arguments)
    slope = sum(np.dot(flat(one), flat(directions[k])) for one, k in zip(found, workload.wrt, strict=True))
    assert slope == pytest.approx(expected, rel=1e-6, abs=max(1e-9, 10.0 * error))


def test_the_report_has_means_of_tuned_and_sealed_workloads_and_what_they_gained():
    row = {"function": 1e-3, "jax": None, "memory": 1.0, "first": 2.0}
    now = {"one": {**row, "srcad": 2e-3, "sealed": False}, "other": {**row, "srcad": 4e-3, "sealed": True}}
    then = {"one": {**row, "srcad": 4e-3, "sealed": False}, "other": {**row, "srcad": 4e-3, "sealed": True}}
    text = measure.report(now, then)
    means = [[cell.strip() for cell in line.split("|")] for line in text.splitlines() if "mean" in line]
    assert [(each[1], each[3], each[-2]) for each in means] == [
        ("**tuned: geometric mean**", "2.00", "2.00"),
        ("**sealed: geometric mean**", "4.00", "1.00"),
    ]
