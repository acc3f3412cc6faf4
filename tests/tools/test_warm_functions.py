"""The functions that fill the cache have gradients, at the arguments that they are given."""

import numpy as np
import pytest

from srcad.tools.warm_functions import FUNCTIONS
from tests.checking import assert_gradient


@pytest.mark.parametrize("function", FUNCTIONS)
def test_gradients_are_right(function):
    assert_gradient(function, *FUNCTIONS[function](np.random.default_rng(1)), modes=("arrays", "tangent"))
