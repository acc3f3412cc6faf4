"""Adjoints of Fourier transforms of short vectors are products with tables: the numbers are those of transforms."""

import numpy as np
import pytest

from srcad.runtime.kernels.arrays import fourier, short_fft

RANDOM = np.random.default_rng(0)


def both(function, *arguments, monkeypatch):
    """What a function gives with tables, and without."""
    found = function(*arguments)
    with monkeypatch.context() as patched:
        patched.setattr(fourier, "is_short", lambda g, dtype: False)
        expected = function(*arguments)
    return (found[0], expected[0]) if isinstance(found, tuple) else (found, expected)


@pytest.mark.parametrize("size", [1, 2, 3, 8, 33, 64, 127, 128, 129])
def test_tables_give_what_transforms_give(size, monkeypatch):
    x, z = RANDOM.normal(size=size), RANDOM.normal(size=size) + 1j * RANDOM.normal(size=size)
    half, longer = z[: size // 2 + 1], RANDOM.normal(size=size + 3)
    for function, arguments in [
        (fourier.irfft_adjoint, (x, -1)),
        (fourier.irfft_adjoint, (x[::-1], 0)),
        (fourier.rfft_conjugate, (half, None, x)),
        (fourier.rfft_conjugate, (half[::-1], None, x, size)),
        (fourier.fft_conjugate, (z, None, x)),
        (fourier.fft_conjugate, (z[::-1], None, longer)),
        (fourier.fft_conjugate, (z, None, z)),
        (fourier.ifft_conjugate, (z, None, x)),
    ]:
        found, expected = both(function, *arguments, monkeypatch=monkeypatch)
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected if np.iscomplexobj(found) else expected.real, rtol=1e-12, atol=1e-12)


def test_what_has_no_tables():
    assert short_fft.is_short(np.ones(128), np.float64)
    assert not short_fft.is_short(np.ones(129), np.float64)
    assert not short_fft.is_short(np.ones(65, complex), np.complex128)
    assert not short_fft.is_short(np.ones(4, np.float32), np.float64)
    assert not short_fft.is_short(np.ones((2, 2)), np.float64)
    assert not short_fft.is_short(np.ones(0), np.float64)
    assert not short_fft.is_short(1.0, np.float64)
