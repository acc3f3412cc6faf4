"""Images and grids: interpolation, stencils, filters."""

import numpy as np

from benchmarks.collection.workload import Workload


def bilinear_samples(image, x, y, wanted):
    """The squared error of an image read between its pixels."""
    width = image.shape[1]
    flat = image.ravel()
    row = np.floor(y).astype(np.int64)
    column = np.floor(x).astype(np.int64)
    dy = y - row
    dx = x - column
    k = row * width + column
    top = flat[k] * (1.0 - dx) + flat[k + 1] * dx
    bottom = flat[k + width] * (1.0 - dx) + flat[k + width + 1] * dx
    return np.sum((top * (1.0 - dy) + bottom * dy - wanted) ** 2)


def _bilinear(rng, height, width, n):
    x, y = rng.uniform(0.0, width - 1.01, n), rng.uniform(0.0, height - 1.01, n)
    return rng.normal(size=(height, width)), x, y, rng.normal(size=n)


def edges_of_image(image, sharpness):
    """The smoothed total length of an image's gradients, by slices."""
    across = image[1:-1, 2:] - image[1:-1, :-2]
    down = image[2:, 1:-1] - image[:-2, 1:-1]
    return np.sum(np.sqrt(across**2 + down**2 + sharpness))


def _image(rng, height, width):
    return rng.normal(size=(height, width)), 0.1


def blur_by_cells(image, kernel, wanted):
    """The squared error of an image filtered by a small kernel, cell by cell."""
    height, width = image.shape
    size = kernel.shape[0]
    total = 0.0
    for i in range(height - size + 1):
        for j in range(width - size + 1):
            level = 0.0
            for a in range(size):
                for b in range(size):
                    level += kernel[a, b] * image[i + a, j + b]
            total += (level - wanted[i, j]) ** 2
    return total


def _blur(rng, height, width, size):
    return rng.normal(size=(height, width)), rng.normal(size=(size, size)), rng.normal(size=(height, width))


def bilateral_row_filter(signal, spread, reach):
    """The squared output of a filter that averages neighbours of like values."""
    n = signal.size
    total = 0.0
    for i in range(n):
        mass = 0.0
        level = 0.0
        for j in range(max(0, i - reach), min(n, i + reach + 1)):
            off = signal[j] - signal[i]
            weight = np.exp(-off * off / (2.0 * spread * spread))
            mass += weight
            level += weight * signal[j]
        total += (level / mass) ** 2
    return total


def _bilateral(rng, n, reach):
    return rng.normal(size=n), 0.8, reach


def convolution_as_shifts(images, kernels, wanted):
    """The squared error of a convolution of images with several kernels, by shifted slices."""
    n, height, width = images.shape
    many, size, _ = kernels.shape
    total = 0.0
    for k in range(many):
        out = np.zeros((n, height - size + 1, width - size + 1))
        for a in range(size):
            for b in range(size):
                out += kernels[k, a, b] * images[:, a : a + height - size + 1, b : b + width - size + 1]
        total += np.sum((np.maximum(out, 0.0) - wanted) ** 2)
    return total


def _shifts(rng, n, height, size, many):
    wanted = rng.normal(size=(n, height - size + 1, height - size + 1))
    return rng.normal(size=(n, height, height)), rng.normal(size=(many, size, size)), wanted


def reaction_on_grid(u, v, feed, steps):
    """Two substances that diffuse and react on a periodic grid, by rolled arrays."""
    for _ in range(steps):
        around_u = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4.0 * u
        around_v = np.roll(v, 1, 0) + np.roll(v, -1, 0) + np.roll(v, 1, 1) + np.roll(v, -1, 1) - 4.0 * v
        made = u * v * v
        u, v = u + 0.1 * around_u - made + feed * (1.0 - u), v + 0.05 * around_v + made - (feed + 0.06) * v
    return np.sum(v * v)


def _reaction(rng, n, steps):
    return rng.uniform(0.5, 1.0, (n, n)), rng.uniform(0.0, 0.3, (n, n)), 0.04, steps


WORKLOADS = (
    Workload(bilinear_samples, _bilinear, (5, 6, 7), (300, 300, 100000), (0, 1, 2)),
    Workload(edges_of_image, _image, (5, 6), (500, 500), (0, 1), arrays=True),
    Workload(blur_by_cells, _blur, (6, 5, 3), (250, 250, 5), (0, 1)),
    Workload(bilateral_row_filter, _bilateral, (7, 2), (5000, 8), (0, 1)),
    Workload(convolution_as_shifts, _shifts, (2, 5, 2, 2), (10, 40, 3, 6), (0, 1)),
    Workload(reaction_on_grid, _reaction, (4, 2), (100, 20), (0, 1, 2)),
)
