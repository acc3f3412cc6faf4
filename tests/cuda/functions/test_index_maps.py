"""Views by subscripts and broadcasting, against NumPy."""

import numpy as np
import pytest

from srcad.cuda.functions.index_maps import broadcast, moved_units, permuted, relation, subscript, whole_view

SUBSCRIPTS = [
    ((5,), slice(1, -1)),
    ((5,), slice(None, None, -2)),
    ((5,), slice(4, 1)),
    ((5,), -2),
    ((3, 4), (slice(None), None, 1)),
    ((3, 4), (Ellipsis, slice(3, 0, -1))),
    ((3, 4), (0, Ellipsis)),
    ((2, 3, 4), (None, 1, slice(None, None, 2), -1)),
    ((0, 3), (slice(None), 1)),
]


def elements(view, shape):
    """What a view holds of an array of the places 0, 1, ..."""
    places = np.arange(int(np.prod(shape))).reshape(shape)
    found = np.empty(view.shape, int)
    for at in np.ndindex(view.shape):
        found[at] = places[tuple(a.start + a.step * (0 if a.axis is None else at[a.axis]) for a in view.along)]
    return places, found


@pytest.mark.parametrize(("shape", "key"), SUBSCRIPTS)
def test_a_subscript_takes_what_numpy_takes(shape, key):
    places, found = elements(subscript(shape, key), shape)
    np.testing.assert_array_equal(found, places[key])


def test_views_of_views():
    view = subscript((6, 4), (slice(1, 6, 2), slice(None, None, -1)))
    view = view.then(permuted(view.shape, (1, 0)))
    view = view.then(subscript(view.shape, (slice(1, 3), None, 2)))
    view = view.then(broadcast(view.shape, (3, 2, 1)))
    places, found = elements(view, (6, 4))
    expected = np.broadcast_to(places[1:6:2, ::-1].T[1:3, None, 2], (3, 2, 1))
    np.testing.assert_array_equal(found, expected)


def test_only_views_without_repetition_reach_each_element_once():
    assert whole_view((3, 2)).reaches_once()
    assert subscript((3, 2), (slice(None), None, 1)).reaches_once()
    assert not broadcast((3, 1), (3, 4)).reaches_once()


@pytest.mark.parametrize("key", [5, (0, 0), (slice(None), 1)])
def test_what_is_out_of_range_raises_as_in_numpy(key):
    with pytest.raises(IndexError):
        subscript((5,), key)


@pytest.mark.parametrize("key", [np.array([0, 1]), [0, 1], np.ones(5, bool), True])
def test_arrays_and_masks_are_no_views(key):
    assert subscript((5,), key) is None


def test_broadcasts_that_do_not_fit():
    with pytest.raises(ValueError, match="could not broadcast"):
        broadcast((3,), (4,))


def test_reshapes_that_are_views():
    assert moved_units((3, 1), (1, 1, 3)).shape == (1, 1, 3)
    assert moved_units((2, 3), (3, 2)) is None


@pytest.mark.parametrize(
    "written", [(slice(1, 5), slice(None)), (2, slice(None)), (slice(None), slice(3, 0, -1)), (slice(None, None, 2), 1)]
)
@pytest.mark.parametrize(
    "read", [(2, slice(1, 3)), (slice(1, 3), slice(None, None, -1)), (3, 2), (slice(0, 1), 3), (slice(2, 2), 0)]
)
def test_how_what_is_read_lies_in_what_is_written(written, read):
    places = np.arange(24).reshape(6, 4)
    one, other = (subscript((6, 4), key) for key in (written, read))
    found = relation(one, other)
    if found is False:
        assert not set(places[written].flat) & set(places[read].flat)
    elif found is not None:
        _, inside = elements(found, one.shape)
        np.testing.assert_array_equal(places[written].reshape(-1)[inside], places[read])
    else:
        assert (
            set(places[read].flat) - set(places[written].flat)
            or not places[read].size
            or written[0] == slice(None, None, 2)
        )
