"""Index sets: each statement is followed by one that says which elements of a vector its result depends on.

    v = x[i] * np.sin(u)     becomes     v = x[i] * np.sin(u)
                                         v_set = index_sets.unite(sets, x_set[i], u_set)

Sets are numbers, and arrays of them have the shapes of the arrays that they belong to: a view of an array has the same
view of its sets, and what moves elements moves their sets. Whatever has no statement here depends, in each element, on
all that its arguments depend on. Control flow is that of the call. What meets in a product, or passes through a
function that is not linear, is noted too: pairs of these are where second derivatives may be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gast
from numba import types as nb

from srcad.errors import Place
from srcad.names import Names
from srcad.refusals.names_and_functions import NO_FORWARD_RULE
from srcad.runtime import kernels
from srcad.runtime.kernels import index_sets
from srcad.runtime.rulebook import registry
from srcad.runtime.rulebook.rule import Rule
from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.transforms.adjoint.rule_expansion import bound
from srcad.transforms.analysis.activity import known_numbers, missing_rule, ranks
from srcad.transforms.analysis.program_facts import Program, analyse_forward
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    attribute,
    call,
    clone,
    const,
    dotted,
    effect,
    inner_blocks,
    is_exit,
    load,
    names_in,
    place_of,
    rewrite,
    subscript,
    tuple_of,
    walk_statements,
)
from srcad.transforms.ir.generated_functions import Made, function
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.primitive import operands, primitive_of
from srcad.transforms.ir.unit import Unit
from srcad.transforms.sweeps.gradient_function import results_of
from srcad.transforms.sweeps.tangent_mode import Tangents
from srcad.transforms.sweeps.untaken_branches import Flow, both_arms, depends_on_values, flow_of_branches

# Functions whose result has elements of its arguments, at places that do not depend on them, and zeros.
_MOVES = frozenset(
    (
        *("np.append", "np.array", "np.asarray", "np.ascontiguousarray", "np.asfortranarray", "np.copy", "np.take"),
        *("np.atleast_1d", "np.atleast_2d", "np.atleast_3d", "np.broadcast_to", "np.expand_dims", "np.squeeze"),
        *("np.concatenate", "np.stack", "np.hstack", "np.vstack", "np.dstack", "np.column_stack", "np.repeat"),
        *("np.diag", "np.diagonal", "np.tril", "np.triu", "np.flip", "np.roll", "np.ravel", "np.reshape", "np.tile"),
        *("np.moveaxis", "np.swapaxes", "np.transpose", "kernels.expand", "kernels.copy_in_c_order"),
        *("kernels.with_item", "kernels.put_along", "operator.getitem"),
    )
)
_SAME = frozenset(("np.astype", "np.float64", "np.positive", "float"))  # elements of the first argument
_SUMS = frozenset(("np.sum", "np.mean", "np.max", "np.min", "np.amax", "np.amin"))
_PRODUCTS = frozenset(("np.dot", "np.matmul", "operator.matmul"))
_LINEAR = frozenset(
    (
        *("np.add", "np.subtract", "np.negative", "np.positive", "np.conj", "np.real", "np.imag", "np.abs", "np.fabs"),
        *("operator.add", "operator.sub", "operator.neg", "operator.pos", "abs", "max", "min", "math.fabs"),
        *("np.full", "np.full_like", "np.diff", "np.cumsum", "np.trace", "np.where", "np.select", "np.choose"),
        *("np.max", "np.min", "np.maximum", "np.minimum", "np.fmax", "np.fmin", "np.clip", "np.sign"),
        "kernels.select",
    )
)
_FACTORS = frozenset(("np.multiply", "operator.mul"))
_CHOICES = frozenset(("np.where", "kernels.select"))
SETS = "sets"


def index_set_function(unit: Unit, types: Types, wrt: Sequence[int], all_branches: bool = False) -> Made:
    """`f_pattern(..., *sets of the arguments, sets) -> sets of the results`, through the branches taken or all of them.

    Raises SrcadError for what it does not cover, such as calls of functions that are not inlined.
    """
    program = analyse_forward(unit, types, [unit.parameters[k] for k in wrt], frozenset())
    names, bindings = unit.names.copy(), {**unit.bindings, "index_sets": index_sets}
    mode = IndexSets(program, names, bindings, all_branches)
    given = [mode.dot(unit.parameters[k]) for k in wrt]
    copied = unit.copy_tree()
    mode.branches = flow_of_branches(copied.body) if all_branches else {}
    body = rewrite(copied.body[:-1], mode.with_tangents)
    results = [mode.of_atom(node) for node in results_of(unit)]
    body.append(at(gast.Return(value=tuple_of(*results)), None))
    still = [each for each in unit.parameters if each in mode.dots and mode.dot(each) not in given]
    numbers = sorted(each for each in mode.dots if all_branches and each not in unit.parameters)
    still += [each for each in numbers if not types.is_array(each)]
    body[:0] = [assign(mode.dot(each), mode.empty(each), None) for each in still]
    name = f"{unit.name}_pattern"
    return Made([function(name, (*unit.parameters, *given, mode.sets), body)], bindings, (name,), names)


class IndexSets(Tangents):
    """Writes statements for sets, in place of tangents."""

    def __init__(self, program: Program, names: Names, bindings: dict[str, Any], all_branches: bool) -> None:
        super().__init__(program, names, bindings)
        self.sets, self.all_branches = names.fresh(SETS), all_branches
        self.branches: dict[gast.stmt, Flow] = {}
        self.shadows: set[str] = set()  # names that only serve branches that are not taken
        body = program.unit.tree.body
        self.chosen = depends_on_values(body, program.is_active) if all_branches else set()

    @property
    def own(self) -> set[str]:
        """The names of sets."""
        return set(self.dots.values()) | self.shadows

    @property
    def of_arrays(self) -> set[str]:
        """The names of arrays of sets."""
        return {dot for name, dot in self.dots.items() if self.program.types.is_array(name)}

    def dot(self, name: str) -> str:
        """The name of a name's set."""
        if name not in self.dots:
            self.dots[name] = self.names.fresh(f"{name}_set")
        return self.dots[name]

    def empty(self, name: str) -> gast.expr:
        """The sets of a value that depends on nothing."""
        if isinstance(self.program.types.get(name), nb.Array):
            return call("np.zeros", attribute(load(name), "shape"), dotted("np.int64"))
        return const(0)

    def of_atom(self, node: gast.expr, like: str | None = None) -> gast.expr:
        """The set of an atom, or of a tuple of atoms."""
        if isinstance(node, gast.Tuple):
            return tuple_of(*(self.of_atom(element) for element in node.elts))
        if isinstance(node, gast.Name) and self.program.is_active(node.id):
            return load(self.dot(node.id))
        return self.empty(node.id) if isinstance(node, gast.Name) else const(0)

    def with_tangents(self, statement: gast.stmt) -> Block:
        """A statement with the statements for its sets after it."""
        if not inner_blocks(statement) and self.calls.is_active_call(statement, self.program):
            raise NO_FORWARD_RULE.at(place_of(statement), function="a function that is not inlined")
        if isinstance(statement, gast.If) and set(names_in(statement.test)) & self.chosen and not _leaves(statement):
            return both_arms(statement, self.branches[statement], self)
        return [statement, *self.statement(statement)[1]]

    def statement(self, statement: gast.stmt) -> tuple[Block, Block]:
        """No statement before, and those for sets after one simple statement."""
        match statement:
            case gast.AugAssign(target=target, op=op, value=value) if self.program.is_active(target.value.id):
                if not self.is_varied(value):
                    return [], []
                place, old = place_of(statement), self.of_target(target)
                union = self.united(
                    [gast.Subscript(value=old.value, slice=old.slice, ctx=gast.Load()), self.of_atom(value)]
                )
                code = [assign(old, union, place)]
                if not isinstance(op, (gast.Add, gast.Sub)):
                    now = gast.Subscript(value=clone(old.value), slice=clone(old.slice), ctx=gast.Load())
                    code.append(self.met(now, now, place))
                return [], code
        return super().statement(statement)

    def assignment(self, name: str, value: gast.expr, place: Place | None) -> Block:
        """`name = value`, where the name has a set."""
        if not any(self.program.is_active(read) for read in names_in(value)):
            return [assign(self.dot(name), self.empty(name), place)]
        return super().assignment(name, value, place)

    def operation(self, name: str, value: gast.expr, place: Place | None) -> Block:
        """`name = f(...)`."""
        primitive = primitive_of(value, self.program.unit.bindings)
        positional, keywords = operands(value)
        rule = registry.find(primitive, ranks(positional, self.program.types), known_numbers(positional))
        if rule is None:
            raise missing_rule(primitive, place)
        if rule.kind == "zero":
            return [assign(self.dot(name), self.empty(name), place)]
        inputs = bound(rule, positional, keywords, self.program.types, place)
        path = _path_of(primitive)
        if path in _MOVES and "dtype" not in keywords:
            return [assign(self.dot(name), self.moved(value, rule, inputs, path), place)]
        if path in _CHOICES and len(positional) == 3 and not self.all_branches:
            parts = [clone(positional[0]), *(self.of_atom(each) for each in positional[1:])]
            return [assign(self.dot(name), self.like(call(path, *parts), name), place)]
        if path in _SUMS:
            return [assign(self.dot(name), self.along(name, positional, keywords), place)]
        if path in _PRODUCTS and self.are_matrices(positional):
            parts = [self.factor(each) for each in positional]
            return [assign(self.dot(name), call("index_sets.product", load(self.sets), *parts), place)]
        if path == "np.cumsum" and len(inputs) == 1 and self.rank(positional[0]) == 1:
            return [
                assign(self.dot(name), call("index_sets.running", load(self.sets), self.of_atom(positional[0])), place)
            ]
        if path == "np.diff" and len(inputs) == 1 and self.rank(positional[0]) == 1:
            return [assign(self.dot(name), self.united(self.neighbours(positional[0])), place)]
        return self.united_statements(name, path, rule, inputs, place)

    def varied(self, inputs: dict[str, gast.expr]) -> list[gast.expr]:
        """The names among inputs that have sets, also those in tuples."""
        parts = [part for each in inputs.values() for part in (each.elts if isinstance(each, gast.Tuple) else [each])]
        return [part for part in parts if self.is_varied(part)]

    def united_statements(
        self, name: str, path: str, rule: Rule, inputs: dict[str, gast.expr], place: Place | None
    ) -> Block:
        """The union of all inputs, element by element for functions of elements, else of all elements."""
        read = self.varied(inputs)
        if not read:
            return [assign(self.dot(name), self.empty(name), place)]
        dots = [self.of_atom(each) for each in read]
        if not rule.elementwise and path not in _SAME:
            arrays = [self.rank(each) > 0 for each in read]
            whole = [
                call("index_sets.unite_all", load(self.sets), dot) if is_array else dot
                for dot, is_array in zip(dots, arrays, strict=True)
            ]
        else:
            whole = dots
        code = [assign(self.dot(name), self.like(self.united(whole), name), place)]
        if path in _FACTORS and len(dots) == 2:
            code.append(self.met(dots[0], dots[1], place))
        elif not self.is_linear(path, inputs):
            code.append(self.met(load(self.dot(name)), load(self.dot(name)), place))
        return code

    def is_linear(self, path: str, inputs: dict[str, gast.expr]) -> bool:
        """Whether the result has no second derivatives."""
        if path in ("np.divide", "operator.truediv"):
            return not self.is_varied(list(inputs.values())[1])
        return path in _LINEAR | _FACTORS | _SAME

    def united(self, dots: list[gast.expr]) -> gast.expr:
        """The union of sets."""
        total = dots[0]
        for each in dots[1:]:
            total = call("index_sets.unite", load(self.sets), total, each)
        return total

    def met(self, one: gast.expr, other: gast.expr, place: Place | None) -> gast.stmt:
        """The statement that notes that two sets meet."""
        value = call("index_sets.meet", load(self.sets), clone(one), clone(other))
        return effect(at(gast.Expr(value=value), place))

    def like(self, found: gast.expr, name: str) -> gast.expr:
        """Sets in the shape of a result, in memory of their own."""
        return call("index_sets.like", found, load(name)) if self.program.types.is_array(name) else found

    def along(self, name: str, positional: list[gast.expr], keywords: dict[str, gast.expr]) -> gast.expr:
        """The union along one axis, or of all elements."""
        axis = keywords.get("axis", positional[1] if len(positional) > 1 else None)
        found = self.of_atom(positional[0])
        if not self.rank(positional[0]):
            return found
        if isinstance(axis, gast.Constant) and isinstance(axis.value, int) and self.program.types.is_array(name):
            return call("index_sets.unite_along", load(self.sets), found, axis, load(name))
        return self.like(call("index_sets.unite_all", load(self.sets), found), name)

    def neighbours(self, vector: gast.expr) -> list[gast.expr]:
        """The sets of a vector without the first one, and without the last one."""
        slices = gast.Slice(lower=const(1), upper=None, step=None), gast.Slice(lower=None, upper=const(-1), step=None)
        return [subscript(self.of_atom(vector), each) for each in slices]

    def moved(self, value: gast.expr, rule: Rule, inputs: dict[str, gast.expr], path: str) -> gast.expr:
        """The function applied to sets, in place of the elements that it moves."""
        if rule.kind != "view" and not rule.is_linear:
            raise NO_FORWARD_RULE.at(None, function=path)
        return self.applied(value, rule, inputs)

    def factor(self, node: gast.expr) -> gast.expr:
        """The sets of a factor; of a constant one, which elements are not zero."""
        return self.of_atom(node) if self.is_varied(node) else call("index_sets.present", clone(node))

    def are_matrices(self, factors: list[gast.expr]) -> bool:
        """Whether these are two vectors or matrices."""
        return len(factors) == 2 and all(self.rank(each) in (1, 2) for each in factors)

    def rank(self, node: gast.expr) -> int:
        """The number of dimensions of an atom."""
        kind = self.program.types.get(node.id) if isinstance(node, gast.Name) else None
        return int(kind.ndim) if isinstance(kind, nb.Array) else 0


def _path_of(primitive: Any) -> str:
    """The dotted name of a primitive, as generated code has it."""
    is_kernel = str(getattr(primitive, "__module__", "")).startswith(kernels.__name__)
    return f"kernels.{primitive.__name__}" if is_kernel else primitive_name(primitive)


def _leaves(branch: gast.If) -> bool:
    """Whether a branch leaves a loop: how often loops run is what it is in the call."""
    return any(is_exit(each) for each in walk_statements([branch]))
