"""Arrays with labels. The classes here have of pandas and xarray what srcad asks of them, which tests do not need."""

import importlib.util

import numpy as np
import pytest

import srcad
from srcad.api.labelled_arrays import labelled, put_together
from srcad.errors import BadArgument, MissingRule, NotDifferentiable, SrcadError, UnsupportedSyntax


class Index(list):
    is_unique = property(lambda self: len(set(self)) == len(self))

    def equals(self, other):
        return list(self) == list(other)


class Series:
    __module__ = "pandas.core.series"

    def __init__(self, values, index, name=None):
        self.held, self.index, self.name = np.asarray(values), Index(index), name

    shape = property(lambda self: self.held.shape)

    def __array__(self, dtype=None, copy=None):
        return self.held

    def __len__(self):
        return len(self.held)

    def to_numpy(self):
        return self.held

    values = property(to_numpy)


class DataFrame:
    __module__ = "pandas.core.frame"

    def __init__(self, data, index, columns=None):
        if isinstance(data, np.ndarray):
            data = dict(zip(columns, data.T, strict=True))
        data = {name: np.asarray(each) for name, each in data.items()}
        self.held, self.index, self.columns = data, Index(index), Index(data)

    shape = property(lambda self: (len(self.index), len(self.columns)))
    dtypes = property(lambda self: [np.asarray(each).dtype for each in self.held.values()])

    def __getitem__(self, key):
        if isinstance(key, list):
            return DataFrame({each: self.held[each] for each in key}, self.index)
        return Series(self.held[key], self.index, key)

    def __len__(self):
        return len(self.index)

    def __contains__(self, name):
        return name in self.held

    def to_numpy(self):
        return np.stack([np.asarray(each) for each in self.held.values()], axis=1)

    values = property(to_numpy)


class DataArray:
    __module__ = "xarray.core.dataarray"

    def __init__(self, values, dims):
        self.values, self.dims, self.coords = np.asarray(values), dims, Index()

    shape = property(lambda self: self.values.shape)
    data = property(lambda self: self.values)

    def copy(self, data):
        return DataArray(data, self.dims)

    def __array__(self, dtype=None, copy=None):
        return self.values


S = Series([1.0, 2.0, 4.0], "abc", "rates")
D = DataFrame({"u": np.array([1.0, 2.0]), "v": np.array([3.0, 5.0])}, "pq")
M = DataFrame({"u": np.array([1.0, 2.0]), "k": np.array([3, 4]), "t": np.array(["x", "y"])}, "pq")


def grad(f, x, wrt=0):
    return srcad.grad(f, wrt, jit=False)(x)


def cubes(s):
    return np.sum(s.values**3) * len(s) / s.shape[0]


@pytest.mark.parametrize(
    "f", [cubes, lambda s: np.sum(s.to_numpy() ** 3), lambda s: np.sum(np.asarray(s) ** 2 * np.array(s))]
)
def test_the_gradient_by_a_series_is_a_series_with_its_labels(f):
    found = grad(f, S)
    assert type(found) is Series
    assert (found.index, found.name) == (S.index, "rates")
    np.testing.assert_allclose(found.held, 3.0 * S.held**2)
    assert f(S) == pytest.approx(73.0)


def test_labels_are_those_of_the_call_and_other_labels_need_no_other_code():
    slope = srcad.grad(cubes, jit=False)
    found = [slope(Series(S.held, index)) for index in ("abc", "xyz", "abc")]
    assert [each.index for each in found] == [list("abc"), list("xyz"), list("abc")]
    shorter = slope(Series([1.0], "z"))
    assert (shorter.index, shorter.held.tolist()) == (["z"], [3.0])
    assert slope(Series(S.held.astype(np.float32), "abc")).held.dtype == np.float32


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda d: np.sum(d.values**2), [[2.0, 6.0], [4.0, 10.0]]),
        (lambda d: np.sum(d.to_numpy() * np.array([1.0, 10.0])) + len(d), [[1.0, 10.0], [1.0, 10.0]]),
        (lambda d: np.sum(d["u"].values * d["v"].to_numpy()), [[3.0, 1.0], [5.0, 2.0]]),
        (lambda d: np.sum(d[["v", "u"]].to_numpy() * np.array([1.0, 10.0])), [[10.0, 1.0], [10.0, 1.0]]),
        (lambda d: sum([np.sum(d[name].values ** 2) for name in ("u", "v")]), [[2.0, 6.0], [4.0, 10.0]]),
    ],
)
def test_the_gradient_by_a_table_is_a_table(f, expected):
    found = grad(f, D)
    assert type(found) is DataFrame
    assert (found.index, found.columns) == (D.index, D.columns)
    np.testing.assert_allclose(found.to_numpy(), expected)


def test_of_columns_of_several_types_those_that_have_derivatives_are_there():
    found = grad(lambda m: np.sum(m["u"].values ** 2 * m["k"].values) + np.sum(m[["k", "u"]].to_numpy()), M)
    assert list(found.columns) == ["u"]
    np.testing.assert_allclose(found["u"].held, [7.0, 17.0])
    assert grad(lambda w, m=M: w * w, 3.0) == 6.0
    assert srcad.grad(lambda w, m: np.sum(w * m["u"].values), jit=False)(3.0, M) == 3.0


def test_arrays_of_several_axes_keep_their_dimensions():
    found = grad(lambda a: np.sum(a.values**2) + np.sum(a.data), DataArray(np.eye(2), ("t", "x")))
    assert found.dims == ("t", "x")
    np.testing.assert_allclose(found.values, [[3.0, 1.0], [1.0, 3.0]])


def test_they_may_be_parts_of_structures_and_have_second_derivatives():
    found = grad(lambda p: np.sum(p["s"].values ** 2 * p["w"]), {"s": S, "w": 2.0})
    np.testing.assert_allclose(found["s"].held, 4.0 * S.held)
    assert found["w"] == pytest.approx(21.0)
    along = srcad.hvp(cubes, jit=False)(S, Series([1.0, 0.0, -1.0], "abc"))
    np.testing.assert_allclose(along.held, [6.0, 0.0, -24.0])
    np.testing.assert_allclose(srcad.hessian(cubes, jit=False)(S), np.diag(6.0 * S.held))


table = D


def test_arrays_in_captured_tables_are_read_at_each_call():
    table = D
    slope = srcad.grad(lambda w: np.sum(w**2 * table["u"].values) + w * np.sum(table["v"].to_numpy()), jit=False)
    whole = srcad.grad(lambda w: np.sum(w * table.to_numpy()), jit=False)
    assert (slope(2.0), whole(2.0)) == (4.0 * 3.0 + 8.0, 11.0)
    table = DataFrame({"u": [10.0, 20.0, 30.0], "v": [1.0, 1.0, 1.0]}, "abc")
    assert (slope(2.0), whole(2.0)) == (4.0 * 60.0 + 3.0, 63.0)
    table.held["u"] = np.zeros(3)
    assert (slope(2.0), whole(2.0)) == (3.0, 3.0)


@pytest.mark.parametrize(
    "f",
    [
        lambda w: w * np.sum(table),
        lambda w: np.sum(w * table["u"]),
        lambda w: np.sum(w * table["x"].values),
        lambda w: w * len(table.__len__() * [1.0]),
    ],
)
def test_other_uses_of_captured_tables_are_refused(f):
    with pytest.raises(SrcadError, match="cannot be captured"):
        grad(f, 2.0)


def test_directions_with_other_labels_are_refused():
    with pytest.raises(BadArgument, match="other labels"):
        srcad.hvp(cubes, jit=False)(S, Series([1.0, 0.0, -1.0], "cba"))


@pytest.mark.parametrize(
    ("f", "kind", "said"),
    [
        (lambda s: np.sum(2.0 * s), UnsupportedSyntax, "arithmetic"),
        (np.sum, UnsupportedSyntax, "cannot be used as a number"),
        (lambda s: s.mean(), SrcadError, "mean"),
    ],
)
def test_what_aligns_labels_or_leaves_out_missing_values_is_refused(f, kind, said):
    with pytest.raises(kind, match=f"(?s){said}.*hint: "):
        grad(f, S)


def test_other_misuse_is_refused():
    with pytest.raises(MissingRule, match="choose columns"):
        grad(lambda m: np.sum(m.values), M)
    with pytest.raises(NotDifferentiable, match="nothing that can have a derivative"):
        grad(cubes, Series([1, 2], "ab"))
    with pytest.raises(UnsupportedSyntax, match="its keys are 'u', 'k'"):
        grad(lambda m: np.sum(m["t"].values), M)


def test_arrays_are_copied_and_arrays_of_other_shapes_have_no_labels():
    taken = labelled(S)
    assert not np.shares_memory(taken.parts[0], S.held)
    assert isinstance(put_together(taken.layout, [np.ones((3, 3))]), np.ndarray)
    assert put_together(taken.layout, [None]) is None
    assert put_together(labelled(D).layout, [np.zeros((2, 2))]).columns == D.columns


@pytest.mark.skipif(importlib.util.find_spec("pandas") is None, reason="pandas is not installed")
def test_pandas():
    import pandas

    frame = pandas.DataFrame({"u": [1.0, 2.0], "v": [3.0, 5.0]}, index=["p", "q"])
    found = grad(lambda d: np.sum(d["u"].values * d["v"].to_numpy()), frame)
    pandas.testing.assert_frame_equal(found, frame[["v", "u"]].set_axis(["u", "v"], axis=1))
    series = pandas.Series([1.0, 2.0], index=["a", "b"], name="rates")
    pandas.testing.assert_series_equal(grad(cubes, series), 3.0 * series**2)
