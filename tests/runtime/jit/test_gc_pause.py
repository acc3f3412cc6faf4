"""Collections are paused in a block, and go on as they were behind it, whoever else pauses them."""

import gc
import threading

import pytest
from numba.core import event

import srcad
from srcad.runtime.jit.gc_pause import nothing_collected
from tests.waiting import LIMIT, join


def test_what_was_disabled_stays_disabled():
    gc.disable()
    try:
        with nothing_collected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_errors_end_the_pause():
    with pytest.raises(KeyError), nothing_collected():
        raise KeyError
    assert gc.isenabled()


def test_pauses_of_threads_that_overlap_leave_collections_enabled():
    inside, leave = threading.Event(), threading.Event()

    def first():
        with nothing_collected():
            inside.set()
            assert leave.wait(LIMIT)

    thread = threading.Thread(target=first, daemon=True)
    thread.start()
    assert inside.wait(LIMIT)
    with nothing_collected():
        leave.set()
        join(thread)
    assert gc.isenabled()


@pytest.mark.compiled
def test_gradients_are_compiled_in_a_pause():
    enabled = []

    class Noting(event.Listener):
        def on_start(self, happened):
            enabled.append(gc.isenabled())

        def on_end(self, happened):
            pass

    with event.install_listener("numba:compile", Noting()):
        assert srcad.grad(lambda x: x * x * x)(2.0) == 12.0
    assert enabled
    assert not any(enabled)
    assert gc.isenabled()
