"""Values that are not of the kind observed are told from those that are."""

import numpy as np
import pytest

from srcad.runtime.kernels.recording.observed_guards import Unobserved, expect, kind_of


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (True, "b"),
        (np.bool_(True), "b"),
        (3, "i"),
        (np.uint8(3), "u"),
        (1.5, "f"),
        (np.float32(1.5), "f"),
        (1j, "c"),
        (np.zeros((2, 2), complex), "c2"),
        (np.array(1.0), "f0"),
        (np.array(["a"]), "?1"),
        (np.array([object()]), "?"),
        (np.datetime64("2020-01-01"), "?"),
        ((np.zeros(2), (1, "a")), "(f1,(i,?))"),
        (None, "?"),
    ],
)
def test_a_value_is_of_its_kind(value, kind):
    assert kind_of(value) == kind
    expect(value, kind)


@pytest.mark.parametrize(("value", "kind"), [(3, "f"), (True, "i"), (2.0, "c"), (np.float32(2.0), "c")])
def test_a_simpler_number_serves(value, kind):
    expect(value, kind)


@pytest.mark.parametrize(
    ("value", "kind"),
    [(1.5, "i"), (1.5, "f0"), (np.ones(2), "f2"), (np.ones(2, int), "f1"), (1j, "f"), (None, "f"), (1.0, "?")],
)
def test_anything_else_is_unobserved(value, kind):
    with pytest.raises(Unobserved, match="expected"):
        expect(value, kind)
