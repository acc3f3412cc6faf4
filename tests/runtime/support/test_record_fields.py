"""Structured scalars and arrays, as an array for each field."""

import numpy as np

from srcad.runtime.support.record_fields import is_records, put_together, records_of

BODY = np.dtype([("x", np.float32), ("v", float, (2, 3)), ("k", np.int64)])


def test_records_are_what_was_taken_apart():
    a = np.zeros((2, 4), BODY)
    a["x"], a["v"] = np.arange(8).reshape(2, 4), np.arange(48).reshape(2, 4, 2, 3)
    for value in (a, a[0], a[:, ::2], a[1, 2], a.view(np.recarray), a.view(np.recarray)[1, 2], a[:0]):
        assert is_records(value)
        taken = records_of(value)
        assert [part.flags.c_contiguous for part in taken.parts] == [True] * 3
        again = put_together(taken.layout, taken.parts)
        assert type(again) is type(value)
        assert again.dtype == value.dtype
        np.testing.assert_array_equal(again, value)


def test_fields_that_are_no_numbers_and_records_in_records_are_not_taken_apart():
    assert records_of(np.zeros(2, [("x", float), ("name", "U3")])) is None
    assert records_of(np.zeros(2, [("x", float), ("inner", [("y", float)])])) is None


def test_rows_of_a_jacobian_are_records_too():
    taken = records_of(np.zeros(3, BODY)[0])
    made = put_together(taken.layout, [np.ones((5, 1)), np.ones((5, 1, 2, 3)), None])
    assert made.shape == (5,)
    assert made["v"].shape == (5, 2, 3)
    assert not made["k"].any()
