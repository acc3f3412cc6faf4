"""`Plan`: how calls of one kind are computed, recorded and reversed, determined once per kind and cached.

    np.sum(x, axis=0)       (np.sum, Tensor, "axis", int)       recorded as (plan, (x,), result, {"axis": 0})

The kind of a call is its primitive, the types of its arguments, and the names and types of its keywords. With the
cached plan a call needs no lookup in the rule tables and no binding of arguments to a signature. Its reverse gets from
the plan the pullback function for the inputs whose adjoints are wanted.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from srcad.runtime.kernels.arrays.rearrangements import step
from srcad.runtime.rulebook.registry import definition, is_effect, variants
from srcad.runtime.support.nested_structures import flatten
from srcad.runtime.tape.core.operand import Readable
from srcad.runtime.tape.core.tensor import Tensor
from srcad.runtime.tape.protocols.arithmetic import NO_KEYWORDS
from srcad.runtime.tape.recording.call_rewrites import FOR_COMPLEX, spelled_always
from srcad.runtime.tape.recording.composed_calls import is_simple
from srcad.runtime.tape.recording.retention import SCALARS, contents
from srcad.runtime.tape.recording.rule_coverage import check_meaning, covering, from_out_on, operands, rule_of
from srcad.runtime.tape.recording.stacked_linalg import OF_MATRICES
from srcad.runtime.tape.reverse.pullbacks import GATHERS, asks_of, direct_pullback, signature
from srcad.runtime.tape.reverse.rules_on_tensors import on_tensors

# How a call is computed. DIRECT: on arrays in place of tensors. NESTED: the same, if its lists and tuples hold no
# tensors. READS: after variables were read. OTHERS: it depends on the call.
DIRECT, NESTED, READS, OTHERS = range(4)
# Where the derivative comes from. RULED: a rule. ZERO: it is zero. DEFINED: the function's definition in terms of
# others. UNSETTLED: not determined yet. UNKNOWN: there is none.
RULED, ZERO, DEFINED, UNSETTLED, UNKNOWN = range(5)

# Functions that may write to an argument; they are given read-only arrays in place of tensors.
WRITERS = frozenset((np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis))
WRITERS |= {np.nanmedian, np.nanpercentile, np.nanquantile}
# Functions that write to an argument if the argument at this place, or with this name, says so.
_WRITES_IF: Mapping[Any, tuple[int, str]] = {
    np.nan_to_num: (1, "copy"),
    np.median: (3, "overwrite_input"),
    **dict.fromkeys((np.percentile, np.quantile), (4, "overwrite_input")),
}
# Functions of a list of arrays, and the place of the list among the arguments.
JOINS: Mapping[Any, int] = {
    **dict.fromkeys((np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack, np.dstack), 0),
    np.choose: 1,
    np.linalg.multi_dot: 0,
    np.select: 1,
}
# Their definitions check calls more strictly than their rules.
AS_DEFINED = frozenset((np.linalg.svd, np.linalg.qr, np.linalg.lstsq))
FLAT: Mapping[Any, Any] = {np.sign: step}  # derivative zero, not unconnected as for others
_PLAIN = frozenset((np.ndarray, type, *SCALARS))
_MOST = 4096  # the most plans in the cache


class Plan:
    """How calls of one kind are computed, recorded and reversed.

    way         how a call is computed: DIRECT, NESTED, READS or OTHERS
    kind        where the derivative comes from: RULED, ZERO, DEFINED, UNSETTLED or UNKNOWN
    compute     the primitive, without NumPy's dispatch to tensors, which has already happened
    meaning     a function of tensors that the tape records in place of the primitive
    count       how many arguments to record; the ones after these are None
    stated      the keywords to record; None for all
    theirs      whether there are arrays among the arguments, which the caller may change later
    nested      the places of lists and tuples
    joins       whether an argument is a list of tensors
    list_at     the place of that list
    of_matrices whether it is a function of matrices, which may be given stacks of them
    operands    the places of arguments that have derivatives: lists of numbers there are arrays
    several     whether calls return a tuple of several results
    refuses     the definition, if it refuses more calls than the rule
    composed    whether a call of a function that is defined by others is recorded as one node, not expanded
    accepted    the shapes and values for which the definition is known to run
    gathers     whether it may take rows of a table
    asks        whether the choice of a rule depends on ranks or on number literals
    ranks       the ranks that a rule is known to cover; None if the rules cover all
    told        whether the accelerator has been told of it
    pulls       the pullbacks, by the inputs whose adjoints are wanted
    """

    __slots__ = (
        "accepted",
        "asks",
        "composed",
        "compute",
        "count",
        "for_complex",
        "gathers",
        "joins",
        "kind",
        "list_at",
        "meaning",
        "nested",
        "of_matrices",
        "operands",
        "primitive",
        "pulls",
        "ranks",
        "refuses",
        "several",
        "stated",
        "theirs",
        "told",
        "way",
    )

    def __init__(self, primitive: Any, kinds: Sequence[type], keywords: Mapping[str, type] = NO_KEYWORDS) -> None:
        self.primitive = primitive
        self.compute: Callable[..., Any] = getattr(primitive, "_implementation", primitive)
        self.kind = UNSETTLED
        self.meaning: Callable[..., Any] | None = None
        self.for_complex = FOR_COMPLEX.get(primitive)
        self.count = len(kinds)
        self.stated: tuple[str, ...] | None = None
        self.theirs = np.ndarray in kinds
        self.nested = tuple([place for place, kind in enumerate(kinds) if kind is tuple or kind is list])
        self.list_at = JOINS.get(primitive, -1)
        self.joins = self.list_at in self.nested
        self.operands = operands(primitive, len(kinds)) if self.nested and not self.joins else None
        self.way = _way(primitive, kinds, keywords)
        self.gathers = primitive in GATHERS and (primitive is np.take or kinds[1] in (np.ndarray, list, Tensor))
        self.several = False
        self.of_matrices = primitive in OF_MATRICES
        self.refuses: Callable[..., Any] | None = None
        self.composed = False
        self.accepted: set[Hashable] = set()
        self.asks = False
        self.told = False
        self.pulls: dict[Hashable, Any] = {}
        self.ranks: set[Hashable] | None = None

    def settle(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
        """Determine where the derivative comes from. Raises MissingRule for arguments that the rule does not cover."""
        primitive = self.primitive = FLAT.get(self.primitive, self.primitive)
        self.meaning = spelled_always(primitive, len(arguments), keywords)
        kind = DEFINED if self.meaning is not None else derivative_of(primitive)
        if kind == RULED:
            self.count, stated, is_for_all_ranks = covering(primitive, arguments, keywords)
            self.stated = None if len(stated) == len(keywords) else stated
            self.ranks = None if is_for_all_ranks else set()
            self.asks = any(asks_of(primitive))
            self.refuses = self._definition() if primitive in AS_DEFINED else None
        elif kind == DEFINED and self.meaning is None:
            check_meaning(primitive, definition(primitive), arguments, keywords)
            self.meaning = self._definition()
        if kind == DEFINED and not self.nested and _may_be_composed(primitive):
            values = [each._value if type(each) is Tensor else each for each in arguments]
            result = self.compute(*values, **keywords)
            is_one = isinstance(result, (np.ndarray, np.generic))
            self.composed = is_one and not is_simple(self.meaning, arguments, keywords, result)
        self.kind = kind

    def settle_several(self) -> None:
        """Note that calls return several results."""
        self.several, self.refuses = True, self._definition()

    def _definition(self) -> Callable[..., Any] | None:
        meaning = definition(self.primitive)
        return None if meaning is None else on_tensors(meaning)

    def inputs(self, arguments: tuple[Any, ...]) -> Sequence[Any]:
        """The arguments that may be tensors, including the elements of the list that is joined."""
        return (*arguments, *arguments[self.list_at]) if self.joins else arguments

    def with_arrays(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments with lists of numbers that stand for arrays converted; the same tuple if there are none.

        >>> Plan(np.matmul, (Tensor, list)).with_arrays((1.0, [2, 3]))
        (1.0, array([2, 3]))
        """
        if self.operands is None:
            return arguments
        places = [place for place in self.nested if self._is_array(place, arguments[place])]
        given = [np.asarray(each) if place in places else each for place, each in enumerate(arguments)]
        return tuple(given) if places else arguments

    def _is_array(self, place: int, given: Any) -> bool:
        if contents(given) > 1:
            return False
        return place in (self.operands or ()) or any(type(each) is float for each in flatten(given))

    def check_ranks(self, values: Sequence[Any]) -> None:
        """Raise MissingRule for arguments of ranks that no rule covers."""
        assert self.ranks is not None
        ranks = signature(values)
        if ranks not in self.ranks:
            rule_of(self.primitive, values)
            self.ranks.add(ranks)

    def pull(self, mask: int, values: Sequence[Any], keywords: Mapping[str, Any] = NO_KEYWORDS) -> Any:
        """The pullback: from the adjoint of the result, the result and the arguments to the adjoints wanted.

        `mask` has a leading one, then a binary digit for each argument: whether its adjoint is wanted. None if there is
        no derivative.
        """
        key: Hashable = (mask, *signature(values)) if self.asks else mask
        if key not in self.pulls:
            self.pulls[key] = direct_pullback(self.primitive, mask, values, keywords)
        return self.pulls[key]


def derivative_of(primitive: Any) -> int:
    """Where the derivative of a primitive comes from, according to the rule tables.

    >>> derivative_of(np.sin) == RULED, derivative_of(len) == ZERO, derivative_of(open) == UNKNOWN
    (True, True, True)
    """
    rules = variants(primitive)
    if rules:
        return ZERO if all(rule.kind == "zero" for rule in rules) else RULED
    return DEFINED if definition(primitive) is not None and not is_effect(primitive) else UNKNOWN


def _may_be_composed(primitive: Any) -> bool:
    """Whether a function that is defined by others may be recorded as one node."""
    return isinstance(primitive, (np.ufunc, types.BuiltinMethodType)) or definition(primitive) is not None


def _way(primitive: Any, kinds: Sequence[type], keywords: Mapping[str, type]) -> int:
    place, name = _WRITES_IF.get(primitive, (len(kinds), ""))
    if primitive in WRITERS or len(kinds) > place or name in keywords:
        return OTHERS
    place, following = from_out_on(primitive)
    if keywords.get("out", type(None)) is not type(None) or (following and type(None) is not _at(kinds, place)):
        return OTHERS
    if "where" in keywords and (isinstance(primitive, np.ufunc) or keywords["where"] is not np.ndarray):
        return OTHERS
    is_operator = getattr(primitive, "__module__", "") == "_operator" and primitive is not operator.getitem
    if is_operator and type(None) in kinds:
        return OTHERS
    way = DIRECT
    for kind in (*kinds, *keywords.values()):
        if kind is Tensor or kind in _PLAIN or issubclass(kind, (np.dtype, np.generic)):
            continue
        if issubclass(kind, Readable):
            return READS
        if kind is not tuple and kind is not list:
            return OTHERS
        # Python's operators treat lists as lists: these are converted to arrays first.
        if is_operator:
            return OTHERS
        way = NESTED
    return OTHERS if Tensor in keywords.values() else way


def _at(kinds: Sequence[type], place: int) -> type:
    return kinds[place] if place < len(kinds) else type(None)


plans: dict[Hashable, Plan] = {}


def plan_of(primitive: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Plan:
    """A new plan for a call, which is added to the cache."""
    kinds, named = [type(each) for each in arguments], {name: type(each) for name, each in keywords.items()}
    plan = Plan(primitive, kinds, named)
    if len(plans) >= _MOST:
        plans.clear()
    return plans.setdefault((primitive, *kinds, *named, *named.values()), plan)


def is_as_it_is(plan: Plan, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """Whether the lists and tuples of a call hold no tensors or variables, apart from the list of a join."""
    for place in plan.nested:
        allowed = 3 if place == plan.list_at else 1
        if contents(arguments[place]) > allowed:
            return False
    kept = [type(each) is not list and not (type(each) is tuple and contents(each)) for each in keywords.values()]
    return all(kept)
