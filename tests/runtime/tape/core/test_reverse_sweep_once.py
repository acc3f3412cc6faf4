"""The sweep on arrays against the sweep on tensors, central differences and closed forms."""

import operator

import numpy as np
import pytest

from srcad.runtime.tape.core.node import dense
from srcad.runtime.tape.core.reverse_sweep import Sweep
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.targets_and_sources import ones
from srcad.runtime.tape.values.conversions import constant

X = np.array([[0.7, 1.3], [0.4, 2.1]])

PROGRAMS = {
    "the same operand twice": lambda x, y: x * x,
    "broadcasting": lambda x, y: x * y[0] + y[:, :1] / x[0, 0],
    "a function whose rule asks for ranks": lambda x, y: (x @ y) @ y[0],
    "a literal exponent": lambda x, y: x**2 + y**3.0,
    "keywords": lambda x, y: np.sum(x * y, axis=0) * np.max(y, axis=1, keepdims=True),
    "lists of operands": lambda x, y: np.concatenate([x, x * y]),
    "lists of lists, and one tensor twice": lambda x, y: np.stack([np.hstack([x, y]), np.hstack([y, y])], axis=1) * 2.0,
    "both operands": lambda x, y: np.hypot(x, y) * (x / y),
    "a keyword with its default": lambda x, y: np.sum(x * y, axis=None, keepdims=False) * np.max(x, axis=-1),
    "names out of order": lambda x, y: np.clip(x, a_max=1.0, a_min=0.5) * np.clip(y, 0.45, 1.5),
    "axes counted from the end": lambda x, y: np.transpose(x, (-1, 0)) * y + np.transpose(y, [0, -1]),
    "masks": lambda x, y: x[X > 1.0] * y[X > 1.0] + x[:, np.array([True, False])][0],
    "axes gone": lambda x, y: np.sum(x, axis=(0, 1)) * np.mean(y[None], axis=(-1, 0)) + np.prod(x, 1) * np.min(y),
    "rows": lambda x, y: x[np.array([0, 0, 1])] * np.take(y, np.array([1, 1, 0]), axis=0),
    "basic indices": lambda x, y: x[0] * y[:, 1] + x[1, 1],
    "no slope": lambda x, y: np.floor(x) * y + np.where(x > 1.0, x, 3.0),
    "an operand that is not asked for": lambda x, y: np.exp(x) * (y * 2.0),
    "complex in between": lambda x, y: np.real((x + 1j * y) * (x - 2j * y) ** 2),
    "complex in between, absolute": lambda x, y: np.abs(x + 1j * y) * x,
    "numbers": lambda x, y: x[0, 0] * y[0, 0] / (x[1, 1] - 3.0),
    "a constant slope of a larger operand": lambda x, y: np.add(x, np.ones((3, 2, 2))) * y,
    "a result that is not used": lambda x, y: (np.sin(x), x - y)[1],
}


@pytest.mark.parametrize("sources", [(0,), (1,), (0, 1), (2,), (0, 2)])
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_sweeps_on_arrays_and_on_tensors_find_the_same(program, sources):
    x, y = constant(X), constant(X.T + 0.1)
    with GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        middle = x * 1.5
        target = program(middle, y)
    recording = tape._recording
    asked = [(x, y, middle)[place] for place in sources]
    seeds = [ones(target)]
    found = Sweep(recording, [target], asked, seeds, live=False).run(seeds, keeps_sparse=True)
    expected = Sweep(recording, [target], asked, seeds, live=True).run(seeds)
    for bar, other, source in zip(found, expected, asked, strict=True):
        assert (bar is None) == (other is None)
        if bar is not None:
            bar = dense(bar)
            np.testing.assert_allclose(bar, other, rtol=1e-14, atol=1e-15)
            assert (bar.dtype, bar.shape) == (source.dtype, source.shape)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_gradients_agree_with_central_differences(program):
    def total(x, y):
        return float(np.sum(program(x, y)))

    x, y = constant(X), constant(X.T + 0.1)
    with GradientTape() as tape:
        tape.watch([x, y])
        target = program(x, y)
    for place, gradient in enumerate(tape.gradient(target, [x, y])):
        direction = np.array([[1.0, -0.5], [0.25, 2.0]])
        moved = [[x.numpy(), y.numpy()] for _ in range(2)]
        moved[0][place] += 1e-6 * direction
        moved[1][place] -= 1e-6 * direction
        slope = (total(*map(constant, moved[0])) - total(*map(constant, moved[1]))) / 2e-6
        assert np.sum(np.asarray(0.0 if gradient is None else gradient) * direction) == pytest.approx(slope, abs=1e-7)


def test_a_source_halfway_and_what_it_was_computed_from_have_their_own_gradients():
    x = constant(3.0)
    with GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * x
    assert [float(each) for each in tape.gradient(z, [x, y])] == [27.0, 3.0]


def test_several_targets_one_of_which_leads_to_the_other():
    x = constant(2.0)
    with GradientTape() as tape:
        tape.watch(x)
        y = operator.mul(x, x)
        z = y * 3.0
    assert float(tape.gradient([z, y, z], x, [1.0, 10.0, 0.5])) == 4.0 * (1.5 * 3.0 + 10.0)


def test_axes_counted_from_the_end_are_undone_as_such():
    """Of a square matrix nothing else would show it."""
    x, weights = constant(X), X**2 + np.array([1.0, 5.0])
    with GradientTape() as tape:
        tape.watch(x)
        y = np.sum(np.transpose(x, (-1, 0)) * weights)
    np.testing.assert_array_equal(tape.gradient(y, x), weights.T)


OPERANDS = [np.array([[1.0, 2.0], [0.5, -1.0]]), np.array([[3.0, 1.0], [2.0, 0.0]]), np.array([[0.0, 1.0], [1.5, 1.0]])]
OF_LISTS = {
    "choose": lambda parts: np.choose([[0, 1], [2, 0]], parts),
    "select": lambda parts: np.select([OPERANDS[0] > 1.0, OPERANDS[1] > 1.0, OPERANDS[2] > 0.0], parts),
    "multi_dot": np.linalg.multi_dot,
    "concatenate": np.concatenate,
}


@pytest.mark.parametrize("name", OF_LISTS)
def test_of_a_list_only_what_is_asked_for_is_computed(name):
    watched = [constant(each) for each in OPERANDS]
    with GradientTape() as tape:
        tape.watch(watched)
        whole = np.sum(OF_LISTS[name](watched) ** 2)
    expected = tape.gradient(whole, watched)
    for place in range(3):
        parts = [*OPERANDS]
        parts[place] = x = constant(OPERANDS[place])
        with GradientTape() as tape:
            tape.watch(x)
            y = np.sum(OF_LISTS[name](parts) ** 2)
        np.testing.assert_allclose(tape.gradient(y, x), expected[place])


def test_a_list_whose_tensors_are_not_asked_for():
    x, w = constant(OPERANDS[0]), constant(OPERANDS[1])
    with GradientTape() as tape:
        tape.watch([x, w])
        y = np.linalg.multi_dot([w, OPERANDS[2]])
        z = x * y
    # y is a target and a source, and does not depend on x.
    assert [each.tolist() for each in tape.gradient([y, z], [x, y])] == [y.tolist(), (x + 1.0).tolist()]


@pytest.mark.parametrize("function", [np.fft.fft, np.fft.ifft, np.fft.rfft])
@pytest.mark.parametrize("size", [None, 3, 7])
@pytest.mark.parametrize("is_complex", [False, True])
def test_transforms_of_other_lengths(function, size, is_complex):
    if is_complex and function is np.fft.rfft:
        return
    random = np.random.default_rng(0)
    value, direction = random.normal(size=(2, 5, 2))
    if is_complex:
        value, direction = value + 1j * value[::-1], direction + 1j * direction[:, ::-1]
    x = constant(value)
    with GradientTape() as tape:
        tape.watch(x)
        y = np.sum(np.abs(function(x, size, 0)) ** 2)
    slope = np.sum(np.real(np.conj(tape.gradient(y, x).numpy()) * direction))
    before, after = (np.sum(np.abs(function(value + h * direction, size, 0)) ** 2) for h in (-1e-6, 1e-6))
    np.testing.assert_allclose(slope, (after - before) / 2e-6, rtol=1e-5)


def test_points_between_two_and_at_a_single_one():
    x = constant([0.0, 0.5, 2.0])
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = np.sum(np.interp(x, [0.0, 1.0, 2.0], [0.0, 3.0, 4.0]))
        z = np.sum(np.interp(x, [0.5], [2.0]))
    assert tape.gradient(y, x).tolist() == [3.0, 3.0, 1.0]
    assert tape.gradient(z, x).tolist() == [0.0, 0.0, 0.0]


def test_running_products_of_what_is_too_small_to_divide_by():
    x = constant([1e-160, 2.0, 1e160])
    with GradientTape() as tape:
        tape.watch(x)
        y = np.sum(np.cumprod(x))
    np.testing.assert_allclose(tape.gradient(y, x), [2e160, 1.0, 2e-160])
