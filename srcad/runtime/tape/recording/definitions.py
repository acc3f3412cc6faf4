"""Run the definition of a function again for its derivatives, on a recording of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from srcad.runtime.support.nested_structures import flatten
from srcad.runtime.tape.core.active_recordings import Recording, active
from srcad.runtime.tape.core.node import Pairs
from srcad.runtime.tape.core.tensor import Tensor
from srcad.runtime.tape.recording.forward_recording import fitted_tangent


def run_again(
    meaning: Callable[..., Any] | None, arguments: Sequence[Any], keywords: Mapping[str, Any], followed: Iterable[int]
) -> tuple[Recording, Any]:
    """Run a definition: its result, and a recording of how it was computed from the arguments `followed`."""
    assert meaning is not None
    again = Recording(watches_accessed=False)
    for identity in followed:
        again.follow(identity)
    tapes = active.tapes
    active.tapes = (*tapes, again)
    active.expansions += 1
    try:
        return again, meaning(*arguments, **keywords)
    finally:
        active.expansions -= 1
        active.tapes = tapes


def pushed(node: Any, meaning: Any, dots: Mapping[int, Tensor], live: bool) -> Pairs:
    """The results of a call with their tangents, computed by running its definition."""
    again, value = run_again(meaning, node.arguments, node.keywords, dots)
    moving = dict(dots)
    for each in again.nodes:
        for tensor, tangent in each.pushforward(moving, live):
            if tangent is not None and tensor.dtype.kind in "fc":
                moving[tensor._identity] = fitted_tangent(tangent, tensor)
    pairs = zip(flatten(node.result), flatten(value), strict=True)
    return [(result, moving.get(each._identity) if type(each) is Tensor else None) for result, each in pairs]
