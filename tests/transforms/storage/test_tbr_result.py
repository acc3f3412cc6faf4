"""Decisions begin empty, each of its own."""

from srcad.transforms.storage.tbr_result import Decisions, Row


def test_decisions_share_nothing():
    one, other = Decisions(), Decisions()
    one.recorded.add("x")
    one.recomputed["y"] = one.kept[1] = "x"
    assert other == Decisions()
    assert one != other


def test_an_array_is_complete_where_it_is_stored_unless_told():
    assert Row(()).after is None
