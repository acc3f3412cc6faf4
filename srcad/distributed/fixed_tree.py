"""The fixed tree: sums of structures in an order that depends on their number only, whatever order they arrive in.

    0   1   2   3   4           leaves
    0+1     2+3     4
    (0+1)+(2+3)     4
    ((0+1)+(2+3))+4             total

Pairwise summation; its rounding errors grow with the logarithm of the number of leaves (Higham, The accuracy of
floating point summation, SIAM Journal on Scientific Computing 14(4), 1993).
"""

from __future__ import annotations

from typing import Any

from srcad.api.pytree import flattened, take_apart


def added(one: Any, other: Any) -> Any:
    """The sum of two structures of one form, leaf by leaf; None and None are None.

    >>> added((1.0, {"w": 2.0, "n": None}), (3.0, {"w": 4.0, "n": None}))
    (4.0, {'w': 6.0, 'n': None})
    """
    take_apart(one)
    leaves, spec = flattened(one)
    sums = [a if a is None else a + b for a, b in zip(leaves, flattened(other)[0], strict=True)]
    return spec.unflatten(sums)


def scaled(data: Any, factor: float) -> Any:
    """The product of a structure and a number.

    >>> scaled([2.0, None], 0.5)
    [1.0, None]
    """
    take_apart(data)
    leaves, spec = flattened(data)
    return spec.unflatten([each if each is None else each * factor for each in leaves])


class FixedTree:
    """Adds up structures that arrive in any order; keeps no more of them than the tree needs.

    >>> tree = FixedTree()
    >>> for index in (2, 0, 1):
    ...     tree.put(index, float(10**index))
    >>> tree.total(3)
    111.0
    """

    def __init__(self) -> None:
        self._nodes: dict[tuple[int, int], Any] = {}

    def __len__(self) -> int:
        """The number of sums that are kept."""
        return len(self._nodes)

    def put(self, index: int, value: Any, level: int = 0) -> None:
        """Give a leaf, or a node of a level, its value; what it completes is added up."""
        while (level, index ^ 1) in self._nodes:
            sibling = self._nodes.pop((level, index ^ 1))
            value = added(sibling, value) if index & 1 else added(value, sibling)
            level, index = level + 1, index // 2
        self._nodes[level, index] = value

    def total(self, count: int) -> Any:
        """The sum of all leaves, of which there are so many, at least one."""
        level = 0
        while count > 1:
            if count & 1:  # the last node has no sibling
                self.put(count // 2, self._nodes.pop((level, count - 1)), level + 1)
            level, count = level + 1, (count + 1) // 2
        return self._nodes.pop((level, 0))
