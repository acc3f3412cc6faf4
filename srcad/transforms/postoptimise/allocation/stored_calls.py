"""Stored calls: in loops, results of products, factorisations and systems go into an array that is allocated before.

    for t in range(n):                      for t in range(n):
        rate = a @ y            becomes         rate = np.empty(a.shape[0])
                                                kernels.blas.times_into(rate, a, y)

The allocation can then leave the loop, or be a row of a trace. Products within expressions, `-kernels.times(a, b) + c`,
are taken out first, as is arithmetic in arguments of calls; arithmetic on arrays is then computed element by element
(`array_arithmetic`). Input and output are the statements of one function.
Applies to calls that have such a form (`results_in_place`), where the types of the names are known, and the extents of
the result before the call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gast
from numba import types as nb

from srcad.runtime.kernels.linear_algebra.results_in_place import CALLS as OF_MATRICES
from srcad.transforms.analysis.affine.integer_facts import index_parts
from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.analysis.liveness import liveness_of
from srcad.transforms.analysis.ranks import ranks_of
from srcad.transforms.ir.array_functions import returns_new
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    binary,
    call,
    clone,
    const,
    dotted,
    dotted_path,
    inner_blocks,
    is_loop,
    load,
    names_in,
    one_or_tuple,
    place_of,
    walk_statements,
)
from srcad.transforms.ir.code import Code, store_counts
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.loop_analysis.lasting_extents import known_throughout
from srcad.transforms.postoptimise.allocation.array_arithmetic import Arithmetic
from srcad.transforms.postoptimise.allocation.known_extents import known_numbers
from srcad.transforms.postoptimise.allocation_hoisting import allocated, allocated_kind
from srcad.transforms.postoptimise.kernel_calls import kernel_call, means_kernels

# The functions that have such a form, with the kernel, and the type of the result for those of the arguments.
_CALLS: dict[str, tuple[str, Callable[..., Any]]] = {**OF_MATRICES, "np.copy": ("copy_to", lambda kind: kind)}
_Extents = tuple[gast.expr, ...] | None


def with_stored_calls(code: Code) -> Code:
    """Store the results of calls in loops into arrays that are allocated before."""
    everything = list(walk_statements(code.body))
    if not any(map(is_loop, everything)) or any(is_parallel(each) for each in everything) or not means_kernels(code):
        return code
    storer = _Storer(code)
    body = storer.walked(code.body, Facts.at_start(code.kinds, ranks_of(code).of), False)
    return code.with_body(body, storer.new) if storer.has_changed else code


class _Storer:
    def __init__(self, code: Code) -> None:
        made = {allocated(each): each for each in walk_statements(code.body)}
        self.kinds = {**{name: allocated_kind(each) for name, each in made.items() if name is not None}, **code.kinds}
        self.names, self.new = code.fresh_names(), dict[str, nb.Type]()
        self.stores, self.live = store_counts(code), liveness_of(code)
        self.facts = Facts()
        self.arithmetic = Arithmetic(code, self.kinds, self.names)
        self.has_changed = False

    def walked(self, block: Block, facts: Facts, is_inside: bool) -> Block:
        """A block, with inner ones; `is_inside` where it is part of a loop. The facts are then those after it."""
        result: Block = []
        for statement in block:
            if inner_blocks(statement):
                before, head = facts.copy(), self.live.heads.get(statement, ())
                blocks = facts.descend(statement)
                known_throughout(statement, before, head, (facts, *(inside for _, inside in blocks)))
                for inner, inside in blocks:
                    inner[:] = self.walked(inner, inside, is_inside or is_loop(statement))
                result.append(statement)
                continue
            for part in [*self.parts(statement, facts)] if is_inside else [statement]:
                stored = self.in_place(part, facts) if is_inside else None
                for each in [part] if stored is None else stored:
                    if inner_blocks(each):
                        facts.descend(each)
                    else:
                        facts.learn(each)
                        facts.learn_check(each)
                    result.append(each)
        return result

    def parts(self, statement: gast.stmt, facts: Facts) -> Iterator[gast.stmt]:
        """The statements that compute a value step by step; `a = a @ b` gets a name for a product of known extents."""
        yield from self.taken_out(statement, facts)
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value) if name in names_in(value):
                kernel, given = _called(value)
                result = self.result_kind(kernel, given) if kernel not in (None, "np.copy") else None
                extents = self.extents(str(kernel), given, facts) if result is not None else None
                are_numbers = extents is not None and known_numbers([*extents], facts) is not None
                if result is not None and are_numbers and result == self.kinds.get(name):
                    product = self.names.fresh(name)
                    self.new[product] = self.kinds[product] = result
                    facts.ranks = {**facts.ranks, product: result.ndim}
                    yield at(assign(product, value), place_of(statement))
                    statement.value = load(product)
        yield statement

    def taken_out(self, statement: Any, facts: Facts) -> Iterator[gast.stmt]:
        """Statements that compute products and the like within another's expression, which are names from then on."""
        if not isinstance(statement, (gast.Assign, gast.AugAssign, gast.Expr)) or notes_of(statement).effect:
            return
        if not any(
            _called(each)[0] or _is_argument(outer, each)
            for outer in _inside_out(statement.value)
            for _, each in _operands(outer)
        ):
            return
        statement.value = clone(statement.value)  # another statement may have the same nodes
        for outer in _inside_out(statement.value):
            for field, each in [*_operands(outer)]:
                kernel, given = _called(each)
                if kernel == "np.copy":
                    continue
                result: Any = None
                if kernel is not None:
                    result = self.result_kind(kernel, given)
                    if result is None or self.extents(kernel, given, facts) is None:
                        continue
                    word = "product" if "times" in kernel else kernel.rpartition(".")[2].partition("_")[0]
                elif _is_argument(outer, each) and (extents := self.arithmetic.extents(each, facts)) is not None:
                    result, word = nb.Array(nb.float64, len(extents), "C"), "term"
                else:
                    continue
                name = self.names.fresh(word)
                self.new[name] = self.kinds[name] = result
                self.arithmetic.ranks.of[name] = result.ndim
                facts.ranks = {**facts.ranks, name: result.ndim}
                _put(outer, field, load(name))
                yield at(assign(name, each), place_of(statement))

    def result_kind(self, kernel: str, given: list[gast.expr]) -> Any:
        """The type of the result of a call, an array; None where it is not known, or not such a one."""
        kinds = [self.kind_of(each) for each in given]
        if kernel == "kernels.cofactors_factored":
            kinds[-1] = nb.float64  # a number, whose type does not matter
        result = None if None in kinds else _CALLS[kernel][1](*kinds)
        return result if isinstance(result, nb.Array) else None

    def in_place(self, statement: Any, facts: Facts) -> Block | None:
        """The statements in place of one that computes an array; None where it stays."""
        self.facts = facts
        return self.stored(statement, facts) or self.diagonal(statement, facts) or self.computed(statement, facts)

    def diagonal(self, statement: Any, facts: Facts) -> Block | None:
        """The same for the adjoint of a trace, a multiple of the identity."""
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                pass
            case _:
                return None
        if dotted_path(getattr(value, "func", value)) == "np.eye":
            return self.identity(statement, name, value)
        match _without_copy(value):
            case gast.Call(func=function, args=[number, gast.Attribute(value=gast.Name(id=of), attr="shape"), offset]):
                if dotted_path(function) != "kernels.trace_adjoint" or constant(offset) != 0:
                    return None
            case _:
                return None
        kind, extents = nb.Array(nb.float64, 2, "C"), facts.of(of)
        is_real = isinstance(number, gast.Name) and self.kinds.get(number.id) == nb.float64
        if (
            not is_real
            or extents is None
            or len(extents) != 2
            or not (self.kinds.get(name) == kind or self.settles(name, kind))
        ):
            return None
        return self.with_diagonal(statement, name, extents, number)

    def identity(self, statement: Any, name: str, value: Any) -> Block | None:
        """The same for a matrix of ones on its diagonal, whose extents are known."""
        kind, forms = nb.Array(nb.float64, 2, "C"), [self.facts.form(each) for each in value.args]
        if value.keywords or len(forms) not in (1, 2) or any(form is None or form.terms for form in forms):
            return None
        if not (self.kinds.get(name) == kind or self.settles(name, kind)):
            return None
        return self.with_diagonal(statement, name, (value.args[0], value.args[-1]), const(1.0))

    def with_diagonal(self, statement: Any, name: str, extents: Any, number: gast.expr) -> Block:
        """The allocation of a matrix, and what stores its elements."""
        self.has_changed = True
        made = at(assign(name, call("np.empty", one_or_tuple([*map(clone, extents)]))), place_of(statement))
        stores = gast.Expr(value=kernel_call("blas.diagonal_into", load(name), clone(number)))
        note(at(stores, place_of(statement)), calls_kernels=True, comment=notes_of(statement).comment)
        return [made, stores]

    def computed(self, statement: Any, facts: Facts) -> Block | None:
        """The statements in place of one that computes an array, or adds one; None where it stays."""
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value) if not notes_of(statement).effect:
                extents = self.arithmetic.extents(value, facts)
                kind = self.kinds.get(name)
                wanted = nb.Array(nb.float64, len(extents or ()), "C")
                if extents is None or name in names_in(value) or not (kind == wanted or self.settles(name, wanted)):
                    return None
                result = self.arithmetic.stored(statement, extents)
            case _:
                total = self.arithmetic.added(statement, facts)
                if total is None:
                    return None
                result = [total]
        self.has_changed = True
        return result

    def settles(self, name: str, kind: Any) -> bool:
        """Whether a name whose type is not known has this one, as one statement stores it."""
        if name in self.kinds or self.stores[name] != 1:
            return False
        self.new[name] = self.kinds[name] = kind
        return True

    def stored(self, statement: Any, facts: Facts) -> Block | None:
        """The statements in place of one that assigns the result of a call; None where it stays."""
        if not isinstance(statement, gast.Assign) or not isinstance(statement.targets[0], gast.Name):
            return None
        name, value = statement.targets[0].id, _without_copy(statement.value)
        kernel, given = _called(value)
        if kernel is not None and (found := self.result_kind(kernel, given)) is not None:
            self.settles(name, found)
        kind: Any = self.kinds.get(name)
        if (
            kernel is None
            or type(kind) is not nb.Array
            or kind.layout != "C"
            or not kind.mutable
            or name in names_in(value)
        ):
            return None
        into, result = _CALLS[kernel][0], self.result_kind(kernel, given)
        extents = self.extents(kernel, given, facts) if result is not None else None
        if extents is None or (result.dtype, result.ndim) != (kind.dtype, kind.ndim) or len(extents) != kind.ndim:
            return None
        self.has_changed = True
        dtype = [] if kind.dtype == nb.float64 else [dotted(f"np.{kind.dtype}")]
        made = assign(name, call("np.empty", one_or_tuple([clone(each) for each in extents]), *dtype))
        stores = gast.Expr(value=kernel_call(into, gast.Name(name, gast.Load(), None, None), *given))
        note(at(stores, place_of(statement)), calls_kernels=True, stored_value=clone(value))
        return [at(made, place_of(statement)), note(stores, comment=notes_of(statement).comment)]

    def kind_of(self, node: gast.expr) -> nb.Type | None:
        """The type of an argument: of a name, a transposed matrix, or rows of an array in C order."""
        match node:
            case gast.Name(id=name):
                return self.kinds.get(name)
            case gast.Call(args=[gast.Name(id=name)], keywords=[]) if _is_transpose(node):
                kind: Any = self.kinds.get(name)
                turned = {"C": "F", "F": "C"}
                is_matrix = isinstance(kind, nb.Array) and kind.ndim == 2
                return kind.copy(layout=turned.get(kind.layout, "A")) if is_matrix else None
            case gast.Subscript(value=gast.Name(id=name)):
                kind, index = self.kinds.get(name), index_parts(node)
                are_numbers = all(
                    isinstance(self.kinds.get(each), nb.Integer) for part in index for each in names_in(part)
                )
                is_row = are_numbers and all(
                    isinstance(part, (gast.Name, gast.BinOp)) or isinstance(constant(part), int) for part in index
                )
                if is_row and isinstance(kind, nb.Array) and kind.layout == "C" and len(index) < kind.ndim:
                    return kind.copy(ndim=kind.ndim - len(index))
        return None

    def extents(self, kernel: str, given: list[gast.expr], facts: Facts) -> _Extents:
        """The extents of a result, as expressions of values that are known before the call."""
        parts = [_extents_of(each, facts) for each in given[:2] if kernel == "kernels.cofactors_factored"] or [
            _extents_of(each, facts) for each in given
        ]
        first, last = parts[0], parts[-1]
        if first is None or last is None:
            return None
        match kernel:
            case "kernels.times":
                return (*first[:-1], *last[1:])
            case "kernels.times_transpose":
                return first[0], last[0]
            case "kernels.transpose_times":
                return first[1], *last[1:]
            case "kernels.lu_factors":
                return binary(first[0], gast.Add, const(1)), first[1]
            case "kernels.inverse_factored":
                return last[1], last[1]
            case "kernels.cofactors_factored":
                return first
            case "np.outer":
                return first[0], last[0]
        return last  # of a copy, or a system


def _called(value: gast.expr) -> tuple[str | None, list[gast.expr]]:
    """The kernel that computes a value, and its arguments."""
    match value:
        case gast.BinOp(left=left, op=gast.MatMult(), right=right):
            return "kernels.times", [left, right]
        case gast.Call(func=function, args=given, keywords=[]):
            path = dotted_path(function)
            path = "kernels.times" if path in ("np.dot", "np.matmul") else path
            return (path, list(given)) if path in _CALLS else (None, [])
    return None, []


def _is_argument(outer: gast.expr, node: gast.expr) -> bool:
    """Whether this is arithmetic that a call of a kernel for matrices takes as an argument."""
    is_computed = isinstance(node, (gast.UnaryOp, gast.BinOp)) and _called(node)[0] is None
    return is_computed and _called(outer)[0] not in (None, "np.copy")


def _without_copy(value: gast.expr) -> gast.expr:
    """What is copied, if nothing else refers to it."""
    match value:
        case gast.Call(func=function, args=[gast.Call() as made], keywords=[]) if dotted_path(function) == "np.copy":
            return made if returns_new(dotted_path(made.func)) else value
    return value


def _inside_out(node: gast.expr) -> Iterator[Any]:
    """The arithmetic and the calls of an expression that are evaluated in any case, inner ones first."""
    for _, each in _operands(node):
        yield from _inside_out(each)
    if isinstance(node, (gast.BinOp, gast.UnaryOp, gast.Call)):
        yield node


def _operands(node: Any) -> Iterator[tuple[str | int, gast.expr]]:
    """The operands of arithmetic and the arguments of calls, with where they are."""
    match node:
        case gast.BinOp(left=left, right=right):
            yield from (("left", left), ("right", right))
        case gast.UnaryOp(operand=operand):
            yield "operand", operand
        case gast.Call(args=args):
            yield from enumerate(args)


def _put(node: Any, field: str | int, value: gast.expr) -> None:
    if isinstance(field, int):
        node.args[field] = value
    else:
        setattr(node, field, value)


def _is_transpose(node: gast.Call) -> bool:
    return dotted_path(node.func) == "np.transpose"


def _extents_of(node: gast.expr, facts: Facts) -> _Extents:
    match node:
        case gast.Call(args=[gast.Name(id=name)], keywords=[]) if _is_transpose(node):
            return (facts.of(name) or ())[::-1] or None
    return facts.parts(node)
