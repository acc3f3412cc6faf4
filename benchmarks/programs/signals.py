"""Filters, images and sequences."""

import math

import numpy as np

from benchmarks.programs.sample import Sample


def biquad_cascade(sections, x):
    """The power of a signal behind second-order filters, one after another."""
    y = x.copy()
    for s in range(sections.shape[0]):
        x1 = x2 = y1 = y2 = 0.0
        for t in range(y.size):
            now = y[t]
            out = sections[s, 0] * now + sections[s, 1] * x1 + sections[s, 2] * x2
            out -= sections[s, 3] * y1 + sections[s, 4] * y2
            x2, x1 = x1, now
            y2, y1 = y1, out
            y[t] = out
    return np.mean(y * y)


def fir_filter_error(taps, x, target):
    """The squared error of a filter with finite impulse response, by slices."""
    n = x.size - taps.size + 1
    y = np.zeros(n)
    for k in range(taps.size):
        y += taps[k] * x[k : k + n]
    return np.sum((y - target[:n]) ** 2)


def total_variation_denoising(image, seen, strength):
    """The objective of denoising by total variation, smoothed at zero."""
    fit = 0.5 * np.sum((image - seen) ** 2)
    down = image[1:, :-1] - image[:-1, :-1]
    right = image[:-1, 1:] - image[:-1, :-1]
    return fit + strength * np.sum(np.sqrt(down**2 + right**2 + 1e-3))


def bilinear_warp(image, shift_x, shift_y, target):
    """The squared difference of an image, shifted by fractions of pixels at each place, from another."""
    rows, columns = image.shape
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            y = min(max(i + shift_y[i, j], 0.0), rows - 1.001)
            x = min(max(j + shift_x[i, j], 0.0), columns - 1.001)
            top, left = int(y), int(x)
            fy, fx = y - top, x - left
            upper = (1.0 - fx) * image[top, left] + fx * image[top, left + 1]
            lower = (1.0 - fx) * image[top + 1, left] + fx * image[top + 1, left + 1]
            error = (1.0 - fy) * upper + fy * lower - target[i, j]
            total += error * error
    return total


def haar_wavelet_energy(signal, thresholds):
    """A weighted energy of the details of a Haar wavelet transform."""
    approximation = signal.copy()
    total = 0.0
    for level in range(thresholds.size):
        half = approximation.size // 2
        even = approximation[0 : 2 * half : 2]
        odd = approximation[1 : 2 * half : 2]
        detail = (even - odd) * 0.7071067811865476
        approximation = (even + odd) * 0.7071067811865476
        total += np.sum(detail * detail / (thresholds[level] + np.abs(detail)))
    return total + np.sum(approximation**2)


def discrete_cosine_compression(image, weights):
    """Weighted absolute coefficients of the cosine transform of each block of eight by eight pixels."""
    basis = np.empty((8, 8))
    for k in range(8):
        for n in range(8):
            basis[k, n] = 0.5 * math.cos(math.pi * (n + 0.5) * k / 8.0)
    total = 0.0
    for i in range(0, image.shape[0], 8):
        for j in range(0, image.shape[1], 8):
            coefficients = basis @ image[i : i + 8, j : j + 8] @ basis.T
            total += np.sum(weights * np.sqrt(coefficients**2 + 0.01))
    return total


def separable_blur(image, kernel):
    """The sum of squares of an image that is blurred along its rows, then along its columns."""
    rows, columns = image.shape
    width = kernel.size
    along = np.zeros((rows, columns - width + 1))
    for i in range(rows):
        for j in range(columns - width + 1):
            for k in range(width):
                along[i, j] += kernel[k] * image[i, j + k]
    result = np.zeros((rows - width + 1, columns - width + 1))
    for i in range(rows - width + 1):
        for j in range(columns - width + 1):
            for k in range(width):
                result[i, j] += kernel[k] * along[i + k, j]
    return np.sum(result * result)


def smith_waterman_soft(scores, gap, sharpness):
    """The best local alignment of two sequences, with a smooth maximum."""
    n, m = scores.shape
    table = np.zeros((n + 1, m + 1))
    best = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            a = table[i - 1, j - 1] + scores[i - 1, j - 1]
            b = table[i - 1, j] - gap
            c = table[i, j - 1] - gap
            top = max(a, b, c, 0.0)
            mass = math.exp(sharpness * (a - top)) + math.exp(sharpness * (b - top))
            mass += math.exp(sharpness * (c - top)) + math.exp(-sharpness * top)
            table[i, j] = top + math.log(mass) / sharpness
            best += math.exp(-0.1 * table[i, j])
    return table[n, m] + 0.01 * best


def connectionist_temporal_loss(logits, labels):
    """The loss of a sequence of labels under all alignments with blanks."""
    steps, symbols = logits.shape
    width = 2 * labels.size + 1
    alpha = np.zeros(width)
    total = 0.0
    for t in range(steps):
        top = np.max(logits[t])
        weights = np.exp(logits[t] - top)
        chances = weights / np.sum(weights)
        new = np.zeros(width)
        for s in range(width):
            symbol = labels[s // 2] if s % 2 == 1 else symbols - 1
            if t == 0:
                before = 1.0 if s < 2 else 0.0
            else:
                before = alpha[s]
                if s > 0:
                    before += alpha[s - 1]
                if s > 1 and s % 2 == 1 and labels[s // 2] != labels[s // 2 - 1]:
                    before += alpha[s - 2]
            new[s] = before * chances[symbol]
        mass = np.sum(new)
        alpha = new / mass
        total -= math.log(mass)
    return total - math.log(alpha[width - 1] + alpha[width - 2])


PROGRAMS = (
    Sample(
        biquad_cascade,
        lambda rng: (
            0.3 + 0.02 * rng.normal(size=(4, 5)),
            rng.normal(size=1500),
        ),
        (0, 1),
    ),
    Sample(fir_filter_error, lambda rng: (rng.normal(size=24), rng.normal(size=2000), rng.normal(size=2000)), (0, 1)),
    Sample(
        total_variation_denoising,
        lambda rng: (rng.normal(size=(64, 64)), rng.normal(size=(64, 64)), 0.3),
        (0, 2),
    ),
    Sample(
        bilinear_warp,
        lambda rng: (
            rng.normal(size=(48, 48)),
            rng.normal(size=(48, 48)),
            rng.normal(size=(48, 48)),
            rng.normal(size=(48, 48)),
        ),
        (0, 1, 2),
    ),
    Sample(haar_wavelet_energy, lambda rng: (rng.normal(size=4096), np.array([0.5, 0.6, 0.7, 0.8, 0.9])), (0, 1)),
    Sample(
        discrete_cosine_compression,
        lambda rng: (rng.normal(size=(48, 48)), rng.uniform(0.5, 1.5, size=(8, 8))),
        (0, 1),
    ),
    Sample(separable_blur, lambda rng: (rng.normal(size=(48, 48)), rng.normal(size=5)), (0, 1)),
    Sample(smith_waterman_soft, lambda rng: (rng.normal(size=(40, 50)), 0.6, 2.0), (0, 1)),
    Sample(
        connectionist_temporal_loss,
        lambda rng: (rng.normal(size=(60, 8)), rng.integers(0, 7, size=12)),
    ),
)
