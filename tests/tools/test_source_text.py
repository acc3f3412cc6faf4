"""`srcad.source` prints what runs."""

import numpy as np
import pytest

import srcad
from srcad.errors import BadArgument, NotDifferentiable
from tests.night import by_day

X = np.array([1.0, -2.0, 0.5])


def energy(x, k: float = 2.0):
    total = 0.0
    for i in range(x.shape[0]):
        total += k * x[i] * x[i] * x[i]
    return total


def run(text, name):
    namespace = {}
    exec(compile(text, "<saved>", "exec"), namespace)
    return namespace[name]


def test_the_printed_gradient_runs_alone():
    text = srcad.source(energy, signature="f8[:], f8")
    np.testing.assert_array_equal(run(text, "energy_grad")(X, 2.0), srcad.grad(energy)(X, 2.0))


def test_the_printed_pair_runs_alone():
    text = srcad.source(energy, mode="reverse", wrt=("x", "k"), args=(X,))
    value, trace = run(text, "energy_forward")(X, 2.0)
    by_x, by_k = run(text, "energy_reverse")(X, 2.0, trace, 1.0)
    assert value == energy(X)
    np.testing.assert_allclose(by_x, 6.0 * X**2)
    assert by_k == pytest.approx(np.sum(X**3))


@pytest.mark.parametrize(
    ("mode", "name"),
    [
        ("grad", "energy_grad"),
        ("value_and_grad", "energy_value_and_grad"),
        ("reverse", "energy_reverse"),
        ("vjp", "energy_forward"),
        ("forward", "energy_tangent"),
        ("tangent", "energy_tangent"),
        ("hvp", "energy_hvp"),
        ("core", "energy"),
    ],
)
def test_each_mode_prints_its_functions(mode, name):
    assert f"def {name}(" in srcad.source(energy, mode=mode, signature="f8[:], f8")


def test_types_come_from_a_signature_arguments_or_annotations():
    expected = srcad.source(energy, signature="f8[::1], f8")
    assert srcad.source(energy, args=(X, 2.0)) == expected
    assert srcad.source(energy, args=(X,)) == expected

    def square(x: float):
        return x * x

    assert srcad.source(square) == srcad.source(square, signature="f8")


def test_a_derivative_shows_itself():
    assert srcad.source(srcad.grad(energy, wrt="k"), args=(X,)) == srcad.source(energy, wrt="k", args=(X,))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "sideways", "signature": "f8[:], f8"}, "the mode 'sideways' is unknown"),
        ({"signature": "f8[:]"}, "energy has 2 parameters, the signature has 1"),
        ({"signature": "f8[:], f8, f8"}, "energy has 2 parameters, the signature has 3"),
        ({}, "the type of x is not known"),
    ],
)
def test_requests_that_make_no_sense_are_refused(options, message):
    with pytest.raises(BadArgument, match=message):
        srcad.source(energy, **options)


@pytest.mark.parametrize(
    "mode", by_day(["grad", "value_and_grad", "reverse", "forward", "hvp"], {"grad", "forward"}.__contains__)
)
def test_what_numba_cannot_compile_is_shown_for_arguments(mode):
    def spectrum(x):
        return np.sum(np.corrcoef(x, x * x)[0] ** 2) + np.sum(np.partition(x, 1) ** 2)

    assert "partition" in srcad.source(spectrum, mode, args=(X,))
    with pytest.raises(NotDifferentiable, match=r"not known to Numba|no implementation|unsupported") as caught:
        srcad.source(spectrum, mode, signature="f8[:]")
    assert caught.value.hint
    with pytest.raises((NotDifferentiable, BadArgument)):
        srcad.explain(spectrum, mode, args=(X,))
