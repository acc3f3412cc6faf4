"""Jacobians, Hessians and derivatives of derivatives, assembled from one sweep per direction.

A Jacobian takes tangent sweeps, one per element of the arguments, or reverse sweeps, one per element of the result.
Hessians, `grad(grad(f))` and `jacobian(grad(f))` are assembled from Hessian-vector products: a reverse sweep is never
differentiated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np
from numba import types
from numba.extending import typeof_impl

from srcad.api.all_directions import AllDirections, SingleSweeps
from srcad.api.argument_binding import bind
from srcad.api.complex_partials import from_adjoints, from_tangents, turned
from srcad.api.derivative_object import Derivative, made, readable
from srcad.api.pytree import arrays_in
from srcad.api.pytree_specialisation import Shape, shaped, until_supported
from srcad.api.vjp_pair import pair_of
from srcad.api.wrt import Path, refuse_paths
from srcad.driver.memoisation import remembered
from srcad.driver.options import Options
from srcad.driver.version import Request
from srcad.errors import NotDifferentiable, SrcadError
from srcad.frontend.derivative_functions import Described
from srcad.frontend.load_source import name_of, signature_of
from srcad.refusals.derivatives import (
    JACOBIAN_BY_LONG_LIST,
    JACOBIAN_BY_RECORDS,
    JACOBIAN_OF_STRUCTURES,
    NESTED_RESULT,
    NOT_INSIDE_NJIT,
    SECOND_BY_COMPLEX,
    SECOND_BY_STRUCTURE,
)
from srcad.runtime.support.record_fields import is_records
from srcad.runtime.support.structured_arguments import is_structured
from srcad.transforms.ir.cost_model import LONGEST_TAKEN_APART
from srcad.transforms.ir.pytree_form import Form


class Jacobian:
    """The callable that `srcad.jacobian` returns: all first partial derivatives of a function."""

    __srcad_primitive__ = True

    def __init__(
        self,
        function: Callable[..., Any],
        wrt: tuple[int, ...],
        many: bool,
        mode: str | None,
        jit: bool,
        options: Options,
    ) -> None:
        self.function, self.wrt, self.many, self.mode = function, wrt, many, mode
        self.jit, self.options = jit, options
        self._all_directions = AllDirections(jit)
        self.__name__, self.__signature__ = f"{name_of(function)}_jacobian", signature_of(function)
        self.__srcad_derived__ = Described("jacobian", function, wrt, many)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """One array per result and argument, in tuples where the result or `wrt` is a tuple."""
        return self.with_value(*args, **kwargs)[1]

    def with_value(self, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        """The value of the function, and what a call gives."""
        args = bind(self.__signature__, args, kwargs)
        return until_supported(self.function, args, lambda: self._with_value(args))

    def _with_value(self, args: tuple[Any, ...]) -> tuple[Any, Any]:
        if (taken := shaped(self.function, args, False, self.wrt)) is not None:
            return self._of_structures(*taken)
        refuse_paths(self.function, self.wrt)
        inputs = [args[place] for place in self.wrt]
        width = sum(np.size(each) for each in inputs)
        if self.mode == "forward" or (self.mode is None and width == 1):
            return self._by_columns(args, inputs)
        version, pair = pair_of(self.function, self.wrt, self.jit, self.options).current()
        arguments = (*args, *version.hidden())
        value, trace = pair.forward(*arguments)
        outputs = value if isinstance(value, tuple) else (value,)
        if self.mode is None and sum(np.size(each) for each in outputs) > width:
            return self._by_columns(args, inputs)

        def at_once() -> Any:
            return self._all_directions.rows(version, (arguments, trace), value, inputs)

        if (rows := at_once()) is not None:
            return value, self._shaped([rows], False)
        pull = pair.pullback(arguments, value, trace)
        found = [[_blank(output, each) for each in inputs] for output in outputs]
        sweeps = SingleSweeps(self._all_directions, _unit_directions(outputs), at_once)
        for row, index, seed in sweeps:
            bars = pull(seed if isinstance(value, tuple) else seed[0])
            if np.iscomplexobj(outputs[row]):
                across = pull(turned(seed, row) if isinstance(value, tuple) else 1j * seed[0])
                parts = zip(bars, across, map(np.iscomplexobj, inputs), strict=True)
                bars = tuple(from_adjoints(*each, self.__name__) for each in parts)
            for block, bar in zip(found[row], bars, strict=True):
                block[index] = bar
        if sweeps.found is not None:
            return value, self._shaped([sweeps.found], False)
        return value, self._shaped(found, isinstance(value, tuple))

    def _of_structures(self, shape: Shape, values: list[Any]) -> tuple[Any, Any]:
        """The Jacobian for structures: blocks in the structure of the result, each in that of the arguments."""
        wrt = shape.wrt(self.wrt)
        value, rows = Jacobian(shape.flat, wrt, True, self.mode, self.jit, self.options).with_value(*values)
        form = pair_of(shape.flat, wrt, self.jit, self.options).current()[0].unit.result
        several = isinstance(rows[0], tuple)
        packed = tuple(shape.packed(self.wrt, self.many, row, values) for row in (rows if several else (rows,)))
        if not several:
            return shape.result(form, value), packed[0]
        if isinstance(form, Form) and any(isinstance(part, Form) for part in form.parts):
            raise NESTED_RESULT.error(function=self.__name__)
        return shape.result(form, value), shape.result(form, packed)

    def _by_columns(self, args: tuple[Any, ...], inputs: list[Any]) -> tuple[Any, Any]:
        push = made(self.function, Request("tangent", self.wrt, options=self.options), self.jit)
        found: list[list[Any]] = []
        value: Any = None

        def at_once() -> Any:
            return self._all_directions.columns(push.current(), args, value, inputs)

        if self._all_directions.pays:
            value = push(*args, *map(_zeros, inputs))[0]
            if (columns := at_once()) is not None:
                return value, self._shaped([[columns]], False)
        sweeps = SingleSweeps(self._all_directions, _unit_directions(inputs), at_once)
        for column, index, seed in sweeps:
            value, dots = push(*args, *seed)
            outputs, dots = (value, dots) if isinstance(value, tuple) else ((value,), (dots,))
            if np.iscomplexobj(inputs[column]):
                across = push(*args, *turned(seed, column))[1]
                parts = zip(
                    dots, across if isinstance(value, tuple) else (across,), map(np.iscomplexobj, outputs), strict=True
                )
                dots = tuple(from_tangents(*each, self.__name__) for each in parts)
            found = found or [[_blank(output, each) for each in inputs] for output in outputs]
            for row, dot in enumerate(dots):
                found[row][column][(slice(None),) * np.ndim(dot) + index] = dot
        if sweeps.found is not None:
            return value, self._shaped([[sweeps.found]], False)
        if not found:  # the arguments have no elements
            value = push(*args, *map(_zeros, inputs))[0]
            outputs = value if isinstance(value, tuple) else (value,)
            found = [[_blank(output, each) for each in inputs] for output in outputs]
        return value, self._shaped(found, isinstance(value, tuple))

    def _shaped(self, found: list[list[Any]], several: bool) -> Any:
        rows = [tuple(map(_unwrap, row)) if self.many else _unwrap(row[0]) for row in found]
        return tuple(rows) if several else rows[0]


class Hessian:
    """The callable that `srcad.hessian` returns: all second partial derivatives of a function."""

    __srcad_primitive__ = True

    def __init__(self, products: Derivative, many: bool) -> None:
        self.products, self.many = products, many
        self._of_vector: Jacobian | None = None
        self.__name__ = f"{name_of(products.function)}_hessian"
        self.__signature__ = signature_of(products.function)
        self.__srcad_derived__ = Described("hessian", products.function, products.request.wrt, many)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """One array, or a tuple of rows of blocks where `wrt` is a tuple or the argument a structure."""
        args = bind(self.__signature__, args, kwargs)
        if (found := shaped(self.products.function, args)) is not None:
            shape, values = found
            wrt, many = self.products.request.wrt, self.many
            if any(shape.part(place).holds_long_list for place in wrt):
                raise JACOBIAN_BY_LONG_LIST.error(function=self.__name__, count=LONGEST_TAKEN_APART)
            chosen = [args[place.parameter if isinstance(place, Path) else place] for place in wrt]
            if any(map(is_records, arrays_in(chosen))):
                raise JACOBIAN_BY_RECORDS.error(function=self.__name__)
            asked = Request("hvp", shape.wrt(wrt), True, self.products.request.options)
            inner = made(shape.flat, asked, self.products.jit)
            return shape.packed(
                wrt, many, [shape.packed(wrt, many, row, values) for row in Hessian(inner, True)(*values)], values
            )
        refuse_paths(self.products.function, self.products.request.wrt)
        if self._of_vector is not None:
            return self._of_vector(*args)
        every = tuple(range(len(self.products.request.wrt)))
        try:
            found = _blocks(self.products, args, every, every)
        except NotDifferentiable:
            self._of_vector = self._jacobian_of_jacobian(args)
            if self._of_vector is None:
                raise
            return self._of_vector(*args)
        return found if self.many else found[0][0]

    def _jacobian_of_jacobian(self, args: tuple[Any, ...]) -> Jacobian | None:
        """What computes the second derivatives of a function that returns an array; None for other functions."""
        products, version = self.products, self.products.current()
        if not isinstance(version.result_kind((*args, *version.hidden())), types.Array):
            return None
        wrt, options = products.request.wrt, products.request.options
        inner = Jacobian(products.function, wrt, self.many, None, products.jit, options)
        return Jacobian(readable(inner, "the hessian"), wrt, self.many, None, products.jit, options)


def _blocks(products: Derivative, args: tuple[Any, ...], rows: tuple[int, ...], columns: tuple[int, ...]) -> Any:
    """Blocks of the Hessian. `rows` and `columns` are positions in the `wrt` of the Hessian-vector product."""
    inputs = [args[place] for place in products.request.wrt]
    kept = ("second", products.request.wrt, products.request.options, products.jit)
    loops = remembered(products.function, kept, lambda: AllDirections(products.jit))

    def at_once() -> Any:
        if len(inputs) != 1 or not loops.pays:
            return None
        try:
            return loops.second(products.current(), args, inputs[0])
        except SrcadError:  # an argument is a structure, or a function
            return None

    if (whole := at_once()) is not None:
        return ((whole,),)
    found = [[_blank(inputs[row], inputs[column]) for column in columns] for row in rows]
    sweeps = SingleSweeps(loops, (each for each in _unit_directions(inputs) if each[0] in columns), at_once)
    for column, index, seed in sweeps:
        dots = products(*args, *seed)
        if np.iscomplexobj(inputs[column]):
            across = products(*args, *turned(seed, column))
            parts = zip(dots, across, map(np.iscomplexobj, inputs), strict=True)
            dots = tuple(from_tangents(*each, f"the gradient of {name_of(products.function)}") for each in parts)
        for row, blocks in zip(rows, found, strict=True):
            blocks[columns.index(column)][(slice(None),) * np.ndim(dots[row]) + index] = dots[row]
    if sweeps.found is not None:
        return ((sweeps.found,),)
    return tuple(tuple(map(_unwrap, row)) for row in found)


def _unit_directions(values: Any) -> Iterator[tuple[int, tuple[int, ...], tuple[Any, ...]]]:
    """For each element of each value: the value's position, the element's index, and its unit direction."""
    for place, value in enumerate(values):
        for index in np.ndindex(np.shape(value)):
            seed = [_zeros(each) for each in values]
            if isinstance(value, np.ndarray):
                seed[place][index] = 1.0
            else:
                seed[place] = type(seed[place])(1.0)
            yield place, index, tuple(seed)


def _zeros(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return np.zeros(value.shape, value.dtype)
    return value.dtype.type(0.0) if isinstance(value, np.inexact) else 0j if isinstance(value, complex) else 0.0


def _blank(output: Any, argument: Any) -> Any:
    """A block of zeros in the argument's dtype, which gradients have too; complex where the result is complex."""
    dtype = np.result_type(argument.dtype if hasattr(argument, "dtype") else type(argument))
    shape = (*np.shape(output), *np.shape(argument))
    return np.zeros(shape, np.result_type(dtype, np.complex64) if np.iscomplexobj(output) else dtype)


def _unwrap(block: Any) -> Any:
    return block.item() if block.ndim == 0 and block.dtype in (np.float64, np.complex128) else block[()]


def _by_structures(products: Derivative, args: tuple[Any, ...]) -> bool:
    """Whether an argument in `wrt` is a structure, or `wrt` names a part of one."""
    return any(isinstance(place, Path) or is_structured(args[place]) for place in products.request.wrt)


class SecondDerivative:
    """The callable that `srcad.grad(srcad.grad(f))` returns: the derivative of a gradient that is a number."""

    __srcad_primitive__ = True

    def __init__(self, gradient: Derivative, products: Derivative, outer: tuple[int, ...], many: bool) -> None:
        self.products, self.many, self.inner = products, many, int(gradient.request.wrt[0])
        self.__srcad_derived__ = Described("grad", gradient, outer, many)
        self.places = tuple(products.request.wrt.index(each) for each in outer)
        self.__name__ = f"{name_of(products.function)}_grad_grad"
        self.__signature__ = signature_of(products.function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The second partial derivatives."""
        args = bind(self.__signature__, args, kwargs)
        if _by_structures(self.products, args) or np.ndim(args[self.inner]):
            raise SECOND_BY_STRUCTURE.error(function=self.__name__)
        inputs = [args[place] for place in self.products.request.wrt]
        direction = self.products.request.wrt.index(self.inner)
        seed = next(each for place, _, each in _unit_directions(inputs) if place == direction)
        found = self.products(*args, *seed)
        if any(map(np.iscomplexobj, inputs)):
            if len(inputs) > 1:
                raise SECOND_BY_COMPLEX.error(function=self.__name__)
            across = self.products(*args, *turned(seed, 0))
            found = (from_tangents(found[0], across[0], True, f"the gradient of {name_of(self.products.function)}"),)
        return tuple(found[place] for place in self.places) if self.many else found[self.places[0]]


@typeof_impl.register(Jacobian)  # type: ignore[untyped-decorator]  # Numba carries no annotations
@typeof_impl.register(Hessian)  # type: ignore[untyped-decorator]
@typeof_impl.register(SecondDerivative)  # type: ignore[untyped-decorator]
def _refuse_in_compiled_code(value: Jacobian | Hessian | SecondDerivative, context: Any) -> NoReturn:
    raise NOT_INSIDE_NJIT.error(function=value.__name__)


def derivative_of_derivative(
    f: Derivative, where: tuple[int, ...], many: bool, jit: bool, options: Options
) -> SecondDerivative:
    """The derivative of a gradient that is a number, for `grad(grad(f))`."""
    inner = int(f.request.wrt[0])
    products = made(f.function, Request("hvp", _union(inner, where), options=options), jit and f.jit)
    return SecondDerivative(f, products, where, many)


def jacobian_of_gradient(
    f: Derivative, where: tuple[int, ...], many: bool, jit: bool, options: Options
) -> Callable[..., Any]:
    """Second derivatives, for `jacobian(grad(f))`: the shape of the gradient followed by that of the argument."""
    inner = int(f.request.wrt[0])
    union = _union(inner, where)
    products = made(f.function, Request("hvp", union, options=options), jit and f.jit)
    columns = tuple(union.index(each) for each in where)
    signature = signature_of(f.function)

    def second(*args: Any, **kwargs: Any) -> Any:
        args = bind(signature, args, kwargs)
        if _by_structures(products, args):
            raise JACOBIAN_OF_STRUCTURES.error(function=repr(f))
        found = _blocks(products, args, (union.index(inner),), columns)[0]
        return found if many else found[0]

    second.__name__ = f"{name_of(f.function)}_grad_jacobian"
    second.__signature__ = signature  # type: ignore[attr-defined]
    second.__srcad_derived__ = Described("jacobian", f, where, many)  # type: ignore[attr-defined]
    return second


def _union(inner: int, where: tuple[int, ...]) -> tuple[int, ...]:
    return (inner, *(each for each in where if each != inner))
