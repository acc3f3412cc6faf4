"""What is done with calls of one kind, found out once: how they are computed and recorded, and how they are reversed.

    np.sum(x, axis=0)       (np.sum, Tensor, "axis", int)       kept as (plan, (x,), result, {"axis": 0})

The kind of a call is its primitive, the types of its arguments, the names and types of its keywords. Its `Plan` is
found again by that; so a call does not ask the rule tables, bind arguments or look into signatures, and neither does
its reverse, which asks the plan for the function that the rule has become for the inputs that are wanted.
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
from srcad.runtime.tape.recording.array_computation import computed_by
from srcad.runtime.tape.recording.composed_calls import is_simple
from srcad.runtime.tape.recording.retention import SCALARS, contents
from srcad.runtime.tape.recording.rewrites import FOR_COMPLEX, spelled_always
from srcad.runtime.tape.recording.rule_coverage import check_meaning, covering, operands, rule_of
from srcad.runtime.tape.reverse.pullbacks import GATHERS, asked_of, conjugated, direct_pullback, signature
from srcad.runtime.tape.reverse.rules_on_tensors import on_tensors
from srcad.runtime.tape.values.arithmetic import NO_KEYWORDS
from srcad.runtime.tape.values.operand import Readable
from srcad.runtime.tape.values.tensor import Tensor

# How calls are computed: on arrays in place of tensors; so, if lists and tuples hold nothing that stands against it;
# after variables were read; in ways that depend on the call.
DIRECT, NESTED, READS, OTHERS = range(4)
# What the derivative is: by a rule; zero; that of what the function means in terms of others; not asked yet; not known.
RULED, ZERO, DEFINED, UNSETTLED, UNKNOWN = range(5)

# Functions that may write to an argument; they get read-only arrays in place of tensors.
WRITERS = frozenset((np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis))
WRITERS |= {np.nanmedian, np.nanpercentile, np.nanquantile}
# Functions that write to it if the argument at this place, or of this name, says so.
_WRITES_IF: Mapping[Any, tuple[int, str]] = {
    np.nan_to_num: (1, "copy"),
    np.median: (3, "overwrite_input"),
    **dict.fromkeys((np.percentile, np.quantile), (4, "overwrite_input")),
}
# Functions of a list of arrays, and the place of that list.
JOINS: Mapping[Any, int] = {
    **dict.fromkeys((np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack, np.dstack), 0),
    np.choose: 1,
    np.linalg.multi_dot: 0,
    np.select: 1,
}
# Their rules know less of what calls they are for than their definitions.
AS_DEFINED = frozenset((np.linalg.svd, np.linalg.qr, np.linalg.lstsq, np.gradient, np.correlate, np.polyfit, np.cov))
AS_DEFINED |= {np.corrcoef, np.geomspace, np.logspace}
FLAT: Mapping[Any, Any] = {np.sign: step}  # of zero slope, where others of its kind are not connected at all
_PLAIN = frozenset((np.ndarray, type, *SCALARS))
_MOST = 4096  # plans that are remembered


class Plan:
    """What is done with the calls of one kind.

    way         how a call is computed: DIRECT, NESTED, READS or OTHERS
    kind        what the derivative is: RULED, ZERO, DEFINED, UNSETTLED or UNKNOWN
    compute     the primitive, without NumPy's dispatch to tensors, which has taken place
    meaning     what the tape records in its place: a function of tensors
    count       how many arguments say something; those behind are None
    stated      the keywords that say something; None if all do
    theirs      whether there are arrays among the arguments, which their owner may change
    nested      the places of lists and tuples
    joins       whether an argument is a list of tensors
    list_at     the place of that
    operands    the places of arguments that have derivatives: lists of numbers there are arrays
    several     the type of the tuple that has the results, where there are several; they are recorded as one
    refuses     the definition, where that refuses more
    composed    whether a call of a function that means others is recorded as one, and not as what it means
    accepted    the shapes and values for which it is known that its definition runs
    apart       whether its reverse goes no short way: that of a gather, of a list, or of what is composed
    asks        whether the rule depends on ranks, or on which numbers are zero; 1 or 2 if on ranks of the first only
    form        of functions element by element: 1 of one tensor, 2 of that and a number, 3 of a number and that; else 0
    only, first, second, both    the pullback of one argument; of the first, the second, both of two; once known
    """

    __slots__ = (
        "accepted",
        "apart",
        "asks",
        "both",
        "composed",
        "compute",
        "count",
        "first",
        "for_complex",
        "form",
        "gathers",
        "joins",
        "kind",
        "list_at",
        "meaning",
        "nested",
        "only",
        "operands",
        "primitive",
        "pulls",
        "ranks",
        "refuses",
        "second",
        "several",
        "stated",
        "theirs",
        "way",
    )

    def __init__(self, primitive: Any, kinds: Sequence[type], keywords: Mapping[str, type] = NO_KEYWORDS) -> None:
        self.primitive = primitive
        self.compute: Callable[..., Any] = computed_by(primitive)
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
        self.several: type | None = None
        self.refuses: Callable[..., Any] | None = None
        self.composed = False
        self.accepted: set[Hashable] = set()
        self.apart = self.gathers or self.joins
        self.asks = 0
        self.pulls: dict[Hashable, Any] = {}
        self.form = 0
        self.only: Any = None
        self.first: Any = None
        self.second: Any = None
        self.both: Any = None
        self.ranks: set[Hashable] | None = None

    def settle(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
        """Find out what the derivative is. Raises MissingRule for arguments that the rule does not cover."""
        primitive = self.primitive = FLAT.get(self.primitive, self.primitive)
        self.meaning = spelled_always(primitive, len(arguments), keywords)
        rules = variants(primitive)
        if self.meaning is not None:
            self.kind = DEFINED
        elif rules and all(rule.kind == "zero" for rule in rules):
            self.kind = ZERO
        elif rules:
            self.count, stated, is_for_all_ranks = covering(primitive, arguments, keywords)
            self.stated = None if len(stated) == len(keywords) else stated
            self.ranks = None if is_for_all_ranks else set()
            self.asks = asked_of(primitive, self.count)
            self.kind = RULED
            is_free = not keywords and not self.asks and all(rule.elementwise for rule in rules)
            self.form = _FORMS.get(tuple([type(each) for each in arguments]), 0) if is_free else 0
            self.refuses = self._definition() if primitive in AS_DEFINED else None
        elif (meaning := definition(primitive)) is not None and not is_effect(primitive):
            check_meaning(primitive, meaning, arguments, keywords)
            self.meaning, self.kind = on_tensors(meaning), DEFINED
        else:
            self.kind = UNKNOWN
        if self.kind == DEFINED and not self.nested and _is_apart(primitive):
            values = [each._value if type(each) is Tensor else each for each in arguments]
            result = self.compute(*values, **keywords)
            is_one = isinstance(result, (np.ndarray, np.generic))
            self.composed = self.apart = is_one and not is_simple(self.meaning, arguments, keywords, result)

    def settle_several(self, kind: type) -> None:
        """Note that calls have several results, in a tuple of this type."""
        self.several, self.refuses = kind, self._definition()

    def _definition(self) -> Callable[..., Any] | None:
        meaning = definition(self.primitive)
        return None if meaning is None else on_tensors(meaning)

    def inputs(self, arguments: tuple[Any, ...]) -> Sequence[Any]:
        """The arguments that may be tensors, with those in the list that is joined."""
        return (*arguments, *arguments[self.list_at]) if self.joins else arguments

    def with_arrays(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments with arrays in place of lists of numbers that stand for arrays; the same tuple if none does.

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
        """Raises MissingRule for arguments of ranks that no rule is for."""
        assert self.ranks is not None
        ranks = signature(values)
        if ranks not in self.ranks:
            rule_of(self.primitive, values)
            self.ranks.add(ranks)

    def pull(self, mask: int, values: Sequence[Any], keywords: Mapping[str, Any] = NO_KEYWORDS) -> Any:
        """The function from the adjoint of the result, the result and the arguments to the adjoints wanted.

        `mask` has a binary digit for each argument behind the leading one: whether that is wanted. None where there is
        no derivative.
        """
        key: Hashable = mask
        if self.asks > 2:
            key = (mask, *signature(values))
        elif self.asks:
            key = (mask, getattr(values[0], "ndim", 0), getattr(values[self.asks - 1], "ndim", 0))
        if key not in self.pulls:
            run = self.pulls[key] = direct_pullback(self.primitive, mask, values, keywords)
            if not self.asks and (name := _NAMES.get(mask)):
                setattr(self, name, run)
        return self.pulls[key]

    def pull_complex(self, mask: int, values: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """The same where the result or what is wanted is complex: adjoints are conjugates of what rules speak of."""
        key: Hashable = (complex, mask, *signature(values)) if self.asks else (complex, mask)
        if key not in self.pulls:
            run = self.pull(mask, values, keywords)
            self.pulls[key] = None if run is None else conjugated(self.primitive, mask, values, keywords, run)
        return self.pulls[key]


def _is_apart(primitive: Any) -> bool:
    """Whether a function that means others is recorded as one call if it can be: not if it means one call."""
    return isinstance(primitive, (np.ufunc, types.BuiltinMethodType)) or definition(primitive) is not None


_FORMS: Mapping[tuple[type, ...], int] = {
    (Tensor,): 1,
    (Tensor, float): 2,
    (Tensor, int): 2,
    (float, Tensor): 3,
    (int, Tensor): 3,
}
_NAMES = {0b11: "only", 0b110: "first", 0b101: "second", 0b111: "both"}


def _way(primitive: Any, kinds: Sequence[type], keywords: Mapping[str, type]) -> int:
    place, name = _WRITES_IF.get(primitive, (len(kinds), ""))
    if primitive in WRITERS or len(kinds) > place or name in keywords:
        return OTHERS
    if keywords.get("out", type(None)) is not type(None):
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
        # Python's operators know lists as lists: these become arrays first.
        if is_operator:
            return OTHERS
        way = NESTED
    return OTHERS if Tensor in keywords.values() else way


plans: dict[Hashable, Plan] = {}


def plan_of(primitive: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Plan:
    """The plan for a call, remembered from now on."""
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
