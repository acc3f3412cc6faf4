"""Tier 3 of recording, for any call of a primitive on tensors and variables: compute it on arrays and record it.

    np.sin(x)      with x a tensor      computes np.sin of x's array, wraps the result in a tensor
                   and x followed       appends an entry to the tape, and the result is followed too

There are three tiers, which give the same results. The first tier that covers a call handles it:

1. `fast_operators`: methods written by hand for the commonest calls, `+ - * / **` on tensors, variables and numbers.
2. `generated_recorders`: a function generated for each kind of call, that is for a primitive and types of arguments.
3. `apply` here: any call. It calls the generated function if there is one. If not, it follows the `Plan` of the call's
   kind and, if a tape follows an argument, has a function generated for later calls. `call` is its fallback for lists
   of tensors, unknown types and several results.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from srcad.errors import BadValue
from srcad.runtime.rulebook.registry import definition, find, is_effect, variants
from srcad.runtime.support.nested_structures import flatten, map_leaves
from srcad.runtime.tape.active_recordings import Recording, active
from srcad.runtime.tape.recording.call_plans import (
    DEFINED,
    OTHERS,
    READS,
    RULED,
    UNKNOWN,
    UNSETTLED,
    WRITERS,
    ZERO,
    Plan,
    is_as_it_is,
    plan_of,
    plans,
)
from srcad.runtime.tape.recording.call_rewrites import STRAIGHT, spelling
from srcad.runtime.tape.recording.composed_calls import check_accepted
from srcad.runtime.tape.recording.generated_recorders import converts, write, written
from srcad.runtime.tape.recording.multiple_results import has_several, several
from srcad.runtime.tape.recording.nodes import GeneralNode, tensors_in, unwrapped
from srcad.runtime.tape.recording.retention import LARGE, frozen, is_inexact, kept, shell, unshared
from srcad.runtime.tape.recording.rule_coverage import (
    check_covered,
    check_discrete,
    check_meaning,
    missing,
    next_required,
)
from srcad.runtime.tape.recording.stacked_linalg import holds_stack, of_each_matrix
from srcad.runtime.tape.reverse.pullbacks import is_complex
from srcad.runtime.tape.reverse.rules_on_tensors import on_tensors
from srcad.runtime.tape.values.arithmetic import NO_KEYWORDS, Arithmetic
from srcad.runtime.tape.values.list_stacking import (
    holds_tensors,
    holds_variables,
    packed,
    takes_lists,
    without_variables,
)
from srcad.runtime.tape.values.tensor import Tensor, tensor_of
from srcad.runtime.tape.values.tensor_protocols import Operand, read_only
from srcad.runtime.tape.why_none import note_behind_cut, note_cut, reason_of


def apply(primitive: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any] = NO_KEYWORDS) -> Any:
    """The result of a primitive as a tensor, recorded by the tapes that follow an argument."""
    if keywords:
        key = (primitive, *map(type, arguments), *keywords, *map(type, keywords.values()))
        function = written.get(key)
        return function(*arguments, **keywords) if function else _apply(key, arguments, keywords)
    if (count := len(arguments)) == 1:
        key = (primitive, type(arguments[0]))
    elif count == 2:
        key = (primitive, type(arguments[0]), type(arguments[1]))
    else:
        key = (primitive, *map(type, arguments))
    function = written.get(key)
    return function(*arguments) if function else _apply(key, arguments, keywords)


def _apply(key: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """`apply` for a kind of call that has no generated function yet, or cannot have one."""
    primitive = key[0]
    if primitive in STRAIGHT and active.tapes and (found := STRAIGHT[primitive](*arguments, **keywords)) is not None:
        return found
    if keywords and (name := next_required(primitive, len(arguments))) in keywords:
        rest = {each: value for each, value in keywords.items() if each != name}
        return apply(primitive, (*arguments, keywords[name]), rest)
    plan = plans.get(key) or plan_of(primitive, arguments, keywords)
    if plan.way == READS:
        _write(key, plan, arguments, keywords)
        return apply(primitive, without_variables(arguments), without_variables(keywords))
    if plan.way == OTHERS or not is_as_it_is(plan, arguments, keywords):
        if plan.joins and holds_variables(arguments[plan.list_at]):
            return apply(primitive, without_variables(arguments), keywords)
        return _apply_to_others(primitive, arguments, keywords)
    if (given := plan.with_arrays(arguments)) is not arguments:
        if converts(plan):
            _write(key, plan, arguments, keywords)
        return apply(primitive, given, keywords)
    if holds_stack(primitive, arguments) and _is_followed(arguments, active.tapes):
        return of_each_matrix(primitive, *arguments, **keywords)
    if active.tapes and plan.kind and _is_followed(arguments, active.tapes):
        if plan.kind >= UNSETTLED:
            plan.settle(arguments, keywords)
        if plan.kind != UNKNOWN:
            _write(key, plan, arguments, keywords)
        if plan.meaning is not None and (active.expansions or not plan.composed):
            return plan.meaning(*arguments, **keywords)
    result = _computed(plan, arguments, keywords)
    if isinstance(result, (np.ndarray, np.generic)):
        return _recorded(plan, arguments, keywords, tensor_of(result))
    if has_several(plan, result):
        if not plan.several:
            plan.settle_several(type(result))
            _write(key, plan, arguments, keywords)
        return several(plan, arguments, keywords, result)
    return call(primitive, arguments, keywords)


def _computed(plan: Plan, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """The result, computed on arrays in place of tensors."""
    values = [each._value if type(each) is Tensor else each for each in arguments]
    if plan.joins:
        values[plan.list_at] = unwrapped(list(arguments[plan.list_at]))
    result = plan.compute(*values, **keywords)
    # A Python number and a np.float64, which is a Python float as well, may give a Python number.
    return np.complex128(result) if type(result) is complex else result


def _write(key: Any, plan: Plan, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> None:
    """Generate a function for calls of this kind."""

    def otherwise(arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
        return _apply(key, arguments, keywords) if plan.way != READS else apply(key[0], arguments, keywords)

    others = {"otherwise": otherwise, "recorded": _recorded, "entry_of": _entry, "cut": _not_recorded, "apply": apply}
    write(key, plan, arguments, keywords, **others)


def _is_followed(arguments: tuple[Any, ...], tapes: Sequence[Recording]) -> bool:
    """Whether a tape follows an argument, or an element of a list."""
    given = {each._identity for each in tensors_in(arguments)}
    return any(not tape.known.isdisjoint(given) for tape in tapes)


def _entry(plan: Plan, arguments: tuple[Any, ...], keywords: Mapping[str, Any], result: Tensor) -> Any:
    """The entry that tapes keep of a call: its plan, the arguments and keywords that matter, and the result."""
    if plan.stated is not None:
        keywords = {name: keywords[name] for name in plan.stated}
    arguments = arguments[: plan.count]
    if plan.composed:
        return (plan, frozen(arguments), shell(result), keywords)
    if result._value.size >= LARGE:
        return (plan, *kept(plan.primitive, arguments, result), keywords)
    for argument in arguments:
        kind = type(argument)
        if (kind is Tensor and argument._value.size >= LARGE) or (kind is np.ndarray and argument.size >= LARGE):
            return (plan, *kept(plan.primitive, arguments, result), keywords)
    if plan.theirs:
        arguments = tuple([each.copy() if type(each) is np.ndarray else each for each in arguments])
    if plan.nested:
        arguments = tuple([unshared(each) if type(each) in (list, tuple) else each for each in arguments])
    return (plan, arguments, result, keywords)


def _recorded(plan: Plan, arguments: tuple[Any, ...], keywords: Mapping[str, Any], result: Tensor) -> Any:
    """The result, recorded by the tapes that follow an argument."""
    operands = [each for each in plan.inputs(arguments) if type(each) is Tensor]
    entry: Any = None
    for tape in active.tapes:
        if any(each._identity in tape.known for each in operands):
            if entry is None:
                if (plan.kind and not plan.composed) or not is_inexact(result):
                    return _not_recorded(plan, arguments, keywords, result)
                if plan.for_complex and is_complex(arguments):
                    return plan.for_complex(*arguments, **keywords)
                if plan.ranks is not None:
                    plan.check_ranks(arguments)
                if plan.composed or plan.refuses is not None:
                    check_accepted(plan, arguments, keywords, result._value)
                entry = _entry(plan, arguments, keywords, result)
            tape.entries.append(entry)
            tape.known.add(result._identity)
        elif tape.cuts:
            note_behind_cut(tape, plan.primitive, operands, (result,))
    return result


def recorded(primitive: Any, arguments: tuple[Any, ...], result: Tensor) -> Any:
    """The result of a call that has a rule, recorded by the tapes that follow an argument."""
    plan = plans.get((primitive, *map(type, arguments))) or plan_of(primitive, arguments, NO_KEYWORDS)
    if plan.kind >= UNSETTLED:
        plan.settle(arguments, NO_KEYWORDS)
    return _recorded(plan, arguments, NO_KEYWORDS, result)


def _not_recorded(plan: Plan, arguments: tuple[Any, ...], keywords: Mapping[str, Any], result: Tensor) -> Any:
    """The result of a call that has no derivative. Raises MissingRule if it has one, but no rule."""
    primitive = plan.primitive
    if plan.for_complex is not None and is_complex(arguments):
        return plan.for_complex(*arguments, **keywords)
    if plan.kind == UNKNOWN:
        check_discrete(primitive, result)
    read = tuple([each._identity for each in plan.inputs(arguments) if type(each) is Tensor])
    identity, reason = result._identity, reason_of(result)
    for tape in active.tapes:
        if not tape.known.isdisjoint(read):
            tape.cuts[identity] = (primitive, read, reason)
            if is_inexact(result):
                # It has no derivative, but may be a source itself, as in TensorFlow.
                tape.known.add(identity)
        elif tape.cuts and any(each in tape.cuts for each in read):
            tape.cuts[identity] = (primitive, read, reason)
    return result


def _apply_to_others(primitive: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """`apply` for arguments that are lists of tensors, or of unknown types."""
    for argument in arguments:
        if not isinstance(argument, Operand) and getattr(argument, "__array_ufunc__", True) is None:
            return NotImplemented
    if getattr(primitive, "__module__", "") == "_operator" and primitive is not operator.getitem:
        if any(each is None for each in arguments):
            raise BadValue("Attempt to convert a value (None) with an unsupported type to a Tensor")
        arguments = tuple([packed(each) if isinstance(each, (list, tuple)) else each for each in arguments])
    return call(primitive, arguments, keywords)


def _derivative(primitive: Any) -> int:
    """Where the derivative of a primitive comes from, according to the rule tables."""
    rules = variants(primitive)
    if rules:
        return ZERO if all(rule.kind == "zero" for rule in rules) else RULED
    return DEFINED if definition(primitive) is not None and not is_effect(primitive) else UNKNOWN


def call(primitive: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """`apply` for arguments of any types; arrays in the result, however nested, become tensors."""
    arguments, keywords = without_variables(arguments), without_variables(keywords)
    inputs = list(tensors_in((arguments, keywords)))
    tapes = active.who_know([tensor._identity for tensor in inputs]) if active.tapes else []
    kind = _derivative(primitive) if tapes else ZERO
    if tapes and (meaning := spelling(primitive, arguments, keywords)) is not None:
        return meaning(*arguments, **keywords)
    if kind == DEFINED:
        meaning = definition(primitive)
        assert meaning is not None
        check_meaning(primitive, meaning, arguments, keywords)
        return on_tensors(meaning)(*arguments, **keywords)
    if kind == RULED:
        if any(map(holds_tensors, arguments)) and not takes_lists(primitive, arguments):
            arguments = tuple([packed(each) if holds_tensors(each) else each for each in arguments])
            return apply(primitive, arguments, keywords)
        check_covered(primitive, arguments, keywords)
    elif kind == UNKNOWN and (primitive in WRITERS or keywords.get("out") is not None):
        raise missing(primitive)
    result = primitive(*_shown(arguments), **_shown(keywords))
    if kind == UNKNOWN:
        check_discrete(primitive, result)
    if keywords.get("out") is not None:
        return result
    result = wrapped(result, arguments)
    if kind == RULED and any(tensor.dtype.kind in "fc" for tensor in tensors_in(result)):
        arguments, keywords = _positional(primitive, arguments, keywords)
        record(GeneralNode(primitive, frozen(arguments), frozen(keywords), result), tapes)
    elif active.tapes:
        results = list(tensors_in(result))
        note_cut(primitive, inputs, results, reason_of(results[0]) if results and tapes else None)
    return result


def _positional(primitive: Any, arguments: Any, keywords: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
    """The call with tensors in keywords moved to positional arguments, where nodes expect them."""
    if next(tensors_in(keywords), None) is None:
        return arguments, keywords
    rule = find(primitive, [getattr(each, "ndim", 0) for each in arguments])
    template = None if rule is None else rule.partials or rule.adjoint
    if rule is None or template is None:
        raise missing(primitive)
    bound = {**template.defaults, **rule.bind(arguments, keywords)}
    return tuple(bound[name] for name in rule.parameters[1:]), NO_KEYWORDS


def record(node: Any, tapes: Iterable[Recording]) -> None:
    """Append a node to tapes, which then follow its results."""
    identities = node.outputs()
    for tape in tapes:
        tape.entries.append(node)
        tape.known.update(identities)


def _shown(structure: Any) -> Any:
    """The structure with read-only arrays in place of tensors, for functions that may write to their arguments."""
    if type(structure) is Tensor:
        return read_only(structure._value) if isinstance(structure._value, np.ndarray) else structure._value
    return map_leaves(_shown, structure) if isinstance(structure, (list, tuple, dict)) else structure


def wrapped(result: Any, arguments: tuple[Any, ...]) -> Any:
    """The structure with tensors in place of arrays; results that share memory with a caller's array are copied."""
    if isinstance(result, (list, tuple, dict)):
        return map_leaves(lambda leaf: wrapped(leaf, arguments), result)
    if not isinstance(result, (np.ndarray, np.generic)):
        return result
    if result.ndim and any(type(a) is np.ndarray and np.may_share_memory(result, a) for a in flatten(arguments)):
        result = result.copy()
    return tensor_of(result if result.ndim else result[()])


Arithmetic._apply = staticmethod(apply)
