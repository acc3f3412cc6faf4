"""The tape with its accelerator and without it gives the same bits: values, gradients, tangents, errors."""

import os
import sys

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError
from srcad.runtime.tape.accelerator.switch import accelerated
from srcad.runtime.tape.recording.dispatch import shortcuts
from tests.conformance.outcome import outcome
from tests.conformance.stand_in import tf
from tests.conformance.tables import CASES as OF_TENSORFLOW
from tests.runtime.samples import DEFINED, SAMPLES
from tests.runtime.tape.test_tape_rules import sees_tensors
from tests.waiting import run


def bits(structure):
    """What two results must have in common: types, dtypes, shapes and bits."""
    if isinstance(structure, (list, tuple)):
        return [bits(each) for each in structure]
    if structure is None or isinstance(structure, str):
        return structure
    array = structure._array() if isinstance(structure, (srcad.Tensor, srcad.IndexedSlices)) else structure
    return type(structure).__name__, type(array).__name__, array.dtype.str, array.shape, array.tobytes()


def both(run):
    """What a function gives without the accelerator, and in two runs with it: of these the second meets functions."""
    with accelerated(False):
        without = run()
        assert not shortcuts
    with accelerated(True):
        run()
        return without, run()


def derivatives(primitive, sample):
    """The value of a call, its gradient, its tangent and the gradient of its gradient, or the errors."""
    given = [
        srcad.constant(each) if isinstance(each, (float, np.ndarray)) and np.asarray(each).dtype.kind in "fc" else each
        for each in sample.args
    ]
    watched = [each for each in given if isinstance(each, srcad.Tensor)]
    try:
        with srcad.GradientTape() as outer:
            outer.watch(watched)
            with srcad.GradientTape() as tape:
                tape.watch(watched)
                value = primitive(*given, **sample.kwargs)
            slopes = tape.gradient(value, watched)
        second = outer.gradient([each for each in slopes if each is not None], watched)
        with srcad.ForwardAccumulator(watched, [srcad.constant(np.ones_like(each)) for each in watched]) as forward:
            again = primitive(*given, **sample.kwargs)
        return value, slopes, second, forward.jvp(again)
    except (SrcadError, TypeError) as error:
        return f"{type(error).__name__}: {error}"


SEEN = [(primitive, each) for primitive, samples in {**SAMPLES, **DEFINED}.items() for each in samples]


@pytest.mark.filterwarnings("ignore")
def test_every_sample_of_the_rule_tables():
    def run():
        return [bits(derivatives(*each)) for each in SEEN if sees_tensors(each[0])]

    without, found = both(run)
    assert len(found) > 400
    for case, one, other in zip([each for each in SEEN if sees_tensors(each[0])], without, found, strict=True):
        assert one == other, case


@pytest.mark.filterwarnings("ignore")
def test_every_case_of_tensorflow():
    without, found = both(lambda: {name: outcome(case, tf) for name, case in OF_TENSORFLOW.items()})
    for name in OF_TENSORFLOW:
        assert repr(without[name]) == repr(found[name]), name


UNARY = (np.sin, np.exp, np.tanh, np.square, np.cumsum, abs, lambda x: -x, lambda x: x[::-1], lambda x: x[[1, 0, 1]])
MIXED = (
    *(lambda x: x * 0.5, lambda x: 1.5 - x, lambda x: x**2, lambda x: x / 3, lambda x: np.clip(x, -1.0, 1.0)),
    *(lambda x: np.sum(x, axis=0) + x, lambda x: np.where(x > 0.0, x, 0.1 * x), lambda x: x - np.mean(x)),
    *(lambda x: np.reshape(x, (x.size, 1))[:, 0], lambda x: np.floor(x) * x, lambda x: np.concatenate([x, x])[:3]),
)
BINARY = (np.add, np.multiply, np.maximum, np.arctan2, lambda x, y: x * y, lambda x, y: x / (1.0 + y * y))


def random_program(random):
    """A program of a vector and a variable: each step takes one or two of the values so far."""
    steps = []
    for count in range(2, 2 + int(random.integers(3, 9))):
        kind = random.integers(3)
        places = [int(each) for each in random.integers(count, size=2)]
        functions = (UNARY, MIXED, BINARY)[kind]
        steps.append((functions[random.integers(len(functions))], places[: 2 if kind == 2 else 1]))

    def program(x, w):
        values = [x, w]
        for function, places in steps:
            values.append(function(*[values[place] for place in places]))
        return np.sum(values[-1] * values[-2])

    return program


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed):
    program = random_program(np.random.default_rng(seed))

    def run():
        x, w = srcad.constant([0.3, -1.2, 0.8]), srcad.Variable([1.1, 0.4, -0.6])
        with srcad.GradientTape(persistent=True) as outer:
            outer.watch(x)
            with srcad.GradientTape() as tape:
                tape.watch(x)
                value = program(x, w)
            slopes = [each + 0.0 for each in tape.gradient(value, [x, w], unconnected_gradients="zero")]
        second = [outer.gradient(each, [x, w]) for each in slopes]
        return bits([value, slopes, second, outer.jacobian(slopes[0], x)])

    without, found = both(run)
    assert without == found


def test_the_variable_of_the_environment_turns_it_off():
    program = """
import srcad, numpy as np
from srcad.runtime.tape.recording.dispatch import shortcuts
x = srcad.Variable(2.0)
with srcad.GradientTape() as tape:
    y = np.sin(x)
print(float(tape.gradient(y, x)) == np.cos(2.0), len(shortcuts))
"""
    for setting, expected in (("0", "True 0"), ("1", "True 2")):
        settings = {**os.environ, "SRCAD_TAPE_ACCELERATOR": setting}
        assert run([sys.executable, "-c", program], env=settings).stdout.strip() == expected
