import numpy as np
import pytest

from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.values.conversions import constant

# Functions that take one array, given a list of tensors beside a tensor.
FUNCTIONS = {
    "ufunc": lambda x, v: np.multiply([x, x * x], v),
    "ufunc, nested": lambda x, v: np.add([[x, 1.0], [2.0, x]], v),
    "operator": lambda x, v: v * [x, x * x],
    "outer": lambda x, v: np.outer([x, x * x], v),
    "where": lambda x, v: np.where([True, False], [x, x * x], v),
    "einsum": lambda x, v: np.einsum("i,i->", [x, x * x], v),
    "dot": lambda x, v: np.dot([x, x * x], v),
    "matmul": lambda x, v: np.matmul([[x, x * x], [1.0, x]], v),
    "stack": lambda x, v: np.stack([v, [x, x * x]]),
    "concatenation": lambda x, v: np.concatenate([v, np.stack([x, x * x])]),
    "rows": lambda x, v: np.vstack([v, v * x]),
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_lists_of_tensors_are_differentiated(function):
    def total(x, v):
        return float(np.sum(np.sin(function(x, v))))

    x, v = constant(0.7), constant([1.5, -0.5])
    with GradientTape() as tape:
        tape.watch([x, v])
        y = np.sum(np.sin(function(x, v)))
    by_x, by_v = tape.gradient(y, [x, v])
    step = 1e-6
    slope = (total(np.float64(0.7 + step), v.numpy()) - total(np.float64(0.7 - step), v.numpy())) / (2 * step)
    assert (0.0 if by_x is None else float(by_x)) == pytest.approx(slope, abs=1e-8)
    for place in range(2):
        moved = [v.numpy() + sign * step * np.eye(2)[place] for sign in (1, -1)]
        slope = (total(np.float64(0.7), moved[0]) - total(np.float64(0.7), moved[1])) / (2 * step)
        assert float(by_v[place]) == pytest.approx(slope, abs=1e-8)


def test_a_constant_of_a_tensor_is_the_tensor():
    x = constant([1.0, 2.0])
    assert constant(x) is x
    with GradientTape() as tape:
        tape.watch(x)
        y = constant(x, "float32", shape=(2, 1)) * constant(x)
    assert tape.gradient(y, x).tolist() == [6.0, 6.0]
    with pytest.raises(TypeError, match="shape"):
        constant(x, shape=(3,))
