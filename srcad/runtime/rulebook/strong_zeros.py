"""Strong zeros: a derivative that is exactly zero contributes zero, also where the slope is infinite or nan.

    d[x] = d[y] * (0.5 / y)     becomes     d[x] = kernels.strong_product(d[y], 0.5 / y)
    t = d[y] / b                            t = kernels.strong_quotient(d[y], b)

A path whose result is not used, such as the side that `np.where` does not select, has the adjoint 0. With a plain
product it would still contribute 0 * inf = nan to the gradient. Which slopes can be infinite or nan, although all
arguments are finite, is read off their expressions; all other products stay plain products. So do products with a value
that is infinite or has overflowed, such as that of `exp`: these show that the primal has left the range of floats.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import gast

from srcad.runtime.rulebook.rule_slicing import is_d
from srcad.runtime.rulebook.rule_template import primitive_name

# Functions with a result that is infinite or nan for some finite arguments (poles, outside of the domain), by the
# last part of their name. Overflow (`exp`) does not count: a product with an infinite value is nan.
_QUOTIENTS = frozenset(("divide", "truediv", "mod", "remainder", "fmod"))  # only if the divisor is zero
_ROOTS_AND_LOGARITHMS = frozenset(("sqrt", "log", "log2", "log10", "log1p", "reciprocal", "gamma", "lgamma"))
_POWERS = frozenset(("pow", "power", "float_power"))
_ARCS = frozenset(("arcsin", "arccos", "arccosh", "arctanh", "asin", "acos", "acosh", "atanh"))
_SLOPES = frozenset(("polygamma", "power_slope", "power_bend", "power_log", "power_log_slope"))
# Functions of SciPy, and kernels of derivatives, that have no poles and are defined everywhere: all others may have.
_FINITE_OF_SCIPY = frozenset(
    ("erf", "erfc", "erfcx", "erfi", "dawsn", "ndtr", "log_ndtr", "owens_t", "expit", "log_expit", "exprel", "cosm1")
    + ("exp10", "j0", "j1", "i0", "i1", "i0e", "i1e", "fresnel_s", "fresnel_c", "sine_integral", "sinh_integral")
    + ("airy_ai", "airy_ai_slope", "airy_bi", "airy_bi_slope", "erfcx_derivative", "dawsn_derivative", "finite_or_zero")
)
NOT_ALWAYS_FINITE = _QUOTIENTS | _ROOTS_AND_LOGARITHMS | _POWERS | _ARCS | _SLOPES
_COUNTS = {"reduced_size"}  # numbers of elements: not zero where there is something to differentiate
_NOT_NEGATIVE = {"exp", "exp2", "cosh", "square", "abs", "absolute", "fabs"}

Definition = Callable[[str], gast.expr | None]  # the expression that a name stands for, if that is known


def _unknown(name: str) -> None:
    return None


def infinite_names(primitive: Any, parameters: Sequence[str], nonzero: Collection[str] = ()) -> tuple[str, ...]:
    """The name of a primitive's result if it can be infinite or nan for finite arguments, else no name.

    Overflow does not count. `nonzero` has the parameters that are known not to be zero.

    >>> import numpy as np
    >>> infinite_names(np.tanh, ("y", "x")), infinite_names(np.reciprocal, ("y", "x"))
    ((), ('y',))
    """
    path = primitive_name(primitive).split(".")
    is_safe = path[-1] in _QUOTIENTS and parameters[2] in nonzero
    return tuple(parameters[:1]) if _may_be_infinite(path) and not is_safe else ()


def _may_be_infinite(path: Sequence[str]) -> bool:
    """Whether the function of a dotted path can be infinite or nan for finite arguments."""
    return path[-1] in NOT_ALWAYS_FINITE or ("scipy" in path and path[-1] not in _FINITE_OF_SCIPY)


def is_finite(
    node: gast.expr, infinite: Collection[str] = (), local: Definition = _unknown, nonzero: Definition = _unknown
) -> bool:
    """Whether an expression is finite if all names in it are, apart from overflow.

    infinite   names whose values may be infinite or nan
    local      the expressions that names of a rule stand for
    nonzero    the expressions that names of the program stand for, by which a divisor may be seen not to be zero

    >>> [is_finite(gast.parse(text).body[0].value) for text in ("2 * x", "1 / (1 + x * x)", "0.5 / y", "x ** 0.5")]
    [True, True, False, False]
    """

    def finite(node: gast.expr) -> bool:
        match node:
            case gast.Name(id=name):
                meaning = local(name)
                return name not in infinite if meaning is None else finite(meaning)
            case gast.BinOp(left=left, op=gast.Div() | gast.Mod() | gast.FloorDiv(), right=right):
                return finite(left) and (is_nonzero(right, local) or is_nonzero(right, nonzero))
            case gast.BinOp(left=left, op=gast.Pow(), right=right):
                power = _number(right)
                return finite(left) and power is not None and power >= 0 and power == int(power)
            case gast.BinOp(left=left, right=right):
                return finite(left) and finite(right)
            case gast.UnaryOp(operand=operand):
                return finite(operand)
            case gast.Call(func=function, args=args):
                return not _may_be_infinite(_path(function)) and all(map(finite, args))
        return True

    return finite(node)


def is_nonzero(node: gast.expr, definition: Definition = _unknown, nonzero: Collection[str] = ()) -> bool:
    """Whether an expression of real numbers is seen not to be zero: constants, `1.0 + x * x`, names in `nonzero`.

    >>> [is_nonzero(gast.parse(text).body[0].value) for text in ("2.0", "1.0 + x * x", "np.sqrt(x * x + 1.0)", "x * x")]
    [True, True, True, False]
    """

    def holds(node: gast.expr) -> bool:
        return is_nonzero(node, definition, nonzero)

    if (value := _number(node)) is not None:
        return value != 0
    match node:
        case gast.Name(id=name):
            meaning = definition(name)
            return name in nonzero or (meaning is not None and holds(meaning))
        case gast.BinOp(left=left, op=gast.Add(), right=right):
            return any(
                _is_positive(one) and _is_not_negative(two, definition) for one, two in ((left, right), (right, left))
            )
        case gast.BinOp(left=left, op=gast.Sub()):
            return _is_count(left)
        case gast.BinOp(left=left, op=gast.Mult(), right=right):
            return holds(left) and holds(right)
        case gast.Call(func=function, args=[argument]) if _name(function) == "sqrt":
            return holds(argument)
    return _is_count(node)


def guarded(body: Iterable[gast.stmt], infinite: Collection[str], nonzero: Collection[str] = ()) -> list[gast.stmt]:
    """The statements of a rule with strong products and quotients where a slope is not always finite.

    infinite   names of values that may be infinite or nan
    nonzero    names of values that are known not to be zero

    They refer to `kernels`, which whoever uses them provides.
    """
    guard = _Guard(infinite, nonzero)
    return [guard.visit(copy.deepcopy(statement)) for statement in body]


class _Guard(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    def __init__(self, infinite: Collection[str], nonzero: Collection[str]) -> None:
        self.infinite, self.nonzero = infinite, nonzero
        self.local: dict[str, gast.expr] = {}
        self.derivatives: set[str] = set()

    def visit_Assign(self, node: gast.Assign) -> gast.stmt:
        node.value = self.visit(node.value)
        target = node.targets[0]
        if isinstance(target, gast.Name):
            if self.is_derivative(node.value):
                self.derivatives.add(target.id)
            else:
                self.local[target.id] = node.value
        return node

    def visit_BinOp(self, node: gast.BinOp) -> gast.expr:
        self.generic_visit(node)
        left, right = self.is_derivative(node.left), self.is_derivative(node.right)
        match node.op:
            case gast.Mult() if left and not right and not self.is_finite(node.right):
                return _call("strong_product", node.left, node.right)
            case gast.Mult() if right and not left and not self.is_finite(node.left):
                return _call("strong_product", node.right, node.left)
            case gast.Div() if left and not right and not is_nonzero(node.right, self.local.get, self.nonzero):
                return _call("strong_quotient", node.left, node.right)
        return node

    def is_finite(self, node: gast.expr) -> bool:
        return is_finite(node, self.infinite, self.local.get)

    def is_derivative(self, node: gast.expr) -> bool:
        """Whether an expression is computed from an adjoint or a tangent."""
        return any(is_d(each) or getattr(each, "id", None) in self.derivatives for each in gast.walk(node))


def _number(node: gast.expr) -> float | None:
    """The value of an expression of number literals."""
    match node:
        case gast.Constant(value=int() | float() as value):
            return value
        case gast.UnaryOp(op=gast.USub(), operand=operand):
            inner = _number(operand)
            return None if inner is None else -inner
        case gast.BinOp(left=left, op=gast.Add() | gast.Sub() as op, right=right):
            one, two = _number(left), _number(right)
            if one is None or two is None:
                return None
            return one + two if isinstance(op, gast.Add) else one - two
    return None


def _is_positive(node: gast.expr) -> bool:
    value = _number(node)
    return value is not None and value > 0


def _is_not_negative(node: gast.expr, definition: Definition) -> bool:
    """Whether an expression of finite numbers is seen to be a square, an exponential or a modulus."""
    match node:
        case gast.Name(id=name):
            meaning = definition(name)
            return meaning is not None and _is_not_negative(meaning, definition)
        case gast.BinOp(left=left, op=gast.Mult(), right=right):
            return bool(gast.dump(left) == gast.dump(right))
        case gast.Call(func=function, args=[_]):
            return _name(function) in _NOT_NEGATIVE
    return False


def _is_count(node: gast.expr) -> bool:
    return isinstance(node, gast.Call) and _name(node.func) in _COUNTS


def _name(function: gast.expr) -> str:
    return str(getattr(function, "attr", getattr(function, "id", "")))


def _path(function: gast.expr) -> list[str]:
    """The names of a dotted path; only the last one of another expression."""
    value = getattr(function, "value", None)
    return [*(_path(value) if value is not None else []), _name(function)]


def _call(kernel: str, *args: gast.expr) -> gast.Call:
    module = gast.Name(id="kernels", ctx=gast.Load(), annotation=None, type_comment=None)
    return gast.Call(func=gast.Attribute(value=module, attr=kernel, ctx=gast.Load()), args=list(args), keywords=[])
