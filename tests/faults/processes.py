"""Programs that are run in processes of their own, and what they print."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.waiting import finished, started

ROOT = Path(__file__).parent.parent.parent

# A gradient with one loop, and a value that anybody can compute by hand: 2 * x * n.
PROGRAM = """\
import numpy as np
import srcad


def energy(x, n):
    total = 0.0
    for i in range(n):
        total += x * x
    return total


slope = srcad.grad(energy)
"""


def start(script: Path, text: str, **environment: str) -> subprocess.Popen[str]:
    """Write a program into a file and start it; `environment` is added to that of this process."""
    script.write_text(text)
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONFAULTHANDLER": "1", **environment}
    return started([sys.executable, str(script)], env=variables)


def output(process: subprocess.Popen[str]) -> str:
    """What a process has printed, once it has ended. Raises AssertionError with its errors if it failed."""
    said, errors = finished(process)
    assert process.returncode == 0, errors
    return said.strip()
