"""`srcad cache`: what the cache folder holds, and clearing it."""

import os

import pytest

import srcad
from srcad.tools import cache_folder
from srcad.tools.command import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    path = tmp_path / "cache"
    path.mkdir(mode=0o700)
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(path))
    return path


@pytest.fixture
def filled(folder):
    for number, (name, text) in enumerate(
        [
            ("srcad_aa.py", "def f_grad(x):\n    return x\n\n\ndef helper(x):\n    return x\n"),
            ("srcad_aa.12.code", "x" * 3000),
            ("srcad_bb.py", "def g_grad(x):\n    return x\n"),
            ("srcad_cc.34.code", "y" * 10),
            ("half.tmp", "z"),
            ("notes.txt", "not of srcad's"),
        ]
    ):
        (folder / name).write_text(text)
        os.utime(folder / name, (1e9 + number, 1e9 + number))
    return folder


def test_entries_are_modules_with_their_machine_code(filled):
    kernel, second, first = cache_folder.entries(filled)
    assert (kernel.functions, kernel.size) == ((), 10)
    assert (second.functions, second.used) == (("g_grad",), 1e9 + 2)
    assert first.functions == ("f_grad", "helper")
    assert first.size == 3000 + len((filled / "srcad_aa.py").read_text())


def test_the_command_tells_lists_and_clears(filled, capsys):
    assert main(["cache"]) == 0
    assert f"{filled}: 2 modules, 3.02 KiB of 1 GiB" in capsys.readouterr().out
    assert main(["cache", "--list"]) == 0
    _, second, first, kernels = capsys.readouterr().out.splitlines()
    assert second.endswith("d ago  g_grad")
    assert first.endswith("d ago  f_grad, helper")
    assert kernels.endswith("1 kernels")
    assert main(["cache", "--clear"]) == 0
    assert "5 files deleted" in capsys.readouterr().out
    assert [each.name for each in filled.iterdir()] == ["notes.txt"]


def test_a_gradient_is_listed_and_made_anew_after_clearing(folder):
    def loss(x):
        return x * x

    assert srcad.grad(loss)(3.0) == 6.0
    (entry,) = [each for each in cache_folder.entries(folder) if "loss_grad" in each.functions]
    assert any(path.suffix == ".code" for path in entry.files)
    cache_folder.clear(folder)
    assert cache_folder.entries(folder) == []
    assert srcad.grad(loss)(4.0) == 8.0


def test_no_usable_folder(folder, capsys, monkeypatch):
    monkeypatch.setattr("srcad.runtime.jit.disk_cache.folder", lambda: None)
    assert main(["cache", "--clear"]) == 1
    assert "no cache folder can be used" in capsys.readouterr().out
