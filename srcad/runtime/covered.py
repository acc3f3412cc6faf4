"""What rules cover: the keywords of a recorded call, and which of them say something; functions without a rule."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from srcad.errors import MissingRule
from srcad.runtime.eager import says_something
from srcad.runtime.nest import flatten
from srcad.runtime.registry import find, variants
from srcad.runtime.template import primitive_name
from srcad.runtime.tensor import Tensor

_by_all_rules: set[Any] = set()  # (primitive, number of arguments, *names of keywords) of calls that need no check


def covered(primitive: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Mapping[str, Any]:
    """The keywords that say something. Raises MissingRule for one that the primitive's rule does not know.

    >>> import numpy as np
    >>> covered(np.sum, (np.ones((2, 2)),), {"axis": 0})
    {'axis': 0}
    """
    key = (primitive, len(arguments), *keywords)
    if key not in _by_all_rules:
        check_covered(primitive, arguments, keywords)
        if all(_covers(rule, arguments, keywords) for rule in variants(primitive)):
            _by_all_rules.add(key)
    rule = None
    for name, value in keywords.items():
        if not says_something(name, value):
            rule = rule or _rule_of(primitive, arguments)
            known = () if rule is None else rule.parameters
            return {name: value for name, value in keywords.items() if name in known or says_something(name, value)}
    return keywords


def check_covered(primitive: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
    """Raises MissingRule if the rule of a primitive knows nothing of a keyword, before anything is computed."""
    rule = _rule_of(primitive, arguments) if keywords else None
    if rule is not None:
        stated = {name: value for name, value in keywords.items() if says_something(name, value)}
        rule.bind(arguments, stated)


def check_meaning(primitive: Any, meaning: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
    """Raises MissingRule if the function that defines a primitive does not take such arguments."""
    try:
        inspect.signature(meaning).bind(*arguments, **keywords)
    except TypeError as error:
        raise MissingRule(f"the definition of {primitive_name(primitive)} does not cover this call: {error}") from error


def _rule_of(primitive: Any, arguments: Sequence[Any]) -> Any:
    return find(primitive, [getattr(argument, "ndim", 0) for argument in arguments])


def _covers(rule: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    stated = {name: value for name, value in keywords.items() if says_something(name, value)}
    try:
        rule.bind(arguments, stated)
    except MissingRule:
        return False
    return True


def check_discrete(primitive: Any, result: Any) -> None:
    """Raises MissingRule unless what a function without a rule has returned cannot have a derivative anyway."""
    leaves = flatten(result)
    if any(leaf is None or isinstance(leaf, (float, complex)) or _may_vary(leaf) for leaf in leaves):
        raise missing(primitive)


def missing(primitive: Any) -> MissingRule:
    """The error of a function that has no rule."""
    return MissingRule(
        f"{primitive_name(primitive)} has no derivative rule, and a tape follows one of its arguments",
        hint="call it on the tensor's `.numpy()` to leave it out of the derivative, or state a rule for it",
    )


def _may_vary(value: Any) -> bool:
    return isinstance(value, (Tensor, np.ndarray)) and value.dtype.kind not in "biuSUmM"
