"""Matrices from one product for each colour."""

import numpy as np
import pytest

from srcad.errors import BadArgument
from srcad.sparse.compressed_products import Compressed, refuse_pattern
from srcad.sparse.plans import Plan

MATRIX = np.array([[1.0, 0.0, 2.0], [0.0, -3.0, 0.0], [0.0, 0.0, np.pi]])


def test_a_matrix_is_read_from_its_products():
    found = Compressed(Plan.of(MATRIX)).matrix(lambda v: MATRIX @ v)
    np.testing.assert_array_equal(found.toarray(), MATRIX)


def test_the_structure_is_that_of_the_plan_and_protected():
    compressed = Compressed(Plan.of(MATRIX))
    one, two = (compressed.matrix(lambda v, k=k: k * MATRIX @ v) for k in (1.0, 2.0))
    assert np.shares_memory(one.indices, two.indices)
    assert not one.indices.flags.writeable
    np.testing.assert_array_equal(two.toarray(), 2.0 * MATRIX)


@pytest.mark.parametrize("size", [1e-7, 1.0, 1e9])
def test_entries_outside_of_the_pattern_are_noticed_in_small_rows_as_well(size):
    compressed, other = Compressed(Plan.of(MATRIX)), MATRIX.copy()
    other[1] *= size
    other[1, 0] = 1e-6 * size
    assert compressed.matrix(lambda v: other @ v) is None


def test_nan_is_a_value():
    other = MATRIX * np.array([1.0, np.nan, 1.0])[:, None]
    found = Compressed(Plan.of(MATRIX)).matrix(lambda v: other @ v)
    assert np.isnan(found[1, 1])
    assert found[0, 2] == 2.0


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_nan_and_infinity_outside_of_the_pattern_are_noticed(value):
    def product(v):
        is_probe = np.all(v != 0.0)
        return MATRIX @ v + np.array([0.0, value if is_probe else 0.0, 0.0])

    assert Compressed(Plan.of(MATRIX)).matrix(product) is None


@pytest.mark.parametrize("way", ["rows", "symmetric"])
def test_matrices_by_rows_and_by_mirror(way):
    matrix = np.diag(np.arange(1.0, 9.0))
    matrix[0] = np.arange(2.0, 10.0)
    if way == "symmetric":
        matrix[:, 0] = matrix[0]
    plan = Plan.of(matrix, ("columns", way))
    assert (plan.way, plan.colours) == (way, 2)
    given = matrix.T if way == "rows" else matrix
    compressed = Compressed(plan)
    np.testing.assert_array_equal(compressed.matrix(lambda v: given @ v).toarray(), matrix)
    other = given.copy()
    other[3, 2] = other[2, 3] = 1e-6
    assert compressed.matrix(lambda v: other @ v) is None


def test_an_incomplete_pattern_is_refused():
    with pytest.raises(BadArgument, match="outside of the pattern"):
        refuse_pattern()


@pytest.mark.parametrize("way", ["columns", "symmetric"])
def test_entries_are_read_from_blocks_of_products(way):
    size = 12
    matrix = np.diag(np.arange(1.0, size + 1.0))
    matrix[0] = matrix[:, 0] = 2.0
    matrix[1:4, 1:4] = 3.0
    compressed = Compressed(Plan.of(matrix, (way,)))
    assert compressed.plan.way == way
    asked = []

    def at_once(blocks, count):
        asked.append(count)
        return [other @ block for block in blocks()]

    def refused(vector):
        raise AssertionError("single products are not needed")

    other = matrix
    np.testing.assert_allclose(compressed.matrix(refused, at_once).toarray(), matrix, rtol=1e-14)
    assert asked == [compressed.plan.colours + 1]
    other = matrix.copy()
    other[5, 7] = 1.0
    assert compressed.matrix(refused, at_once) is None
    found = compressed.matrix(lambda v: matrix @ v, lambda blocks, count: None)
    np.testing.assert_allclose(found.toarray(), matrix, rtol=1e-14)


def pentadiagonal(size):
    values = np.random.default_rng(0).uniform(0.5, 1.5, (3, size))
    upper = np.diag(values[1, :-1], 1) + np.diag(values[2, :-2], 2)
    return np.diag(values[0] + 2.0) + upper + upper.T


def test_entries_are_found_by_substitution():
    matrix = pentadiagonal(40)
    compressed = Compressed(Plan.of(matrix, ("acyclic",)))
    assert (compressed.plan.way, compressed.plan.colours) == ("acyclic", 3)
    np.testing.assert_allclose(compressed.matrix(lambda v: matrix @ v).toarray(), matrix, rtol=1e-13)
    found = compressed.matrix(lambda v: 1 / 0, lambda blocks, count: [matrix @ each for each in blocks()])
    np.testing.assert_allclose(found.toarray(), matrix, rtol=1e-13)
    other = matrix.copy()
    other[3, 20] = other[20, 3] = 1e-6
    assert compressed.matrix(lambda v: other @ v) is None
    assert compressed.plan.way == "acyclic"


@pytest.mark.parametrize("changed", ["nan", "inf", "small", "scaled"])
def test_what_substitution_would_blur_is_read_directly(changed):
    matrix, plan = pentadiagonal(40), Plan.of(pentadiagonal(40), ("acyclic",))
    if changed == "scaled":  # rows and columns in other units
        scales = 10.0 ** -np.linspace(0.0, 20.0, 40)
        matrix *= scales[:, None] * scales
    elif changed == "small":
        matrix[20, 20] = matrix[20, 21] = matrix[21, 20] = 1e-9
    else:
        matrix[6, 7] = matrix[7, 6] = float(changed)
    compressed = Compressed(plan)

    def product(v):
        with np.errstate(invalid="ignore"):
            terms = np.where(v != 0.0, matrix * v, 0.0)
            return terms.sum(axis=1)

    found = compressed.matrix(product).toarray()
    np.testing.assert_allclose(found, matrix, rtol=1e-10)
    assert compressed.plan.way == "columns"


def test_zero_entries_do_not_end_substitution():
    matrix, plan = pentadiagonal(40), Plan.of(pentadiagonal(40), ("acyclic",))
    matrix[20, 21] = matrix[21, 20] = 0.0
    compressed = Compressed(plan)
    np.testing.assert_allclose(compressed.matrix(lambda v: matrix @ v).toarray(), matrix, rtol=1e-12, atol=1e-14)
    assert compressed.plan.way == "acyclic"


def test_matrices_that_are_read_often_are_read_colour_by_colour():
    compressed = Compressed(Plan.of(MATRIX))
    for k in range(8):
        np.testing.assert_array_equal(compressed.matrix(lambda v, k=k: k * MATRIX @ v).toarray(), k * MATRIX)
    assert "_listed" in vars(compressed._read)
