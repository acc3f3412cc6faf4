"""Products with several vectors at once are those with each, and are taken where they are faster."""

import numpy as np
import pytest

import srcad
from srcad.api import all_directions
from srcad.api.derivative_object import made
from srcad.api.products_at_once import VectorProducts, in_blocks
from srcad.driver.version import Request
from srcad.runtime.kernels.directions import WIDTH


def chain(x):
    y = np.empty_like(x)
    y[0] = x[0]
    for i in range(1, x.shape[0]):
        y[i] = np.exp(-x[i] * x[i - 1]) * np.sin(x[i])
    return y


def recursive(x):
    return x if x[0] > 100.0 else 2.0 * x + recursive(x * 100.0)


X = np.linspace(0.5, 2.0, 10)


def test_vectors_become_columns_of_blocks():
    vectors = [np.full(3, float(k)) for k in range(WIDTH + 2)]
    one, two = in_blocks(vectors)
    assert (one == np.arange(WIDTH)).all()
    assert (two[:, :2] == [WIDTH, WIDTH + 1]).all()
    assert not two[:, 2:].any()


def test_the_faster_way_is_taken_after_some_time(monkeypatch):
    monkeypatch.setattr(all_directions, "PAYS_AFTER", 1e-9)
    products = VectorProducts(True)
    assert not products.pays(9)
    assert products.timed(lambda vector: 2.0 * vector)(X)[0] == 2.0 * X[0]
    assert products.pays(9)
    assert not products.pays(1)
    products._single, products._block = 1.0, 2.0
    assert products.pays(WIDTH)
    assert not products.pays(2)
    assert not VectorProducts(False).pays(9)


@pytest.mark.nightly
@pytest.mark.compiled
def test_blocks_of_products(monkeypatch):
    monkeypatch.setattr(all_directions, "PAYS_AFTER", 0.0)
    push = made(chain, Request("tangent", (0,), False), True)
    products, vectors = VectorProducts(True), list(np.random.default_rng(0).normal(size=(10, 10)))
    found = products.of_blocks(push.current(), 0, (X,), in_blocks(vectors))
    for k, vector in enumerate(vectors):
        np.testing.assert_array_equal(found[k // WIDTH][:, k % WIDTH], push(X, vector)[1])
    jac = srcad.sparse_jacobian(chain)
    for _ in range(2):
        np.testing.assert_allclose(jac(X).toarray(), srcad.jacobian(chain, jit=False)(X), rtol=1e-14)
    assert jac.products._block < np.inf


@pytest.mark.nightly
@pytest.mark.compiled
def test_without_vector_mode_single_products_are_taken():
    push = made(recursive, Request("tangent", (0,), False), True)
    products = VectorProducts(True)
    assert products.of_blocks(push.current(), 0, (X,), in_blocks([X])) is None
    products._spent = 1e9
    assert not products.pays(9)
