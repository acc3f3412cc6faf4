"""`srcad.sparse_jacobian` and `srcad.sparse_hessian`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcad.api.argument_binding import bind
from srcad.api.derivative_object import made
from srcad.api.grad_vjp_jvp import vjp
from srcad.api.products_at_once import VectorProducts
from srcad.api.wrt import positions
from srcad.driver.options import Options
from srcad.driver.version import Request
from srcad.errors import BadArgument, BadType
from srcad.frontend.load_source import name_of, signature_of
from srcad.sparse.compressed_products import Compressed, refuse_pattern
from srcad.sparse.pattern_search import found_pattern
from srcad.sparse.plans import Plan
from srcad.sparse.structural_pattern import structural_pattern

# Ways to find a pattern, with the modes of those by index sets.
_FOUND = {"products": None, "taken": "pattern", "all": "pattern_of_all"}
_HINT = "pass one vector of float64, and put it together in the function"


class SparseDerivative:
    """What `sparse_jacobian` and `sparse_hessian` return: a function of the same arguments, with a `plan`."""

    def __init__(self, function: Callable[..., Any], mode: str, where: int, given: Any, jit: bool) -> None:
        self.function, self.where, self.jit, self.is_symmetric = function, where, jit, mode == "hvp"
        self.push = made(function, Request(mode, (where,), False, Options.of(function=function)), jit)
        self._signature = signature_of(function)
        self.products = VectorProducts(jit)
        if isinstance(given, str) and given not in _FOUND:
            raise BadArgument(f"`pattern` is {given!r}", hint=f"give a matrix, a plan, or one of {', '.join(_FOUND)}")
        self._is_given = given is not None and not isinstance(given, str)
        self._sets = _FOUND[given] if isinstance(given, str) else None
        self._state: Compressed | None = None
        if self._is_given:
            self._state = Compressed(given if isinstance(given, Plan) else Plan.of(given, self._ways))

    @property
    def plan(self) -> Plan | None:
        """The pattern and its colours; None before the first call, unless they were given."""
        return None if self._state is None else self._state.plan

    @property
    def is_by_rows(self) -> bool:
        """Whether the matrix is read from reverse sweeps."""
        return self._state is not None and self._state.plan.way == "rows"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The matrix at these arguments, a `scipy.sparse.csr_array`."""
        args = bind(self._signature, args, kwargs)
        x = args[self.where]
        if not isinstance(x, np.ndarray) or x.ndim != 1 or x.dtype != np.float64:
            raise BadType(f"{name_of(self.function)} is not given a vector of float64", hint=_HINT)

        point = _Point(self, args)
        if self._state is not None and self._state.plan.shape[1] != x.size:
            raise BadArgument(
                f"the pattern has {self._state.plan.shape[1]} columns, the argument {x.size} elements",
                hint="make another one for this size",
            )
        matrix = None if self._state is None else self._matrix(point)
        for find in (self._of_sets, self._of_products) if matrix is None and not self._is_given else ():
            pattern = find(point, x.size)  # also of entries that were zero, or on branches that were not taken
            if pattern is not None:
                plan = None if self._state is None else self._state.plan
                self._state = Compressed(
                    Plan.of(pattern, self._ways) if plan is None else plan.united(pattern, self._ways)
                )
                matrix = self._matrix(point)
            if matrix is not None:
                break
        if matrix is None:
            refuse_pattern()
        return matrix

    def _matrix(self, point: _Point) -> Any:
        assert self._state is not None
        return self._state.matrix(point.products(self._state.plan), point.at_once)

    @property
    def _ways(self) -> tuple[str, ...]:
        return ("columns", "symmetric", "acyclic") if self.is_symmetric else ("columns", "rows")

    def _of_sets(self, point: _Point, width: int) -> Any:
        if self._sets is None:
            return None
        version = self.push.current()
        return structural_pattern(version, self.where, point.args, self.is_symmetric, self.jit, self._sets)

    def _of_products(self, point: _Point, width: int) -> Any:
        sample = point.product(np.zeros(width))
        if not isinstance(sample, np.ndarray) or sample.ndim != 1:
            raise BadType(
                f"{name_of(self.function)} does not return a vector", hint="return an array with one dimension"
            )
        return found_pattern(point.product, width, sample.size, point.row)


class _Point:
    """The derivative at given arguments, as products with vectors."""

    def __init__(self, derivative: SparseDerivative, args: tuple[Any, ...]) -> None:
        self._derivative, self.args, self._x = derivative, args, args[derivative.where]

    def products(self, plan: Plan) -> Callable[[Any], Any]:
        """The products that a plan needs."""
        products = self._derivative.products
        return products.timed(self.transposed if plan.way == "rows" else self.product)

    def at_once(self, blocks: Callable[[], Sequence[Any]], count: int) -> list[Any] | None:
        """The products with `count` vectors in blocks, where vector mode pays, else None."""
        derivative = self._derivative
        if derivative.is_by_rows or not derivative.products.pays(count):
            return None
        version = derivative.push.current()
        return derivative.products.of_blocks(version, 0, (*self.args, *version.hidden()), blocks())

    def product(self, direction: Any) -> Any:
        """The product of the matrix with a vector."""
        found = self._derivative.push(*self.args, direction.astype(self._x.dtype, copy=False))
        return found if self._derivative.is_symmetric else self._real(found[1])

    def _real(self, values: Any) -> Any:
        if np.iscomplexobj(values):
            name = name_of(self._derivative.function)
            raise BadType(f"{name} returns complex numbers", hint="return real and imaginary parts one after the other")
        return values

    @functools.cached_property
    def transposed(self) -> Callable[[Any], Any]:
        """The product of the transposed matrix with a vector, from a reverse sweep."""
        if self._derivative.is_symmetric:
            return self.product
        value, pull = vjp(self._derivative.function, *self.args, wrt=self._derivative.where, jit=self._derivative.jit)
        return lambda weights: pull(weights.astype(self._real(value).dtype, copy=False))

    def row(self, k: int) -> Any:
        """One row of the matrix."""
        size = self._x.size if self._derivative.is_symmetric else self._height
        unit = np.zeros(size)
        unit[k] = 1.0
        return self.transposed(unit)

    @functools.cached_property
    def _height(self) -> int:
        return int(self.product(np.zeros(self._x.size)).size)


def sparse_jacobian(
    f: Callable[..., Any], wrt: int | str = 0, pattern: Any = None, jit: bool = True
) -> SparseDerivative:
    """The Jacobian of a function from a vector to a vector, as a sparse matrix, in few sweeps.

    pattern     a matrix, dense or sparse, that is not zero where the Jacobian may not be, or the `plan` of another
                sparse derivative. By default, or for "products", it is found at the first call, from products with
                random vectors; for "taken" from index sets: which elements each value depends on, through the branches
                that the call takes; for "all" also through those that it does not take. Sets show entries that are zero
                at the point, and full rows. Where a function has none, products are taken.

    Returns a function of the arguments of `f`, which returns a `scipy.sparse.csr_array`. Each call takes one
    tangent sweep for each colour of the columns, or one reverse sweep for each colour of the rows if those are fewer,
    and one along a random direction that shows entries outside of the pattern: of a pattern that was found, such as
    entries that were zero at the first point or belong to a branch that it did not take, the pattern is found again and
    united with the old one. Raises BadArgument if a given pattern lacks entries, or if none is found because many rows
    have hundreds of entries; BadType unless argument and result are vectors.

    >>> import numpy as np
    >>> def differences(x):
    ...     return x[1:] * x[1:] - x[:-1]
    >>> jac = sparse_jacobian(differences)
    >>> jac(np.array([1.0, 2.0, 3.0])).toarray()
    array([[-1.,  4.,  0.],
           [ 0., -1.,  6.]])
    >>> jac.plan.colours
    2
    """
    return SparseDerivative(f, "tangent", _only(f, wrt), pattern, jit)


def sparse_hessian(
    f: Callable[..., Any], wrt: int | str = 0, pattern: Any = None, jit: bool = True
) -> SparseDerivative:
    """The Hessian of a function from a vector to a number, as a sparse matrix, in few Hessian-vector products.

    The rest is as for `sparse_jacobian`; instead of reverse sweeps it uses that the matrix is symmetric. Where an
    acyclic colouring has far fewer colours, as for bands and grids, entries are found by substitution. If rounding
    errors may then exceed 1e-10 of an entry, and 1e-11 of what its row and column have on the diagonal (the square root
    of the product), this matrix and later ones are computed again without substitution.

    >>> import numpy as np
    >>> def chain(x):
    ...     return np.sum((x[1:] - x[:-1] ** 2) ** 2)
    >>> sparse_hessian(chain)(np.array([1.0, 2.0, 3.0])).toarray()
    array([[ 4., -4.,  0.],
           [-4., 38., -8.],
           [ 0., -8.,  2.]])
    """
    return SparseDerivative(f, "hvp", _only(f, wrt), pattern, jit)


def _only(f: Callable[..., Any], wrt: Any) -> int:
    where, many = positions(f, wrt)
    if many or not isinstance(where[0], int):
        raise BadArgument(f"`wrt` is {wrt!r}, not one parameter", hint=_HINT)
    return where[0]
