"""Real processes, which begin and end; every call has a limit in time."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from srcad.distributed import map_gradient
from srcad.errors import WorkersLost
from tests.distributed.programs import (
    EndsItsProcess,
    EndsItsProcessOnce,
    Loader,
    chunks,
    failing,
    misfit,
    parameters,
    same,
)
from tests.waiting import pool_of_threads

LIMIT = 120.0


def test_two_processes_give_what_one_gives_also_if_one_of_them_is_lost(tmp_path):
    given = chunks()
    expected = map_gradient(misfit, given, value=True, jit=False)(parameters())
    loaded = [Loader(each) for each in given]
    loaded[3] = EndsItsProcessOnce(str(tmp_path / "flag"), given[3])
    with map_gradient(misfit, loaded, value=True, jit=False, workers=2, timeout=LIMIT) as gradient:
        assert same(gradient(parameters()), expected)
        assert (tmp_path / "flag").exists()
        assert same(gradient(parameters()), expected)


@pytest.mark.slow
def test_processes_that_end_again_and_again_are_an_error():
    with (
        map_gradient(misfit, [EndsItsProcess(None)], jit=False, workers=1, retries=1, timeout=LIMIT) as gradient,
        pytest.raises(WorkersLost, match="among them that of chunk 0"),
    ):
        gradient(parameters())


def test_threads_give_what_one_gives():
    expected = map_gradient(misfit, chunks(), value=True, jit=False)(parameters())
    with pool_of_threads(2) as pool:
        gradient = map_gradient(misfit, chunks(), value=True, jit=False, workers=pool, timeout=LIMIT)
        assert same(gradient(parameters()), expected)


def test_exceptions_of_the_function_are_raised_at_once():
    taken = []

    def counted():
        for size in (1, 3, 2, 2, 2, 2, 2, 2, 2, 2):
            taken.append(size)
            yield parameters()["b"][:1].repeat(size)

    with pool_of_threads(1) as pool, pytest.raises(ArithmeticError, match="a chunk of three"):
        map_gradient(failing, counted, jit=False, workers=pool, timeout=LIMIT)(2.0)
    assert len(taken) <= 4


MPI_SCRIPT = """\
from mpi4py.futures import MPIPoolExecutor

from srcad.distributed import map_gradient
from tests.distributed.programs import chunks, misfit, parameters, same

if __name__ == "__main__":
    expected = map_gradient(misfit, chunks(), value=True, jit=False)(parameters())
    with MPIPoolExecutor(2) as pool:
        found = map_gradient(misfit, chunks(), value=True, jit=False, workers=pool, timeout=60.0)(parameters())
    print("the same" if same(found, expected) else "different")
"""


def test_executors_of_mpi_give_what_one_process_gives(tmp_path):
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    if shutil.which("mpiexec") is None:
        pytest.skip("there is no mpiexec")
    script = tmp_path / "script.py"
    script.write_text(MPI_SCRIPT)
    root = str(Path(__file__).parents[2])
    as_root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # of Open MPI
    environment = {**os.environ, **as_root, "OMPI_MCA_rmaps_base_oversubscribe": "1", "PYTHONPATH": root}
    command = ["mpiexec", "-n", "3", sys.executable, "-m", "mpi4py.futures", str(script)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT, check=True)
    assert done.stdout.strip() == "the same"


class NeverDone(ThreadPoolExecutor):
    """An executor that accepts tasks and never runs them."""

    def submit(self, *_):
        return Future()


def test_calls_end_after_their_limit():
    with NeverDone(1) as pool, pytest.raises(TimeoutError, match="1 chunks were not computed within 0"):
        map_gradient(misfit, chunks(), jit=False, workers=pool, timeout=0.0)(parameters())


def test_no_more_chunks_are_taken_than_workers_need():
    taken, most = [], []

    class Watched(ThreadPoolExecutor):
        """An executor that notes how many chunks were taken, and not yet computed, when another one comes."""

        def submit(self, *args):
            most.append(len(taken) - sum(each.done() for each in futures))
            futures.append(super().submit(*args))
            return futures[-1]

    futures = []

    def counted():
        for each in chunks(40):
            taken.append(each)
            yield each

    with Watched(2) as pool:
        map_gradient(misfit, counted, jit=False, workers=pool, timeout=LIMIT)(parameters())
    assert len(taken) == 40
    assert max(most) <= 4
