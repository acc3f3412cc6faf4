"""The bound on the cache folder: what it counts, what it drops, and when."""

import os
import time

import pytest

from srcad.errors import BadArgument
from srcad.runtime.jit import cache_size


def filled(folder, sizes):
    for i, size in enumerate(sizes):
        path = folder / f"srcad_{i}.py"
        path.write_bytes(b"." * size)
        os.utime(path, (1000 + i, 1000 + i))


def names(folder):
    return sorted(each.name for each in folder.iterdir())


def test_files_within_the_bound_stay(tmp_path):
    filled(tmp_path, [10, 10])
    cache_size.trim(tmp_path, 20)
    assert names(tmp_path) == ["srcad_0.py", "srcad_1.py"]


def test_the_oldest_go_until_three_quarters_are_left(tmp_path):
    filled(tmp_path, [10] * 5)
    cache_size.trim(tmp_path, 40)
    assert names(tmp_path) == ["srcad_2.py", "srcad_3.py", "srcad_4.py"]


def test_files_of_others_are_neither_counted_nor_dropped(tmp_path):
    (tmp_path / "notes.txt").write_bytes(b"." * 1000)
    filled(tmp_path, [10])
    cache_size.trim(tmp_path, 20)
    assert names(tmp_path) == ["notes.txt", "srcad_0.py"]


@pytest.mark.parametrize(("age", "stays"), [(0.0, True), (1e6, False), (-1e6, False)])
def test_unfinished_files_go_after_a_day(tmp_path, age, stays):
    path = tmp_path / ".srcad_a-x.tmp"
    path.write_bytes(b".")
    os.utime(path, (time.time() - age,) * 2)
    cache_size.trim(tmp_path, 10)
    assert path.exists() is stays


def test_a_folder_that_is_gone_is_no_error(tmp_path):
    cache_size.trim(tmp_path / "nowhere", 10)


def test_the_bound_is_a_number_of_bytes(monkeypatch):
    monkeypatch.setenv("SRCAD_CACHE_BYTES", "2000")
    assert cache_size.limit() == 2000
    monkeypatch.delenv("SRCAD_CACHE_BYTES")
    assert cache_size.limit() == 2**30
    monkeypatch.setenv("SRCAD_CACHE_BYTES", "1 GB")
    with pytest.raises(BadArgument, match="SRCAD_CACHE_BYTES is '1 GB'"):
        cache_size.limit()
