"""Fourier transforms in compiled code."""

import numpy as np
import pytest

import srcad


def of_half(x):
    return np.sum(np.cos(np.arange(6.0)) * np.fft.irfft(x, 6))


def of_whole(x):
    return np.sum(np.cos(np.arange(6.0)) * np.real(np.fft.fft(x, 6)))


@pytest.mark.parametrize("function", [of_half, of_whole])
@pytest.mark.parametrize("shape", [(0,), (2, 0)])
def test_an_axis_without_elements_is_filled_with_zeros(function, shape):
    """For irfft, NumPy reads a first element that is not there."""
    x = np.zeros(shape)
    assert srcad.jvp(function, (x,), (x,)) == (0.0, 0.0)
    assert srcad.grad(function)(x).shape == shape
