"""How derivatives are made, whatever is asked for: options that go with a request through all that is made from it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from operator import index
from typing import Any

from srcad.driver.pass_selection import chosen
from srcad.errors import BadArgument, BadType
from srcad.runtime.support import debug_mode

Without = str | Iterable[str]


@dataclass(frozen=True)
class Options:
    """The choices of the caller; part of the key under which generated code is kept.

    without     optional passes of the compiler that are switched off (`srcad.driver.passes`)
    max_trace_bytes    the most that loops may keep for the reverse sweep, or None
    debug       whether statements are followed by checks that they have made no NaN (`srcad.debug`)
    fastmath    whether compiled code may reorder and simplify floating arithmetic; None is as the function's own @njit
    boundscheck whether indices are checked; None is yes, unless the function's own @njit says boundscheck=False
    tiered      whether calls run uncompiled while machine code is made; no part of the key of what is stored
    """

    without: tuple[str, ...] = field(default_factory=chosen)
    fastmath: bool | None = None
    max_trace_bytes: int | None = None
    boundscheck: bool | None = None
    debug: bool = False
    tiered: bool = field(default_factory=lambda: _tiered_everywhere(), repr=False)  # noqa: PLW0108 - as it is now

    @staticmethod
    def of(
        without: Without = (),
        fastmath: bool | None = None,
        function: Any = None,
        max_trace_bytes: int | None = None,
        boundscheck: bool | None = None,
        tiered: bool | None = None,
    ) -> Options:
        """The options of a call: `without` names passes, in one text or several; those of a `srcad.function` stay.

        >>> Options.of("loop_order", True)
        Options(without=('loop_order',), fastmath=True, max_trace_bytes=None, boundscheck=None, debug=False)
        """
        if fastmath is not None and not isinstance(fastmath, (bool, set, dict)):
            raise BadType(f"fastmath is {fastmath!r}", hint="give True, False, or a set of LLVM's flags, as to Numba")
        _check_bytes(max_trace_bytes)
        if tiered is not None and not isinstance(tiered, bool):
            raise BadType(f"tiered is {tiered!r}", hint="give True or False; None is as SRCAD_TIERED says")
        known = getattr(function, "options", None)
        if not isinstance(known, Options):
            asked = _tiered_everywhere() if tiered is None else tiered
            return Options(chosen(without), fastmath, max_trace_bytes, boundscheck, tiered=asked)
        return Options(
            chosen({*known.without, *chosen(without)}),
            known.fastmath if fastmath is None else fastmath,
            known.max_trace_bytes if max_trace_bytes is None else max_trace_bytes,
            known.boundscheck if boundscheck is None else boundscheck,
            known.debug,
            known.tiered if tiered is None else tiered,
        )

    def current(self) -> Options:
        """These options, with checks if debug mode is on."""
        return replace(self, debug=True) if debug_mode.state.on and not self.debug else self


TIERED = "SRCAD_TIERED"


def _tiered_everywhere() -> bool:
    """Whether the environment asks for tiered mode."""
    return os.environ.get(TIERED, "0") not in ("", "0")


def _check_bytes(count: Any) -> None:
    """Raise BadArgument unless this is a number of bytes, or None."""
    hint = "give a whole number of bytes, such as 10**8"
    try:
        negative = count is not None and index(count) < 0
    except TypeError:
        raise BadType(f"max_trace_bytes is {count!r}", hint=hint) from None
    if negative:
        raise BadArgument(f"max_trace_bytes is {count!r}", hint=hint)


def checks_bounds(boundscheck: bool | None, own: Mapping[str, Any]) -> bool:
    """Whether the indices of a function are checked, whose own `@njit` has these options.

    >>> checks_bounds(None, {}), checks_bounds(None, {"boundscheck": False})
    (True, False)
    """
    return own.get("boundscheck") is not False if boundscheck is None else boundscheck
