"""The option `--quick` leaves out the same tests each time, breaks no collection, and says how many it left out."""

import re
import sys
from pathlib import Path

import pytest

from tests.quick import MOST, is_kept
from tests.waiting import run

ROOT = Path(__file__).parent.parent
MANY = """
import pytest

@pytest.mark.compiled
def test_compiled():
    raise AssertionError

@pytest.mark.slow
@pytest.mark.parametrize("k", range(3))
def test_slow(k):
    raise AssertionError

@pytest.mark.parametrize("k", range({count}))
def test_many(k):
    assert k % 3 == 0

@pytest.mark.parametrize("k", range(2))
def test_few(k):
    assert k == 0

def test_plain():
    pass
"""


@pytest.mark.parametrize(("count", "kept"), [(1, 1), (MOST, MOST), (MOST + 1, MOST // 2 + 1), (10 * MOST, MOST)])
def test_about_so_many_cases_of_a_file_are_kept(count, kept):
    assert sum(is_kept(position, count) for position in range(count)) == kept


def printed(folder, *options):
    """What pytest prints for a file with many cases, with the options that the suite adds for itself."""
    (folder / "test_many.py").write_text(MANY.format(count=3 * MOST - 2))
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n    compiled\n    slow\n")
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider", "-q", *options, "."]
    return run(command, cwd=folder, check=False, env={"PYTHONPATH": str(ROOT), "PATH": ""}).stdout


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_what_is_left_out_is_counted_and_the_rest_passes(tmp_path, workers):
    found = printed(tmp_path, workers, "--quick")
    left_out = 1 + 3 + 3 * MOST - 2 - MOST + 1
    assert f"--quick left out {left_out} tests" in found
    assert f"{MOST + 2} passed" in found
    assert "failed" not in found
    assert re.search(r"the suite took \d+ s on \d+ cores; slowest files:\n +\d+\.\d s  test_many.py", found)


def test_collection_with_the_option_leaves_out_tests_of_each_kind():
    file = "tests/transforms/ir/test_canonical_names.py"
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", "--collect-only", file]
    found = [run([*command, *more], cwd=ROOT).stdout for more in ((), ("--quick",), ("--quick",))]
    whole, quick, again = (re.findall(r"^tests/.*::.*$", each, re.MULTILINE) for each in found)
    assert quick == again
    assert set(quick) < set(whole)
    assert {each.split("[")[0] for each in quick} == {each.split("[")[0] for each in whole}
