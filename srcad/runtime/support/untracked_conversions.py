"""Detect tensors that are converted to arrays while a tape follows them, so that the gradient would silently be cut.

    np.sum(x)                       NumPy dispatches to the tape            recorded
    np.sum([x, y])                  NumPy converts the list to an array     refused: the gradient would be cut
    np.array([x, y]), plot(x)       a conversion that may be intended       a warning; `x.numpy()` gives none

Applies only while a tape that follows the tensor is recording.
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
    """Raise MissingRule or warn about the conversion of a tensor to an array in this frame.

    It is an error if a NumPy function asks for the conversion, else a GradientCut warning.
    """
    function: types.FrameType | None = None
    while frame is not None and frame.f_code.co_filename.startswith(_NUMPY):
        if frame.f_globals.get("__name__", "").startswith("numpy.testing"):
            return  # a comparison in a test cuts nothing
        function, frame = frame, frame.f_back
    if function is not None:
        name = ("np.linalg." if ".linalg" in function.f_globals["__name__"] else "np.") + function.f_code.co_name
        raise TENSORS_IN_LIST.error(function=name)
    if frame is None:  # called by a thread of somebody's, from C
        return
    # As if `warnings.warn` were called in that frame, so that filters such as "once per location" work.
    warnings.warn_explicit(
        "a tensor that a tape follows is made a plain array, whose use the gradient will not see; to pack tensors, use "
        "np.stack or srcad.convert_to_tensor; if the array is all that is wanted, take it by `.numpy()`",
        GradientCut,
        frame.f_code.co_filename,
        frame.f_lineno,
        frame.f_globals.get("__name__"),
        frame.f_globals.setdefault("__warningregistry__", {}),
    )
