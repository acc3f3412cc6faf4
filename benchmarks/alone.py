"""What a process of its own measures: the time of a first call, which compiles, and memory.

python -m benchmarks.alone first option srcad           seconds, with nothing in a cache
python -m benchmarks.alone memory hunting srcad 20000   bytes, on Linux
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.peers import NAMED, arguments, made


def measured(*words: str) -> float:
    """What a new process prints."""
    with tempfile.TemporaryDirectory() as empty:
        command = [sys.executable, "-m", "benchmarks.alone", *words]
        environment = {**os.environ, **({"SRCAD_CACHE_DIR": empty} if words[0] == "first" else {})}
        return float(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)


def first(name: str, peer: str) -> float:
    """Seconds from a function to its first gradient."""
    workload = NAMED[name]
    given = arguments(workload, workload.size)
    start = time.perf_counter()
    made(workload, peer)(*given)
    return time.perf_counter() - start


def memory(name: str, peer: str, steps: str) -> float:
    """By how many bytes memory grows at most while a gradient is computed."""
    workload = NAMED[name]
    run = made(workload, peer)
    run(*arguments(workload, workload.small + 10))
    given = arguments(workload, int(steps))
    Path("/proc/self/clear_refs").write_text("5")  # the peak of memory is that from now on
    before = _memory("VmRSS")
    run(*given)
    return _memory("VmHWM") - before


def _memory(what: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(what))


if __name__ == "__main__":
    print({"first": first, "memory": memory}[sys.argv[1]](*sys.argv[2:]))
