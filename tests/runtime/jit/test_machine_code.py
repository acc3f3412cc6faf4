"""Machine code in the cache folder: one sealed file for each function and signature."""

import sys

import numba
import numpy as np
import pytest
from numba.core import types

from srcad.runtime.jit.disk_cache import Stored, key, store
from srcad.runtime.jit.dispatchers import compiled, load

pytestmark = pytest.mark.compiled


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path))
    return tmp_path


def twice(place):
    text = f"def twice(x):  # for {place.name}, as modules of one text are loaded once\n    return x + x\n"
    name, stored = key(text), Stored(text, ("twice",))
    store(name, stored)
    sys.modules.pop(f"srcad_{name}", None)  # as in a new process
    return compiled(load(name, stored, {}), ("twice",), {})[0]


def codes(place):
    return sorted(place.glob("*.code"))


def test_each_signature_has_a_file_that_the_next_dispatcher_loads(place):
    first = twice(place)
    assert first(1.5) == 3.0
    assert first(2) == 4
    assert len(codes(place)) == 2
    again = twice(place)
    assert again(1.5) == 3.0
    assert again.stats.cache_hits == {(types.float64,): 1}


def test_a_damaged_file_is_compiled_anew_and_replaced(place):
    twice(place)(1.5)
    (path,) = codes(place)
    path.write_bytes(path.read_bytes()[:-40])
    again = twice(place)
    assert again(1.5) == 3.0
    assert not again.stats.cache_hits
    assert twice(place)(1.5) == 3.0


def test_settings_of_numba_that_change_machine_code_have_files_of_their_own(place, monkeypatch):
    twice(place)(1.5)
    monkeypatch.setattr(numba.core.config, "BOUNDSCHECK", 1)
    twice(place)(1.5)
    assert len(codes(place)) == 2


def test_arrays_of_other_layouts_have_files_of_their_own(place):
    function = twice(place)
    x = np.ones((4, 4))
    for each in (x, x.T, x[::2], x[0]):
        assert np.all(function(each) == 2.0)
    assert len(codes(place)) == 4


def test_code_that_runs_as_python_is_not_stored(place):
    text = (
        f"from srcad.runtime import kernels\n\ndef kept(x):  # {place.name}\n    return kernels.snapshot_at(x, True)\n"
    )
    name, stored = key(text), Stored(text, ("kept",))
    store(name, stored)
    made = compiled(load(name, stored, {}), ("kept",), {})[0]
    assert made(np.arange(3.0)).tolist() == [0.0, 1.0, 2.0]
    assert not [each for each in codes(place) if each.name.startswith(f"srcad_{name}")]
