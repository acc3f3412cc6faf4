"""Signals: filters, spectra, synthesis, inverse problems."""

import numpy as np
from scipy import fft, signal
from scipy.signal.windows import hann

from tests.programs.users.program import UserProgram


def biquad(x, f0, q, fs=8000.0, kind="lowpass"):
    w0 = 2 * np.pi * f0 / fs
    alpha = np.sin(w0) / (2 * q)
    cos = np.cos(w0)
    match kind:
        case "lowpass":
            b = np.array([(1 - cos) / 2, 1 - cos, (1 - cos) / 2])
        case "highpass":
            b = np.array([(1 + cos) / 2, -(1 + cos), (1 + cos) / 2])
        case _:
            raise ValueError(f"unknown kind {kind}")
    a = np.array([1 + alpha, -2 * cos, 1 - alpha])
    return signal.lfilter(b / a[0], a / a[0], x)


def equaliser_match(settings, x, target):
    """A chain of second-order filters fitted to a recording, errors weighted by a window.

    Origin: Bristow-Johnson's "Audio EQ Cookbook"; SciPy's `lfilter`.
    """
    y = x
    for kind, (f0, q) in settings.items():
        y = biquad(y, f0, q, kind=kind)
    w = hann(len(x), sym=False)
    return np.sum(w * (y - target) ** 2) / np.sum(w)


def frames(x, size, hop):
    start = 0
    while start + size <= len(x):
        yield x[start : start + size]
        start += hop


def spectral_loss(x, y, sizes=(16, 32), log=True):
    """Distance of two sounds by magnitudes of their short-time spectra at several resolutions.

    Origin: Engel et al., "DDSP: Differentiable Digital Signal Processing".
    """
    loss = 0.0
    for size in sizes:
        window = np.hanning(size)
        mags = []
        for s in (x, y):
            mags.append(np.array([np.abs(np.fft.rfft(window * f)) for f in frames(s, size, size // 4)]))
        a, b = mags
        loss += np.mean(np.abs(a - b))
        if log:
            loss += np.mean((np.log(a + 1e-3) - np.log(b + 1e-3)) ** 2)
    return loss


def additive_synthesis(controls, target, sample_rate=2000, n_harmonics=4):
    """Harmonics of a gliding pitch with an envelope, compared with a recording in the cosine transform.

    Origin: Smith, "Spectral Audio Signal Processing"; the additive synthesiser of DDSP.
    """
    n = len(target)
    t = np.arange(n) / sample_rate
    knots = np.linspace(0, t[-1], len(controls["f0"]))
    f0 = np.interp(t, knots, controls["f0"])
    phase = 2 * np.pi * np.cumsum(f0) / sample_rate
    envelope = np.minimum(t / controls["attack"], 1.0) * np.exp(-controls["decay"] * t)
    audio = np.zeros(n)
    for k in range(1, n_harmonics + 1):
        alias = k * f0 < sample_rate / 2
        audio += np.where(alias, controls["amps"][k - 1] * np.sin(k * phase), 0.0)
    audio *= envelope
    return np.sum((fft.dct(audio, norm="ortho") - fft.dct(target, norm="ortho")) ** 2)


def soft_threshold(v, lam):
    return np.sign(v) * np.maximum(np.abs(v) - lam, 0.0)


def unrolled_ista(A, y, log_lambda, truth, n_iter=30, verbose=False):
    """Sparse recovery by iterative thresholding, differentiated through its iterations.

    Origin: Beck and Teboulle 2009; Gregor and LeCun, "Learning fast approximations of sparse coding".
    """
    lam = np.exp(log_lambda)
    step = 1.0 / np.linalg.norm(A, 2) ** 2
    x = np.zeros(A.shape[1])
    z = x.copy()
    t = 1.0
    history = []
    for k in range(n_iter):
        x_old = x
        x = soft_threshold(z - step * A.T @ (A @ z - y), lam * step)
        t_new = (1 + np.sqrt(1 + 4 * t**2)) / 2
        z = x + (t - 1) / t_new * (x - x_old)
        t = t_new
        objective = 0.5 * np.sum((A @ x - y) ** 2) + lam * np.sum(np.abs(x))
        history.append(objective)
        if verbose and k % 10 == 0:
            print(f"{k:4d}  {objective:.4e}")
    return np.sum((x - truth) ** 2) + 1e-3 * history[-1]


def equaliser_arguments():
    rng = np.random.default_rng(0)
    settings = {"lowpass": (900.0, 0.8), "highpass": (200.0, 0.7)}
    return settings, rng.normal(size=40), rng.normal(size=40)


def sounds():
    rng = np.random.default_rng(1)
    return rng.normal(size=64), rng.normal(size=64)


def synthesis_arguments():
    rng = np.random.default_rng(2)
    controls = {"f0": np.array([210.0, 230.0, 190.0]), "attack": 0.0063, "decay": 12.0}
    return controls | {"amps": np.array([1.0, 0.5, 0.3, 0.2])}, rng.normal(size=50)


def sparse_arguments():
    rng = np.random.default_rng(3)
    A = rng.normal(size=(8, 14))
    truth = np.zeros(14)
    truth[[2, 7, 11]] = [1.0, -2.0, 1.5]
    return A, A @ truth + 0.05 * rng.normal(size=8), -1.0, truth


PROGRAMS = [
    UserProgram(equaliser_match, equaliser_arguments, ("settings", "x")),
    UserProgram(spectral_loss, sounds, ("x", "y")),
    UserProgram(additive_synthesis, synthesis_arguments, "controls"),
    UserProgram(unrolled_ista, sparse_arguments, ("A", "y", "log_lambda"), rtol=1e-5),
]
