"""Minimum cut: which values to record, so that all needed values can be recomputed from them at the least cost.

Every value has two nodes, *needed again* and *available*, joined by an edge whose capacity is the cost of recording it.
A value that is needed again without being recorded costs its computation, and requires its operands to be available.
The cheapest choice is a minimum cut, found by augmenting paths (Ford and Fulkerson 1956, shortest paths first: Edmonds
and Karp 1972). The graphs have one node for each value of one loop body, tens of nodes, so the simplest algorithm is
fast enough.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Mapping

from srcad.transforms.ir.cost_model import INFINITE_COST

Node = Hashable


class Network:
    """A flow network with capacities."""

    def __init__(self) -> None:
        self._residual: dict[Node, dict[Node, float]] = {}

    def edge(self, tail: Node, head: Node, capacity: float) -> None:
        """Add an edge; parallel edges add up."""
        forward = self._residual.setdefault(tail, {})
        forward[head] = forward.get(head, 0.0) + capacity
        self._residual.setdefault(head, {}).setdefault(tail, 0.0)

    def source_side(self, source: Node, sink: Node) -> set[Node]:
        """The nodes that can still be reached from the source at maximum flow."""
        while True:
            came_from = self._search(source, sink)
            if sink not in came_from:
                return set(came_from)
            path, node = [], sink
            while node != source:
                path.append((came_from[node], node))
                node = came_from[node]
            amount = min(self._residual[tail][head] for tail, head in path)
            for tail, head in path:
                self._residual[tail][head] -= amount
                self._residual[head][tail] += amount

    def _search(self, source: Node, sink: Node) -> dict[Node, Node]:
        """From where each node is reached, along shortest paths; the search ends where it has reached the sink."""
        came_from: dict[Node, Node] = {source: source}
        queue = deque([source])
        while queue:
            node = queue.popleft()
            for other, capacity in self._residual.get(node, {}).items():
                if capacity > 1e-9 and other not in came_from:
                    came_from[other] = node
                    if other == sink:
                        return came_from
                    queue.append(other)
        return came_from


def cheapest_record(
    needed: Iterable[str],
    operands: Mapping[str, Iterable[str]],
    record_cost: Mapping[str, float],
    compute_cost: Mapping[str, float],
) -> frozenset[str]:
    """The names to record, chosen from those in `record_cost`.

    `operands` lists, for each name that can be recomputed, the names of the same body that it is computed from; a name
    that is missing there can only be recorded.

    >>> cheapest_record(["t"], {"t": ["a", "b"]}, {"t": 4, "a": 4, "b": 4}, {"t": 1})
    frozenset({'t'})
    >>> sorted(cheapest_record(["t", "u"], {"t": ["a"], "u": ["a"]}, {"t": 4, "u": 4, "a": 4}, {"t": 1, "u": 1}))
    ['a']
    """
    network = Network()
    for name, cost in record_cost.items():
        network.edge((name, "again"), (name, "at hand"), cost)
        network.edge("source", (name, "again"), compute_cost[name] if name in operands else INFINITE_COST)
        for operand in operands.get(name, ()):
            network.edge((operand, "at hand"), (name, "again"), INFINITE_COST)
    for name in needed:
        network.edge((name, "at hand"), "sink", INFINITE_COST)
    reached = network.source_side("source", "sink")
    return frozenset(name for name in record_cost if (name, "again") in reached and (name, "at hand") not in reached)
