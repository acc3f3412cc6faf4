"""Turn the accelerator of the tape on and off. Results do not depend on it, only the time that recording takes.

SRCAD_TAPE_ACCELERATOR=0 python model.py        off, in a whole program
with accelerated(False): ...                    off, in a block
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from srcad.runtime.tape.accelerator.generated_recorders import write
from srcad.runtime.tape.recording.call_plans import plans
from srcad.runtime.tape.recording.dispatch import accelerator, shortcuts


def turn(on: bool) -> None:
    """Turn the accelerator on or off, in all threads. Functions that were generated before are forgotten."""
    plans.clear()
    shortcuts.clear()
    accelerator.write = write if on else None


@contextlib.contextmanager
def accelerated(on: bool) -> Iterator[None]:
    """In this block the accelerator is on or off.

    >>> import srcad
    >>> with accelerated(False):
    ...     float(srcad.constant(2.0) * 3.0)
    6.0
    """
    before = accelerator.write is not None
    turn(on)
    try:
        yield
    finally:
        turn(before)


turn(os.environ.get("SRCAD_TAPE_ACCELERATOR", "1") != "0")
