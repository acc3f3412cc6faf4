"""Machine code that another process has made is in the cache folder, under the name that this process looks for."""

import pickle

import pytest
from numba import float64, types

from srcad.runtime.jit import background
from srcad.runtime.jit.compile_worker import Order, cotangent_kind, reverse_kinds, served
from srcad.runtime.jit.disk_cache import Stored, key, store
from srcad.runtime.jit.dispatchers import compiled, load

TEXT = """\
from collections import namedtuple

Trace = namedtuple("Trace", ["y"])


def wave_forward(x, k):
    y = x * k
    return y * y, Trace(y)


def wave_reverse(x, k, trace, result_bar):
    return result_bar * 2.0 * trace.y * k, result_bar * 2.0 * trace.y * x
"""
STORED = Stored(TEXT, ("wave_forward", "wave_reverse"))
KINDS = (float64, float64)


@pytest.fixture
def name(request, tmp_path, monkeypatch):
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path / "cache"))
    found = key(request.node.name, "worker")
    assert store(found, STORED) is not None
    return found


def order(name, **how):
    return Order(name, 0, {}, pickle.dumps(KINDS), **how)


@pytest.mark.slow
@pytest.mark.parametrize("serve", [served, background.compiled_apart], ids=["here", "process"])
def test_a_pair_is_stored_for_the_types_of_its_trace(name, serve):
    assert serve(order(name, is_pair=True))
    forward, reverse = compiled(load(name, STORED, {}), STORED.functions, {})
    assert forward._cache.holds(KINDS)
    value, trace = forward(2.0, 3.0)
    assert value == 36.0
    assert reverse._cache.holds(reverse_kinds(forward, KINDS))
    assert reverse(2.0, 3.0, trace, 1.0) == (36.0, 24.0)
    if serve is background.compiled_apart:
        assert forward.stats.cache_hits
        assert reverse.stats.cache_hits


@pytest.mark.slow
def test_what_cannot_be_served_is_told(name):
    assert not served(Order("nowhere", 0, {}, pickle.dumps(KINDS)))
    assert not served(Order(name, 0, {}, pickle.dumps((types.unicode_type, types.unicode_type))))
    assert not served(Order(name, 5, {}, pickle.dumps(KINDS)))
    injected = key(name, "injected")
    store(injected, Stored(TEXT, STORED.functions, ("thing",)))
    assert not served(order(injected))


def test_cotangents_are_contiguous_and_real_unless_complex():
    assert cotangent_kind(types.int64[:, :]) == types.float64[:, ::1]
    assert cotangent_kind(types.complex64[:]) == types.complex64[::1]
    assert cotangent_kind(types.boolean) == types.float64
    assert cotangent_kind(types.Tuple((types.float32, types.int64))) == types.Tuple((types.float32, types.float64))
