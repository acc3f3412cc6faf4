"""Return values in core form: an atom, or tuples of atoms, with a form that says what they stand for.

The arguments of `print` and of exceptions are lowered here as well: their parts become atoms, their texts stay.
"""

from __future__ import annotations

import gast

from srcad.refusals.structures import STRUCTURE_AS_NUMBER, STRUCTURE_IN_MESSAGE, STRUCTURE_IN_RAISE
from srcad.transforms.ir.build import at, call, const, dotted, load, tuple_of
from srcad.transforms.ir.constant_conditions import UNKNOWN
from srcad.transforms.ir.pytree_form import LEAF, Fixed, Form, ListForm, Part, RecordForm
from srcad.transforms.lowering.control_flow import Paths
from srcad.transforms.lowering.desugaring.for_loops import called
from srcad.transforms.lowering.structures.abstract_state import Structure, Text

_TEXTS = (print, str, repr, format, ascii)


class Results(Paths):
    """Decomposes a returned structure."""

    form: Part = LEAF  # of the function's result

    def form_of(self, part: gast.expr) -> Part:
        """The form of a result; plain tuples have no form of their own."""
        made = self.whole_form(part)
        return LEAF if _is_tuples(made) else made

    def whole_form(self, part: gast.expr) -> Part:
        """The form of a part, with texts and None as constants."""
        if not isinstance(part, Structure):
            known = self.memory.constant(part)
            return Fixed(getattr(known, "member", known)) if known is None or isinstance(known, str) else LEAF
        records, grown = self.records(part), self.grown(part)
        if records is not None:
            return RecordForm.of(records.layout)
        if part.cell.type is Text:
            self.refuse(STRUCTURE_AS_NUMBER, what=part.cell.called)
        if grown is not None:
            return ListForm.of(len(self.memory.forms.get(grown, ())))
        contents = self.contents(part)
        keys = (getattr(key, "member", key) for key in contents)
        return Form(part.cell.type, tuple(keys), tuple(self.whole_form(each) for each in contents.values()))

    def whole_result(self, result: gast.expr) -> gast.expr:
        """The function's result as an atom or nested tuples of atoms; its form is recorded."""
        part = self.part(result)
        self.form = self.form_of(part)
        return self.returned(part)

    def returned(self, part: gast.expr) -> gast.expr:
        """A result as an atom or nested tuples of atoms."""
        if not isinstance(part, Structure):
            return self.held_in_atom(part)
        records, grown = self.records(part), self.grown(part)
        if records is not None:
            made = part if records.index is None else self.made_like(records, dotted("np.copy"))
            arrays = self.memory.cells[made.cell].arrays
            return tuple_of(*(load(name) for name in arrays.values()))
        if grown is not None:
            views = [call("kernels.elements", load(name), load(grown.count)) for name in self.parts_of(grown)]
            return tuple_of(*(self.held_in_atom(each) for each in views))
        held = self.contents(part).values()
        is_fixed = self.form is not LEAF
        return gast.Tuple(
            elts=[
                const(0) if is_fixed and isinstance(self.whole_form(each), Fixed) else self.returned(each)
                for each in held
            ],
            ctx=gast.Load(),
        )

    def check(self, statement: gast.Assert) -> None:
        """An assertion; its message is only evaluated if the assertion fails."""
        test = self.atom(statement.test)
        if statement.msg is None or self.is_atom(statement.msg):
            self.emit(at(gast.Assert(test=test, msg=statement.msg), self.place))
            return
        error = gast.Raise(exc=gast.Call(func=load("AssertionError"), args=[statement.msg], keywords=[]), cause=None)
        at(error, self.place)
        self.branch(gast.If(test=gast.UnaryOp(op=gast.Not(), operand=test), body=[error], orelse=[]))

    def message(self, node: gast.expr) -> gast.expr:
        """A printed or raised message: its parts become atoms, its texts stay."""
        match node:
            case gast.Call():
                is_text = self.takes_text(node)
                node.args = [self.spoken(argument, is_text) for each in node.args for argument in self.each_of(each)]
                for keyword in node.keywords:
                    keyword.value = self.spoken(keyword.value, False)
                return node if called(node) != "repr" or not isinstance(node.args[0], gast.JoinedStr) else node.args[0]
            case gast.JoinedStr():
                node.values = [part for value in node.values for part in self.said(value)]
                return node
            case gast.BinOp(left=left, op=gast.Add(), right=right):
                node.left, node.right = self.spoken(left, True), self.spoken(right, True)
                return node
            case gast.BinOp(left=gast.Constant(value=str(text)), op=gast.Mod(), right=right):
                if isinstance(right, gast.Tuple):
                    right.elts = [self.spoken(each, "%r" not in text) for each in right.elts]
                else:
                    node.right = self.spoken(right, "%r" not in text)
                return node
        return self.in_words(node, True)

    def is_said(self, node: gast.Call) -> bool:
        """Whether a call makes a text or an exception; others are evaluated as elsewhere."""
        match node.func:
            case gast.Attribute(value=gast.Constant(value=str()), attr="format"):
                return True
        made = self.meant(node.func)
        is_error = isinstance(made, type) and issubclass(made, BaseException)
        return is_error or any(made is each for each in _TEXTS)

    def takes_text(self, node: gast.Call) -> bool:
        """Whether texts may represent lists: an exception formats a single argument by `str`, several by `repr`."""
        match node.func:
            case gast.Attribute(value=gast.Constant(value=str(text)), attr="format"):
                return "!r" not in text
            case gast.Name(id="print" | "str" | "repr"):
                return True
        return len(node.args) == 1 and getattr(self.meant(node.func), "__module__", None) == "builtins"

    def each_of(self, argument: gast.expr) -> list[gast.expr]:
        """An argument, or the arguments of a starred one."""
        return self.unstarred(argument.value, None) if isinstance(argument, gast.Starred) else [argument]

    def spoken(self, node: gast.expr, is_text: bool) -> gast.expr:
        """An argument of `print`, `str` or an exception."""
        if isinstance(node, (gast.JoinedStr, gast.BinOp)) or (isinstance(node, gast.Call) and self.is_said(node)):
            return self.message(node)
        return self.in_words(node, is_text)

    def in_words(self, node: gast.expr, is_text: bool) -> gast.expr:
        """The value of an argument of `print`, `str` or an exception, which may be a text."""
        part = self.part(node)
        if isinstance(part, Structure) and part.cell.type is Text:
            return self.spelled_text(part)
        if not isinstance(part, Structure) or part.cell.type is tuple:
            return self.held_in_atom(part)
        if not is_text:
            self.refuse(STRUCTURE_IN_RAISE, what=part.cell.called)
        return gast.JoinedStr(values=self.written_out(part))

    def said(self, value: gast.expr) -> list[gast.expr]:
        """A part of an f-string."""
        if not isinstance(value, gast.FormattedValue):
            return [value]
        part = self.part(value.value)
        if isinstance(part, Structure) and part.cell.type is Text:
            return list(self.spelled_text(part).values)
        if isinstance(part, Structure) and value.format_spec is None:
            return self.written_out(part)
        value.value = self.held_in_atom(part)
        return [value]

    def written_out(self, part: gast.expr) -> list[gast.expr]:
        """The parts of Python's text for a structure: brackets, commas, and the `repr` of each element."""
        known = self.constant(part)
        if not isinstance(part, Structure):
            value = gast.FormattedValue(value=self.held_in_atom(part), conversion=ord("r"), format_spec=None)
            return [value] if known is UNKNOWN else [const(repr(known))]
        if part.cell.type not in (list, tuple, dict) or not isinstance(self.memory.cells[part.cell], dict):
            what = "a list that grows in a loop" if self.grown(part) is not None else part.cell.called
            self.refuse(STRUCTURE_IN_MESSAGE, what=what)
        first, last = {list: ("[", "]"), tuple: ("(", ")"), dict: ("{", "}")}[part.cell.type]
        texts = [const(first)]
        for key, each in self.contents(part).items():
            texts += [const(f"{', ' if len(texts) > 1 else ''}{f'{key!r}: ' if part.cell.is_mapping else ''}")]
            texts += self.written_out(each)
        is_single = part.cell.type is tuple and len(self.contents(part)) == 1
        return [*texts, const(f"{',' if is_single else ''}{last}")]


def _is_tuples(form: Part) -> bool:
    if not isinstance(form, Form):
        return True
    return form.type is tuple and all(map(_is_tuples, form.parts))
