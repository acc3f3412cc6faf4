"""Tensors that leave their tape unnoticed: made arrays by NumPy, that does not know of the tape.

    np.sum(x)                       comes to the tape                       recorded
    np.sum([x, y])                  comes to lists, and makes them arrays   refused: np.sum would cut the gradient
    np.array([x, y]), plot(x)       somebody wants arrays                   a warning; `x.numpy()` says the same aloud

Only where a tape that is recording follows the tensor.
"""

from __future__ import annotations

import os
import types
import warnings

import numpy as np

from srcad.errors import GradientCut
from srcad.refusals.tapes import TENSORS_IN_LIST

_NUMPY = os.path.dirname(np.__file__) + os.sep


def refuse_or_warn(frame: types.FrameType | None) -> None:
    """What becomes of a tensor's conversion to an array, which is asked for in this frame."""
    function: types.FrameType | None = None
    while frame is not None and frame.f_code.co_filename.startswith(_NUMPY):
        if frame.f_globals.get("__name__", "").startswith("numpy.testing"):
            return  # what is compared goes nowhere
        function, frame = frame, frame.f_back
    if function is not None:
        name = ("np.linalg." if ".linalg" in function.f_globals["__name__"] else "np.") + function.f_code.co_name
        raise TENSORS_IN_LIST.error(function=name)
    if frame is None:  # called by a thread of somebody's, from C
        return
    # As `warnings.warn` would from that frame, so that filters such as "once for each place" hold.
    warnings.warn_explicit(
        "a tensor that a tape follows is made a plain array, whose use the gradient will not see; to pack tensors, use "
        "np.stack or srcad.convert_to_tensor; if the array is all that is wanted, take it by `.numpy()`",
        GradientCut,
        frame.f_code.co_filename,
        frame.f_lineno,
        frame.f_globals.get("__name__"),
        frame.f_globals.setdefault("__warningregistry__", {}),
    )
