"""Images: restoration, registration, cameras."""

from itertools import product

import numpy as np
from scipy import ndimage, signal

from tests.programs.users.program import UserProgram


def total_variation_denoising(image, noisy, weight=0.2, eps=1e-4, mode="isotropic"):
    """Objective of denoising by total variation.

    Origin: Rudin, Osher and Fatemi 1992; scikit-image's `denoise_tv_chambolle`.
    """
    dx = np.diff(image, axis=1, append=image[:, -1:])
    dy = np.diff(image, axis=0, append=image[-1:, :])
    if mode == "isotropic":
        tv = np.sqrt(dx**2 + dy**2 + eps).sum()
    else:
        tv = np.abs(dx).sum() + np.abs(dy).sum()
    return 0.5 * np.sum((image - noisy) ** 2) + weight * tv


def gaussian_kernel(size, sigma):
    ax = np.arange(size) - (size - 1) / 2.0
    xx, yy = np.meshgrid(ax, ax)
    kernel = np.exp(-(xx**2 + yy**2) / (2.0 * sigma**2))
    return kernel / np.sum(kernel)


def richardson_lucy(image, blurred, sigma, iterations=5):
    """A few steps of deconvolution by Richardson and Lucy, and what they leave over.

    Origin: scikit-image's `restoration.richardson_lucy`.
    """
    psf = gaussian_kernel(5, sigma)
    mirror = psf[::-1, ::-1]
    estimate = np.full_like(blurred, 0.5)
    for _ in range(iterations):
        relative = blurred / (signal.convolve2d(estimate, psf, mode="same") + 1e-12)
        estimate *= signal.convolve2d(relative, mirror, mode="same")
    return np.mean((estimate - image) ** 2)


class PinholeCamera:
    def __init__(self, focal, center):
        self.focal = focal
        self.center = center

    def project(self, points):
        z = points[:, 2:3]
        return self.focal * points[:, :2] / z + self.center


def rodrigues(rvec):
    theta = np.linalg.norm(rvec)
    if theta < 1e-12:
        return np.eye(3)
    k = rvec / theta
    K = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    return np.eye(3) + np.sin(theta) * K + (1 - np.cos(theta)) * K @ K


def bundle_adjustment(camera, poses, points, observations, huber_delta=1.0):
    """Robust reprojection error over several views.

    Origin: the bundle adjustment of SciPy's cookbook; Triggs et al. 2000.
    """
    cost = 0.0
    for cam, point, uv in observations:
        pose = poses[cam]
        R = rodrigues(pose[:3])
        transformed = (R @ points[point] + pose[3:])[np.newaxis]
        r = np.linalg.norm(camera.project(transformed)[0] - uv)
        cost += 0.5 * r**2 if r <= huber_delta else huber_delta * (r - 0.5 * huber_delta)
    return cost


def harris_corner_energy(image, k=0.05, sigma=1.0):
    """Softened sum of the corner response of Harris and Stephens.

    Origin: OpenCV's tutorial of the Harris detector; scikit-image's `corner_harris`.
    """
    ix = ndimage.convolve(image, np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]) / 8.0, mode="nearest")
    iy = ndimage.convolve(image, np.array([[-1, -2, -1], [0, 0, 0], [1, 2, 1]]) / 8.0, mode="nearest")
    products = [ndimage.gaussian_filter(a * b, sigma) for a, b in [(ix, ix), (iy, iy), (ix, iy)]]
    xx, yy, xy = products
    response = xx * yy - xy**2 - k * (xx + yy) ** 2
    best = []
    rows, cols = image.shape
    for i, j in product(range(0, rows, 4), range(0, cols, 4)):
        block = response[i : i + 4, j : j + 4]
        best.append(np.log(np.sum(np.exp(50 * block))) / 50)
    return np.sum(best)


def noisy_pair():
    rng = np.random.default_rng(0)
    clean = np.zeros((8, 9))
    clean[2:6, 3:7] = 1.0
    return clean + 0.1 * rng.normal(size=clean.shape), clean + 0.3 * rng.normal(size=clean.shape)


def deconvolution_arguments():
    rng = np.random.default_rng(1)
    return rng.random((7, 8)), 0.2 + rng.random((7, 8)), 1.2


def bundle_arguments():
    rng = np.random.default_rng(2)
    points = rng.normal(size=(4, 3))
    poses = [np.concatenate([0.1 * rng.normal(size=3), [0.0, 0.1 * i, 6.0]]) for i in range(2)]
    observations = [(c, p, rng.normal(size=2) * 0.3) for c in range(2) for p in range(4)]
    return PinholeCamera(1.5, np.array([0.05, -0.02])), poses, points, observations


PROGRAMS = [
    UserProgram(total_variation_denoising, noisy_pair, "image"),
    UserProgram(richardson_lucy, deconvolution_arguments, ("blurred", "sigma")),
    UserProgram(bundle_adjustment, bundle_arguments, ("camera", "poses", "points")),
    UserProgram(harris_corner_energy, lambda: (np.random.default_rng(3).random((9, 10)),), "image"),
]
