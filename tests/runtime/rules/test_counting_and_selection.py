"""Histograms count as NumPy's do, value by value: at the edges of bins, beside them, and outside of all."""

import warnings

import numpy as np
import pytest

import srcad


def counted(w, a, bins, low, high):
    count, edges = np.histogram(a, bins, range=(low, high), weights=w)
    return np.sum(count * np.arange(1.0, 1.0 + count.size)) + 0.0 * edges[0]


def near(edges):
    """The edges, and the numbers beside each."""
    return np.concatenate([edges, np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf)])


@pytest.mark.parametrize(("bins", "low", "high"), [(1, 0.0, 1.0), (7, -0.3, 1.1), (10, 0.1, 0.7), (49, -1e9, 3e-3)])
def test_values_are_counted_where_numpy_counts_them(bins, low, high):
    a = near(np.histogram_bin_edges([], bins, (low, high)))
    a = np.append(a, [np.nan, np.inf, -np.inf, low - 1.0, high + 1.0])
    weights = np.linspace(0.5, 2.0, a.size)
    value, slope = srcad.value_and_grad(counted, jit=False)(weights, a, bins, low, high)
    assert value == pytest.approx(counted(weights, a, bins, low, high), rel=1e-14)
    np.testing.assert_array_equal(slope, [counted(each, a, bins, low, high) for each in np.eye(a.size)])


def test_integers_are_counted_where_numpy_counts_them():
    a = np.arange(-3, 12)
    value, slope = srcad.value_and_grad(counted, jit=False)(np.ones(a.size), a, 5, 0, 10)
    assert value == counted(np.ones(a.size), a, 5, 0, 10)
    np.testing.assert_array_equal(slope, [counted(each, a, 5, 0, 10) for each in np.eye(a.size)])


def test_all_values_may_be_equal_and_arrays_have_any_rank():
    def spread(w, a):
        return np.sum(np.histogram(a, 3, weights=w)[0] ** 2)

    w = np.arange(1.0, 7.0).reshape(2, 3)
    for a in (np.full((2, 3), 0.25), np.arange(6.0).reshape(2, 3)):
        value, slope = srcad.value_and_grad(spread, jit=False)(w, a)
        assert value == spread(w, a)
        count, edges = np.histogram(a, 3, weights=w)
        place = np.clip(np.searchsorted(edges, a, side="right") - 1, 0, 2)
        np.testing.assert_array_equal(slope, 2.0 * count[place])


@pytest.mark.parametrize("spread", [np.nanvar, np.nanstd])
def test_fewer_elements_than_ddof_have_no_variance(spread):
    x = np.array([[1.0, 2.0, 4.0, 8.0], [np.nan, np.nan, 1.0, 2.0], [3.0, np.nan, np.nan, np.nan], [np.nan] * 4])
    filled, known = np.nan_to_num(x), ~np.isnan(x)
    for f, at in (
        (lambda x: spread(x, axis=1, ddof=2), x),
        (lambda x: np.var(x, axis=1, ddof=2, where=known), filled),
    ):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            np.testing.assert_allclose(srcad.function(f, jit=False)(at), f(at))
