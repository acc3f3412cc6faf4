"""What numerical users write with functions of NumPy: likelihoods, interpolation, spectra, complex amplitudes."""

import numpy as np

from tests.programs.program import Program, matrix, numbers, vector


def gaussian_process(theta, t, y):
    amplitude, length, noise = np.exp(theta)
    cov = amplitude * np.exp(-0.5 * (np.subtract.outer(t, t) / length) ** 2) + noise * np.eye(len(t))
    factor = np.linalg.cholesky(cov)
    a = np.linalg.solve(factor.T, np.linalg.solve(factor, y))
    return 0.5 * y @ a + np.sum(np.log(np.diag(factor)))


def table_and_its_slope(f, q):
    grid = np.array([-1.5, -0.5, 0.2, 1.0, 1.7])
    inside = np.interp(q, grid, f) ** 2
    moved = np.interp(f, grid, grid**2, left=0.0, right=9.0)
    return np.sum(inside) + np.sum(moved) + np.interp(0.3, grid, f)


def fields_on_a_mesh(x):
    u, v = np.meshgrid(x, x[:3])
    a, b = np.meshgrid(x, x[:2], indexing="ij")
    w = np.select([u < -0.5, u < 0.5], [u**2, u**3], default=np.sin(u))
    return np.sum(w * v**2) + np.sum(a**2 * b) + np.sum(np.gradient(x, 0.1) ** 2)


def amplitudes_and_phases(x):
    z = x * (1.0 + 2.0j) + x**2 * 1j
    s = np.sum(np.abs(z)) + np.sum(np.angle(z)) + np.sum(z.imag * z.real)
    w = complex(x[0], 2.0)
    for k in range(3):
        w = w * w / abs(w) + z[k]
        s += abs(w) + w.imag
    return s


def matrix_exponential_by_eigenvalues(m):
    w, v = np.linalg.eigh(0.5 * (m + m.T))
    e = v @ np.diag(np.exp(w)) @ v.T
    return np.sum(e * m) + np.linalg.eigvalsh(m)[0]


def lower_triangle_as_covariance(m):
    # NumPy reads the lower triangle alone; the upper one has another use.
    a = m + 5.0 * np.eye(3)
    return np.sum(np.sin(np.linalg.cholesky(a)) * m) + np.sum(np.triu(a, 1) ** 2)


def filtered_signal(x):
    y = np.convolve(x, x[:3], "same") + np.convolve(x, np.array([0.25, 0.5, 0.25]), "same")
    z = np.correlate(x, x[:2])
    return np.sum(y**2) + np.add.reduce(z * z) + np.quantile(x, 0.3) + np.polyval(x, 0.3)


def spectra(x):
    a = np.fft.fft(x)
    b = np.fft.rfft(x, 6)
    c = np.fft.irfft(b * np.exp(-0.1 * np.arange(4)), 7)
    e = np.fft.ifft(a * np.exp(1j * x), 3)
    f = np.fft.fftshift(np.fft.fft2(np.outer(x, x)))
    return np.sum(np.abs(a) ** 2 * x) + np.sum(c**3) + np.sum(np.real(e)) + np.sum(np.abs(f[:2]))


def drawdown_and_slopes(m):
    peaks, lows = np.maximum.accumulate(m, axis=1), np.minimum.accumulate(m[0])
    a, b = np.gradient(m)
    return np.sum((peaks - m) ** 2) + np.sum(lows * m[1]) + np.sum(a * b)


TIMES = np.linspace(0.0, 1.0, 6)

PROGRAMS = [
    Program(gaussian_process, lambda rng: (0.1 * rng.normal(size=3), TIMES, rng.normal(size=6)), (0, 2), compiled=True),
    Program(table_and_its_slope, lambda rng: (rng.normal(size=5), np.linspace(-2.0, 2.0, 6)), compiled=True),
    Program(fields_on_a_mesh, vector(5)),
    Program(amplitudes_and_phases, numbers(np.array([0.3, -0.7, 1.2])), compiled=True),
    Program(matrix_exponential_by_eigenvalues, matrix(3, 3)),
    Program(lower_triangle_as_covariance, matrix(3, 3), compiled=True),
    Program(drawdown_and_slopes, matrix(3, 4)),
    Program(filtered_signal, vector(6)),
    Program(spectra, vector(8), interpreted=True),
    Program(spectra, vector(5), interpreted=True),
]
