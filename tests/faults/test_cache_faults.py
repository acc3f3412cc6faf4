"""Damage to the cache folder, and changes of what is cached: never a crash, never a stale or foreign gradient."""

from __future__ import annotations

import os
import random
import resource
import signal
import sys
import time

import pytest

from srcad.runtime.jit import cache_size, disk_cache
from srcad.runtime.jit.disk_cache import Stored, fetch, fetch_code, path_of, store, store_code
from tests.faults.processes import PROGRAM, output, start
from tests.waiting import finished, line

STORED = Stored("def f(x):\n    return x\n", ("f",), ("table",))


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def files(place):
    return sorted(place.iterdir())


def flipped(content, bit):
    damaged = bytearray(content)
    damaged[bit // 8] ^= 1 << (bit % 8)
    return bytes(damaged)


def test_a_module_with_any_bit_flipped_is_none(place):
    path = store("a", STORED)
    whole = path.read_bytes()
    for bit in range(8 * len(whole)):
        path.write_bytes(flipped(whole, bit))
        assert fetch("a") is None


def test_machine_code_with_any_bit_flipped_or_cut_short_is_none(place):
    path = store_code("a", "f(float64)", bytes(range(64)))
    whole = path.read_bytes()
    assert fetch_code("a", "f(float64)") == bytes(range(64))
    for bit in range(8 * len(whole)):
        path.write_bytes(flipped(whole, bit))
        assert fetch_code("a", "f(float64)") is None
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert fetch_code("a", "f(float64)") is None


def test_files_that_were_exchanged_are_none(place):
    one, other = store("a", STORED), store("b", Stored("x = 1\n", ("f",)))
    code, strange = store_code("a", "f(float64)", b"one"), store_code("a", "f(float32)", b"other")
    for first, second in ((one, other), (code, strange)):
        held = first.read_bytes()
        first.write_bytes(second.read_bytes())
        second.write_bytes(held)
    assert fetch("a") is fetch("b") is None
    assert fetch_code("a", "f(float64)") is fetch_code("a", "f(float32)") is None


@pytest.mark.parametrize("content", [b"", b"\0" * 4096, b"\xff\xfe", b"# srcad: \n", b"# srcad: {} 00\n", b"# srcad: "])
def test_files_of_something_else_are_none(place, content):
    store("a", STORED)
    path_of("a").write_bytes(content)
    assert fetch("a") is None


def test_a_folder_or_a_dangling_link_in_place_of_a_file_is_none(place):
    store("a", STORED)
    path_of("a").unlink()
    path_of("a").mkdir()
    assert fetch("a") is None
    assert store("a", STORED) is None
    path_of("b").symlink_to(place / "nowhere")
    assert fetch("b") is None
    assert store("b", STORED) is not None
    assert fetch("b") == STORED


def test_a_write_that_finds_the_disk_full_leaves_nothing(place, monkeypatch):
    store("a", STORED)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        assert store("b", Stored("x = 1\n" * 1000, ("f",))) is None
        assert store_code("a", "f", b"." * 5000) is None
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [each.name for each in files(place)] == ["srcad_a.py"]
    assert fetch("a") == STORED


def test_a_folder_that_can_only_be_read_still_serves(place, monkeypatch):
    store("a", STORED)

    def refused(*args, **kwargs):
        raise OSError(30, "Read-only file system")

    for module, name in ((disk_cache.tempfile, "mkstemp"), (disk_cache.os, "utime"), (disk_cache.os, "replace")):
        monkeypatch.setattr(module, name, refused)
    assert fetch("a") == STORED
    assert store("b", STORED) is None


@pytest.mark.parametrize("offset", [-1e9, 1e9])
def test_a_clock_that_jumps_changes_nothing_that_is_found(place, monkeypatch, offset):
    store("a", STORED)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + offset)
    os.utime(path_of("a"), (now - offset, now - offset))
    assert fetch("a") == STORED
    store("b", STORED)
    assert fetch("b") == STORED


def test_nothing_is_stored_while_srcad_is_replaced(place, monkeypatch):
    disk_cache.own_source()
    monkeypatch.setattr(disk_cache, "_source_state", lambda: "of other files")
    assert store("a", STORED) is not None  # what is in them is the same
    monkeypatch.setattr(disk_cache, "_own_source", lambda: "the next version")
    assert store("b", STORED) is None


def test_nothing_is_stored_when_files_of_srcad_have_gone(place, monkeypatch):
    disk_cache.own_source()
    monkeypatch.setattr(disk_cache, "_source_paths", lambda: [str(place / "gone.py")])
    assert store("a", STORED) is None


@pytest.mark.parametrize("module", ["numba", "np", "llvmlite"])
def test_another_version_of_a_library_has_files_of_its_own(monkeypatch, module):
    before = disk_cache.key("a")
    monkeypatch.setattr(getattr(disk_cache, module), "__version__", "99.0")
    disk_cache.environment.cache_clear()
    try:
        assert disk_cache.key("a") != before
    finally:
        monkeypatch.undo()
        disk_cache.environment.cache_clear()


KILLED = """\
import sys
from srcad.runtime.jit.disk_cache import Stored, store, store_code
for i in range(10**9):
    store(str(i % 7), Stored("x = 1\\n" * 5000, ("f",)))
    store_code(str(i % 7), "f", b"." * 20000)
    if i == 7:
        print("ready", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("times", [5, pytest.param(100, marks=pytest.mark.nightly)])
def test_a_process_that_is_killed_while_it_writes_leaves_whole_files_or_none(place, tmp_path, times):
    drawn, found = random.Random(7), 0
    for _ in range(times):
        process = start(tmp_path / "killed.py", KILLED)
        line(process)
        time.sleep(drawn.uniform(0.0, 0.1))
        process.send_signal(signal.SIGKILL)
        finished(process)
        for i in range(7):
            stored, code = fetch(str(i)), fetch_code(str(i), "f")
            found += stored is not None
            assert stored in (None, Stored("x = 1\n" * 5000, ("f",)))
            assert code in (None, b"." * 20000)
    assert found
    cache_size.trim(place, 0)
    assert not [each for each in files(place) if each.name.startswith("srcad_")]


RACE = (
    PROGRAM
    + """
import multiprocessing
import sys


def race(barrier, results):
    barrier.wait(200.0)
    results.put(slope(3.0, 5))


if __name__ == "__main__":
    import srcad.driver.pipeline, srcad.api.compiled_function
    fork = multiprocessing.get_context("fork")
    barrier, results = fork.Barrier(COUNT), fork.Queue()
    racing = [fork.Process(target=race, args=(barrier, results)) for _ in range(COUNT)]
    for each in racing:
        each.start()
    found = [results.get(timeout=200.0) for _ in racing]
    for each in racing:
        each.join(200.0)
    print(set(found), {each.exitcode for each in racing})
"""
)


@pytest.mark.slow
@pytest.mark.parametrize("count", [4, pytest.param(200, marks=pytest.mark.nightly)])
def test_processes_that_race_for_one_key_all_have_the_gradient(tmp_path, place, count):
    process = start(tmp_path / "race.py", RACE.replace("COUNT", str(count)))
    assert output(process) == "{30.0} {0}"
    assert output(start(tmp_path / "race.py", PROGRAM + "print(slope(3.0, 5))")) == "30.0"
    assert not [each for each in files(place) if each.name.endswith(".tmp")]


@pytest.mark.slow
@pytest.mark.parametrize("times", [3, pytest.param(100, marks=pytest.mark.nightly)])
def test_a_damaged_cache_gives_the_gradient_all_the_same(tmp_path, place, times):
    program, drawn = PROGRAM + "print(slope(3.0, 5))", random.Random(11)
    assert output(start(tmp_path / "damaged.py", program)) == "30.0"
    assert {each.suffix for each in files(place)} == {".py", ".code"}
    for turn in range(times):
        for each in files(place):
            whole = each.read_bytes()
            if turn % 3 == 0:
                each.write_bytes(flipped(whole, drawn.randrange(8 * len(whole))))
            elif turn % 3 == 1:
                each.write_bytes(whole[: drawn.randrange(len(whole))])
            else:
                each.write_bytes(bytes(drawn.randrange(256) for _ in range(100)))
        assert output(start(tmp_path / "damaged.py", program)) == "30.0"


CHANGED = """\
import numba
import numpy as np
import srcad

RATE = {0}
RATES = np.array([{0}, 1.0])


class Model:
    rate = {0}

    def loss(self, x):
        return self.rate * x * x


def helper(x):
    return {0} * x


@numba.njit
def compiled(x):
    return {0} * x


def closure(rate):
    return lambda x: rate * x * x


model = Model()
functions = [
    lambda x: helper(x) * x,
    lambda x: compiled(x) * x,
    lambda x: RATE * x * x,
    lambda x: RATES[0] * x * x,
    lambda x, rate={0}: rate * x * x,
    lambda x: model.rate * x * x,
    model.loss,
    closure({0}),
]
print({{srcad.grad(each, jit=jit)(3.0) for each in functions for jit in (False, True)}})
"""


@pytest.mark.slow
def test_a_changed_program_never_has_the_gradient_of_the_old_one(tmp_path, place):
    for value in (1.0, 4.0, 1.0):
        assert output(start(tmp_path / "changed.py", CHANGED.format(value))) == str({2.0 * value * 3.0})
    assert files(place)


def test_the_folder_is_bounded_and_drops_what_was_used_longest_ago(place, monkeypatch):
    monkeypatch.setenv("SRCAD_CACHE_BYTES", "10000")
    stored = Stored("x = 1\n" * 150, ("f",))
    for i in range(9):
        path = store(str(i), stored)
        os.utime(path, (1000.0 + i, 1000.0 + i))
    fetch("0")
    for i in range(9, 12):
        store(str(i), stored)
    kept = {i for i in range(12) if path_of(str(i)).exists()}
    assert {0, 9, 10, 11} <= kept
    assert not kept & {1, 2, 3}
    assert sum(each.stat().st_size for each in files(place)) <= 10000


def test_no_bytes_switch_the_cache_off(place, monkeypatch):
    monkeypatch.setenv("SRCAD_CACHE_BYTES", "0")
    assert store("a", STORED) is None
    assert not place.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are POSIX's")
@pytest.mark.slow
def test_a_gradient_without_a_usable_folder_is_right(tmp_path, place):
    place.mkdir(mode=0o777)
    place.chmod(0o777)
    program = "import warnings\nwarnings.simplefilter('ignore')\n" + PROGRAM + "print(slope(3.0, 5))"
    assert output(start(tmp_path / "refused.py", program)) == "30.0"
    assert not files(place)
