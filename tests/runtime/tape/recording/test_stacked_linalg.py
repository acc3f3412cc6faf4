"""Functions of matrices on a tape, given stacks: values are NumPy's, gradients those of each matrix."""

import numpy as np
import pytest

from srcad.errors import MissingRule
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.recording.stacked_linalg import holds_stack, of_each_matrix
from srcad.runtime.tape.values.conversions import constant

linalg = np.linalg
RANDOM = np.random.default_rng(4)
B = RANDOM.normal(size=(2, 2, 3, 3)) + 3.0 * np.eye(3)
S = B @ np.swapaxes(B, -1, -2)
CALLS = {
    "det": (linalg.det, B),
    "slogdet": (lambda x: linalg.slogdet(x)[1], B),
    "cholesky": (linalg.cholesky, S),
    "solve": (lambda x: linalg.solve(x, x[0]), B),
    "solve a vector": (lambda x: linalg.solve(x, np.ones(3)), B),
    "solve one matrix": (lambda x: linalg.solve(B[0, 0], x), B),
    "eigh": (lambda x: linalg.eigh(x)[0], S),
    "eigvalsh": (linalg.eigvalsh, S),
    "svd": (lambda x: linalg.svd(x, full_matrices=False)[1], B),
    "svdvals": (linalg.svdvals, B),
    "qr": (lambda x: linalg.qr(x)[1], B),
    "pinv": (linalg.pinv, B),
    "power": (lambda x: linalg.matrix_power(x, 3), B),
    "cond": (linalg.cond, B),
}


@pytest.mark.parametrize("name", CALLS)
def test_gradients_are_those_of_differences(name):
    call, point = CALLS[name]
    x, direction = constant(point), RANDOM.normal(size=point.shape)
    with GradientTape() as tape:
        tape.watch(x)
        call(x[0, 0])  # of one matrix first, for which a function is written
        y = call(x)
        total = np.sum(np.sin(y))
    np.testing.assert_allclose(y.numpy(), call(point), rtol=1e-10)
    ahead, behind = (np.sum(np.sin(call(point + step * direction))) for step in (1e-6, -1e-6))
    found = np.sum(tape.gradient(total, x).numpy() * direction)
    assert found == pytest.approx((ahead - behind) / 2e-6, rel=1e-6, abs=1e-7)


def test_one_matrix_is_no_stack_and_a_stack_of_none_is_refused():
    assert not holds_stack(linalg.det, (B[0, 0],))
    assert not holds_stack(np.sin, (B,))
    np.testing.assert_allclose(of_each_matrix(linalg.det, B), linalg.det(B))
    with pytest.raises(MissingRule, match="no matrices"):
        of_each_matrix(linalg.det, B[:0])
