"""What becomes of tensors that NumPy makes arrays of, while a tape follows them."""

import inspect
import math
import warnings

import numpy as np
import pytest

from srcad.errors import GradientCut, MissingRule
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.values.conversions import constant, convert_to_tensor
from srcad.runtime.tape.values.indexed_slices import IndexedSlices

CUTS = {
    "np.array of a list": lambda x, v: np.array([x, x]),
    "np.asarray": lambda x, v: np.asarray(v),
    "np.array": lambda x, v: np.array(v),
    "a ufunc of lists": lambda x, v: np.add([x, x], 1.0),
    "a function in C of lists": lambda x, v: np.dot([x, x], [1.0, 2.0]),
    "rows": lambda x, v: np.array([v, v]),
}
REFUSED = {
    "np.sum": lambda x, v: np.sum([x, x]),
    "np.mean": lambda x, v: np.mean([x, v[0]]),
    "np.max": lambda x, v: np.max([x, 3.0]),
    "np.prod": lambda x, v: np.prod((v, v)),
    "np.std": lambda x, v: np.std([x, 1.0, 2.0]),
    "np.tile": lambda x, v: np.tile([x, x], 2),
    "np.linalg.norm": lambda x, v: np.linalg.norm([x, x]),
}
ALLOWED = {
    "numpy()": lambda x, v: v.numpy() + np.array(v.numpy()),
    "float": lambda x, v: float(x) + math.sin(x) + x.item(),
    "tolist": lambda x, v: np.sum(v.tolist()),
    "bool": lambda x, v: 1.0 if x else 2.0,
    "text": lambda x, v: f"{x} {v} {v!r} {[v]}",
    "assertions": lambda x, v: np.testing.assert_allclose(v, [1.0, 2.0]),
    "comparisons": lambda x, v: np.allclose(v, [1.0, 2.0]) and np.array_equal(v, v),
    "a new variable": lambda x, v: Variable([x, x]).assign([x, x]),
    "facts": lambda x, v: (np.shape(v), np.ndim(v), len(v), v.dtype),
}


def under_a_tape(use):
    x, v = constant(2.0), constant([1.0, 2.0])
    with GradientTape() as tape:
        tape.watch([x, v])
        return use(x, v)


@pytest.mark.parametrize("use", CUTS.values(), ids=CUTS.keys())
def test_a_followed_tensor_made_an_array_is_warned_of_where_it_happens(use):
    with pytest.warns(GradientCut, match=r"np\.stack") as caught:
        under_a_tape(use)
    assert caught[0].filename == __file__
    assert caught[0].lineno == inspect.getsourcelines(use)[1]


def test_a_place_is_warned_of_once():
    x = constant([1.0, 2.0])
    with GradientTape() as tape, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        tape.watch(x)
        for _ in range(3):
            np.asarray(x)
        np.asarray(x)
    assert len(caught) == 2


@pytest.mark.parametrize("name", REFUSED)
def test_functions_that_would_cut_the_gradient_of_a_list_are_refused(name):
    with pytest.raises(MissingRule, match=rf"{name} is given a list that holds tensors[^!]*np\.stack"):
        under_a_tape(REFUSED[name])


@pytest.mark.parametrize("use", ALLOWED.values(), ids=ALLOWED.keys())
def test_what_says_that_it_wants_a_plain_value_is_not_warned_of(use):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        under_a_tape(use)


@pytest.mark.parametrize("use", [*CUTS.values(), *REFUSED.values()], ids=[*CUTS, *REFUSED])
def test_without_a_tape_that_follows_them_tensors_are_arrays(use):
    x, v = constant(2.0), constant([1.0, 2.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        outside = use(x, v)
        with GradientTape() as tape:
            tape.watch(constant(1.0))
            use(x, v)
        with GradientTape() as tape:
            tape.watch([x, v])
            with tape.stop_recording():
                use(x, v)
    assert not isinstance(outside, list)


def test_what_the_messages_propose_is_differentiated():
    def proposals(x):
        yield np.sum(np.stack([x, x * x]))
        yield np.sum(convert_to_tensor([x, x * x]))
        yield np.sum(constant([x, x * x]))

    for place in range(3):
        x = constant(3.0)
        with GradientTape() as tape:
            tape.watch(x)
            y = list(proposals(x))[place]
        assert float(tape.gradient(y, x)) == 7.0


def test_variables_and_slices_are_warned_of_too():
    w = Variable([1.0, 2.0])
    with GradientTape() as tape:
        with pytest.warns(GradientCut):
            np.asarray(w)
        tape.watch(values := constant([1.0]))
        slices = IndexedSlices(values, [0], (2,))
        with pytest.warns(GradientCut):
            np.asarray(slices)
