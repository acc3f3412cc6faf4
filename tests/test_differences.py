import numpy as np

from tests.differences import flat, moved


def test_nested_results_become_one_vector():
    assert flat((1.0, [np.ones((2, 2)), 2])).tolist() == [1.0, 1.0, 1.0, 1.0, 1.0, 2.0]
    assert flat(()).shape == (0,)


def test_moving_keeps_types():
    assert moved(np.float32([1.0]), np.ones(1), 0.5).dtype == np.float32
    assert type(moved(1.0, 2.0, 0.5)) is float
