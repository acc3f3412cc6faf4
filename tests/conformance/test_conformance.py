"""The tape does what TensorFlow 2.21 does; `oracle` has written down what that is. Nothing here imports TensorFlow."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.conformance.outcome import agree, outcome
from tests.conformance.stand_in import tf
from tests.conformance.tables import CASES

EXPECTED = json.loads(Path(__file__).with_name("expected.json").read_text())


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of poles: NumPy warns, TensorFlow does not
def test_outcomes_are_tensorflows(name):
    found = outcome(CASES[name], tf)
    assert agree(found, EXPECTED[name]), f"{found} instead of {EXPECTED[name]}"


def test_every_outcome_is_compared():
    assert list(EXPECTED) == list(CASES)


@pytest.mark.parametrize(
    ("found", "expected", "is_same"),
    [
        (1.0, 1.0 + 1e-9, True),
        (1.0, 1.001, False),
        ([1.0, None], [1.0, None], True),
        ([1.0, None], [1.0, 0.0], False),
        ([1.0], [1.0, 2.0], False),
        ({"raises": ["TypeError"]}, {"raises": ["ValueError"]}, False),
        ({"raises": ["TypeError", "ValueError"]}, {"raises": ["ValueError"]}, True),
        ({"raises": ["TypeError"]}, {"raises": []}, True),
        (1.0, {"raises": []}, False),
        (True, 1, False),
        ("inf", "inf", True),
    ],
)
def test_the_comparison_sees_differences(found, expected, is_same):
    assert agree(found, expected) is is_same


def test_outcomes_are_plain():
    assert outcome(lambda tf: [tf.constant([1.0, np.inf]), None, (1, "a")], tf) == [[1.0, "inf"], None, [1, "a"]]
    assert outcome(lambda tf: tf.constant(None), tf) == {"raises": ["ValueError"]}
