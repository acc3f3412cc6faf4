"""`typed_user.py` passes Pyright too: each mistake in it is reported, and nothing else. (Mypy has its own run.)"""

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.waiting import run

USER = Path(__file__).with_name("typed_user.py")
ROOT = USER.parent.parent.parent


@pytest.mark.nightly
def test_pyright_reports_each_mistake_and_nothing_else(tmp_path):
    pytest.importorskip("pyright", reason="Pyright is not installed: pip install pyright")
    shutil.copy(USER, tmp_path / "user.py")
    rules = {"extraPaths": [str(ROOT)], "reportUnnecessaryTypeIgnoreComment": "error", "include": ["user.py"]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(rules))
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson", "-p", str(tmp_path)]
    found = json.loads(run(command).stdout)
    assert found["summary"]["filesAnalyzed"] == 1
    assert not [each["message"] for each in found["generalDiagnostics"]]
