"""Effects in core form: the numbers and arrays in the arguments become atoms, what is around them stays Python.

    effect(log.info, f"{x * x:.2f} of {name}")      becomes     t1 = x * x
                                                                kernels.effect(act, t1)

where `act` is `lambda v0: log.info(f"{v0:.2f} of loss")`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gast

from srcad.refusals.structures import STRUCTURE_IN_MESSAGE
from srcad.runtime.kernels.recording.effect_calls import as_effect
from srcad.transforms.ir.build import at, call, const, load
from srcad.transforms.lowering.calls.texts import Texts
from srcad.transforms.lowering.structures.abstract_state import Callee, Structure, Text

_DISPLAYS = {list: gast.List, tuple: gast.Tuple}


@dataclass(frozen=True, eq=False)
class Effect:
    """What a statement does: a function of the values in it."""

    act: Callable[..., Any]


class Effects(Texts):
    """Statements that are made for what they do elsewhere."""

    def done(self, act: Any, node: gast.Call) -> gast.stmt:
        """The statement for an effect."""
        assert self.outside is not None
        made = _Arguments(self)
        called = gast.Call(
            func=load("act"),
            args=[made.argument(each) for each in node.args],
            keywords=[gast.keyword(arg=each.arg, value=made.argument(each.value)) for each in node.keywords],
        )
        names = ", ".join(f"v{k}" for k in range(len(made.atoms)))
        text = gast.unparse(gast.fix_missing_locations(called))
        run = eval(f"lambda {names}: {text}", {**made.objects, "act": act})
        name = self.outside.bind("effect", as_effect(run))
        return at(gast.Expr(value=call("kernels.effect", load(name), *made.atoms)), self.place)


class _Arguments:
    """Splits arguments into atoms, which become parameters, and an expression of these."""

    def __init__(self, lowering: Effects) -> None:
        self.lowering = lowering
        self.atoms: list[gast.expr] = []
        self.objects: dict[str, Any] = {}

    def argument(self, node: gast.expr) -> gast.expr:
        match node:
            case gast.JoinedStr(values=values):
                return gast.JoinedStr(values=[self.argument(each) for each in values])
            case gast.FormattedValue(value=value, conversion=conversion, format_spec=form):
                form = None if form is None else self.argument(form)
                return gast.FormattedValue(value=self.argument(value), conversion=conversion, format_spec=form)
            case gast.BinOp(left=gast.Constant(value=str()) as left, op=op, right=right):
                return gast.BinOp(left=left, op=op, right=self.argument(right))
            case gast.Call(func=gast.Attribute(value=gast.Constant(value=str()), attr="format") as function):
                keywords = [gast.keyword(arg=each.arg, value=self.argument(each.value)) for each in node.keywords]
                return gast.Call(func=function, args=[self.argument(each) for each in node.args], keywords=keywords)
            case gast.Call(func=gast.Name(id="str" | "repr" as name), args=[inner], keywords=[]):
                return gast.Call(func=load(name), args=[self.argument(inner)], keywords=[])
            case gast.Tuple(elts=elements) | gast.List(elts=elements):
                return type(node)(elts=[self.argument(each) for each in elements], ctx=gast.Load())
            case gast.Dict(keys=keys, values=values) if None not in keys:
                return gast.Dict(keys=[self.argument(e) for e in keys], values=[self.argument(e) for e in values])
        meaning = self.lowering.meant(node)
        return self.object(meaning) if meaning is not None else self.part(self.lowering.part(node))

    def object(self, thing: Any) -> gast.expr:
        """A name for an object that is known while compiling."""
        name = f"o{len(self.objects)}"
        self.objects[name] = thing
        return load(name)

    def part(self, part: gast.expr) -> gast.expr:
        """The expression for a value: a constant, a parameter, or a display of the parts of a structure."""
        lowering = self.lowering
        if isinstance(part, Callee):
            return self.object(lowering.meant(part.path))
        if not isinstance(part, Structure):
            if isinstance(part, gast.Constant):
                return part
            self.atoms.append(lowering.held_in_atom(part))
            return load(f"v{len(self.atoms) - 1}")
        if part.cell.type is Text:
            return self.argument(lowering.spelled_text(part))
        held = lowering.memory.cells[part.cell]
        if isinstance(held, dict) and part.cell.type in _DISPLAYS:
            return _DISPLAYS[part.cell.type](elts=[self.part(each) for each in held.values()], ctx=gast.Load())
        if not isinstance(held, dict) or part.cell.type is not dict:
            lowering.refuse(STRUCTURE_IN_MESSAGE, what=part.cell.called)
        return gast.Dict(keys=[const(key) for key in held], values=[self.part(each) for each in held.values()])
