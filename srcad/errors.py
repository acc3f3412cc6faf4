"""All errors and warnings that srcad raises, and how they point at the user's source.

    SrcadError
    |- UnsupportedSyntax    (SyntaxError)           a construct that is not supported
    |  |- EntersTape        (SyntaxError)           a tape in compiled code; a `srcad.function` then runs as Python
    |  `- AssignsVariable   (SyntaxError)           an assignment to a variable; a `srcad.function` then runs as Python
    |- MissingRule          (NotImplementedError)   a function without a derivative rule
    |- WrongRule            (ValueError)            a rule of the user's own that does not do what a rule has to do
    |- NotDifferentiable    (TypeError)             an argument or result that has no derivative
    |  `- GradientCut       (TypeError)             a value that left its tape, as a plain array, and comes back
    |- BadArgument          (ValueError)            an invalid argument of srcad's own API
    |  |- BadType           (TypeError as well)     an argument of srcad's own API of the wrong type
    |  `- BadValue          (TypeError as well)     a value that cannot be converted to the dtype asked for
    |- BadIndex             (IndexError)            an index that is no integer, slice or array; a TypeError as well
    |- SourceUnavailable    (OSError)               a function whose source text cannot be found
    |- MayOverlap           (ValueError)            memory that is reached by two names, one of them written to
    |- UnsupportedVersion   (ImportError)           a Numba that is newer than those tested, and does not work
    |- TraceTooLarge        (MemoryError)           no memory, or no max_trace_bytes, for what loops have to keep
    |- WorkersLost          (RuntimeError)          processes of a distributed gradient that ended before their tasks
    |- TapeMisuse           (RuntimeError)          a tape or variable used at the wrong time
    |- NotATensor           (TypeError)             a value given to a tape that is neither tensor nor variable
    |- NoSolution           (ArithmeticError)       a solver that did not converge; a solution without a derivative
    |- WrongGradient        (AssertionError)        raised by srcad.check_grads
    |- NonFinite            (FloatingPointError)    a NaN or an infinity first appears, in a block of srcad.debug
    `- CompilerBug          (AssertionError)        an impossible state of the compiler

Each class inherits the builtin exception that a caller would expect. `PerformanceWarning` names the reason why a
function is not compiled.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

# The folder of srcad itself: the first frame of a stack outside of it is the user's code.
PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")


# Functions that srcad writes as texts have file names that begin so.
_WRITTEN = "<srcad "


def is_own(file: str) -> bool:
    """Whether a file is srcad's own: one of the package, or a text that it has written.

    >>> is_own(__file__), is_own("<srcad scipy.fft.fft>"), is_own("model.py"), is_own("<doctest srcad.errors[0]>")
    (True, True, False, False)
    """
    return file.startswith((PACKAGE, _WRITTEN))


@dataclass(frozen=True)
class Place:
    """A place in the user's source: one line, with the relevant columns.

    `column` and `end_column` count from 0, as in `ast`. `inside` is the place of the call through which an inlined
    helper was reached.
    """

    file: str
    line: int
    column: int
    end_column: int
    text: str
    inside: Place | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column + 1}"

    def __deepcopy__(self, memo: object) -> Place:
        return self

    def excerpt(self) -> str:
        """The line, with carets below the relevant columns."""
        width = max(1, min(self.end_column, len(self.text)) - self.column)
        gutter = " " * 6
        return f"{self.line:6d} | {self.text}\n{gutter} | {' ' * self.column}{'^' * width}"

    def in_users_file(self) -> Place | None:
        """This place, or that of the call, where it is in a definition of srcad's own that was inlined."""
        place: Place | None = self
        while place is not None and is_own(place.file):
            place = place.inside
        return place

    def shown(self) -> Place:
        """The place to name in a message: in the user's file, if there is one."""
        return self.in_users_file() or self

    def trail(self) -> list[str]:
        """The lines of the place and of the calls that led to it; what is in a definition of srcad's own comes last."""
        shown = self.shown()
        lines, caller = [shown.excerpt()], shown.inside
        while caller is not None:
            lines += [f"called from {caller}", caller.excerpt()]
            caller = caller.inside
        return lines if shown is self else [*lines, f"in srcad's definition of it: {self.text.strip()}"]


class SrcadError(Exception):
    """The base class of all errors: what is wrong, where, and what to do about it."""

    def __init__(self, what: str, at: Place | None = None, hint: str | None = None) -> None:
        self.what, self.at, self.hint = what, at, hint
        super().__init__(self._message())

    def called_from(self, place: Place | None) -> SrcadError:
        """The same error, with the place of the call of the function that it is in."""
        self.at = place if self.at is None else replace(self.at, inside=place)
        return self

    def _message(self) -> str:
        if self.at is None:
            return self.what + (f"\nhint: {self.hint}" if self.hint else "")
        lines = [f"{self.at.shown()}: {type(self).__name__}: {self.what}", *self.at.trail()]
        return "\n".join(lines + ([f"hint: {self.hint}"] if self.hint else []))

    def __str__(self) -> str:
        return self._message()


class UnsupportedSyntax(SrcadError, SyntaxError):
    """A language construct that cannot be differentiated."""


class EntersTape(UnsupportedSyntax, SyntaxError):
    """A function enters a tape, which compiled code cannot do."""


class AssignsVariable(UnsupportedSyntax, SyntaxError):
    """A function calls a method that assigns to a variable, which compiled code cannot do: there it is an array."""


class MissingRule(SrcadError, NotImplementedError):
    """A function that has no derivative rule."""


class WrongRule(SrcadError, ValueError):
    """A rule of the user's own that returns something of the wrong count, shape or kind, or reads what it may not.

    Also an inverse of a reversible step that does not recover its state.
    """


class NotDifferentiable(SrcadError, TypeError):
    """An argument or a result with respect to which there is no derivative."""


class GradientCut(NotDifferentiable, TypeError):
    """What was computed from a tensor after it left its tape comes back into what the tape records."""


class BadArgument(SrcadError, ValueError):
    """An invalid argument of srcad's own API."""


class BadType(BadArgument, TypeError):
    """An argument of srcad's own API that is of the wrong type, such as a number in place of a function."""


class BadValue(BadArgument, TypeError):
    """A value that cannot be converted to the dtype asked for; a TypeError too, as in TensorFlow."""


class BadIndex(SrcadError, IndexError, TypeError):
    """An index that is not an integer, slice or array."""


class SourceUnavailable(SrcadError, OSError):
    """A function whose source text cannot be found."""


class MayOverlap(SrcadError, ValueError):
    """Memory is reached through two names, one of which is written to."""


class TraceTooLarge(SrcadError, MemoryError):
    """What loops have to keep does not fit, into `max_trace_bytes` or the memory. Raised when the derivative runs."""


class UnsupportedVersion(SrcadError, ImportError):
    """A version of Numba that is newer than those tested, and with which a small gradient fails."""


class WorkersLost(SrcadError, RuntimeError):
    """Processes that compute the chunks of a distributed gradient have ended before their tasks, again and again."""


class TapeMisuse(SrcadError, RuntimeError, AttributeError):
    """A tape or variable used at the wrong time; an AttributeError too, as TensorFlow raises in some cases."""


class NotATensor(SrcadError, TypeError, AttributeError):
    """A value given to a tape that is neither tensor nor variable; an AttributeError too, as in TensorFlow."""


class NoSolution(SrcadError, ArithmeticError):
    """A solver that did not converge, or a solution that has no derivative, because the Jacobian there is singular."""


class WrongGradient(SrcadError, AssertionError):
    """A gradient that differs from finite differences."""


class NonFinite(SrcadError, FloatingPointError):
    """A statement makes a NaN or an infinity of operands without one: under `srcad.debug`. `sweep` says in which sweep.

    `details` are the lines about the statement, its operands and the iterations of the loops around it.
    """

    def __init__(
        self, what: str, at: Place | None = None, hint: str | None = None, details: Sequence[str] = ()
    ) -> None:
        self.details, self.sweep = tuple(details), ""
        super().__init__(what, at, hint)

    def _message(self) -> str:
        if self.at is None:
            return "\n".join([self.what, *self.details, *([f"hint: {self.hint}"] if self.hint else [])])
        lines = [f"{self.at.shown()}: {NonFinite.__name__}: {self.what}", *self.at.trail(), *self.details]
        return "\n".join(lines + ([f"hint: {self.hint}"] if self.hint else []))


class CompilerBug(SrcadError, AssertionError):
    """An impossible state of the compiler; please report it."""


class UnreliableDifferences(UserWarning):
    """`srcad.check_grads` cannot tell whether a gradient is right: differences are not reliable there."""


class PerformanceWarning(UserWarning):
    """A function runs uncompiled; the message says why."""
