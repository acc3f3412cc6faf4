import threading

import numpy as np
import pytest

import srcad
from srcad import GradientTape, Variable

X = np.ones((4, 2)) * 0.7


class Layer:
    def __call__(self, x):
        return self.forward(x)


class Dense(Layer):
    def __init__(self, rows, columns, activation=np.tanh):
        self.w, self.b = Variable(np.ones((rows, columns)) * 0.3), Variable(np.zeros(columns))
        self.activation, self.scale = activation, 1.0

    def forward(self, x):
        return self.activation(x @ self.w + self.b) * self.scale


class Chain(Layer):
    def __init__(self, *layers):
        self.layers = list(layers)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Wave:
    def __init__(self, rate):
        self.rate = Variable(rate)

    @srcad.function(jit=False)
    def __call__(self, x):
        return np.sin(x * self.rate)


def variables_of(layer):
    return [v for each in layer.layers for v in variables_of(each)] if isinstance(layer, Chain) else [layer.w, layer.b]


def assert_like_python(f, compiled, variables, x=X):
    """The gradient through a function of srcad is that of its operations one by one."""
    with GradientTape() as tape:
        y = compiled(x)
    with GradientTape() as eager:
        expected = f(x)
    found, wanted = tape.gradient(y, variables), eager.gradient(expected, variables)
    np.testing.assert_allclose(y, expected)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other)


NETS = {
    "a list": lambda: Chain(Dense(2, 3), Dense(3, 1)),
    "functions of its own": lambda: Chain(Dense(2, 3, np.sin), Dense(3, 1, lambda z: z * z)),
    "chains in a chain": lambda: Chain(Chain(Dense(2, 3), Dense(3, 3)), Chain(Chain(Dense(3, 2)), Dense(2, 1))),
}


@pytest.mark.parametrize("kind", NETS)
def test_layers_that_are_called_are_read_by_their_attributes(kind):
    net = NETS[kind]()

    def loss(x):
        return np.sum(net(x) ** 2)

    assert_like_python(loss, srcad.function(loss, jit=False), variables_of(net))


def test_attributes_of_layers_in_a_list_are_differentiated():
    net = Chain(Dense(2, 3), Dense(3, 1))

    def loss(x):
        return np.sum(net(x)) + sum([np.sum(layer.w**2) for layer in net.layers]) + net.layers[1].w[0, 0]

    assert_like_python(loss, srcad.function(loss, jit=False), variables_of(net))


def test_changes_of_layers_are_seen_by_the_next_call():
    net = Chain(Dense(2, 3), Dense(3, 1))

    def loss(x):
        return np.sum(net(x))

    compiled = srcad.function(loss, jit=False)
    assert_like_python(loss, compiled, variables_of(net))
    net.layers[0].w.assign(net.layers[0].w * 2.0)
    assert_like_python(loss, compiled, variables_of(net))
    net.layers[1].scale = 3.0
    assert_like_python(loss, compiled, variables_of(net))
    net.layers.insert(1, Dense(3, 3, np.sin))
    assert_like_python(loss, compiled, variables_of(net))
    net.layers[0].activation = np.cos
    assert_like_python(loss, compiled, variables_of(net))


def test_another_call_of_the_class_is_seen(monkeypatch):
    waves = [Wave(0.5)]

    def f(x):
        return waves[0](x)

    compiled = srcad.function(f, jit=False)
    assert_like_python(f, compiled, [waves[0].rate], 0.7)
    monkeypatch.setattr(Wave, "__call__", lambda self, x: x * self.rate * self.rate)
    assert_like_python(f, compiled, [waves[0].rate], 0.7)


def test_layers_whose_call_is_a_function_of_srcad():
    waves = [Wave(0.5), Wave(0.8)]

    def f(x):
        return waves[0](x) + waves[1](x) * waves[1].rate

    assert_like_python(f, srcad.function(f, jit=False), [each.rate for each in waves], 0.7)


@pytest.mark.filterwarnings("ignore::srcad.errors.PerformanceWarning")
def test_layers_with_what_cannot_be_captured_are_called_as_functions():
    class Locked(Dense):
        def __init__(self, chain):
            super().__init__(2, 2)
            self.lock, self.chain = threading.Lock(), chain

    chain = Chain()
    chain.layers += [Locked(chain), Locked(chain)]

    def loss(x):
        return np.sum(chain.layers[1](chain.layers[0](x)))

    assert_like_python(loss, srcad.function(loss, jit=False), variables_of(chain))


@pytest.mark.compiled
@pytest.mark.filterwarnings("error::srcad.errors.PerformanceWarning")
def test_a_net_of_layers_in_a_list_is_compiled():
    net = Chain(Dense(2, 3), Dense(3, 1))

    def loss(x):
        return np.sum(net(x) ** 2)

    assert_like_python(loss, srcad.function(loss), variables_of(net))


TABLE = {0: 2.0, "": np.array([3.0, 1.0]), None: np.array([5.0]), (): {None: 4.0}}


def test_entries_whose_keys_are_false_are_read_again_at_each_call(monkeypatch):
    def f(x):
        return TABLE[0] * x + TABLE[""][0] * x + TABLE[None][0] * x + TABLE[()][None] * x

    slope = srcad.grad(f, jit=False)
    assert slope(1.0) == 14.0
    monkeypatch.setitem(TABLE, 0, 3.0)
    monkeypatch.setitem(TABLE[()], None, 6.0)
    assert slope(1.0) == 17.0
    TABLE[""][0] += 1.0
    assert slope(1.0) == 18.0
    TABLE[""][0] -= 1.0
