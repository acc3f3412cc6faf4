"""Objects of users' classes: their properties, what they iterate over, and sequences of names."""

from dataclasses import dataclass

import numpy as np

from tests.programs.program import Program, numbers


class Tank:
    def __init__(self, level):
        self._level = level
        self.writes = 0

    @property
    def level(self):
        return self._level

    @level.setter
    def level(self, value):
        self.writes += 1
        self._level = value if value < 3.0 else 3.0 + np.log(value - 2.0)


def property_with_a_setter(x, rate):
    tank = Tank(x[0])
    for inflow in x:
        tank.level = tank.level + rate * inflow * inflow
        tank.level *= 1.1
    return tank.level * tank.writes


class Network:
    def __init__(self, *layers):
        self.layers = list(layers)

    def __iter__(self):
        return iter(self.layers)

    def __len__(self):
        return len(self.layers)

    def __getitem__(self, k):
        return 0.5 * self.layers[k]

    def __call__(self, x):
        for k, layer in enumerate(self):
            x = np.tanh(layer @ x) + k
        return x


def object_that_is_looped_over(m, x):
    network = Network(m, m.T, 2.0 * m)
    weights = sum(np.sum(each**2) for each in network)
    return np.sum(network(x)) + weights * len(network) + np.sum(network[1])


def list_that_changes_while_its_object_is_looped_over(x):
    network, total = Network(x[0], x[1], x[2]), 0.0
    for k, each in enumerate(network):
        total += each * each
        if k < 2:
            network.layers[k + 1] = network.layers[k + 1] * each
    return total


@dataclass
class Factor:
    """A table over named variables."""

    names: tuple
    table: np.ndarray

    def over(self, names):
        order = [self.names.index(name) for name in names if name in self.names]
        return np.transpose(self.table, order).reshape([2 if name in self.names else 1 for name in names])

    def __mul__(self, other):
        names = tuple(dict.fromkeys(self.names + other.names))
        return Factor(names, self.over(names) * other.over(names))

    def without(self, name):
        rest = list(self.names)
        rest.remove(name)
        return Factor(tuple(rest), self.table.sum(axis=self.names.index(name)))


def variables_that_are_eliminated(p):
    a = Factor(("a",), np.array([1.0 - p[0], p[0]]))
    b = Factor(("b", "a"), np.array([[1.0 - p[1], p[1]], [p[2], 1.0 - p[2]]]))
    product = a * b * b
    return np.log(product.without("a").table[1]) * product.names.count("b")


NAMED = np.array([0.3, 0.6, 0.2])
PROGRAMS = [
    Program(property_with_a_setter, numbers(np.array([0.5, 1.3, -0.7]), 0.8), (0, 1)),
    Program(object_that_is_looped_over, lambda rng: (rng.normal(size=(3, 3)), rng.normal(size=3)), (0, 1)),
    Program(list_that_changes_while_its_object_is_looped_over, numbers(np.array([0.7, -1.2, 0.4]))),
    Program(variables_that_are_eliminated, numbers(NAMED), interpreted=True),
]
