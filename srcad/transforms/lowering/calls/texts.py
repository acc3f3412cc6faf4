"""Texts: f-strings, `%` and methods of strings, computed while compiling where their parts are known.

params[f"W{i}"]     "W" + str(i)     "W%d" % i     "{}_{}".format(kind, i)     "_".join(names)

becomes params["W0"] in the iteration for i = 0 of a loop that is unrolled. An f-string with parts that are known only
at run time is a structure of class `Text`, which `print`, `raise` and other f-strings take.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from string import Formatter
from typing import Any

import gast

from srcad.refusals.numpy_calls import TEXT_METHOD
from srcad.transforms.ir.build import call, const
from srcad.transforms.ir.constant_conditions import UNKNOWN
from srcad.transforms.lowering.calls.key_functions import KeyFunctions
from srcad.transforms.lowering.structures.abstract_state import Structure, Text
from srcad.transforms.lowering.structures.container_methods import Parts
from srcad.transforms.lowering.structures.structure_expressions import NeedsConstant

# Methods of texts that depend on nothing but their arguments.
_METHODS = frozenset(
    {
        *("startswith", "endswith", "lower", "upper", "strip", "lstrip", "rstrip", "replace", "removeprefix"),
        *("removesuffix", "split", "rsplit", "splitlines", "isdigit", "isalpha", "isalnum", "isupper", "islower"),
        *("format", "join", "zfill", "title", "capitalize", "count", "find", "rfind", "center", "ljust", "rjust"),
    }
)
_CONVERSIONS: dict[int, Callable[[object], str]] = {ord("r"): repr, ord("s"): str, ord("a"): ascii}
_PERCENT = re.compile(r"%([-+ 0#]*)([0-9*]*(?:\.[0-9*]+)?)([diufFeEgGsra%])")
_PLAIN = (str, int, float, bool, type(None))


class Texts(KeyFunctions):
    """Computes texts."""

    def formatted_text(self, text: str, right: gast.expr) -> gast.expr:
        """`text % right`."""
        part = self.part(right)
        known = self.plain_constant(part)
        if known is not UNKNOWN:
            return const(text % known)
        is_tuple = isinstance(part, Structure) and part.cell.type is tuple
        return self.joined_text(self.pieces_of(text, self.parts(part) if is_tuple else [part]))

    def pieces_of(self, text: str, values: Parts) -> Parts:
        """The parts of an f-string that makes the same text as `text % values`."""
        pieces: Parts = []
        rest, end = list(values), 0
        for found in _PERCENT.finditer(text):
            pieces.append(const(text[end : found.start()]))
            end = found.end()
            flags, form, kind = found.groups()
            if kind == "%":
                pieces.append(const("%"))
                continue
            if not rest or "*" in form:
                self.refuse(TEXT_METHOD, name="%")
            value = rest.pop(0)
            value = call("int", value) if kind in "di" and self.constant(value) is UNKNOWN else value
            align = "<" if "-" in flags else ">" if kind in "sra" and form else ""
            spec = f"{align}{flags.replace('-', '')}{form}{'' if kind in 'sradiu' else kind}"
            conversion = ord(kind) if kind in "sra" else -1
            pieces.append(
                gast.FormattedValue(
                    value=value,
                    conversion=conversion,
                    format_spec=gast.JoinedStr(values=[const(spec)]) if spec else None,
                )
            )
        if rest:
            self.refuse(TEXT_METHOD, name="%")
        return [*pieces, const(text[end:])]

    def formatted(self, text: str, node: gast.Call) -> gast.expr:
        """`text.format(...)` with values that are known only at run time, as an f-string."""
        named = {str(each.arg): each.value for each in node.keywords}
        pieces: Parts = []
        unnamed = iter(range(len(node.args)))
        for before, field, spec, conversion in Formatter().parse(text):
            pieces.append(const(before))
            if field is None:
                continue
            place = int(field) if field.isdigit() else next(unnamed, -1) if not field else -1
            if (place not in range(len(node.args)) and field not in named) or "{" in (spec or ""):
                self.refuse(TEXT_METHOD, name="format")
            value = named[field] if field in named else node.args[place]
            made = gast.JoinedStr(values=[const(spec)]) if spec else None
            pieces.append(
                gast.FormattedValue(value=value, conversion=ord(conversion) if conversion else -1, format_spec=made)
            )
        return self.joined_text(pieces)

    def text_of(self, node: gast.Call) -> gast.expr | None:
        """`str(value)` of a constant; None for other values."""
        node.args = [self.part(each) for each in node.args]
        known = self.plain_constant(node.args[0])
        return None if known is UNKNOWN or isinstance(known, tuple) else const(str(known))

    def of_text(self, text: str, method: str, node: gast.Call) -> gast.expr:
        """A method of a constant text."""
        if method not in _METHODS:
            self.refuse(TEXT_METHOD, name=method)
        if method == "format":
            node.args = [self.part(each) for each in node.args]
            for keyword in node.keywords:
                keyword.value = self.part(keyword.value)
            values = [*node.args, *(each.value for each in node.keywords)]
            if any(self.plain_constant(each) is UNKNOWN for each in values):
                return self.formatted(text, node)
        arguments = [self.text_argument(each) for each in node.args]
        keywords = {str(each.arg): self.text_argument(each.value) for each in node.keywords}
        found = getattr(text, method)(*arguments, **keywords)
        return self.sequence(list, list(map(const, found))) if isinstance(found, list) else const(found)

    def text_argument(self, node: gast.expr) -> Any:
        """The constant value of an argument; a sequence of constants as a list."""
        part = self.part(node)
        if isinstance(part, Structure) and part.cell.is_sequence:
            return [self.known_text(each) for each in self.parts(part)]
        return self.known_text(part)

    def known_text(self, part: gast.expr) -> Any:
        """The constant that a part is."""
        known = self.plain_constant(part)
        if known is UNKNOWN:
            if self.memory.loops:
                raise NeedsConstant
            self.refuse(TEXT_METHOD, name="this")
        return known

    def plain_constant(self, part: gast.expr) -> Any:
        """A constant whose text is that of Python, or a tuple of such, else UNKNOWN."""
        known = self.constant(part)
        values = known if isinstance(known, tuple) else (known,)
        return known if all(type(each) in _PLAIN for each in values) else UNKNOWN

    def joined_text(self, values: list[gast.expr]) -> gast.expr:
        """An f-string: a constant, or a structure of the texts and values in it."""
        pieces: list[tuple[tuple[int, str], gast.expr]] = []
        for value in values:
            if not isinstance(value, gast.FormattedValue):
                pieces.append(((-1, ""), value))
                continue
            form = "" if value.format_spec is None else self.constant(self.part(value.format_spec))
            part = self.part(value.value)
            if not isinstance(form, str):
                raise NeedsConstant
            known = self.plain_constant(part)
            if known is not UNKNOWN:
                shown = _CONVERSIONS[value.conversion](known) if value.conversion in _CONVERSIONS else known
                pieces.append(((-1, ""), const(format(shown, form))))
            elif isinstance(part, Structure) and part.cell.type is Text:
                pieces += [(key[1:], each) for key, each in self.contents(part).items()]
            else:
                pieces.append(((value.conversion, form), self.kept(part)))
        if all(isinstance(each, gast.Constant) and isinstance(each.value, str) for _, each in pieces):
            return const("".join(each.value for _, each in pieces))
        return self.memory.new(Text, {(k, *how): each for k, (how, each) in enumerate(pieces)})

    def spelled_text(self, text: Structure) -> gast.JoinedStr:
        """The f-string for a text with parts that are known only at run time."""
        values: list[gast.expr] = []
        for (_, conversion, form), part in self.contents(text).items():
            if isinstance(part, gast.Constant) and isinstance(part.value, str):
                values.append(part)
                continue
            spec = gast.JoinedStr(values=[const(form)]) if form else None
            values += self.said(gast.FormattedValue(value=part, conversion=conversion, format_spec=spec))
        return gast.JoinedStr(values=values)

    def said(self, value: gast.expr) -> list[gast.expr]:
        """A part of an f-string that is a message."""
        raise NotImplementedError
