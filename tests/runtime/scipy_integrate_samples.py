"""Sample points for the definitions of sums in `scipy.integrate`, of the form of `samples`, which contains them all."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate

from tests.runtime.sample_points import Sample, s

random = np.random.default_rng(7)  # of its own: the samples of other modules stay what they are
LONG, TIMES, TABLE = random.normal(size=9), np.cumsum(random.uniform(0.2, 1.0, 9)), random.normal(size=(2, 8))

DEFINED: dict[Any, list[Sample]] = {
    integrate.simpson: [
        *(s(LONG, TIMES), s(LONG[1:], TIMES[1:]), s(LONG[:2], TIMES[:2]), s(TABLE, dx=0.3), s(TABLE, TIMES[1:])),
    ],
    integrate.cumulative_simpson: [
        *(s(LONG, x=TIMES), s(LONG[1:], dx=0.3, initial=0.5), s(LONG[:2], x=TIMES[:2])),
    ],
    integrate.romb: [s(LONG, 0.3), s(LONG[:2]), s(LONG[:5])],
}
