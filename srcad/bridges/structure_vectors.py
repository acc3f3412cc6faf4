"""Structures of numbers and arrays as vectors, the form in which SciPy's solvers have their unknowns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.api.pytree import flattened, take_apart
from srcad.errors import BadArgument, BadType


class StructureVectors:
    """The conversion between structures like an example and vectors of float64.

    The example is a number, an array, or tuples, lists, dictionaries and objects of these. A list or tuple of numbers
    is a vector, as for SciPy. What is no number in a structure, such as a text or a function, is kept as it is.

    >>> form = StructureVectors({"w": np.ones((2, 1)), "b": 3.0})
    >>> form.vector({"w": np.ones((2, 1)), "b": 3.0})
    array([1., 1., 3.])
    >>> form.structure(np.array([5.0, 6.0, 7.0]))["w"]
    array([[5.],
           [6.]])

    Raises BadType for integers, complex numbers and other dtypes within a structure.
    """

    def __init__(self, example: Any, name: str = "x0") -> None:
        self.name = name
        if _is_row(example) or isinstance(example, (np.ndarray, np.generic)):
            example = _floats(example, name)
        self.is_vector = isinstance(example, np.ndarray) and example.ndim == 1
        take_apart(example)  # registers classes seen for the first time
        leaves, self._spec = flattened(example)
        self._kept = [None if _is_number(leaf) else leaf for leaf in leaves]
        self._shapes: list[tuple[int, ...] | None] = []  # of each leaf: None for one that is kept
        for path, leaf in zip(self._spec.paths(), leaves, strict=True):
            at = name + "".join(f"[{key!r}]" for key in path)
            self._shapes.append(_floats(leaf, at, within=bool(path)).shape if _is_number(leaf) else None)
        self._is_number = [not isinstance(leaf, np.ndarray) for leaf in leaves]
        sizes = [0 if shape is None else int(np.prod(shape)) for shape in self._shapes]
        self._ends = np.cumsum(sizes, dtype=int).tolist()
        self.size = self._ends[-1] if self._ends else 0
        if not self.size:
            raise BadArgument(f"`{name}` holds no number", hint="give the numbers to start from: np.array([1.0, 2.0])")
        self.start = self.vector(example)

    def vector(self, structure: Any) -> Any:
        """The numbers of a structure, one after another; gradients and results of functions are such structures."""
        if self.is_vector:
            if type(structure) is not np.ndarray:  # rows one by one, as SciPy takes them
                structure = np.array(structure, np.float64)
            if structure.shape != (self.size,):
                raise BadArgument(f"an array of shape {structure.shape} stands where `{self.name}` has {(self.size,)}")
            return structure
        leaves, found = self._leaves(structure), []
        for leaf, shape in zip(leaves, self._shapes, strict=True):
            if shape is not None:
                if np.shape(leaf) != shape:
                    raise BadArgument(f"an array of shape {np.shape(leaf)} stands where `{self.name}` has {shape}")
                found.append(np.ravel(leaf))
        return np.concatenate(found).astype(np.float64, copy=False)

    def _leaves(self, structure: Any) -> list[Any]:
        """What stands at the leaves of the example, by its keys."""
        try:
            found: list[Any] = self._spec.flatten_up_to(structure)
        except ValueError as problem:
            message = f"a structure is not that of `{self.name}`: {problem}"
            raise BadArgument(message, hint="give all structures the same classes, keys and lengths") from None
        return found

    def structure(self, vector: Any) -> Any:
        """The structure that has the numbers of a vector; arrays in it are views of the vector."""
        return vector if self.is_vector else self._with_axes(vector, (), lambda piece, shape: piece.reshape(shape))

    def columns(self, matrix: Any) -> Any:
        """The structure of which each leaf has one more axis, the last: the columns of a matrix are vectors."""
        return self._with_axes(matrix, matrix.shape[1:], lambda piece, shape: piece.reshape(*shape, *matrix.shape[1:]))

    def _with_axes(self, vector: Any, more: tuple[int, ...], shaped: Callable[[Any, Any], Any]) -> Any:
        leaves, begin = [], 0
        for kept, shape, end, number in zip(self._kept, self._shapes, self._ends, self._is_number, strict=True):
            if shape is None:
                leaves.append(kept)
            elif number and not more:
                leaves.append(float(vector[begin]))
            else:
                leaves.append(shaped(vector[begin:end], shape))
            begin = end
        return self._spec.unflatten(leaves)

    def bounds(self, given: Any) -> tuple[Any, Any]:
        """Lower and upper bounds as vectors, from a pair `(low, high)` or a structure with a pair or None at each leaf.

        None in a pair is no bound; a number or an array is broadcast to the shape of its leaf.
        """
        pairs = [given] * len(self._shapes) if _is_pair(given) else self._leaves(given)
        low, high = np.full(self.size, -np.inf), np.full(self.size, np.inf)
        begin = 0
        for pair, shape, end in zip(pairs, self._shapes, self._ends, strict=True):
            if shape is not None and pair is not None:
                if not _is_pair(pair):
                    raise BadArgument(f"a bound is {pair!r}", hint="give (low, high); None in it is no bound")
                for bound, side in zip(pair, (low, high), strict=True):
                    if bound is not None:
                        side[begin:end] = np.broadcast_to(bound, shape).ravel()
            begin = end
        return low, high

    def rows(self, block: Any, count: int) -> Any:
        """The Jacobian of one result of `count` elements by the structure, as a matrix."""
        if self.is_vector:
            return np.reshape(block, (count, self.size))
        leaves = self._leaves(block)
        places = [place for place, shape in enumerate(self._shapes) if shape is not None]
        return np.hstack([np.reshape(leaves[place], (count, -1)) for place in places])

    def square(self, jacobian: Any) -> Any:
        """The Jacobian of a function from the structure to itself, as a matrix."""
        if self.is_vector:
            return np.reshape(np.array(jacobian, np.float64), (self.size, self.size))
        pairs = zip(self._leaves(jacobian), self._shapes, strict=True)
        return np.vstack([self.rows(block, int(np.prod(shape))) for block, shape in pairs if shape is not None])


def _is_row(example: Any) -> bool:
    """Whether it is a list or tuple of numbers, which SciPy takes for a vector."""
    if type(example) not in (list, tuple) or not example:
        return False
    return all(isinstance(each, (float, int, np.number)) and not isinstance(each, bool) for each in example)


def _is_number(leaf: Any) -> bool:
    return isinstance(leaf, (np.ndarray, np.generic, float, int, complex))


def _is_pair(value: Any) -> bool:
    if type(value) is not tuple or len(value) != 2:
        return False
    return all(each is None or isinstance(each, (float, int, np.generic, np.ndarray)) for each in value)


def _floats(value: Any, name: str, within: bool = False) -> Any:
    """An array of float64. Integers become floats where SciPy makes them so: not within a structure."""
    kind = np.asarray(value).dtype.kind
    if kind == "f" or (kind == "i" and not within):
        return np.asarray(value, np.float64)
    told = {
        "i": "give a float, 1.0 or x.astype(float), or pass what does not vary in `args`",
        "u": "give a float, 1.0 or x.astype(float), or pass what does not vary in `args`",
        "b": "pass what does not vary in `args`",
        "c": "give real and imaginary parts as two real arrays",
    }
    hint = told.get(kind, "give numbers or arrays of dtype float64")
    raise BadType(f"`{name}` has the dtype {np.asarray(value).dtype}, by which nothing can be solved for", hint=hint)
