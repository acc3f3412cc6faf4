"""`np.random.RandomState` as an argument of compiled code, which hands it on to draws in Numba's object mode."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import NativeValue, box, models, register_model, typeof_impl, unbox


class RandomStateType(types.Opaque):  # type: ignore[misc]  # numba carries no annotations
    """The type of a RandomState.

    >>> RandomStateType() == RandomStateType()
    True
    """

    def __init__(self) -> None:
        super().__init__("RandomState")


register_model(RandomStateType)(models.OpaqueModel)


@typeof_impl.register(np.random.RandomState)
def _type_of_random_state(value: Any, context: Any) -> RandomStateType:
    return RandomStateType()


@unbox(RandomStateType)
def _taken(kind: Any, value: Any, context: Any) -> Any:
    return NativeValue(value)  # the caller holds it for as long as the call takes


@box(RandomStateType)
def _given(kind: Any, value: Any, context: Any) -> Any:
    context.pyapi.incref(value)
    return value
