"""Snapshots in files: as many as asked for, of the oldest states, and no file that stays."""

import gc
import tempfile
import weakref

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from srcad.runtime import kernels
from srcad.runtime.kernels.recording import snapshots_on_disk

U = np.sin(np.linspace(0.0, np.pi, 7))


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The snapshots in files, as numbers of those that exist at the same time."""
    alive, counts, in_file = [], [], snapshots_on_disk.in_file

    def noted(value):
        made = in_file(value)
        alive.append(weakref.ref(made.base))
        gc.collect()
        counts.append(sum(each() is not None for each in alive))
        assert not list(tmp_path.iterdir())  # files have no names
        return made

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(snapshots_on_disk, "in_file", noted)
    return counts


def wave(speed, u, steps):
    v = np.zeros_like(u)
    for _ in range(steps):
        for i in range(1, u.shape[0] - 1):
            v[i] += 0.1 * speed * speed * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        for i in range(1, u.shape[0] - 1):
            u[i] += 0.1 * v[i]
    return np.sum(u * u)


def wave_on_disk(speed, u, steps):
    v = np.zeros_like(u)
    for _ in srcad.checkpointed(range(steps), snapshots=5, on_disk=3):
        for i in range(1, u.shape[0] - 1):
            v[i] += 0.1 * speed * speed * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        for i in range(1, u.shape[0] - 1):
            u[i] += 0.1 * v[i]
    return np.sum(u * u)


def damped(k, u, steps):
    v, n = u.copy(), 0
    while np.sum(v * v) > 0.01 and n < steps:
        v = v - 0.05 * k * np.sin(v)
        n += 1
    return np.sum(v) + v[0]


def damped_on_disk(k, u, steps):
    v, n = u.copy(), 0
    while srcad.checkpointed(np.sum(v * v) > 0.01 and n < steps, snapshots=4, on_disk=3):
        v = v - 0.05 * k * np.sin(v)
        n += 1
    return np.sum(v) + v[0]


@pytest.mark.parametrize(("f", "plain", "arrays"), [(wave_on_disk, wave, 2), (damped_on_disk, damped, 1)])
@pytest.mark.parametrize("steps", [0, 1, 3, 60])
def test_gradients_are_those_of_the_plain_loop(files, f, plain, arrays, steps):
    found = srcad.grad(f, wrt=(0, 1), jit=False)(1.1, U.copy(), steps)
    expected = srcad.grad(plain, wrt=(0, 1), jit=False)(1.1, U.copy(), steps)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-12, atol=1e-14)
    # The reverse sweep works on copies of the lists, and makes a snapshot before it gives up the one it replaces.
    assert max(files) <= 2 * 3 * arrays + arrays
    assert len(files) >= (3 if steps == 60 else 1) * arrays


def test_a_pullback_may_be_called_again(files):
    value, pull = srcad.vjp(wave_on_disk, 1.1, U.copy(), 20, wrt=(0, 1), jit=False)
    assert value == pytest.approx(wave(1.1, U.copy(), 20))
    expected = srcad.grad(wave, jit=False)(1.1, U.copy(), 20)
    for _ in range(2):
        assert pull(1.0)[0] == pytest.approx(expected)


def test_nothing_stays_after_an_exception(files, tmp_path):
    def fails(k, u):
        v = u.copy()
        for i in srcad.checkpointed(range(9), snapshots=4, on_disk=4):
            v = v * k
            if i == 7:
                raise ValueError("too far")
        return np.sum(v)

    with pytest.raises(ValueError, match="too far"):
        srcad.grad(fails, jit=False)(1.1, U)
    assert files
    assert not list(tmp_path.iterdir())


@pytest.mark.compiled
def test_compiled_loops_keep_the_same_snapshots():
    expected = srcad.grad(damped, jit=False)(1.1, U, 60)
    assert srcad.grad(damped_on_disk)(1.1, U, 60) == pytest.approx(expected, rel=1e-12)


def test_snapshots_of_arrays_of_any_kind():
    for value in (np.zeros((0, 3)), np.arange(6).reshape(2, 3).T, np.array([1j, 2.0]), np.array([True, False])):
        found = kernels.snapshot_at(value, True)
        np.testing.assert_array_equal(found, value)
        assert found.dtype == value.dtype
        assert found.flags.c_contiguous


def test_the_number_on_disk_is_written_out():
    def held(x, n):
        for _ in srcad.checkpointed(range(5), 3, on_disk=n):
            x = x * 1.1
        return x

    with pytest.raises(UnsupportedSyntax, match="not a whole number that is written out"):
        srcad.grad(held, jit=False)(0.5, 2)
    with pytest.raises(TypeError, match="number of snapshots on disk is -1"):
        srcad.checkpointed(range(5), 3, on_disk=-1)
