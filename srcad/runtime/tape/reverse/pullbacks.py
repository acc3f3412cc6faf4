"""The pullback of a recorded call: the rule is chosen once for each kind of call and cached.

The choice depends on the primitive, on which inputs are wanted and, if the rules require it, on ranks and on which
arguments are nonzero number literals. The result is the function that `srcad.runtime.tape.reverse.eager_rules` makes of
the rule.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from srcad.refusals.tapes import EAGER_NO_COMPLEX_RULE, EAGER_NO_RULE
from srcad.runtime.rulebook.registry import Rule, find, variants
from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.runtime.tape.protocols.arithmetic import NO_KEYWORDS
from srcad.runtime.tape.reverse.eager_rules import is_complex, names_of, pullback_function, says_something
from srcad.runtime.tape.reverse.rules_on_tensors import on_tensors

Path = tuple[Any, ...]  # (position of an argument,), followed by the place in it if it is a list


class Choice(NamedTuple):
    """A rule as a function of the result's adjoint, the result and the arguments.

    run               returns a tuple of adjoints
    names             names of the positional arguments; None if `run` takes them in the order of the call
    keyword_names     names of the keyword arguments
    wanted            for each wanted input its place in the tuple, and the path inside that item
    """

    rule: Rule
    run: Callable[..., Sequence[Any]]
    names: tuple[str, ...] | None
    keyword_names: tuple[str, ...]
    wanted: tuple[tuple[int, Path], ...]


Direct = Callable[..., Sequence[Any]]

_choices: dict[Hashable, Choice | None] = {}
# Functions that may take rows of a table.
GATHERS = frozenset((np.take, operator.getitem))
# Their rules read the result, in TensorFlow their gradients read the arguments: for second derivatives the result is
# computed again from the arguments.
_FROM_ARGUMENTS = frozenset((operator.truediv, np.divide, np.tan, np.expm1, np.linalg.norm))
# The opposite: functions whose gradients in TensorFlow read the result.
_FROM_RESULT: Mapping[Any, Direct] = {
    np.arcsinh: lambda bar, y, x: (bar / np.cosh(y),),
    np.arccosh: lambda bar, y, x: (bar / np.sinh(y),),
}
_asks_for: dict[Any, tuple[bool, bool]] = {}  # primitive -> whether its rules depend on ranks, on literals


def pullback(
    primitive: Any,
    result: Any,
    arguments: Sequence[Any],
    keywords: Mapping[str, Any],
    wanted: tuple[Any, ...],
    live: bool = False,
) -> Callable[[Any], list[Any]]:
    """The function from the adjoint of `result` to the adjoints of the wanted arguments, before `fitted`.

    `wanted` holds positions or paths. With `live`, all values are tensors, and the operations of the pullback are
    recorded.

    >>> x = np.array([2.0, 3.0])
    >>> pullback(np.square, x * x, (x,), {}, (0,))(np.array([1.0, 10.0]))
    [array([ 4., 60.])]
    """
    choice = _choice(primitive, arguments, keywords, wanted)
    if choice is None:
        return lambda bar: [None] * len(wanted)
    if live:
        choice = choice._replace(run=_FROM_RESULT.get(primitive) or on_tensors(choice.run))
        if primitive in _FROM_ARGUMENTS:
            result = primitive(*arguments, **keywords)
    conjugates = is_complex(result) or is_complex(arguments)
    if conjugates and not choice.rule.handles_complex:
        raise EAGER_NO_COMPLEX_RULE.error(function=primitive_name(choice.rule.primitive))
    run = _in_order(choice)
    named = {name: keywords[name] for name in choice.keyword_names}

    def pull(bar: Any) -> list[Any]:
        bars = run(_conjugate(bar) if conjugates else bar, result, *arguments, **named)
        found = [_at(bars[place], path) for place, path in choice.wanted]
        return [_conjugate(each) for each in found] if conjugates else found

    return pull


def read_when_live(primitive: Any, count: int) -> frozenset[int]:
    """The positions of arguments, -1 for the result, that a live pullback reads besides those that the rule reads.

    >>> sorted(read_when_live(np.divide, 2)), sorted(read_when_live(np.arcsinh, 1)), sorted(read_when_live(np.sin, 1))
    ([0, 1], [-1], [])
    """
    return frozenset(range(count) if primitive in _FROM_ARGUMENTS else [-1] if primitive in _FROM_RESULT else ())


def direct_pullback(
    primitive: Any, mask: int, values: Sequence[Any], keywords: Mapping[str, Any] = NO_KEYWORDS
) -> Direct | None:
    """The function of the result's adjoint, the result and the arguments that returns the wanted adjoints.

    `mask` has a leading one, then a binary digit for each argument: whether its adjoint is wanted. The call's result
    and the wanted inputs are not complex, and no keyword repeats a default. None if there is no derivative.

    >>> direct_pullback(np.multiply, 0b101, (3.0, 2.0))(1.0, 6.0, 3.0, 2.0)
    (3.0,)
    """
    wanted = _places(mask)
    choice = _choice(primitive, values, keywords, wanted) if wanted else None
    return None if choice is None else _in_order(choice)


def _places(mask: int) -> tuple[int, ...]:
    return tuple([place for place, digit in enumerate(bin(mask)[3:]) if digit == "1"])


def _in_order(choice: Choice) -> Direct:
    """The function of a choice, with the arguments in the order of the call."""
    run, names = choice.run, choice.names
    if names is None:
        return run
    return lambda bar, result, *arguments, **keywords: run(
        bar, result, **dict(zip(names, arguments, strict=True)), **keywords
    )


def _choice(
    primitive: Any, arguments: Sequence[Any], keywords: Mapping[str, Any], wanted: tuple[Any, ...]
) -> Choice | None:
    """The rule for this call; None if the derivative is zero."""
    key: Hashable = (primitive, wanted, len(arguments))
    if not keywords and key in _choices:
        return _choices[key]
    asks = asks_of(primitive)
    ranks = [_rank(argument) for argument in arguments] if asks[0] else [None] * len(arguments)
    literals = _literals(arguments) if asks[1] else ()
    stated = tuple(name for name, value in keywords.items() if says_something(name, value))
    if keywords or any(asks):
        key = (primitive, wanted, len(arguments), stated, tuple(ranks), literals)
    if key not in _choices:
        _choices[key] = _made(primitive, ranks, literals, stated, wanted)
    return _choices[key]


def asks_of(primitive: Any) -> tuple[bool, bool]:
    """Whether the rules of a primitive depend on ranks, and whether they depend on literals.

    >>> asks_of(np.sum), asks_of(np.power), asks_of(np.sin)
    ((True, False), (False, True), (False, False))
    """
    asks = _asks_for.get(primitive)
    if asks is None:
        fits = [rule.fit for rule in variants(primitive)]
        asks = _asks_for[primitive] = (any(fit.ndim for fit in fits), any(fit.literals for fit in fits))
    return asks


def _made(
    primitive: Any, ranks: Sequence[int | None], literals: tuple[int, ...], stated: tuple[str, ...], wanted: Path
) -> Choice | None:
    rule = find(primitive, ranks, literals)
    if rule is None:
        raise EAGER_NO_RULE.error(function=primitive_name(primitive), where=" for these arguments")
    if rule.kind == "zero":
        return None
    names = names_of(rule, len(ranks), stated)
    paths = [path if isinstance(path, tuple) else (path,) for path in wanted]
    asked = tuple(dict.fromkeys(names[path[0]] for path in paths))
    ends = tuple((asked.index(names[path[0]]), path[1:]) for path in paths)
    positional = names[: len(ranks)]
    in_order = positional == rule.parameters[1 : len(ranks) + 1]
    return Choice(rule, pullback_function(rule, asked), None if in_order else positional, names[len(ranks) :], ends)


def _rank(argument: Any) -> int | None:
    if type(argument) is np.ndarray:
        return argument.ndim
    return None if isinstance(argument, (tuple, list)) else int(getattr(argument, "ndim", 0))


def _literals(arguments: Sequence[Any]) -> tuple[int, ...]:
    return tuple([k for k, each in enumerate(arguments) if (type(each) is int or type(each) is float) and each != 0])


def signature(values: Sequence[Any]) -> tuple[Any, ...]:
    """What rules may depend on: the ranks of arguments, and whether Python numbers are zero.

    >>> signature((np.ones((2, 2)), np.float64(1.0), 3, 0.0, [1.0]))
    (2, 0, -1, -2, None)
    """
    found: list[int | None] = []
    for each in values:
        kind = type(each)
        if kind is np.ndarray:
            found.append(each.ndim)
        elif kind is int or kind is float:
            found.append(-1 if each != 0 else -2)
        else:
            found.append(_RANKS[kind] if kind in _RANKS else _rank(each))
    return tuple(found)


_RANKS: Mapping[type, int | None] = {np.float64: 0, bool: 0, str: 0, type(None): 0, tuple: None, list: None}


def _conjugate(bar: Any) -> Any:
    if isinstance(bar, (tuple, list)):
        return tuple(_conjugate(each) for each in bar)
    return bar if bar is None or (type(bar) is np.ndarray and bar.dtype.kind == "f") else np.conjugate(bar)


def _at(values: Any, path: Path) -> Any:
    for place in path:
        values = None if values is None else values[place]
    return values
