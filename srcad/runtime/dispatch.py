"""Calls of primitives on tensors and variables: computed on their arrays, and recorded where a tape follows an input.

    np.sin(x)      with x a tensor      computes np.sin of x's array, wraps the result in a tensor
                   and x followed       appends a node to the tape, and the result is followed too

Every operator, method and NumPy function on a tensor comes here. `apply` is the short way;
`call` takes lists of tensors and functions with several results.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from srcad.runtime.active import Recording, active
from srcad.runtime.arithmetic import NO_KEYWORDS, Arithmetic
from srcad.runtime.covered import check_covered, check_discrete, check_meaning, covered, missing
from srcad.runtime.explain import note_behind_cut, note_cut, reason_of
from srcad.runtime.keep import LARGE, SCALARS, frozen, is_plain, kept
from srcad.runtime.live import on_tensors
from srcad.runtime.nest import flatten, map_leaves
from srcad.runtime.node import GeneralNode, Node, tensors_in
from srcad.runtime.operand import Operand, Readable, read_only
from srcad.runtime.packing import holds_tensors, packed, takes_lists
from srcad.runtime.registry import definition, find, variants
from srcad.runtime.spelled import BY_ARGUMENTS, FOR_COMPLEX, spelling
from srcad.runtime.tensor import Tensor, next_identity, tensor_of

# Types of arguments that are passed on as they are, and need no look inside.
_PLAIN = frozenset((np.ndarray, type(np.dtype(float)), *SCALARS))
# Functions that may write to an argument; they get read-only arrays in place of tensors.
_WRITERS = frozenset(
    (
        np.copyto,
        np.put,
        np.place,
        np.putmask,
        np.fill_diagonal,
        np.put_along_axis,
        np.nan_to_num,
        np.median,
        np.nanmedian,
        np.percentile,
        np.nanpercentile,
        np.quantile,
        np.nanquantile,
    )
)
_FLAT = frozenset((np.sign,))
# Types of results that become one tensor; others are looked at more closely.
_float64 = np.float64
_RESULTS = frozenset((np.ndarray, np.float64, np.float32))
_new = object.__new__

_ZERO, _RULE, _DEFINITION, _UNKNOWN = range(4)
_derivatives: dict[Any, int] = {}  # primitive -> what its derivative is; asked of the rule tables once
checked: set[Any] = set()  # primitives that are recorded as one node, whatever their arguments are


def apply(primitive: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any] = NO_KEYWORDS) -> Any:
    """The result of a primitive, as a tensor; recorded by the tapes that follow an argument."""
    values, theirs, large = [], False, False
    for argument in arguments:
        kind = type(argument)
        if kind is Tensor:
            argument = argument._value
            if argument.size >= LARGE:
                large = True
        elif kind is np.ndarray:
            theirs = True
            if argument.size >= LARGE:
                large = True
        elif kind not in _PLAIN and not (kind is tuple and is_plain(argument)):
            if isinstance(argument, Readable):
                read = tuple([each._read() if isinstance(each, Readable) else each for each in arguments])
                return apply(primitive, read, keywords)
            return _apply_to_others(primitive, arguments, keywords)
        values.append(argument)
    if (keywords and not is_plain(keywords.values())) or primitive in _WRITERS:
        return _apply_to_others(primitive, arguments, keywords)
    if primitive in BY_ARGUMENTS and active.tapes and spelling(primitive, arguments, keywords):
        return call(primitive, arguments, keywords)
    result = primitive(*values, **keywords) if keywords else primitive(*values)
    if type(result) is complex:  # of a Python number and a np.float64, which is a Python number as well
        result = np.complex128(result)
    if type(result) not in _RESULTS and not isinstance(result, np.generic):
        return call(primitive, arguments, keywords)
    tensor = _new(Tensor)
    tensor._value = result
    tensor._identity = next_identity()
    tapes = active.tapes
    if tapes and (large or result.size >= LARGE or primitive not in checked or result.dtype.kind not in "fc"):
        return recorded(primitive, arguments, keywords, tensor, tapes)
    return _recorded_small(primitive, arguments, keywords, tensor, theirs) if tapes else tensor


def _recorded_small(
    primitive: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any], result: Tensor, theirs: bool
) -> Tensor:
    """What `recorded` does, for a rule that is for all arguments, and arrays that are kept whole."""
    entry: Any = None
    for tape in active.tapes:
        known = tape.known
        for argument in arguments:
            if type(argument) is Tensor and argument._identity in known:
                if entry is None:
                    held = arguments
                    if theirs:
                        held = tuple([each.copy() if type(each) is np.ndarray else each for each in arguments])
                    stated = covered(primitive, arguments, keywords) if keywords else keywords
                    entry = Node(primitive, held, result, stated) if stated else (primitive, held, result)
                tape.entries.append(entry)
                known.add(result._identity)
                break
        else:
            if tape.cuts:
                note_behind_cut(tape, primitive, arguments, (result,))
    return result


def _apply_to_others(primitive: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """The same where an argument is a variable, a tuple, a list, or something that we do not know."""
    for argument in arguments:
        if not isinstance(argument, Operand) and getattr(argument, "__array_ufunc__", True) is None:
            return NotImplemented
    if getattr(primitive, "__module__", "") == "_operator" and primitive is not operator.getitem:
        arguments = tuple([packed(each) if isinstance(each, (list, tuple)) else each for each in arguments])
    return call(primitive, arguments, keywords)


def recorded(
    primitive: Any,
    arguments: tuple[Any, ...],
    keywords: Mapping[str, Any],
    result: Tensor,
    tapes: Sequence[Recording],
    is_checked: bool = False,
) -> Any:
    """The result, which the tapes that follow an argument now follow too."""
    entry: Any = None
    for tape in tapes:
        known = tape.known
        for argument in arguments:
            if type(argument) is Tensor and argument._identity in known:
                if entry is None:
                    if not (is_checked or (primitive in checked and _is_inexact(result))):
                        return _recorded_after_check(primitive, arguments, keywords, result, tapes)
                    if keywords:
                        keywords = covered(primitive, arguments, keywords)
                    held = kept(primitive, arguments, result)
                    entry = Node(primitive, *held, keywords) if keywords else (primitive, *held)
                tape.entries.append(entry)
                known.add(result._identity)
                break
        else:
            if tape.cuts:
                note_behind_cut(tape, primitive, arguments, (result,))
    return result


def _recorded_after_check(
    primitive: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any], result: Tensor, tapes: Sequence[Recording]
) -> Any:
    """The same for a primitive that has no rule, or a rule that is not for all arguments, or is met the first time."""
    kind = _derivative(primitive)
    if kind == _DEFINITION or spelling(primitive, arguments, keywords) is not None:
        return call(primitive, arguments, keywords)
    if kind == _UNKNOWN:
        check_discrete(primitive, result)
    if kind == _RULE:
        if primitive not in FOR_COMPLEX:
            checked.add(primitive)
        if _is_inexact(result):
            return recorded(primitive, arguments, keywords, result, tapes, is_checked=True)
    elif primitive in _FLAT:
        # Its slope is that of a branch never taken: zero, where others of its kind are not connected at all.
        return recorded(np.where, (False, *arguments, 0.0), NO_KEYWORDS, result, tapes)
    note_cut(primitive, arguments, (result,), reason_of(result))
    if _is_inexact(result):
        # No derivative leads to it, but from it: it may be a source, as in TensorFlow.
        for tape in active.who_know([each._identity for each in arguments if type(each) is Tensor]):
            tape.known.add(result._identity)
    return result


def _is_inexact(tensor: Tensor) -> bool:
    """Whether the elements are of a kind that has derivatives."""
    value = tensor._value
    return type(value) is _float64 or value.dtype.kind in "fc"


def _derivative(primitive: Any) -> int:
    """What the derivative of a primitive is, as far as the rule tables know."""
    if primitive in _derivatives:
        return _derivatives[primitive]
    rules = variants(primitive)
    if rules:
        kind = _ZERO if all(rule.kind == "zero" for rule in rules) else _RULE
    elif definition(primitive) is not None:
        kind = _DEFINITION
    else:
        return _UNKNOWN  # not kept: the user may state a rule later
    return _derivatives.setdefault(primitive, kind)


def call(primitive: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """The same for any arguments; arrays in the result, however nested, become tensors."""
    arguments, keywords = without_variables(arguments), without_variables(keywords)
    inputs = list(tensors_in((arguments, keywords)))
    tapes = active.who_know([tensor._identity for tensor in inputs]) if active.tapes else []
    kind = _derivative(primitive) if tapes else _ZERO
    meaning = spelling(primitive, arguments, keywords) if tapes else None
    if meaning is not None:
        return meaning(*arguments, **keywords)
    if kind == _DEFINITION:
        meaning = definition(primitive)
        assert meaning is not None
        check_meaning(primitive, meaning, arguments, keywords)
        return on_tensors(meaning)(*arguments, **keywords)
    if kind == _RULE:
        if any(map(holds_tensors, arguments)) and not takes_lists(primitive, arguments):
            arguments = tuple([packed(each) if holds_tensors(each) else each for each in arguments])
            return apply(primitive, arguments, keywords)
        check_covered(primitive, arguments, keywords)
    elif kind == _UNKNOWN and (primitive in _WRITERS or "out" in keywords):
        raise missing(primitive)
    result = primitive(*_shown(arguments), **_shown(keywords))
    if kind == _UNKNOWN:
        check_discrete(primitive, result)
    if "out" in keywords:
        return result
    result = wrapped(result, arguments)
    if kind == _RULE and any(tensor.dtype.kind in "fc" for tensor in tensors_in(result)):
        arguments, keywords = _positional(primitive, arguments, keywords)
        record(GeneralNode(primitive, frozen(arguments), frozen(keywords), result), tapes)
    elif active.tapes:
        results = list(tensors_in(result))
        note_cut(primitive, inputs, results, reason_of(results[0]) if results and tapes else None)
    return result


def _positional(primitive: Any, arguments: Any, keywords: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
    """The call with tensors that stand in keywords as positional arguments, which is where nodes look for them."""
    if not any(tensors_in(keywords)):
        return arguments, keywords
    rule = find(primitive)
    template = None if rule is None else rule.partials or rule.adjoint
    if rule is None or template is None:
        raise missing(primitive)
    bound = {**template.defaults, **rule.bind(arguments, keywords)}
    return tuple(bound[name] for name in rule.parameters[1:]), NO_KEYWORDS


def record(node: Any, tapes: Iterable[Recording]) -> None:
    """Append a node to tapes, which from now on follow its results."""
    identities = node.outputs()
    for tape in tapes:
        tape.entries.append(node)
        tape.known.update(identities)


def without_variables(structure: Any) -> Any:
    """The same structure with tensors in place of variables, which are thereby read."""
    if isinstance(structure, Readable):
        return structure._read()
    return map_leaves(without_variables, structure) if isinstance(structure, (list, tuple, dict)) else structure


def _shown(structure: Any) -> Any:
    """The same structure with read-only arrays in place of tensors, for functions that may write to their arguments."""
    if type(structure) is Tensor:
        return read_only(structure._value) if isinstance(structure._value, np.ndarray) else structure._value
    return map_leaves(_shown, structure) if isinstance(structure, (list, tuple, dict)) else structure


def wrapped(result: Any, arguments: tuple[Any, ...]) -> Any:
    """The same structure with tensors in place of arrays; what shares memory with a caller's array is copied."""
    if isinstance(result, (list, tuple, dict)):
        return map_leaves(lambda leaf: wrapped(leaf, arguments), result)
    if not isinstance(result, (np.ndarray, np.generic)):
        return result
    theirs = [each for each in flatten(arguments) if type(each) is np.ndarray] if result.ndim else ()
    if any(np.may_share_memory(result, each) for each in theirs):
        result = result.copy()
    return tensor_of(result if result.ndim else result[()])


Arithmetic._apply = staticmethod(apply)
