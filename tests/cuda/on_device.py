"""Launch the adjoint kernels of all samples on a GPU, and compare cotangents with those of the emulator.

    python -m tests.cuda.on_device

Each is launched three times: what another order of the threads changes beyond rounding would be a race.
"""

import sys
import traceback
import warnings

import numpy as np
from numba import cuda

import srcad.cuda
from tests.cuda.differentiated import is_real, pulled_back, text_of
from tests.cuda.kernels import SAMPLES


def compared(kernel, grid, threads, arguments, race_free=False, wanted=None):
    """The largest difference, relative to the largest cotangent."""
    rng = np.random.default_rng(7)
    reals = [k for k, each in enumerate(arguments) if is_real(each) and (wanted is None or k in wanted)]
    start = {k: rng.normal(size=np.shape(arguments[k])) if np.shape(arguments[k]) else np.zeros(1) for k in reals}
    expected = {k: np.copy(each) for k, each in start.items()}
    pulled_back(text_of(kernel, arguments, wanted, race_free, False), grid, threads, arguments, expected)
    adjoint = srcad.cuda.adjoint(kernel, race_free=race_free)
    worst = 0.0
    for _ in range(3):
        given = [cuda.to_device(each) if isinstance(each, np.ndarray) else each for each in arguments]
        bars = [cuda.to_device(start[k]) if k in start else None for k in range(len(arguments))]
        adjoint[grid, threads](*given, *bars)
        for k in reals:
            scale = 1.0 + np.max(np.abs(expected[k]), initial=0.0)
            worst = max(worst, float(np.max(np.abs(bars[k].copy_to_host() - expected[k]), initial=0.0)) / scale)
    return worst


def main():
    """A line for each sample that fails, and the count."""
    failed = 0
    warnings.simplefilter("ignore")  # small grids leave a GPU idle
    for name, (kernel, grid, threads, arguments, options) in SAMPLES.items():
        try:
            worst = compared(kernel, grid, threads, arguments, **options)
            if not worst < 1e-9:
                failed += 1
                print(f"{name}: differs by {worst:.1e}")
        except Exception:  # noqa: BLE001  the others are launched all the same
            failed += 1
            print(f"{name}: failed")
            traceback.print_exc(limit=-1)
    print(f"{len(SAMPLES) - failed} passed, {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(main() > 0)
