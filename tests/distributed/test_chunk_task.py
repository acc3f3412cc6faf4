import pickle

import numpy as np
import pytest

from srcad.distributed.chunk_task import ChunkTask, gradient_of
from srcad.errors import BadArgument
from tests.distributed.programs import Loader, chunks, failing, misfit, parameters, same


def test_tasks_arrive_whole_and_share_one_gradient_in_a_process():
    one, other = (pickle.loads(pickle.dumps(ChunkTask(misfit, 0, False))) for _ in range(2))
    assert gradient_of(one.content, 0, False) is gradient_of(other.content, 0, False)
    assert same(*(each((parameters(),), chunks()[2]) for each in (one, other)))


def test_chunks_are_arguments_tuples_of_them_or_loaded():
    task = ChunkTask(failing, "w", False)
    x = np.array([1.0, 2.0])
    assert task((2.0,), x) == task((2.0,), (x,)) == task((2.0,), Loader(x)) == (6.0, 3.0)


def test_chunks_that_do_not_fit_the_arguments_are_told_with_the_cure():
    with pytest.raises(BadArgument, match="as 2 arguments, one for each element of the tuple: too many"):
        ChunkTask(failing, "w", False)((2.0,), (np.ones(2), np.ones(2)))
