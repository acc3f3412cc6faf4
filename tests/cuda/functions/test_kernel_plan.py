"""Which values are put into memory, and which share a kernel."""

import numpy as np

import srcad.cuda
from srcad.cuda.functions.array_expressions import Graph
from srcad.cuda.functions.index_maps import subscript
from srcad.cuda.functions.kernel_plan import planned
from tests.cuda.functions.emulated_device import EmulatedDevice, on_device


def argument(graph, *shape):
    return graph.made("argument", shape, np.float64, (), 0)


def test_a_chain_is_one_kernel_and_its_sum_as_well():
    graph = Graph()
    x = argument(graph, 100)
    y = graph.map(np.exp, graph.map(np.multiply, x, graph.constant(2.0)))
    total = graph.reduce("sum", graph.map(np.multiply, y, x), (0,), np.float64)
    groups, kept = planned([y, total], ())
    assert [group.members for group in groups] == [[y, total]]
    assert kept == {y.number, total.number}


def test_what_needs_a_sum_is_in_a_later_kernel():
    graph = Graph()
    x = argument(graph, 100)
    total = graph.reduce("sum", x, (0,), np.float64)
    y = graph.map(np.divide, x, total)
    assert [group.members for group in planned([y], ())[0]] == [[total], [y]]


def test_a_value_that_is_read_at_several_places_is_put_into_memory():
    graph = Graph()
    x = argument(graph, 100)
    y = graph.map(np.exp, x)
    parts = [graph.view(y, subscript((100,), slice(k, 98 + k))) for k in range(3)]
    z = graph.map(np.add, graph.map(np.add, parts[0], parts[1]), parts[2])
    assert [group.members for group in planned([z], ())[0]] == [[y], [z]]


def test_a_value_that_many_threads_read_is_put_into_memory_unless_it_is_cheap():
    graph = Graph()
    x = argument(graph, 100)
    for function, count in ((np.exp, 2), (np.negative, 1)):
        y = graph.map(function, x)
        rows, columns = (graph.view(y, subscript((100,), key)) for key in ((slice(None), None), (None, slice(None))))
        assert len(planned([graph.map(np.add, rows, columns)], ())[0]) == count


def test_a_long_chain_is_cut():
    graph = Graph()
    y = argument(graph, 100)
    for _ in range(300):
        y = graph.map(np.sin, y)
    groups = planned([y], ())[0]
    assert 4 <= len(groups) <= 300 // 20


def test_reductions_over_other_axes_are_other_kernels():
    graph = Graph()
    x = argument(graph, 10, 10)
    sums = [graph.reduce("sum", x, axes, np.float64) for axes in ((0,), (1,), (0, 1))]
    assert [group.axes for group in planned(sums, ())[0]] == [(0,), (1,), (0, 1)]


def test_what_is_in_memory_is_not_computed_again():
    graph = Graph()
    y = graph.map(np.exp, argument(graph, 100))
    z = graph.map(np.sin, y)
    assert planned([z], {y.number})[0][0].cost == 8
    assert planned([y], {y.number})[0] == []


def test_many_steps_of_a_stencil_are_few_kernels_again_and_again():
    def heat(u, c):
        for _ in range(20):
            v = np.copy(u)
            v[1:-1, 1:-1] += c * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])
            u = v
        return np.sum(u * u)

    class Nothing(EmulatedDevice):
        def launch(self, text, name, grid, block, given):
            self.launched.append(text)

    derivative = srcad.cuda.value_and_grad(heat, (0, 1))
    device = derivative._device = Nothing()
    derivative(on_device(np.ones((9, 9))), 0.1)
    assert len(device.launched) <= 6 * 20 + 10
    assert len(set(device.launched)) <= 20
    assert max(map(len, device.launched)) < 4000
