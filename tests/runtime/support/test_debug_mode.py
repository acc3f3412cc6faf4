"""Debug mode reaches what was made before it, ends with its block, and costs nothing outside of it."""

import os
import pickle
import sys
import threading

import numpy as np
import pytest

import srcad
from srcad.runtime.support.debug_mode import state
from tests.waiting import LIMIT, join, run

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of NumPy's, in uncompiled code


def root(x):
    return np.sqrt(x) + x


def test_what_was_made_before_is_checked_in_the_block_only():
    made = srcad.grad(root, jit=False), srcad.function(root, jit=False)
    slope, run = made
    assert slope(np.float64(0.0)) == np.inf
    assert np.isnan(run(np.float64(-1.0)))
    for _ in range(2):
        with srcad.debug(), srcad.debug():
            for each, x in ((slope, 0.0), (run, -1.0)):
                with pytest.raises(FloatingPointError, match="first appears"):
                    each(np.float64(x))
        assert slope(np.float64(0.0)) == np.inf
        assert np.isnan(run(np.float64(-1.0)))


def test_a_call_costs_the_same_after_the_block():
    slope = srcad.grad(root, jit=False)
    slope(1.0)
    called = slope.__call__
    with srcad.debug():
        assert slope.__call__ is not called
    assert slope.__call__ is called  # what Python looks up is what it was, with no test in between


def test_the_mode_ends_with_an_exception():
    with pytest.raises(ZeroDivisionError), srcad.debug():
        raise ZeroDivisionError
    assert not state.on


def test_what_is_made_in_the_block_stays_checked():
    with srcad.debug():
        slope = srcad.grad(root, jit=False)
    with pytest.raises(FloatingPointError):
        slope(0.0)
    assert srcad.grad(root, jit=False)(0.0) == np.inf
    with pytest.raises(FloatingPointError):
        pickle.loads(pickle.dumps(slope))(0.0)


def test_blocks_in_several_threads_end_when_the_last_one_ends():
    inside, leave = threading.Event(), threading.Event()

    def hold():
        with srcad.debug():
            inside.set()
            assert leave.wait(LIMIT)

    thread = threading.Thread(target=hold, daemon=True)
    thread.start()
    assert inside.wait(LIMIT)
    with srcad.debug():
        pass
    assert state.on
    leave.set()
    join(thread)
    assert not state.on


def test_text_is_the_same_before_and_after_and_other_text_in_the_block():
    def text():
        return srcad.source(root, signature="f8")

    before = text()
    with srcad.debug():
        srcad.grad(root, jit=False)(1.0)
        assert text() == before  # `source` shows the checks where they are asked for
    assert text() == before
    checked = srcad.source(root, signature="f8", debug=True)
    assert "check_finite" not in before
    assert "kernels.check_finite(" in checked


def test_checked_code_has_a_key_of_its_own():
    plain = srcad.grad(root, jit=False)
    plain(1.0)
    with srcad.debug():
        checked = srcad.grad(root, jit=False)
        checked(1.0)

    def names(derivative):
        return {module.__name__ for module, _ in derivative._version._modules.values()}

    assert names(plain)
    assert names(plain).isdisjoint(names(checked))


PROGRAM = """
import numpy as np
import srcad


def root(x):
    return np.sqrt(x) + x


print(srcad.grad(root, jit=False)(0.0))
"""


@pytest.mark.parametrize(("value", "status"), [("1", 1), ("0", 0)])
def test_the_environment_turns_it_on(tmp_path, value, status):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    environment = {**os.environ, "SRCAD_DEBUG": value}
    ran = run([sys.executable, str(file)], env=environment, check=False)
    assert ran.returncode == status
    assert ("first appears in the reverse sweep" in ran.stderr) == bool(status)
