"""What an exported module cannot hold: helpers that call back into srcad, or a library that it may not need."""

from __future__ import annotations

from srcad.errors import BadArgument
from srcad.tools.standalone.helper_closure import Closure, is_of_numba
from srcad.tools.standalone.helper_modules import Defined, External, is_own

_TAKEN = ("srcad.runtime.kernels", "srcad.errors", "srcad.refusals", "srcad.runtime.support", "srcad.tools.standalone")
_SCIPY = "srcad.runtime.kernels.scipy"


def refuse_helpers(closure: Closure, numba: bool, scipy: bool) -> None:
    """Raise BadArgument where what a text needs cannot be in an exported module."""
    for each in closure.needed.values():
        for use in each.uses:
            module = use.meaning.module.name if isinstance(use.meaning, Defined) else use.meaning.module
            line = each.module.lines[use.node.lineno - 1].strip()
            place = f"{each.module.name or 'the derivative'} has `{line}`"
            if module.startswith(_SCIPY) and numba:
                raise BadArgument(
                    f"{place}: a function of SciPy, which compiled code calls by an address that srcad looks up",
                    hint="export with numpy_only=True and scipy=True",
                )
            if isinstance(use.meaning, External):
                _refuse_library(use.meaning, place, numba, scipy)
            elif is_own(module) and not module.startswith(_TAKEN):
                _refuse_own(module, place)


def _refuse_library(meaning: External, place: str, numba: bool, scipy: bool) -> None:
    if is_own(meaning.module):
        _refuse_own(str(meaning), place)
    if meaning.module.split(".")[0] == "scipy" and not scipy:
        raise BadArgument(f"{place}, which needs SciPy", hint="export with numpy_only=True and scipy=True")
    if is_of_numba(meaning) and not numba:
        raise BadArgument(f"{place}, which needs Numba", hint="export without numpy_only")


def _refuse_own(module: str, place: str) -> None:
    raise BadArgument(
        f"{place}: it needs {module}, a part of srcad itself",
        hint="call srcad.grad instead, or leave out of the function what this line is for",
    )
