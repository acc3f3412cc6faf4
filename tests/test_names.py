"""Fresh names: deterministic, never twice, never a word of Python."""

import keyword

from hypothesis import given
from hypothesis import strategies as st

from srcad.names import Names


@given(st.lists(st.sampled_from(["x", "x_2", "x_bar", "t1", "if"])), st.sets(st.sampled_from(["x", "x_2", "t1", "t2"])))
def test_no_name_is_handed_out_twice_or_taken_from_the_user(wishes, taken):
    names = Names(taken)
    given_out = [names.fresh(wish) for wish in wishes] + [names.temporary(), names.temporary()]
    assert len(set(given_out)) == len(given_out)
    assert not taken & set(given_out)


@given(st.lists(st.sampled_from(["x", "y", "x_2"])))
def test_the_same_wishes_give_the_same_names(wishes):
    assert [Names().fresh(wish) for wish in wishes] == [Names().fresh(wish) for wish in wishes]
    first, second = Names(), Names()
    assert [first.fresh(wish) for wish in wishes] == [second.fresh(wish) for wish in wishes]


def test_a_word_of_python_is_never_a_name():
    names = Names()
    assert not any(keyword.iskeyword(names.fresh(word)) for word in keyword.kwlist)


def test_a_copy_knows_the_names_but_does_not_tell_of_its_own():
    names = Names({"x"})
    other = names.copy()
    assert other.fresh("x") == "x_2"
    assert names.fresh("x") == "x_2"


def test_a_reserved_name_is_not_handed_out():
    names = Names()
    names.reserve("y")
    assert names.fresh("y") == "y_2"
