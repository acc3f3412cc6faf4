"""Array functions: facts about NumPy's functions, kernels and builtins that generated code calls, by dotted name.

    is_new = returns_new(dotted_path(call.func))

A fact holds for calls with positional arguments; passes must check for keywords such as `out` themselves. Which
functions are elementwise, which have rules, and which return views that can be written through is stated in the rule
tables (`srcad.runtime.rulebook.registry`).

The sets below the table are what the passes use. A function that is listed has just the facts that are stated: one
without `WRITES` or `WRITES_TWO` writes to none of its arguments. Nothing is known about a function that is not listed.
"""

from __future__ import annotations

import builtins
import enum
import math
import operator
import sys
from collections.abc import Iterable
from functools import cache
from typing import Any

import gast
import numpy as np

from srcad.runtime import kernels
from srcad.runtime.rulebook import registry

MODULES = {"np": np, "math": math, "operator": operator, "kernels": kernels, "builtins": builtins}
LIBRARY = "scipy"  # whose functions programs may call as well; it is imported by these programs only


class Fact(enum.Flag):
    """The facts that may be known about a function."""

    NEW = enum.auto()  # the result shares memory with no argument, and has no other name
    VIEW = enum.auto()  # the result is, or may be, a view of the first argument, or that argument itself
    VIEWS = enum.auto()  # the results are, or may be, views of any of the arguments
    FORTRAN = enum.auto()  # Numba returns the result in Fortran order
    READ_ONLY = enum.auto()  # the view cannot be written through in NumPy, or several of its elements are one
    OF_SHAPE = enum.auto()  # the first argument is the shape of the result
    LIKE = enum.auto()  # the result has the first argument's shape, and its type unless another one is given
    SAME_SHAPE = enum.auto()  # the result has the shape of the first argument if it has its rank
    SHAPE_ONLY = enum.auto()  # of the first argument only shape and type are read
    SECOND_SHAPE_ONLY = enum.auto()  # the same for the second argument
    ZEROS = enum.auto()  # the result is filled with zeros
    ONES = enum.auto()  # with ones
    UNSET = enum.auto()  # with unset values
    OF_ELEMENTS = enum.auto()  # the elements of a tuple argument are the result's elements, or its rows
    REDUCES = enum.auto()  # reduces an array over the dimensions `axis`, or to a number
    PRODUCT = enum.auto()  # a product of vectors or matrices
    SMOOTH = enum.auto()  # continuous with its derivative in all floats, where it is defined
    LINEAR = enum.auto()  # linear in the first argument; what it chooses depends on the others
    DOUBLE = enum.auto()  # for numbers: the result is a double if an argument is
    EXTREME = enum.auto()  # continuous; the derivative depends on a choice
    INSTRUCTION = enum.auto()  # processors have vector instructions for it
    TOTAL = enum.auto()  # for numbers: depends on them only, and never raises
    WRITES = enum.auto()  # writes to the first argument
    WRITES_TWO = enum.auto()  # writes to the first two arguments
    CHECKS = enum.auto()  # raises an exception or does nothing


_NEW, _LIKE = Fact.NEW, Fact.NEW | Fact.LIKE | Fact.SHAPE_ONLY
_SHAPED = Fact.NEW | Fact.OF_SHAPE | Fact.SMOOTH
_SMOOTH, _EXTREME, _VECTOR, _LINEAR = Fact.SMOOTH, Fact.EXTREME, Fact.INSTRUCTION, Fact.LINEAR
_DOUBLE = Fact.DOUBLE
_FACTORED = Fact.SHAPE_ONLY | Fact.SMOOTH  # the second argument has the factors of the first
_REDUCED, _SAME = Fact.NEW | Fact.REDUCES, Fact.NEW | Fact.SAME_SHAPE

FACTS: dict[str, Fact] = {
    # Arrays that are made
    "np.zeros": _SHAPED | Fact.ZEROS,
    "np.ones": _SHAPED | Fact.ONES,
    "np.empty": _SHAPED | Fact.UNSET,
    "np.full": _SHAPED,
    "np.zeros_like": _LIKE | Fact.ZEROS | _SMOOTH,
    "np.ones_like": _LIKE | Fact.ONES | _SMOOTH,
    "np.empty_like": _LIKE | Fact.UNSET | _SMOOTH,
    "np.full_like": _LIKE | _SMOOTH,
    "np.copy": _NEW | Fact.LIKE | _SMOOTH,
    "kernels.copy_in_c_order": _SAME | _SMOOTH,
    "np.array": Fact.OF_ELEMENTS | _SMOOTH,
    "np.asarray": Fact.OF_ELEMENTS,
    # Arrays that are rearranged, or computed as a whole
    "np.transpose": Fact.VIEW | _SMOOTH,
    "np.flip": Fact.VIEW | Fact.SAME_SHAPE,
    "np.matrix_transpose": Fact.VIEW,
    "np.linalg.matrix_transpose": Fact.VIEW,
    "np.real": Fact.VIEW | _SMOOTH | _VECTOR,
    "np.imag": Fact.VIEW,
    "np.float64": Fact.VIEW | _VECTOR,
    "np.atleast_1d": Fact.VIEWS,
    "np.atleast_2d": Fact.VIEWS,
    "np.atleast_3d": Fact.VIEWS,
    "np.einsum": Fact.VIEWS,  # of one array, whose axes it only exchanges
    "np.broadcast_to": Fact.VIEW | Fact.READ_ONLY,
    "kernels.windows_along": Fact.VIEW | Fact.READ_ONLY,
    "np.diag": Fact.VIEW | Fact.READ_ONLY,
    "np.diagonal": Fact.VIEW | Fact.READ_ONLY,
    "np.astype": _SAME,
    "np.roll": _SAME,
    "np.sort": _SAME,
    "np.cumsum": _SAME | _SMOOTH,
    "np.triu": _SAME | _SMOOTH,
    "np.tril": _SAME | _SMOOTH,
    "np.linalg.inv": _SAME | Fact.FORTRAN | _SMOOTH,
    "np.linalg.cholesky": _SAME,
    "np.where": _NEW,
    # Reductions
    "np.sum": _REDUCED | _SMOOTH,
    "np.mean": _REDUCED | _SMOOTH,
    "np.prod": _REDUCED | _SMOOTH,
    "np.max": _REDUCED | _EXTREME,
    "np.min": _REDUCED | _EXTREME,
    "np.amax": _REDUCED | _EXTREME,
    "np.amin": _REDUCED | _EXTREME,
    "np.var": _REDUCED,
    "np.std": _REDUCED,
    "np.any": _REDUCED,
    "np.all": _REDUCED,
    "np.argmax": _REDUCED,
    "np.argmin": _REDUCED,
    "np.trace": _NEW | _SMOOTH,
    "np.linalg.norm": _NEW | _SMOOTH,
    # Products
    "np.dot": _NEW | Fact.PRODUCT | _SMOOTH,
    "np.vdot": _NEW | Fact.PRODUCT | _SMOOTH,
    "np.outer": _NEW | Fact.PRODUCT | _SMOOTH,
    "kernels.times": _NEW | Fact.PRODUCT | _SMOOTH,
    "kernels.times_transpose": _NEW | Fact.PRODUCT | _SMOOTH,
    "kernels.transpose_times": _NEW | Fact.PRODUCT | _SMOOTH,
    "kernels.solve_transposed": _NEW | _SMOOTH,
    "kernels.lu_factors": _NEW | _SMOOTH,
    "kernels.solve_factored": _NEW | _FACTORED,
    "kernels.solve_factored_transposed": _NEW | _FACTORED,
    "kernels.inverse_factored": _SAME | _FACTORED,
    "kernels.determinant_factored": _NEW | _FACTORED,
    "kernels.sign_factored": _NEW | Fact.SHAPE_ONLY,
    "kernels.log_determinant_factored": _NEW | _FACTORED,
    "kernels.cofactors_factored": _SAME | _FACTORED,
    "kernels.matmul_adjoint_a": _NEW | Fact.SECOND_SHAPE_ONLY | _SMOOTH,
    "kernels.matmul_adjoint_b": _NEW | _SMOOTH,
    "kernels.cholesky_adjoint": _NEW | _SMOOTH,
    "kernels.extremum_adjoint": _NEW | _LINEAR,
    "kernels.sort_adjoint": _NEW | _LINEAR,
    # Elementwise functions
    "np.sqrt": _NEW | _SMOOTH | _VECTOR | _DOUBLE,
    "np.exp": _NEW | _SMOOTH | _DOUBLE,
    "np.log": _NEW | _SMOOTH | _DOUBLE,
    "np.expm1": _NEW | _SMOOTH | _DOUBLE,
    "np.log1p": _NEW | _SMOOTH | _DOUBLE,
    "np.tanh": _NEW | _SMOOTH | _DOUBLE,
    "np.sin": _NEW | _SMOOTH | _DOUBLE,
    "np.cos": _NEW | _SMOOTH | _DOUBLE,
    "np.tan": _NEW | _SMOOTH | _DOUBLE,
    "np.sinh": _NEW | _SMOOTH | _DOUBLE,
    "np.cosh": _NEW | _SMOOTH | _DOUBLE,
    "np.square": _NEW | _SMOOTH | _VECTOR | _DOUBLE,
    "np.power": _NEW | _SMOOTH | _DOUBLE,
    "np.divide": _NEW | _SMOOTH | _VECTOR | Fact.TOTAL | _DOUBLE,
    "np.add": _NEW | _SMOOTH | _DOUBLE,
    "np.subtract": _NEW | _SMOOTH | _DOUBLE,
    "np.multiply": _NEW | _SMOOTH | _DOUBLE,
    "np.negative": _NEW | _SMOOTH | _VECTOR | _DOUBLE,
    "np.maximum": _NEW | _EXTREME | _VECTOR | _DOUBLE,
    "np.minimum": _NEW | _EXTREME | _VECTOR | _DOUBLE,
    "np.abs": _NEW | _EXTREME | _VECTOR | _DOUBLE,
    "np.fabs": _NEW | _EXTREME | _VECTOR | _DOUBLE,
    "np.sign": _NEW | _VECTOR | _DOUBLE,
    "np.conj": _SMOOTH | _VECTOR,
    "np.conjugate": _SMOOTH | _VECTOR,
    # Functions of numbers
    "math.sqrt": _SMOOTH | _VECTOR | _DOUBLE,
    "math.exp": _SMOOTH | _DOUBLE,
    "math.log": _SMOOTH | _DOUBLE,
    "math.expm1": _SMOOTH | _DOUBLE,
    "math.log1p": _SMOOTH | _DOUBLE,
    "math.tanh": _SMOOTH | _DOUBLE,
    "math.sin": _SMOOTH | _DOUBLE,
    "math.cos": _SMOOTH | _DOUBLE,
    "math.tan": _SMOOTH | _DOUBLE,
    "math.sinh": _SMOOTH | _DOUBLE,
    "math.cosh": _SMOOTH | _DOUBLE,
    "math.pow": _SMOOTH | _DOUBLE,
    "math.fabs": _EXTREME | _VECTOR | _DOUBLE,
    "max": _EXTREME | _VECTOR,
    "min": _EXTREME | _VECTOR,
    "abs": _EXTREME | _VECTOR,
    "float": _SMOOTH | _VECTOR | _DOUBLE,
    "int": _VECTOR,
    "len": _NEW | Fact.SHAPE_ONLY,
    "np.shape": Fact.SHAPE_ONLY,
    "np.ndim": Fact.SHAPE_ONLY,
    "operator.getitem": Fact.VIEW,
    "operator.add": Fact.TOTAL,
    "operator.sub": Fact.TOTAL,
    "operator.mul": Fact.TOTAL,
    "operator.neg": Fact.TOTAL,
    "operator.pos": Fact.TOTAL,
    "operator.lt": Fact.TOTAL,
    "operator.le": Fact.TOTAL,
    "operator.gt": Fact.TOTAL,
    "operator.ge": Fact.TOTAL,
    "operator.eq": Fact.TOTAL,
    "operator.ne": Fact.TOTAL,
    "kernels.slice_extent": Fact.TOTAL,
    # Kernels of adjoints
    "kernels.unbroadcast": Fact.SECOND_SHAPE_ONLY,
    "kernels.unarray": Fact.SECOND_SHAPE_ONLY,
    "kernels.fitted": _NEW | Fact.SECOND_SHAPE_ONLY,
    "kernels.zero_like": _LIKE | Fact.ZEROS,
    **{
        f"kernels.blas.{name}_into": Fact.WRITES
        for name in ("times", "times_transpose", "transpose_times", "lu_factors")
    },
    **{f"kernels.blas.{name}_into": Fact.WRITES for name in ("solve_factored", "solve_factored_transposed")},
    **{
        f"kernels.blas.{name}_into": Fact.WRITES
        for name in ("inverse_factored", "cofactors_factored", "outer", "diagonal")
    },
    "kernels.copy_to": Fact.WRITES,
    "kernels.scatter_add": Fact.WRITES,
    "kernels.unexpand": Fact.WRITES,
    "kernels.most_delayed": Fact.SHAPE_ONLY,
    "kernels.add_delayed": Fact.WRITES | _SMOOTH,
    "kernels.blas.store_outer_products": Fact.WRITES | _SMOOTH,
    "kernels.blas.add_outer_products": Fact.WRITES | _SMOOTH,
    "kernels.blas.store_both_products": Fact.WRITES_TWO | _SMOOTH,
    "kernels.blas.store_product_and_back": Fact.WRITES_TWO | _SMOOTH,
    "kernels.grown": Fact.NEW,
    "kernels.trace_adjoint": Fact.NEW,
    "kernels.select": Fact.NEW,
    "kernels.modulus": _NEW | _EXTREME | _VECTOR,
    "kernels.squared_modulus": _NEW | _SMOOTH | _VECTOR,
    "kernels.imaginary": _NEW | _SMOOTH | _VECTOR,
    "kernels.ratio": _NEW | _VECTOR,
    "kernels.product_of_derivatives": _NEW | _SMOOTH | _VECTOR | Fact.TOTAL | _DOUBLE,
    "kernels.strong_product": _NEW | _SMOOTH | _VECTOR | Fact.TOTAL | _DOUBLE,
    "kernels.strong_quotient": _NEW | _SMOOTH | _VECTOR | Fact.TOTAL | _DOUBLE,
    "kernels.restore": Fact.VIEW,
    "kernels.unpad": Fact.VIEW,
    "kernels.resized": Fact.VIEW,
    "kernels.places": Fact.VIEW,
    "kernels.item_bar": Fact.VIEW,
    "kernels.diag_adjoint": Fact.VIEW | Fact.READ_ONLY,
    "kernels.diff_adjoint": Fact.VIEW,
    # Checks, and what is printed
    "kernels.require_iteration": Fact.CHECKS,
    "kernels.same_extent": Fact.CHECKS,
    "kernels.unit_extent": Fact.CHECKS,
    "kernels.least_extent": Fact.CHECKS,
    "kernels.known_extent": Fact.CHECKS,
    "kernels.check_fits": Fact.CHECKS,
    "kernels.check_index": Fact.CHECKS,
    "kernels.check_indices": Fact.CHECKS,
    "kernels.integers.check_between": Fact.CHECKS,
    "kernels.integers.check_power": Fact.CHECKS,
    "kernels.integers.check_product": Fact.CHECKS,
    "kernels.integers.check_shift": Fact.CHECKS,
    "kernels.integers.check_sum": Fact.CHECKS,
    "kernels.check_match": Fact.CHECKS,
    "kernels.check_one_element": Fact.CHECKS,
    "kernels.check_room": Fact.CHECKS,
    "kernels.refuse_overlap": Fact(0),
    "kernels.check_bytes": Fact(0),
    "kernels.expect": Fact(0),
    "kernels.effect": Fact(0),
    "print": Fact(0),
}


def having(fact: Fact) -> frozenset[str]:
    """The functions that have a fact, or several.

    >>> sorted(having(Fact.ZEROS))
    ['kernels.zero_like', 'np.zeros', 'np.zeros_like']
    """
    return frozenset(name for name, facts in FACTS.items() if fact in facts)


def function(name: str) -> Any:
    """The function with a dotted name.

    >>> function("np.linalg.inv") is np.linalg.inv, function("len") is len
    (True, True)
    """
    first, *rest = name.split(".")
    found: Any = MODULES[first] if rest else getattr(builtins, first)
    for attribute in rest:
        found = getattr(found, attribute)
    return found


class Result(enum.Enum):
    """What a call returns."""

    NEW = enum.auto()  # a scalar, or memory that shares with no argument and has no other name
    FIRST = enum.auto()  # the first argument, a view of it, or a copy
    ANY = enum.auto()  # any of its arguments, or parts of them


@cache
def _facts_by_function() -> dict[Any, Fact]:
    return {function(name): facts for name, facts in FACTS.items()}


def result_of(called: Any, count: int = 1) -> Result:
    """What a function returns for this number of arguments: by its facts, or its rule; else it may be anything.

    >>> result_of(np.zeros), result_of(np.reshape), result_of(lambda x: x)
    (<Result.NEW: 1>, <Result.FIRST: 2>, <Result.ANY: 3>)
    """
    if hasattr(type(called), "__srcad_new__"):
        return Result.NEW
    facts, rules = _facts_by_function().get(registry.key_of(called), Fact(0)), registry.variants(called)
    if Fact.VIEWS in facts and count > 1:
        return Result.ANY
    if Fact.VIEW in facts or Fact.VIEWS in facts or any(rule.kind == "view" or rule.may_view for rule in rules):
        return Result.FIRST
    is_new = Fact.NEW in facts or bool(rules) or isinstance(called, np.ufunc)
    return Result.NEW if is_new or getattr(called, "__module__", None) == "math" else Result.ANY


def named(path: str | None) -> Any:
    """The function that a dotted name refers to in generated code; None if it is none of the modules' or builtins.

    >>> named("np.sin") is np.sin, named("np.no_such"), named("f")
    (True, None, None)
    """
    first, *rest = (path or "").split(".")
    found: Any = MODULES.get(first, sys.modules.get(LIBRARY) if first == LIBRARY else None)
    found = found if rest else getattr(builtins, first, None)
    for attribute in rest:
        found = getattr(found, attribute, None)
    return found


def returns_new(path: str | None) -> bool:
    """Whether the function with a dotted name returns a scalar, or memory that shares with no argument.

    >>> returns_new("np.zeros_like"), returns_new("np.reshape"), returns_new("f")
    (True, False, False)
    """
    return result_of(named(path)) is Result.NEW


def fill_of(name: str) -> float | None:
    """The value that a function fills an array with; None if it leaves it unset.

    >>> fill_of("np.ones_like"), fill_of("np.empty")
    (1.0, None)
    """
    facts = FACTS[name]
    return 0.0 if Fact.ZEROS in facts else 1.0 if Fact.ONES in facts else None


def functions(names: Iterable[str]) -> tuple[Any, ...]:
    """The functions of dotted names, in the order of the names."""
    return tuple(map(function, sorted(names)))


def last_part(function: gast.expr) -> str:
    """The name of a called function without its modules; empty for other expressions."""
    return str(getattr(function, "attr", getattr(function, "id", "")))


def last_parts(names: Iterable[str]) -> frozenset[str]:
    """The names without modules: the kernels have another module name where a variable is called `kernels`.

    >>> sorted(last_parts({"np.zeros", "kernels.times"}))
    ['times', 'zeros']
    """
    return frozenset(name.rpartition(".")[2] for name in names)


# Shapes

# What these return is one number or one array, never a tuple or a list (`np.where` of one argument gives a tuple).
_OF_ONE = Fact.NEW | Fact.LIKE | Fact.OF_SHAPE | Fact.SAME_SHAPE | Fact.REDUCES | Fact.PRODUCT | Fact.DOUBLE
RETURNS_ONE = frozenset(name for name, facts in FACTS.items() if facts & _OF_ONE) - {"np.where"}

SHAPE_ATTRIBUTES = ("shape", "size", "ndim", "dtype")  # of arrays; who reads them reads no element

OF_SHAPE = having(Fact.OF_SHAPE)
OF_SHAPE_AND_TYPE = OF_SHAPE - {"np.full"}  # the second argument, if any, is the type; that of `full` is the value
MAKES_ZEROS, MAKES_UNSET = having(Fact.ZEROS), having(Fact.UNSET)

LIKE = having(Fact.LIKE)
LIKE_WITH_ONE_ARGUMENT = LIKE - {"np.full_like"}  # which takes the value as well
MAKER_OF = {f"{name}_like": name for name in sorted(OF_SHAPE_AND_TYPE)}  # from a shape, what this makes from an array

SHAPE_ONLY, SECOND_SHAPE_ONLY = having(Fact.SHAPE_ONLY), having(Fact.SECOND_SHAPE_ONLY)
SAME_SHAPE = having(Fact.SAME_SHAPE)
OF_ELEMENTS = having(Fact.OF_ELEMENTS)
REDUCING = having(Fact.REDUCES)

# Memory

PRODUCTS = having(Fact.PRODUCT) - {"np.vdot"}  # which is a number
PRODUCT_KERNELS = last_parts(name for name in PRODUCTS if name.startswith("kernels."))

FRESH = having(Fact.NEW) - having(Fact.FORTRAN)  # new arrays in C order, as which an adjoint may begin
# Buffers: what these make is mostly written into.
MAKES_ROOM = MAKES_ZEROS | MAKES_UNSET | {"np.copy", "kernels.copy_in_c_order"}

READ_ONLY_VIEWS = having(Fact.READ_ONLY)
WRITING = having(Fact.WRITES)
WRITING_TWO = having(Fact.WRITES_TWO)
WRITES_NOTHING = frozenset(FACTS) - WRITING - WRITING_TWO
CHECKING = having(Fact.CHECKS)

# Values

# Products and quotients of a derivative, which is passed first: 0 where that is 0.
STRONG_PRODUCT, STRONG_QUOTIENT = "kernels.strong_product", "kernels.strong_quotient"
STRONG = {STRONG_PRODUCT, STRONG_QUOTIENT}

SMOOTH = having(Fact.SMOOTH)
LINEAR = having(Fact.LINEAR)
DOUBLES = having(Fact.DOUBLE)
EXTREMES = having(Fact.EXTREME)
VECTOR_INSTRUCTIONS = having(Fact.INSTRUCTION)
TOTAL = having(Fact.TOTAL)
