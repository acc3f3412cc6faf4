"""The states of random generators, to be put back where a call is made again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def kept_states(arguments: Sequence[Any]) -> Callable[[], None]:
    """A function that puts the generators among the arguments, and NumPy's global state, back to what they are now.

    >>> generator = np.random.default_rng(0)
    >>> put_back = kept_states([generator])
    >>> first = generator.random()
    >>> put_back()
    >>> first == generator.random()
    True
    """
    generators = [each for each in arguments if isinstance(each, np.random.Generator)]
    states = [each.bit_generator.state for each in generators]
    older = [(each, each.get_state()) for each in arguments if isinstance(each, np.random.RandomState)]
    shared = np.random.get_state()

    def put_back() -> None:
        for generator, state in zip(generators, states, strict=True):
            generator.bit_generator.state = state
        for each, held in older:
            each.set_state(held)
        np.random.set_state(shared)

    return put_back
