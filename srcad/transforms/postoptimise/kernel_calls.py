"""Kernel calls: NumPy calls and array statements become calls of kernels that compute the same but compile faster.

    top = np.max(row)           becomes     top = kernels.largest(row)
    m = np.outer(x, y)                      m = kernels.outer(x, y)
    a_bar += kernels.times(x, y)            kernels.add_to(a_bar, kernels.times(x, y))
    a_bar[1:] -= x                          kernels.subtract_from(a_bar[1:], x)
    a_bar += s * x                          kernels.add_scaled(a_bar, s, x)
    for i in range(n):                      kernels.copy_to(x_trace[t], x)
        x_trace[t, i] = x[i]
    w[i] = np.divide(z[i], v[i])            w[i] = kernels.quotient(z[i], v[i])
    w[i] = z[i] ** 3                        w[i] = kernels.whole_power(z[i], 3)

This pass only notes the kernel (`kernel`, on the call); `llvm_assumptions` writes the calls, after all passes that know
NumPy's functions by name. Applies only to arrays of types that the kernels accept: real ones for extremes, since NumPy
orders complex numbers in its own way, and vectors for outer products. Whole-array sums and copies become calls only
where a function has several of them, slice stores always: Numba needs seconds to compile the first of these.

Other passes write calls of kernels of their own, with `kernel_call`, where the name `kernels` is free.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import gast
from numba import types as nb

from srcad.runtime import kernels
from srcad.transforms.analysis.affine.integer_facts import index_parts
from srcad.transforms.analysis.aliases import Aliases, aliases_of
from srcad.transforms.analysis.ranks import Ranks, ranks_of
from srcad.transforms.ir.build import call, const, dotted_path, names_in, walk, walk_statements
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.cost_model import FEWEST_QUICK_CALLS
from srcad.transforms.ir.name_types import is_complex
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.primitive import constant

_EXTREMES = {
    "np.max": "largest",
    "np.amax": "largest",
    "np.min": "smallest",
    "np.amin": "smallest",
}
_PRODUCTS = 100  # NumPy takes powers below this by products


def with_quick_calls(code: Code) -> Code:
    """Note the calls and array statements that become kernel calls; applies where the types of names are known."""
    kinds, aliases = code.kinds, aliases_of(code)
    is_of_complex = any(map(is_complex, kinds.values()))
    if is_of_complex and means_kernels(code):
        powers = _Powers(kinds, ranks_of(code))
        code = code.with_body([powers.visit(each) for each in code.body])
    everything = list(walk_statements(code.body))
    sums = [each for each in everything if _is_sum(each, kinds)]
    copies = [each for each in everything if notes_of(each).copies_into_trace]
    stores = [each for each in everything if _is_store(each, kinds, aliases)]
    many = [each for found in (sums, copies) if len(found) >= FEWEST_QUICK_CALLS for each in found]
    scaled = [each for each in everything if _is_scaled(each, kinds, aliases)]
    for each in [*stores, *many, *scaled]:
        note(each, becomes_call=True)
    for statement in everything:
        for node in walk(statement):
            if isinstance(node, gast.Call) and not node.keywords:
                of = [kinds.get(each.id) if isinstance(each, gast.Name) else None for each in node.args]
                path = dotted_path(node.func) or ""
                if path == "np.roll" and getattr(of[0], "ndim", 0) == 1 and not _has_axes(node):
                    node.args[2:] = [const(0)]  # Numba's own, without an axis, divides for each place
                kernel = _kernel(path, of) or notes_of(node).kernel
                if is_of_complex and path == "np.divide" and len(of) == 2:
                    kernel = "quotient"
                if kernel is not None:
                    note(node, kernel=kernel)
                    note(statement, calls_kernels=True)
    return code.with_body(code.body)


def _has_axes(rolled: gast.Call) -> bool:
    """Whether the axis is given, and may be a tuple, with one axis several times."""
    axis = rolled.args[2] if len(rolled.args) > 2 else const(None)
    return not isinstance(axis, gast.Constant) and not isinstance(constant(axis), int)


class _Powers(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    """Notes whole powers of complex numbers, which Numba takes by logarithms, and NumPy and Python by products."""

    def __init__(self, kinds: Mapping[str, nb.Type], ranks: Ranks) -> None:
        self.kinds, self.ranks = kinds, ranks

    def visit_BinOp(self, node: gast.BinOp) -> gast.expr:
        made = self.generic_visit(node)
        power = constant(made.right) if isinstance(made.op, gast.Pow) else None
        is_whole = type(power) is int and 0 < abs(power) < _PRODUCTS and power not in {1, 2}
        if is_whole and self.ranks.is_number(made.left) and self.is_complex(made.left):
            return kernel_call("whole_power", made.left, made.right)
        return made

    def is_complex(self, node: gast.expr) -> bool:
        """Whether an expression is known to be complex."""
        match node:
            case gast.BinOp(left=left, right=right):
                return self.is_complex(left) or self.is_complex(right)
            case gast.UnaryOp(operand=operand):
                return self.is_complex(operand)
            case gast.Name(id=name) | gast.Subscript(value=gast.Name(id=name)):
                return is_complex(self.kinds.get(name))
        return False


def _kernel(path: str, of: list[nb.Type | None]) -> str | None:
    """The kernel for a function and the types of its arguments."""
    if path in _EXTREMES and len(of) == 1 and _is_array(of[0], (nb.Float, nb.Integer)):
        return _EXTREMES[path]
    vectors = all(_is_array(each, (nb.Float, nb.Complex)) and getattr(each, "ndim", 0) == 1 for each in of)
    return "outer" if path == "np.outer" and len(of) == 2 and vectors else None


def _is_sum(statement: gast.stmt, kinds: Mapping[str, nb.Type]) -> bool:
    """Whether this is `a += b` or `a -= b` of whole arrays of one shape, b being a name or a call."""
    match statement:
        case gast.AugAssign(target=gast.Name(id=name), op=gast.Add() | gast.Sub(), value=value):
            if not notes_of(statement).whole or not _is_array(kinds.get(name), (nb.Float,)):
                return False
            is_array = isinstance(value, gast.Name) and _is_array(kinds.get(value.id), (nb.Float,))
            return is_array or (isinstance(value, gast.Call) and not value.keywords)
    return False


def _is_scaled(statement: gast.stmt, kinds: Mapping[str, nb.Type], aliases: Aliases) -> bool:
    """Whether this is `a += s * b` or `a -= s * b` of arrays of one shape that share no memory, s being a number."""
    match statement:
        case gast.AugAssign(
            target=gast.Name(id=name),
            op=gast.Add() | gast.Sub(),
            value=gast.BinOp(left=gast.Name(id=number), op=gast.Mult(), right=gast.Name() | gast.Subscript() as array),
        ) if notes_of(statement).whole:
            base = array.value if isinstance(array, gast.Subscript) else array
            return (
                isinstance(base, gast.Name)
                and _is_array(kinds.get(name), (nb.Float,))
                and _is_array(kinds.get(base.id), (nb.Float,))
                and isinstance(kinds.get(number), nb.Float)
                and not aliases.may_alias(name, base.id)
            )
    return False


def _is_store(statement: gast.stmt, kinds: Mapping[str, nb.Type], aliases: Aliases) -> bool:
    """Whether this is `a[i:j] = b`, `+=` or `-=`, where the arrays share no memory or b is an arithmetic result."""
    match statement:
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base)) as target], value=value):
            pass
        case gast.AugAssign(
            target=gast.Subscript(value=gast.Name(id=base)) as target, op=gast.Add() | gast.Sub(), value=value
        ):
            pass
        case _:
            return False
    if not _is_array(kinds.get(base), (nb.Float, nb.Complex)) or not _is_view(target, kinds):
        return False
    arrays = [name for name in names_in(value) if isinstance(kinds.get(name), nb.Array)]
    is_made = isinstance(value, gast.BinOp) or not any(aliases.may_alias(name, base) for name in arrays)
    return bool(arrays) and is_made


def _is_view(target: gast.Subscript, kinds: Mapping[str, nb.Type]) -> bool:
    """Whether a subscript of integers and slices selects more than one element."""
    parts = index_parts(target)
    wide = [isinstance(part, gast.Slice) or constant(part) is ... for part in parts]
    numbers = [
        type(constant(part)) is int or (isinstance(part, gast.Name) and isinstance(kinds.get(part.id), nb.Integer))
        for part in parts
    ]
    is_basic = all(one or other for one, other in zip(wide, numbers, strict=True))
    return is_basic and (any(wide) or len(parts) < kinds[target.value.id].ndim)


def _is_array(kind: nb.Type | None, of: tuple[type[nb.Type], ...]) -> bool:
    return isinstance(kind, nb.Array) and kind.ndim > 0 and isinstance(kind.dtype, of)


def kernel_call(name: str, *arguments: gast.expr) -> gast.expr:
    """The call of a kernel, which `llvm_assumptions` gives the name that the module has for the kernels."""
    return note(call(f"kernels.{name}", *arguments), kernel=name)


def with_kernel_calls(statement: gast.stmt) -> gast.stmt:
    """A statement, noted to have calls of kernels."""
    return note(statement, calls_kernels=True)


def means_kernels(code: Code) -> bool:
    """Whether the name `kernels` is free, or that of the kernels."""
    stored = {name for each in walk_statements(code.body) for name in _stored(each)}
    return code.unit.bindings.get("kernels", kernels) is kernels and "kernels" not in {*code.parameters, *stored}


def _stored(statement: gast.stmt) -> Iterable[str]:
    return [node.id for node in walk(statement) if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store)]
