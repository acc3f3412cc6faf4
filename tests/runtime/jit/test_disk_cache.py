"""The cache folder: whole files or none, whatever else happens; never a folder that others can write to."""

import os
import stat
import sys
import warnings

import pytest

from srcad.runtime.jit import disk_cache
from srcad.runtime.jit.disk_cache import Stored, fetch, folder, key, path_of, store
from tests.waiting import finished, started

POSIX = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions are POSIX's")
STORED = Stored("def f(x):\n    return x\n", ("f",), ("table",))


@pytest.fixture
def place(tmp_path, monkeypatch):
    folder_of_test = tmp_path / "cache"
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(folder_of_test))
    return folder_of_test


def test_what_is_stored_is_fetched(place):
    assert fetch("a") is None
    assert store("a", STORED) == path_of("a")
    assert fetch("a") == STORED


def test_a_stored_module_is_python_that_runs_alone(place):
    store("a", STORED)
    namespace = {}
    exec(path_of("a").read_text(), namespace)
    assert namespace["f"](3) == 3


def test_a_file_that_was_cut_short_counts_as_none(place):
    store("a", STORED)
    whole = path_of("a").read_bytes()
    for length in range(len(whole)):
        path_of("a").write_bytes(whole[:length])
        assert fetch("a") is None


def test_nothing_is_left_beside_the_stored_file(place):
    store("a", STORED)
    store("a", STORED)
    assert [each.name for each in place.iterdir()] == ["srcad_a.py"]


def test_keys_tell_apart_where_one_part_ends():
    assert key("ab", "c") != key("a", "bc") != key("a", "b", "c")


def test_keys_depend_on_the_sources_of_srcad(monkeypatch):
    before = key("a")
    monkeypatch.setattr(disk_cache, "environment", lambda: "another version")
    assert key("a") != before


@POSIX
def test_a_new_folder_is_for_its_owner_alone(place):
    assert stat.S_IMODE(folder().stat().st_mode) == 0o700


@POSIX
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o722])
def test_a_folder_that_others_can_write_to_is_refused(place, mode):
    place.mkdir()
    place.chmod(mode)
    with pytest.warns(RuntimeWarning, match="others can write to it"):
        assert folder() is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the warning comes once
        assert store("a", STORED) is None
        assert fetch("a") is None


@POSIX
def test_a_folder_of_somebody_else_is_refused(place, monkeypatch):
    place.mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: place.stat().st_uid + 1)
    with pytest.warns(RuntimeWarning, match="belongs to somebody else"):
        assert folder() is None


def test_a_folder_that_cannot_be_made_stores_nothing(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert folder() is None
    assert store("a", STORED) is None


def test_a_folder_that_goes_away_stores_nothing(place):
    assert folder() == place
    place.rmdir()
    assert store("a", STORED) is None
    assert fetch("a") is None


@pytest.mark.parametrize(
    ("system", "variables", "expected"),
    [
        ("linux", {}, ".cache/srcad"),
        ("linux", {"XDG_CACHE_HOME": "HOME/xdg"}, "xdg/srcad"),
        ("darwin", {}, "Library/Caches/srcad"),
        ("win32", {"LOCALAPPDATA": "HOME/local"}, "local/srcad/cache"),
    ],
)
def test_the_users_folder_follows_the_platform(tmp_path, monkeypatch, system, variables, expected):
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(disk_cache.Path, "home", lambda: tmp_path)
    monkeypatch.setattr(sys, "platform", system)
    for name, value in variables.items():
        monkeypatch.setenv(name, value.replace("HOME", str(tmp_path)))
    assert disk_cache._users_own() == tmp_path / expected


@pytest.mark.slow
def test_processes_that_store_the_same_at_the_same_time_all_succeed(place):
    program = "from srcad.runtime.jit.disk_cache import *; s = Stored('x = 1\\n' * 20000, ('f',)); "
    program += "print(all(store('a', s) is not None and fetch('a') == s for _ in range(50)))"
    running = [started([sys.executable, "-c", program], env=_environment()) for _ in range(3)]
    assert [finished(each)[0].strip() for each in running] == ["True"] * 3


def _environment():
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
