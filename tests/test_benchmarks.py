"""The workloads of the benchmarks: their gradients are those of the adjoints written by hand, and of differences."""

import numpy as np
import pytest

import srcad
from benchmarks import by_hand, pass_worth
from benchmarks.defended import DEFENDED
from benchmarks.workloads import WORKLOADS
from tests.checking import assert_gradient
from tests.differences import own_copy


@pytest.mark.slow
@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda each: each.name)
def test_gradient_by_hand_and_by_srcad_agree_with_finite_differences(workload):
    arguments = workload.arguments(workload.small, np.random.default_rng(5))
    by_hand_found = by_hand.ADJOINTS[workload.name].py_func(*map(own_copy, arguments))
    found = srcad.grad(workload.function, wrt=workload.wrt, jit=False)(*arguments)
    for one, other in zip(found, by_hand_found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    assert_gradient(workload.function, *arguments, wrt=workload.wrt, modes=("gradient",))


def total(x):
    return np.sum(x * x)


def test_measuring_what_a_pass_gains_finds_the_passes_that_change_a_program():
    program = pass_worth.Program("total", total, (0,), lambda: (np.ones(3),))
    found = pass_worth.texts(program, ["elementwise_fusion", "vector_math"])
    assert found["elementwise_fusion"] != found[""]
    assert found["vector_math"] == found[""]


@pytest.mark.parametrize(
    ("name", "workload"),
    [pytest.param(name, each, id=each.name) for name, table in DEFENDED.items() for each in table],
)
def test_a_program_that_defends_a_pass_has_a_right_gradient_and_is_changed_by_the_pass(name, workload):
    arguments = workload.fresh_arguments(large=False)
    assert_gradient(workload.function, *arguments, wrt=workload.wrt, modes=("loops",))
    with_it, without = (
        srcad.source(workload.function, wrt=workload.wrt, args=arguments, without=each) for each in ((), name)
    )
    assert with_it != without


def test_modules_with_tables_of_workloads_are_measured_like_files():
    found = pass_worth.programs(["benchmarks.defended"])
    assert [each.name for each in found][:2] == ["squashed_layer", "masked_layer"]
    assert [np.shape(each) for each in found[0].arguments()] == [(1200, 1200), (1200,)]
