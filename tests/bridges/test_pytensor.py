"""The bridge to PyTensor, against `verify_grad`, Hessians by hand, and a posterior that is known."""

import numpy as np
import pytest

import srcad
from srcad.bridges.pytensor import as_op

pytensor = pytest.importorskip("pytensor", reason="PyTensor is not installed")
pt = pytensor.tensor

# PyTensor warns of what it does with Numba and BLAS on the machine.
pytestmark = pytest.mark.filterwarnings("ignore")


def modulated(x, k):
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sin(k * x[i]) * x[i]
    return total


def two_results(x, y):
    return x * np.exp(y), np.sum(x) * y[0]


def verify(f, points, mode="FAST_COMPILE"):
    pytensor.gradient.verify_grad(f, points, rng=np.random.default_rng(0), mode=mode)


X, K = np.array([0.3, 0.7, 1.1]), np.array(1.3)


def test_gradients_agree_with_differences():
    verify(as_op(modulated, jit=False), [X, K])
    for place in range(2):
        verify(lambda x, y, place=place: as_op(two_results, jit=False)(x, y)[place], [X, X + 1.0])
    verify(lambda x: as_op(lambda x, i: x[i] * x[i + 1], jit=False)(x, 1), [X])


def second_derivative(op, mode):
    x, k = pt.dvector("x"), pt.dscalar("k")
    return pytensor.function([x, k], pytensor.gradient.hessian(op(x, k), x), mode=mode)(X, K)


def by_hand():
    return np.diag(2 * K * np.cos(K * X) - K**2 * X * np.sin(K * X))


def test_hessians_are_those_by_hand():
    assert np.allclose(second_derivative(as_op(modulated, jit=False), "FAST_COMPILE"), by_hand(), rtol=1e-12)


@pytest.mark.compiled
def test_pytensors_numba_backend_compiles_value_and_gradient():
    x, k = pt.dvector("x"), pt.dscalar("k")
    value = as_op(modulated)(x, k)
    run = pytensor.function([x, k], [value, *pytensor.grad(value, [x, k])], mode="NUMBA")
    found = run(X, K)
    assert np.allclose(found[0], np.sum(np.sin(K * X) * X), rtol=1e-14)
    assert np.allclose(found[1], np.sin(K * X) + K * X * np.cos(K * X), rtol=1e-14)
    assert np.allclose(found[2], np.sum(X**2 * np.cos(K * X)), rtol=1e-14)
    assert np.allclose(second_derivative(as_op(modulated), "NUMBA"), by_hand(), rtol=1e-12)
    verify(lambda x, y: as_op(two_results)(x, y)[0], [X, X + 1.0], "NUMBA")


@pytest.mark.compiled
def test_arguments_are_not_overwritten_and_captured_arrays_are_read_at_each_call():
    factor = np.array([1.0, 2.0])

    def overwriting(x):
        x[0] = x[0] * x[1]
        return x[0] * x[1]

    def captured(x):
        return np.sum(x * x * factor)

    x = pt.dvector("x")
    doubled = x * 2.0
    one, other = as_op(overwriting)(doubled), as_op(captured)(x)
    run = pytensor.function([x], [one, doubled, pytensor.grad(one, x), pytensor.grad(other, x)], mode="NUMBA")
    value, still, slope, before = run(np.array([3.0, 5.0]))
    assert (value, still.tolist(), slope.tolist()) == (600.0, [6.0, 10.0], [200.0, 240.0])
    assert before.tolist() == [6.0, 20.0]
    factor[:] = 0.5
    assert run(np.array([3.0, 5.0]))[3].tolist() == [3.0, 5.0]


def test_gradients_by_integers_are_zero_and_unused_results_do_not_count():
    x, i = pt.dvector("x"), pt.lscalar("i")
    value = as_op(lambda x, i: x[i] * x[i + 1], jit=False)(x, i)
    assert pytensor.grad(value, x).eval({x: X, i: 1}, mode="FAST_COMPILE").tolist() == [0.0, X[2], X[1]]
    first = as_op(two_results, jit=False)(x, x)[0].sum()
    assert np.allclose(pytensor.grad(first, x).eval({x: X}, mode="FAST_COMPILE"), (1.0 + X) * np.exp(X))


@pytest.mark.parametrize(
    ("make", "cure"),
    [
        (pt.zvector, "real numbers"),
        (lambda: {"a": 1.0}, "each part"),
        (lambda: pt.tensor(dtype="float16", shape=(None,)), "astype"),
    ],
)
def test_bad_input_is_refused_with_the_cure(make, cure):
    with pytest.raises(srcad.BadType, match=cure):
        as_op(np.sum, jit=False)(make())


def test_third_derivatives_are_refused():
    x = pt.dscalar("x")
    second = pytensor.grad(pytensor.grad(as_op(lambda x: x**4, jit=False)(x), x), x)
    assert second.eval({x: 2.0}, mode="FAST_COMPILE") == pytest.approx(48.0)
    with pytest.raises(srcad.BadArgument, match="three times"):
        pytensor.grad(second, x)


@pytest.mark.nightly
@pytest.mark.compiled
def test_nuts_finds_a_posterior_that_is_known():
    pymc = pytest.importorskip("pymc", reason="PyMC is not installed")
    rng = np.random.default_rng(1)
    data = rng.normal(0.8, 1.0, 40)

    def log_likelihood(mean, y):
        # A sum with a loop that ends at a value known only at run time.
        total, i = 0.0, 0
        while True:
            if i == y.shape[0] or y[i] > 1e6:
                break
            total -= 0.5 * (y[i] - mean) ** 2
            i += 1
        return total

    with pymc.Model():
        mean = pymc.Normal("mean", 0.0, 2.0)
        pymc.Potential("likelihood", as_op(log_likelihood)(mean, data))
        drawn = pymc.sample(1000, tune=500, chains=2, cores=1, progressbar=False, random_seed=2).posterior["mean"]
    precision = 40 + 0.25
    assert float(drawn.mean()) == pytest.approx(data.sum() / precision, abs=0.03)
    assert float(drawn.std()) == pytest.approx(precision**-0.5, rel=0.1)
