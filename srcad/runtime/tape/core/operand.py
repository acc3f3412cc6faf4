"""`Operand`, the common base of `Tensor` and `Variable`: an array value that tapes know by an identity."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from srcad.errors import CompilerBug
from srcad.refusals.tapes import LEAVES_TAPE
from srcad.runtime.support.untracked_conversions import note_conversion, note_number
from srcad.runtime.tape.core.active_recordings import active
from srcad.runtime.tape.protocols.array_protocols import ArrayProtocols


class Operand(ArrayProtocols):
    """An array value with an identity."""

    __slots__ = ()

    _identity: int

    def _read(self) -> Any:
        """The tensor that this operand is, or stands for; active tapes are notified."""
        return self

    def numpy(self) -> Any:
        """The value as a new NumPy array, which may be changed; a NumPy scalar if there are no axes.

        >>> import srcad
        >>> srcad.constant([1, 2]).numpy()
        array([1, 2])
        """
        value = self._array()
        self._note("numpy()")
        return value.copy() if isinstance(value, np.ndarray) and value.ndim else value[()]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if active.live_sweeps and active.who_know([self._identity]):
            raise CompilerBug(
                "a derivative rule has made an array of a tensor that an outer tape follows, which cuts the gradient",
                hint="in rules and kernels, np.array and np.asarray must not be applied to operands",
            )
        tapes = active.who_know([self._read()._identity]) if active.tapes and not active.customs else []
        array = super().__array__(dtype, copy=True if tapes and copy is None else copy)
        note_conversion(tapes, sys._getframe(1), array)
        return array

    def _leave(self, how: str) -> Any:
        """The value, for a conversion that cuts the gradient; refused in a compiled function's run for a derivative."""
        if active.reruns and active.who_know([self._identity]):
            raise LEAVES_TAPE.error(how=how)
        self._note(how)
        return self._array()

    def _note(self, how: str) -> None:
        """Tell the tapes that follow this operand that it is converted to a plain number or array."""
        for tape in active.who_know([self._identity]):
            note_number(tape, self._identity, how, sys._getframe(1))


class Readable(Operand):
    """An operand that is not a tensor itself, but is replaced by one in an operation."""

    __slots__ = ()

    def _read(self) -> Any:
        """The tensor; active tapes are notified."""
        raise NotImplementedError
