"""An adjoint begins where it is first needed, and its first contribution is assigned."""

import gast

from srcad.transforms.adjoint.reverse_plan import Fork, Plan, Replay, Step, place_zeros
from srcad.transforms.ir.build import assign, const
from srcad.transforms.ir.node_notes import note
from tests.transforms.core_text import block_text


def zero(name, number=True, view=False):
    value = const(0.0) if number else gast.parse("np.zeros_like(x)", mode="eval").body
    return note(assign(name, value), value_is_number=number, is_view=view)


def step(text, whole=False):
    code = gast.parse(text).body
    for statement in code:
        note(statement, whole=whole)
    return Step(1, code, code[0])


def placed(zeros, *nodes):
    """The nodes of a plan that begins with zeros, as text; a branch or loop is `...`."""
    plan = place_zeros(Plan((), 9, [Step(9, zeros), *nodes]))
    return "".join(block_text(node.code) if isinstance(node, Step) else "...\n" for node in plan.nodes)


def test_the_first_contribution_is_assigned():
    assert placed([zero("a_bar")], step("a_bar += t * k")) == "a_bar = t * k\n"


def test_a_first_contribution_that_is_subtracted_is_negated():
    assert placed([zero("a_bar")], step("a_bar -= t")) == "a_bar = -t\n"


def test_later_contributions_are_added():
    found = placed([zero("a_bar")], step("a_bar += t"), step("a_bar += u"))
    assert found == "a_bar = t\na_bar += u\n"


def test_an_adjoint_begins_right_before_its_first_use():
    found = placed([zero("a_bar")], step("b_bar += t"), step("c_bar += a_bar"))
    assert found == "b_bar += t\na_bar = 0.0\nc_bar += a_bar\n"


def test_a_contribution_inside_a_branch_needs_the_zero_before_it():
    fork = Fork(1, gast.parse("if c:\n    pass").body[0], [Plan((), 1, [step("a_bar += t")]), Plan((), 1)])
    assert placed([zero("a_bar")], step("b_bar += t"), fork) == "b_bar += t\na_bar = 0.0\n...\n"


def test_a_contribution_inside_a_loop_needs_the_zero_before_it():
    loop = gast.parse("for i in range(n):\n    pass").body[0]
    replay = Replay(1, loop, Plan((), 1, [step("a_bar += t")]))
    assert placed([zero("a_bar")], replay) == "a_bar = 0.0\n...\n"


def test_an_adjoint_that_is_never_used_begins_at_the_end():
    assert placed([zero("a_bar")], step("b_bar += t")) == "b_bar += t\na_bar = 0.0\n"


def test_an_array_that_others_may_name_is_copied():
    assert placed([zero("a_bar", number=False)], step("a_bar += b_bar", whole=True)) == "a_bar = np.copy(b_bar)\n"


def test_a_new_array_is_taken_as_it_is():
    assert placed([zero("a_bar", number=False)], step("a_bar += b_bar * k", whole=True)) == "a_bar = b_bar * k\n"


def test_an_array_contribution_of_another_type_is_added_to_zero():
    found = placed([zero("a_bar", number=False)], step("a_bar += b_bar * k"))
    assert found == "a_bar = np.zeros_like(x)\na_bar += b_bar * k\n"


def test_a_view_of_an_adjoint_is_added_to():
    found = placed([zero("a_bar", number=False, view=True)], step("a_bar += b_bar * k", whole=True))
    assert found.endswith("a_bar += b_bar * k\n")


def test_a_contribution_that_reads_its_own_adjoint_is_added():
    assert placed([zero("a_bar")], step("a_bar += a_bar * t")) == "a_bar = 0.0\na_bar += a_bar * t\n"
