"""One row of the table: a construct that is refused, what is said about it, and an example that shows it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import Formatter
from textwrap import dedent
from typing import Generic, TypeVar

from srcad.errors import Place, SrcadError

E = TypeVar("E", bound=SrcadError)


@dataclass(frozen=True)
class Refusal(Generic[E]):
    """A construct that is refused.

    kind        class of the error
    title       heading in the documentation
    what        the message; names in braces stand for what the raise site says
    hint        the way out; names in braces as in the message
    example     a function that shows it, for the documentation
    call        the call of that function which raises the error
    unshown     why there is no example

    >>> from srcad.errors import MissingRule
    >>> row = Refusal(MissingRule, "No rule", "{function} has no derivative rule", "write it with others", unshown="-")
    >>> print(row.error(function="np.sort_complex"))
    np.sort_complex has no derivative rule
    hint: write it with others
    """

    kind: type[E]
    title: str
    what: str
    hint: str
    example: str = ""
    call: str = "srcad.grad(f)(2.0)"
    unshown: str = ""

    def at(self, place: Place | None, **fields: object) -> E:
        """The error, to be raised, at a place in the user's source."""
        return self.kind(self.what.format(**fields), at=place, hint=self.hint.format(**fields))

    def error(self, **fields: object) -> E:
        """The error, to be raised, where no place in the source is known."""
        return self.at(None, **fields)

    @property
    def fields(self) -> frozenset[str]:
        """The names that message and hint leave open.

        >>> sorted(Refusal(SrcadError, "", "{name} is {kind}", "rename {name}").fields)
        ['kind', 'name']
        """
        parts = Formatter().parse(self.what + self.hint)
        return frozenset(name for _, name, _, _ in parts if name)

    @property
    def program(self) -> str:
        """The example with its call."""
        return f"{dedent(self.example).strip()}\n\n\n{self.call}\n"

    def fits(self, error: SrcadError) -> bool:
        """Whether an error says what this row says.

        >>> row = Refusal(SrcadError, "", "the name `{name}` is not defined", "")
        >>> row.fits(SrcadError("the name `rate` is not defined")), row.fits(SrcadError("a set"))
        (True, False)
        """
        parts = Formatter().parse(self.what)
        pattern = "".join(re.escape(text) + ("(.*)" if name is not None else "") for text, name, _, _ in parts)
        return type(error) is self.kind and re.fullmatch(pattern, error.what, re.DOTALL) is not None
