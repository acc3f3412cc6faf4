"""Values of the core form in the user's own words: his names, and expressions of them where he gave none.

t3 = x.shape[0]; t4 = np.sin(v_2); a_2 = t4 * k           t4: np.sin(v)     a_2: a     t3: x.shape[0]
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import gast

from srcad.errors import Place
from srcad.printer import print_function
from srcad.transforms.affine import Form as Linear
from srcad.transforms.build import binary, clone, const, place_of
from srcad.transforms.checkpoint import Checkpointed
from srcad.transforms.form import LEAF, Form, Part
from srcad.transforms.node_notes import note, notes_of
from srcad.transforms.program import Program
from srcad.transforms.subroutine import Specialised

DEEPEST = 8  # temporaries within temporaries


class Speaker:
    """Says what the names of one program stand for."""

    def __init__(self, program: Program, paths: Mapping[str, str] | None = None) -> None:
        """`paths` say where among structured arguments a parameter comes from: `cells[0].w`."""
        self.program, self.paths = program, paths or {}
        own = {word for text in program.unit.sources for word in re.findall(r"[A-Za-z_]\w*", text)}
        self.known = {*own, *program.unit.parameters}

    def name(self, name: str) -> str:
        """A name as the user knows it, else the expression that it holds."""
        return self.text(gast.Name(id=name, ctx=gast.Load(), annotation=None, type_comment=None))

    def is_own(self, name: str) -> bool:
        """Whether the user gave the value a name."""
        return self.plain(name) in self.known

    @staticmethod
    def plain(name: str) -> str:
        """A name without the number that tells it from others of the same name."""
        return re.sub(r"_\d+$", "", name)

    def text(self, node: gast.expr) -> str:
        """An expression, in the user's names."""
        return print_function(_Unfolder(self).visit(clone(node))).strip()

    def place(self, name: str) -> Place | None:
        """Where a name is first stored."""
        stores = self.program.flow.stores.get(name, [])
        return next((place for each in stores if (place := place_of(each)) is not None), None)

    def size(self, array: str) -> str | None:
        """How many elements an array has; None where its rank is not known."""
        rank = self.program.types.rank(array)
        if rank is None:
            return None
        forms = [self.program.meeting.sizes.size(array, axis) for axis in range(rank)]
        return " * ".join(self.form(form, len(forms) > 1) for form in forms) or "1"

    def form(self, form: Linear, inside: bool = False) -> str:
        """A linear form of sizes."""
        text = ""
        for symbol, factor in form.terms:
            said = self._symbol(symbol)
            part = said if abs(factor) == 1 else f"{abs(factor)} * {said}"
            text = f"{text} {'-' if factor < 0 else '+'} {part}" if text else f"{'-' if factor < 0 else ''}{part}"
        if form.constant or not text:
            sign = "-" if form.constant < 0 else "+"
            text = f"{text} {sign} {abs(form.constant)}" if text else str(form.constant)
        return f"({text})" if inside and " " in text else text

    def _symbol(self, symbol: str) -> str:
        array, dot, rest = symbol.partition(".")
        return self.name(array) + dot + rest if array.isidentifier() else symbol


class _Unfolder(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    def __init__(self, speaker: Speaker, depth: int = 0) -> None:
        self.speaker, self.depth = speaker, depth

    def visit_BinOp(self, node: gast.BinOp) -> gast.expr:
        self.generic_visit(node)
        match node:  # n - 1 - 1
            case gast.BinOp(
                left=gast.BinOp(
                    left=left, op=gast.Add() | gast.Sub() as first, right=gast.Constant(value=int() as one)
                ),
                op=gast.Add() | gast.Sub() as second,
                right=gast.Constant(value=int() as other),
            ):
                total = (one if isinstance(first, gast.Add) else -one) + (
                    other if isinstance(second, gast.Add) else -other
                )
                return binary(left, gast.Add if total > 0 else gast.Sub, const(abs(total))) if total else left
        return node

    def visit_Subscript(self, node: gast.Subscript) -> gast.expr:
        """A part of what a call of a function that is not inlined returns is the call."""
        self.generic_visit(node)
        is_call = isinstance(node.value, gast.Call) and notes_of(node.value).calls_own_function
        return node.value if is_call else node

    def visit_Call(self, node: gast.Call) -> gast.expr:
        self.generic_visit(node)
        callee = self.speaker.program.unit.bindings.get(getattr(node.func, "id", ""))
        if isinstance(callee, Specialised):
            node.func.id = callee.subroutine.wish
            note(node, calls_own_function=True)
            node.args = [] if isinstance(callee, Checkpointed) else node.args  # bounds and all that it carries
        return node

    def visit_Name(self, node: gast.Name) -> gast.expr:
        speaker = self.speaker
        if node.id in speaker.program.unit.bindings:
            return node
        if node.id in speaker.paths:
            node.id = speaker.paths[node.id]
            return node
        value = speaker.program.flow.definition(node.id)
        if value is None and re.fullmatch(r"t\d+_sum(_\d+)?", node.id):
            node.id = "sum(...)"  # of a loop that an array statement has become
            return node
        if speaker.is_own(node.id) or value is None or self.depth >= DEEPEST:
            node.id = speaker.plain(node.id)
            return node
        return _Unfolder(speaker, self.depth + 1).visit(clone(value))


def leaf_paths(part: Part | Any, path: str) -> list[str]:
    """Where the leaves of a structure are, as the user writes it.

    >>> leaf_paths(Form(dict, ("w", "b"), (LEAF, Form(list, (0, 1), (LEAF, LEAF)))), "p")
    ["p['w']", "p['b'][0]", "p['b'][1]"]
    """
    if not isinstance(part, Form):
        return [path] if part is LEAF else []
    is_indexed = issubclass(part.type, (tuple, list, dict))
    inner = [f"{path}[{key!r}]" if is_indexed else f"{path}.{key}" for key in part.keys]
    return [found for below, at in zip(part.parts, inner, strict=True) for found in leaf_paths(below, at)]
