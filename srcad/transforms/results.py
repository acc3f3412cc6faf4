"""What a function returns, as core form has it: an atom, or tuples of atoms, whose form says what they stand for.

And what it says: in what is printed or raised the parts are atoms, and texts stay.
"""

from __future__ import annotations

import gast

from srcad.transforms.build import call, const, dotted, load, tuple_of
from srcad.transforms.form import LEAF, Fixed, Form, ListForm, Part, RecordForm
from srcad.transforms.memory import Structure
from srcad.transforms.paths import Paths


class Results(Paths):
    """Takes a returned structure apart."""

    form: Part = LEAF  # of what the function returns

    def form_of(self, part: gast.expr) -> Part:
        """The form of a result; tuples are what they are."""
        made = self.whole_form(part)
        return LEAF if _is_tuples(made) else made

    def whole_form(self, part: gast.expr) -> Part:
        """The form of a part, with texts and None as what they are."""
        if not isinstance(part, Structure):
            known = self.memory.constant(part)
            return Fixed(getattr(known, "member", known)) if known is None or isinstance(known, str) else LEAF
        records, grown = self.records(part), self.grown(part)
        if records is not None:
            return RecordForm.of(records.layout)
        if grown is not None:
            return ListForm.of(len(self.memory.forms.get(grown, ())))
        contents = self.contents(part)
        keys = (getattr(key, "member", key) for key in contents)
        return Form(part.cell.type, tuple(keys), tuple(self.whole_form(each) for each in contents.values()))

    def whole_result(self, result: gast.expr) -> gast.expr:
        """What the function returns, as an atom or nested tuples of atoms; its form is noted."""
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

    def message(self, node: gast.expr) -> gast.expr:
        """What is printed or raised: its parts become atoms, its texts stay."""
        match node:
            case gast.Call():
                node.args = [self.message(argument) for argument in node.args]
                for keyword in node.keywords:
                    keyword.value = self.message(keyword.value)
                return node
            case gast.Starred():
                self.refuse("`*` in what is printed or raised is not supported", "write the values one by one")
            case gast.JoinedStr():
                node.values = [self.message(value) for value in node.values]
                return node
            case gast.FormattedValue():
                node.value = self.atom(node.value)
                return node
        return self.atom(node)


def _is_tuples(form: Part) -> bool:
    if not isinstance(form, Form):
        return True
    return form.type is tuple and all(map(_is_tuples, form.parts))
