"""The report names what srcad runs on, and what is wrong; warming compiles once."""

import numba
import numpy as np
import pytest

from srcad.tools import doctor
from srcad.tools.command import main
from srcad.tools.doctor import Report, warm
from srcad.tools.warm_functions import FUNCTIONS


def test_the_report_names_what_srcad_runs_on(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path))
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert said.endswith("nothing wrong found\n")
    for each in (numba.__version__, np.__version__, str(tmp_path), "SRCAD_CACHE_DIR", "cores", "BLAS"):
        assert each in said


def test_a_folder_that_others_can_write_to_is_what_is_wrong(capsys, monkeypatch, tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(shared))
    assert main(["doctor"]) == 1
    assert f"wrong: srcad does not use the cache folder {shared}: others can write to it" in capsys.readouterr().out


def test_a_cache_that_is_switched_off_is_not_wrong(monkeypatch):
    monkeypatch.setenv("SRCAD_CACHE_BYTES", "0")
    report = Report.made()
    assert dict(report.sections["cache"]) == {"folder": "none: nothing is kept between processes"}
    assert not report.problems


@pytest.mark.compiled
def test_what_is_warm_is_not_compiled_again(monkeypatch, tmp_path):
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path))
    few = {function: FUNCTIONS[function] for function in FUNCTIONS if function.__name__ in ("_gathered", "_joined")}
    monkeypatch.setattr(doctor, "FUNCTIONS", few)
    said = []
    assert warm(said.append) == 2
    assert said[0].startswith(" 1 of 2  joined")
    assert warm(said.append) == 0
    assert said[-1] == "the cache was warm"


def test_without_a_folder_nothing_is_compiled(monkeypatch):
    monkeypatch.setenv("SRCAD_CACHE_BYTES", "0")
    said = []
    assert warm(said.append) == 0
    assert said == ["there is no cache folder to fill"]
