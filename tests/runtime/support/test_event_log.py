"""What is logged of generating, compiling and the cache folder, and that nothing is without being asked."""

import logging

import numpy as np
import pytest

import srcad
from srcad.runtime.support import event_log
from srcad.runtime.support.event_log import configure, log


@pytest.fixture
def quiet():
    """The logger as it was."""
    before = log.level, log.propagate, log.handlers[:]
    yield
    log.setLevel(before[0])
    log.propagate, log.handlers = before[1], before[2]


def test_sources_are_told_once_for_new_types_and_again_for_new_captured_numbers(caplog):
    factor = 2.0

    def f(x):
        return factor * x * x

    slope = srcad.grad(f, jit=False)
    with caplog.at_level(logging.DEBUG, "srcad"):
        slope(3.0)
        first = caplog.text
        slope(4.0)
        assert caplog.text == first
        slope(np.float32(2.0))
        assert "float32" in caplog.text
        factor = 3.0
        assert slope(1.0) == 6.0
    assert "float64" in first
    assert "grad of f" in first
    assert "has changed" in caplog.text


def test_nothing_is_told_unless_it_is_asked_for(caplog):
    srcad.grad(lambda x: x * x * x, jit=False)(2.0)
    assert caplog.text == ""


@pytest.mark.parametrize(("name", "level"), [("debug", logging.DEBUG), ("INFO", logging.INFO)])
def test_the_environment_names_the_level(quiet, name, level):
    assert configure({event_log.VARIABLE: name}) in log.handlers
    assert log.level == level


def test_a_level_that_is_none_is_told(quiet, capsys):
    assert configure({event_log.VARIABLE: "loud"}) is not None
    assert "SRCAD_LOG=loud is no level" in capsys.readouterr().err
