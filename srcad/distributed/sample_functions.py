"""Sample functions for examples, measurements and tests: functions at the top of a module, which can be sent."""

from __future__ import annotations

from typing import Any

import numpy as np


def squared_error(w: Any, x: Any, y: Any) -> Any:
    """The squared error of a straight line through the origin.

    >>> float(squared_error(1.5, np.array([1.0, 2.0]), np.array([2.0, 3.0])))
    0.25
    """
    return np.sum((x * w - y) ** 2)


def network_error(w: Any, x: Any, y: Any) -> Any:
    """The squared error of a network with one hidden layer, for the rows of `x`.

    >>> float(network_error({"in": np.zeros((2, 3)), "out": np.ones(3)}, np.ones((4, 2)), np.ones(4)))
    4.0
    """
    total = 0.0
    for i in range(x.shape[0]):
        error = np.sum(np.tanh(x[i] @ w["in"]) * w["out"]) - y[i]
        total += error * error
    return total
