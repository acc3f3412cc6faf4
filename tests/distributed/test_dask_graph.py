"""Chunks and workers of Dask: a real cluster of processes, on this machine only; every call has a limit in time."""

import numpy as np
import pytest

from srcad.distributed import map_gradient
from srcad.distributed.dask_graph import are_of_dask
from srcad.errors import BadArgument
from tests.distributed.programs import EndsItsProcessOnce, misfit, parameters, same

dask = pytest.importorskip("dask", reason="Dask is not installed")
distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
da = pytest.importorskip("dask.array", reason="Dask is not installed")

LIMIT = 120.0


@pytest.fixture(scope="module")
def client():
    options = {"host": "127.0.0.1", "dashboard_address": None, "threads_per_worker": 1}
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "60s"}),
        distributed.LocalCluster(n_workers=2, processes=True, **options) as cluster,
        distributed.Client(cluster, timeout=60) as client,
    ):
        yield client


@pytest.fixture
def rows():
    rng = np.random.default_rng(2)
    return rng.normal(size=70), rng.normal(size=70)


def expected_of(rows, size=10):
    given = [tuple(each[k : k + size] for each in rows) for k in range(0, 70, size)]
    return given, map_gradient(misfit, given, value=True, jit=False)(parameters())


def test_blocks_of_arrays_and_delayed_chunks_give_what_one_process_gives(client, rows):
    given, expected = expected_of(rows)
    options = {"value": True, "jit": False, "workers": client, "timeout": LIMIT}
    arrays = tuple(da.from_array(each, chunks=10) for each in rows)
    assert same(map_gradient(misfit, arrays, **options)(parameters()), expected)
    assert same(map_gradient(misfit, [dask.delayed(each) for each in given], **options)(parameters()), expected)
    assert same(map_gradient(misfit, iter(given), **options)(parameters()), expected)


def test_a_lost_worker_changes_nothing(client, rows, tmp_path):
    given, expected = expected_of(rows)
    given[3] = EndsItsProcessOnce(str(tmp_path / "flag"), given[3])
    gradient = map_gradient(misfit, given, value=True, jit=False, workers=client, timeout=LIMIT)
    assert same(gradient(parameters()), expected)
    assert (tmp_path / "flag").exists()


def test_functions_inside_of_functions_are_sent_with_their_code(client):
    k = 2.0

    def scaled(w, x):
        return np.sum(np.sin(w * x)) * k

    x = np.linspace(0.0, 1.0, 20)
    found = map_gradient(scaled, da.from_array(x, chunks=5), jit=False, workers=client, timeout=LIMIT)(0.7)
    assert found == pytest.approx(np.sum(np.cos(0.7 * x) * x) * k, rel=1e-14)


def test_present_scheduler_of_dask_serves_where_no_workers_are_given(rows):
    expected = expected_of(rows)[1]
    arrays = tuple(da.from_array(each, chunks=10) for each in rows)
    with dask.config.set(scheduler="synchronous"):
        assert same(map_gradient(misfit, arrays, value=True, jit=False)(parameters()), expected)
        mean = map_gradient(misfit, arrays, value=True, reduce="mean", jit=False)(parameters())
    assert mean[0] == pytest.approx(expected[0] / 7, rel=1e-15)


def test_arrays_that_are_cut_otherwise_are_refused_with_the_cure(rows):
    x, y = (da.from_array(each, chunks=size) for each, size in zip(rows, (10, 7), strict=True))
    with pytest.raises(BadArgument, match=r"rechunk\(\{0: x.chunks\[0\]\}\)"):
        map_gradient(misfit, (x, y), jit=False)(parameters())
    square = da.ones((4, 4), chunks=2)
    with pytest.raises(BadArgument, match=r"rechunk\(\{1: -1\}\)"):
        map_gradient(misfit, square, jit=False)(parameters())


def test_arrays_of_dask_are_told_apart():
    assert are_of_dask(da.ones(3))
    assert are_of_dask([1.0, dask.delayed(2.0)])
    assert not are_of_dask([1.0, np.ones(2)])
