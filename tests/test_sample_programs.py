"""The programs that passes are measured with have right gradients, and are what the benchmark says they are."""

import numpy as np
import pytest

import srcad
from benchmarks.programs import samples
from tests.differences import flat, moved
from tests.night import by_day, every


def test_there_are_many_and_each_has_a_name_of_its_own():
    names = [each.name for each in samples()]
    assert len(set(names)) == len(names) >= 30


def run_text(text):
    namespace = {}
    exec(compile(text, "<printed>", "exec"), namespace)
    return namespace


def _scale(value):
    return np.where(np.equal(value, 0.0), 1.0, np.abs(value))


# As they are compiled, with loops; every third with array statements as well, at night all.
WITH_LOOPS = [pytest.param(each, False, id=each.name) for each in samples()]
WITH_ARRAYS = [pytest.param(each, True, id=f"{each.name}, arrays") for each in samples()]


@pytest.mark.slow
@pytest.mark.parametrize(("sample", "arrays"), [*WITH_LOOPS, *by_day(WITH_ARRAYS, every(3))])
def test_gradients_are_those_of_central_differences(sample, arrays):
    rng = np.random.default_rng(3)
    arguments = sample.fresh_arguments()
    directions = {k: rng.normal(size=np.shape(arguments[k])) * _scale(arguments[k]) for k in sample.wrt}
    step = 1e-6

    def at(distance):
        return sample.function(
            *(moved(each, directions[k], distance) if k in directions else each for k, each in enumerate(arguments))
        )

    expected = (at(step) - at(-step)) / (2.0 * step)
    text = srcad.source(sample.function, mode="grad", wrt=sample.wrt, args=arguments, arrays=arrays)
    found = run_text(text)[f"{sample.name}_grad"](*sample.fresh_arguments())
    gradients = found if isinstance(found, tuple) else (found,)
    slope = sum(np.dot(flat(one), flat(directions[k])) for one, k in zip(gradients, sample.wrt, strict=True))
    assert slope == pytest.approx(expected, rel=2e-4, abs=1e-6 * abs(at(0.0)))
