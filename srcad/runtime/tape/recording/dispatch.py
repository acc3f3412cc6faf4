"""Any call of a primitive on tensors and variables: compute it on arrays and record it.

    np.sin(x)      with x a tensor      computes np.sin of x's array, wraps the result in a tensor
                   and x followed       appends a node to the tape, and the result is followed too

`apply` follows the `Plan` of the call's kind: the primitive with the types of its arguments. `call` is for lists of
tensors, functions that write, and unknown types. Both give what `shortcuts` have for a kind of call, if they have
something; the accelerator puts functions there, which give the same results.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np

from srcad.errors import BadValue
from srcad.runtime.rulebook.registry import definition, find
from srcad.runtime.support.nested_structures import flatten, map_leaves
from srcad.runtime.support.untracked_conversions import check_return
from srcad.runtime.tape.core.active_recordings import active
from srcad.runtime.tape.core.operand import Operand
from srcad.runtime.tape.core.tensor import Tensor, tensor_of, tensors_in
from srcad.runtime.tape.protocols.arithmetic import NO_KEYWORDS, hook
from srcad.runtime.tape.protocols.array_protocols import read_only
from srcad.runtime.tape.recording.call_plans import (
    DEFINED,
    DIRECT,
    OTHERS,
    READS,
    RULED,
    UNKNOWN,
    UNSETTLED,
    WRITERS,
    ZERO,
    Plan,
    derivative_of,
    is_as_it_is,
    plan_of,
    plans,
)
from srcad.runtime.tape.recording.call_rewrites import spelling
from srcad.runtime.tape.recording.composed_calls import ComposedCall, check_accepted, run_if_new
from srcad.runtime.tape.recording.primitive_call import GeneralCall, PrimitiveCall
from srcad.runtime.tape.recording.retention import frozen, is_inexact, retained, why_cut
from srcad.runtime.tape.recording.rule_coverage import (
    check_covered,
    check_discrete,
    check_meaning,
    from_out_on,
    missing,
    next_required,
)
from srcad.runtime.tape.recording.stacked_linalg import holds_stack, of_each_matrix
from srcad.runtime.tape.reverse.eager_rules import is_complex
from srcad.runtime.tape.reverse.rules_on_tensors import on_tensors
from srcad.runtime.tape.values.list_stacking import (
    holds_tensors,
    holds_variables,
    packed,
    takes_lists,
    without_variables,
)

# (primitive, types of arguments, names and types of keywords) -> a function that computes and records such calls
shortcuts: dict[Hashable, Callable[..., Any]] = {}


class Accelerator:
    """What puts functions into `shortcuts`: it is told each kind of call, once its plan is settled. None at first."""

    write: Callable[..., None] | None = None

    def tell(self, key: Any, plan: Plan, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> None:
        """Have a function written for a kind of call, unless this has been tried before."""
        if self.write is not None and not plan.told:
            plan.told = True
            self.write(key, plan, arguments, keywords)


accelerator = Accelerator()


def apply(primitive: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any] = NO_KEYWORDS) -> Any:
    """The result of a primitive as a tensor, recorded by the tapes that follow an argument."""
    if keywords:
        key = (primitive, *map(type, arguments), *keywords, *map(type, keywords.values()))
    else:
        key = (primitive, *map(type, arguments))
    shortcut = shortcuts.get(key)
    return shortcut(*arguments, **keywords) if shortcut else apply_by_plan(key, arguments, keywords)


def apply_by_plan(key: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """`apply` for a kind of call without a shortcut; `key` is the kind."""
    primitive = key[0]
    plan = plans.get(key) or plan_of(primitive, arguments, keywords)
    if plan.way != DIRECT or keywords:
        found = _prepared(key, plan, arguments, keywords)
        if found is not None:
            return found
    tapes = active.tapes
    read = [each._identity for each in plan.inputs(arguments) if type(each) is Tensor] if tapes else []
    if any(tape.follows(read) for tape in tapes):
        if plan.of_matrices and holds_stack(primitive, arguments):
            return of_each_matrix(primitive, *arguments, **keywords)
        if plan.kind == UNSETTLED:
            plan.settle(arguments, keywords)
        if plan.kind != UNKNOWN:
            accelerator.tell(key, plan, arguments, keywords)
        if plan.meaning is not None and (active.expansions or not plan.composed):
            return plan.meaning(*arguments, **keywords)
        if plan.for_complex is not None and is_complex(arguments):
            return plan.for_complex(*arguments, **keywords)
    values = [each._value if type(each) is Tensor else each for each in arguments]
    if plan.joins:
        values[plan.list_at] = [each._value if type(each) is Tensor else each for each in arguments[plan.list_at]]
    result = plan.compute(*values, **keywords)
    if isinstance(result, (np.ndarray, np.generic)):
        return recorded(plan, arguments, keywords, tensor_of(result))
    if type(result) is complex:  # of a Python number and a np.float64, which is a Python float as well
        return recorded(plan, arguments, keywords, tensor_of(np.complex128(result)))
    if plan.kind == RULED and _is_tuple_of_arrays(result):
        if not plan.several:
            plan.settle_several()
        theirs = [each for each in arguments if type(each) is np.ndarray]
        parts = [tensor_of(each if each.ndim else each[()]) for each in (_unshared(each, theirs) for each in result)]
        return recorded(plan, arguments, keywords, tuple.__new__(type(result), parts))
    return call(primitive, arguments, keywords)


def _prepared(key: Any, plan: Plan, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """The result of a call whose arguments have to be changed first, or that depends on them; None for others."""
    primitive = key[0]
    if keywords and (name := next_required(primitive, len(arguments))) in keywords:
        rest = {each: value for each, value in keywords.items() if each != name}
        return apply(primitive, (*arguments, keywords[name]), rest)
    if plan.way == READS:
        accelerator.tell(key, plan, arguments, keywords)
        return apply(primitive, without_variables(arguments), without_variables(keywords))
    if plan.way == OTHERS or not is_as_it_is(plan, arguments, keywords):
        if plan.joins and holds_variables(arguments[plan.list_at]):
            return apply(primitive, without_variables(arguments), keywords)
        return _apply_to_others(primitive, arguments, keywords)
    given = plan.with_arrays(arguments)
    return None if given is arguments else apply(primitive, given, keywords)


def _is_tuple_of_arrays(result: Any) -> bool:
    """Whether a result is a tuple of arrays, at least one of them real or complex."""
    return (
        isinstance(result, tuple)
        and all(isinstance(each, (np.ndarray, np.generic)) for each in result)
        and any(each.dtype.kind in "fc" for each in result)
    )


def _unshared(value: Any, theirs: list[Any]) -> Any:
    """The value, copied if it shares memory with arrays that their owner may change."""
    return value.copy() if any(np.may_share_memory(value, each) for each in theirs) else value


def recorded(plan: Plan, arguments: tuple[Any, ...], keywords: Mapping[str, Any], result: Any) -> Any:
    """The result, a tensor or a tuple of tensors, recorded by the tapes that follow an argument."""
    read = [each._identity for each in plan.inputs(arguments) if type(each) is Tensor]
    node: Any = None
    for tape in active.tapes:
        if tape.follows(read):
            if tape.departures is not None:
                check_return((tape,), plan.primitive, plan.inputs(arguments), keywords)
            if node is None:
                node = _node(plan, arguments, keywords, result)
            if node is not None:
                tape.append(node)
                continue
            tape.note_cut(plan.primitive, tuple(read), (result,), why_cut(result.dtype))
            if is_inexact(result):
                tape.adopt(result._identity)
        elif tape.cuts:
            tape.note_cut(plan.primitive, tuple(read), result if type(result) is not Tensor else (result,), None)
    return result


def _node(plan: Plan, arguments: tuple[Any, ...], keywords: Mapping[str, Any], result: Any) -> PrimitiveCall | None:
    """The node of a call; None if it has no derivative. Raises MissingRule if it has one, but no rule."""
    is_one = type(result) is Tensor
    if plan.kind == UNKNOWN:
        check_discrete(plan.primitive, result)
    if is_one and ((plan.kind != RULED and not plan.composed) or not is_inexact(result)):
        return None
    if plan.ranks is not None:
        plan.check_ranks([each._value if type(each) is Tensor else each for each in arguments])
    if is_one and (plan.composed or plan.refuses is not None):
        check_accepted(plan, arguments, keywords, result._value)
    elif plan.refuses is not None:
        run_if_new(plan, plan.refuses, arguments, keywords)
    if plan.stated is not None:
        keywords = {name: keywords[name] for name in plan.stated}
    arguments, result = retained(plan, arguments[: plan.count], result)
    return (ComposedCall if plan.composed else PrimitiveCall)(plan, arguments, result, frozen(keywords))


def _apply_to_others(primitive: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """`apply` for arguments that are lists of tensors, or of unknown types."""
    for argument in arguments:
        if not isinstance(argument, Operand) and getattr(argument, "__array_ufunc__", True) is None:
            return NotImplemented
    if getattr(primitive, "__module__", "") == "_operator" and primitive is not operator.getitem:
        if any(each is None for each in arguments):
            raise BadValue(
                "Attempt to convert a value (None) with an unsupported type to a Tensor",
                hint="pass a number or an array",
            )
        arguments = tuple([packed(each) if isinstance(each, (list, tuple)) else each for each in arguments])
    return call(primitive, arguments, keywords)


def call(primitive: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """`apply` for arguments of any types; arrays in the result, however nested, become tensors."""
    arguments, keywords = without_variables(arguments), without_variables(keywords)
    place, following = from_out_on(primitive)
    if following and len(arguments) > place:
        arguments, keywords = arguments[:place], {**dict(zip(following, arguments[place:], strict=False)), **keywords}
    inputs = list(tensors_in((arguments, keywords)))
    tapes = active.who_know([tensor._identity for tensor in inputs]) if active.tapes else []
    check_return(tapes, primitive, arguments, keywords)
    kind = derivative_of(primitive) if tapes else ZERO
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
    results = list(tensors_in(result))
    if kind == RULED and any(tensor.dtype.kind in "fc" for tensor in results):
        arguments, keywords = _positional(primitive, arguments, keywords)
        node = GeneralCall(plan_of(primitive, arguments, keywords), frozen(arguments), result, frozen(keywords))
        for tape in tapes:
            tape.append(node)
    else:
        reason = why_cut(results[0].dtype) if results and tapes else None
        for tape in active.tapes:
            tape.note_cut(primitive, tuple([each._identity for each in inputs]), results, reason)
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


hook.call = apply
