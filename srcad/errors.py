"""Every error and warning that srcad raises, and how it points at the user's source.

    SrcadError
    |- UnsupportedSyntax    (SyntaxError)           a construct that is refused
    |  |- EntersTape        (SyntaxError)           a tape in compiled code; a `srcad.function` then runs as Python
    |  `- AssignsVariable   (SyntaxError)           an assignment to a variable; a `srcad.function` then runs as Python
    |- MissingRule          (NotImplementedError)   a function without a derivative rule
    |- NotDifferentiable    (TypeError)             an argument or result that has no derivative
    |- BadArgument          (ValueError)            an argument of srcad's own API that makes no sense
    |  `- BadValue          (TypeError as well)     a value that does not become a number of the dtype asked for
    |- BadIndex             (IndexError)            an index that is no integer, slice or array; a TypeError as well
    |- SourceUnavailable    (OSError)               a function whose source text cannot be found
    |- MayOverlap           (ValueError)            memory reached by two names, one of them written to
    |- TraceTooLarge        (MemoryError)           max_trace_bytes is less than the least that a loop has to keep
    |- TapeMisuse           (RuntimeError)          a tape or variable used at the wrong moment
    |- NotATensor           (TypeError)             something given to a tape that is neither tensor nor variable
    |- WrongGradient        (AssertionError)        what srcad.check_grads found
    `- CompilerBug          (AssertionError)        a state that the compiler's design rules out

Each inherits the builtin that a caller would expect. `PerformanceWarning` says what kept a function from compiling,
`GradientCut` where a tensor has left its tape.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

# The folder of srcad itself: where a stack has left it, there the user's code begins.
PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")


@dataclass(frozen=True)
class Place:
    """A stretch of the user's source: one line, with the columns that matter.

    `column` and `end_column` count from 0, as `ast` does. `inside` is the place of the call through which an
    inlined helper was reached.
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
        """The line with carets below the columns meant."""
        width = max(1, min(self.end_column, len(self.text)) - self.column)
        gutter = " " * 6
        return f"{self.line:6d} | {self.text}\n{gutter} | {' ' * self.column}{'^' * width}"

    def trail(self) -> list[str]:
        """The line, and those of the calls that led there."""
        lines, caller = [self.excerpt()], self.inside
        while caller is not None:
            lines += [f"called from {caller}", caller.excerpt()]
            caller = caller.inside
        return lines


class SrcadError(Exception):
    """The root of all errors: what is wrong, where, and what to do about it."""

    def __init__(self, what: str, at: Place | None = None, hint: str | None = None) -> None:
        self.what, self.at, self.hint = what, at, hint
        super().__init__(self._message())

    def called_from(self, place: Place | None) -> SrcadError:
        """The same error, in a function that is called at a place."""
        self.at = place if self.at is None else replace(self.at, inside=place)
        return self

    def _message(self) -> str:
        if self.at is None:
            return self.what + (f"\nhint: {self.hint}" if self.hint else "")
        lines = [f"{self.at}: {type(self).__name__}: {self.what}", *self.at.trail()]
        return "\n".join(lines + ([f"hint: {self.hint}"] if self.hint else []))

    def __str__(self) -> str:
        return self._message()


class UnsupportedSyntax(SrcadError, SyntaxError):
    """A construct of the language that cannot be differentiated (yet)."""


class EntersTape(UnsupportedSyntax, SyntaxError):
    """A tape that a function enters: compiled code has none."""


class AssignsVariable(UnsupportedSyntax, SyntaxError):
    """A method of variables that changes one: compiled code has arrays in their place."""


class MissingRule(SrcadError, NotImplementedError):
    """A function that has no derivative rule."""


class NotDifferentiable(SrcadError, TypeError):
    """An argument or a result with respect to which there is no derivative."""


class BadArgument(SrcadError, ValueError):
    """An argument of srcad's own API that makes no sense."""


class BadValue(BadArgument, TypeError):
    """A value that does not become a number of the dtype asked for; a TypeError too, as in TensorFlow."""


class BadIndex(SrcadError, IndexError, TypeError):
    """An index that is none."""


class SourceUnavailable(SrcadError, OSError):
    """A function whose source text cannot be found."""


class MayOverlap(SrcadError, ValueError):
    """Memory reached through two names, one of which is written to."""


class TraceTooLarge(SrcadError, MemoryError):
    """A loop cannot be reversed with the bytes that `max_trace_bytes` allows it to keep; raised when it runs."""


class TapeMisuse(SrcadError, RuntimeError, AttributeError):
    """A tape or variable used at the wrong moment; an AttributeError too, as TensorFlow raises in some cases."""


class NotATensor(SrcadError, TypeError, AttributeError):
    """Something given to a tape that is neither tensor nor variable; an AttributeError too, as in TensorFlow."""


class WrongGradient(SrcadError, AssertionError):
    """A gradient that differs from finite differences."""


class CompilerBug(SrcadError, AssertionError):
    """A state that the compiler's design rules out; please report it."""


class GradientCut(UserWarning):
    """A tensor that a tape follows is made a plain array, by something else than `numpy()`."""


class PerformanceWarning(UserWarning):
    """A function runs uncompiled; the message names what kept it from compiling."""
