"""Expression types: Numba's types of single expressions over names of known types.

    t = x[i] * 2.0          Expressions(types, bindings).kind(value)      float64

Only simple expressions are typed, by the same tables that Numba's inference uses: arithmetic, comparisons, subscripts,
attributes, calls with plain arguments, tuples. Anything else raises `Unresolved`, and is left to Numba's inference.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import gast
import numpy as np
from numba import types
from numba.core import errors
from numba.core.registry import cpu_target

from srcad.transforms.ir.primitive import BINARY, COMPARISON, UNARY

_OF_OBJECTS = (gast.Is, gast.IsNot, gast.In, gast.NotIn)
_OPERATORS = {kind: function for kind, function in {**BINARY, **UNARY, **COMPARISON}.items() if kind not in _OF_OBJECTS}


class Unresolved(Exception):
    """An expression that only Numba's full inference can type, or that has no type."""


class Expressions:
    """The types of expressions over names of known types; to be used inside of `typing_only`.

    kinds       types of the local names, to which the caller adds
    bindings    values of the global names
    """

    def __init__(self, kinds: dict[str, types.Type], bindings: Mapping[str, Any]) -> None:
        self.kinds, self.bindings = kinds, bindings
        self.context = cpu_target.typing_context
        self.context.refresh()

    def stored(self, value: gast.expr) -> types.Type:
        """The type of a name that the expression is assigned to. Raises Unresolved."""
        return types.unliteral(self.kind(value))

    def kind(self, node: gast.expr) -> types.Type:
        """The type of an expression; for literals, the literal type. Raises Unresolved."""
        method = getattr(self, f"_{type(node).__name__}", None)
        if method is None:
            raise Unresolved
        found = method(node)
        if not isinstance(found, types.Type) or not found.is_precise():
            raise Unresolved
        return found

    def _Name(self, node: gast.Name) -> types.Type:
        if node.id in self.kinds:
            return self.kinds[node.id]
        value = self.bindings.get(node.id, getattr(builtins, node.id, None))
        if value is None or isinstance(value, (np.ndarray, str, tuple)):
            raise Unresolved
        return self._asked(self.context.resolve_value_type, value)

    def _Constant(self, node: gast.Constant) -> types.Type:
        if node.value is None or isinstance(node.value, (str, bytes)):
            raise Unresolved
        return self._asked(self.context.resolve_value_type, node.value)

    def _BinOp(self, node: gast.BinOp) -> types.Type:
        if isinstance(node.op, gast.Pow):
            return self._power(self.kind(node.left), self.kind(node.right))
        return self._applied(node.op, node.left, node.right)

    def _power(self, base: types.Type, exponent: types.Type) -> types.Type:
        if not isinstance(getattr(base, "dtype", base), types.Float):
            raise Unresolved  # the type of an integer's power depends on the exponent's value
        return self._called(operator.pow, [base, exponent], {})

    def _UnaryOp(self, node: gast.UnaryOp) -> types.Type:
        return self._applied(node.op, node.operand)

    def _Compare(self, node: gast.Compare) -> types.Type:
        if len(node.ops) != 1:
            raise Unresolved
        return self._applied(node.ops[0], node.left, node.comparators[0])

    def _Tuple(self, node: gast.Tuple) -> types.Type:
        return types.BaseTuple.from_types([types.unliteral(self.kind(each)) for each in node.elts])

    def _Slice(self, node: gast.Slice) -> types.Type:
        for part in (node.lower, node.upper, node.step):
            if part is not None and not isinstance(self.kind(part), types.Integer):
                raise Unresolved
        return types.slice2_type if node.step is None else types.slice3_type

    def _Subscript(self, node: gast.Subscript) -> types.Type:
        of, index = self.kind(node.value), node.slice
        if isinstance(of, types.BaseTuple):
            if not isinstance(index, gast.Constant) or not isinstance(index.value, int):
                raise Unresolved
            elements = list(of)
            if not -len(elements) <= index.value < len(elements):
                raise Unresolved
            return elements[index.value]
        if not isinstance(of, types.Array):
            raise Unresolved
        return self._called(operator.getitem, [of, types.unliteral(self.kind(index))], {})

    def _Attribute(self, node: gast.Attribute) -> types.Type:
        return self._asked(self.context.resolve_getattr, self.kind(node.value), node.attr)

    def _Call(self, node: gast.Call) -> types.Type:
        if any(isinstance(each, gast.Starred) for each in node.args) or any(each.arg is None for each in node.keywords):
            raise Unresolved
        keywords = {each.arg: self.kind(each.value) for each in node.keywords}
        return self._called(self.kind(node.func), [self.kind(each) for each in node.args], keywords)

    def _applied(self, sign: gast.AST, *operands: gast.expr) -> types.Type:
        if type(sign) not in _OPERATORS:
            raise Unresolved
        return self._called(_OPERATORS[type(sign)], [self.kind(each) for each in operands], {})

    def _called(self, function: Any, arguments: Iterable[types.Type], keywords: dict[Any, types.Type]) -> types.Type:
        signature = self._asked(self.context.resolve_function_type, function, tuple(arguments), keywords)
        return getattr(signature, "return_type", None)

    def _asked(self, question: Callable[..., Any], *about: Any) -> Any:
        try:
            return question(*about)
        except (errors.NumbaError, KeyError, NotImplementedError, AssertionError) as error:
            raise Unresolved from error
