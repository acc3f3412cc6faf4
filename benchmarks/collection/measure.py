"""Measure the collection: gradients against their functions, memory, first calls, JAX.

    python -m benchmarks.collection.measure --figures now.json
    python -m benchmarks.collection.measure --figures now.json --report --before then.json

Each workload has a process of its own, with one thread, in which the function, srcad's gradient and JAX's (where JAX is
installed and the workload has array functions alone) take turns; of each, the least of the rounds counts. The function
is timed as Numba compiles it, and one with array functions also as it stands: the faster counts. Memory is by how much
a gradient raises the peak, over the arguments and what the function itself needs, as the rise of the resident set: on
Linux. A first call has an empty cache. Geometric means are for the tuned and for the sealed workloads; `--before` adds
how many times faster each has become.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import math
import os
import subprocess
import sys
import tempfile
import time
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.collection import workloads
from benchmarks.collection.workload import Workload

ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
ONE_THREAD["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


def figures(workload: Workload, seconds: float) -> dict[str, Any]:
    """What is measured of one workload, in this process."""
    import srcad

    given = workload.fresh_arguments(True)
    gradient = srcad.grad(workload.function, wrt=workload.wrt)
    start = time.process_time()
    found = gradient(*given)
    first = time.process_time() - start
    functions = _functions(workload, given)
    peers: dict[str, Callable[[], Any]] = {name: _call(each, given) for name, each in functions.items()}
    peers["srcad"] = _call(gradient, given)
    in_jax = _in_jax(workload, given) if workload.arrays else None
    if in_jax is not None:
        peers["jax"] = in_jax
        _compare(found, in_jax())
    times = _least(peers, seconds)
    fastest = min(functions, key=times.__getitem__)
    needed = sum(getattr(each, "nbytes", 0) for each in given) + _rise(peers[fastest])
    return {
        "sealed": workload.sealed,
        "function": times[fastest],
        "by": fastest,
        "srcad": times["srcad"],
        "jax": times.get("jax"),
        "memory": _rise(peers["srcad"]) / max(needed, 2**16),
        "first": first,
    }


def _call(function: Callable[..., Any], given: tuple[Any, ...]) -> Callable[[], Any]:
    return lambda: function(*given)


def _functions(workload: Workload, given: tuple[Any, ...]) -> dict[str, Callable[..., Any]]:
    """The function compiled, as far as Numba can, and as it stands where it has no loops in Python."""
    import numba

    compiled = numba.njit(workload.function)
    try:
        compiled(*given)
    except numba.core.errors.NumbaError:
        return {"NumPy": workload.function}
    return {"Numba": compiled, **({"NumPy": workload.function} if workload.arrays else {})}


def _in_jax(workload: Workload, given: tuple[Any, ...]) -> Callable[[], Any] | None:
    """The gradient of the same text with JAX's `numpy`; None where JAX is not installed."""
    try:
        import jax
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)
    function = workload.function
    assert isinstance(function, types.FunctionType)
    same = types.FunctionType(function.__code__, {**function.__globals__, "np": jax.numpy})
    gradient = jax.jit(jax.grad(same, argnums=workload.wrt))
    arrays = jax.device_put(given)
    return lambda: jax.block_until_ready(gradient(*arrays))


def _compare(found: Any, others: Any) -> None:
    import numpy as np

    for one, other in zip(found if isinstance(found, tuple) else (found,), others, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-8 * float(np.max(np.abs(other))))


def _least(peers: dict[str, Callable[[], Any]], seconds: float) -> dict[str, float]:
    """The shortest time of each, taking turns."""
    repeats = {}
    for name, call in peers.items():
        call()
        start = time.perf_counter()
        call()
        repeats[name] = max(1, int(2e-3 / (time.perf_counter() - start)))
    times = dict.fromkeys(peers, math.inf)
    end, rounds = time.perf_counter() + seconds, 0
    while time.perf_counter() < end or rounds < 5:
        rounds += 1
        for name, call in peers.items():
            start = time.perf_counter()
            for _ in range(repeats[name]):
                call()
            times[name] = min(times[name], (time.perf_counter() - start) / repeats[name])
    return times


def _rise(call: Callable[[], Any]) -> float:
    """By how many bytes the resident set grows at most during a call, memory that is free returned before."""
    call()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # the peak of memory is that from now on
    before = _memory("VmRSS")
    result = call()
    risen = _memory("VmHWM") - before
    del result
    return risen


def _memory(what: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(what))


def in_new_process(name: str, seconds: float) -> dict[str, Any] | None:
    """The figures of a workload; None, with the reason printed, where it fails."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.collection.measure", "--one", name]
    with tempfile.TemporaryDirectory() as empty:
        environment = {**os.environ, **ONE_THREAD, "SRCAD_CACHE_DIR": empty}
        command += ["--seconds", str(seconds)]
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment, timeout=600)
    if done.returncode:
        print(f"{name}: {done.stderr.strip().splitlines()[-1]}", flush=True)
        return None
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


# The table.


def report(known: dict[str, Any], before: dict[str, Any]) -> str:
    """A table in Markdown: first the tuned workloads, then the sealed, each with its means."""
    columns = ["workload", "function", "gradient / function", "JAX / gradient", "memory", "first call"]
    lines = ["| " + " | ".join([*columns, *(["before / now"] if before else [])]) + " |"]
    lines.append("| --- " * (lines[0].count("|") - 1) + "|")
    for sealed in (False, True):
        rows = {name: row for name, row in known.items() if row["sealed"] == sealed}
        lines += [_line(f"{name}{' (sealed)' * sealed}", _cells(row, before.get(name))) for name, row in rows.items()]
        of = [_cells(row, before.get(name)) for name, row in rows.items()]
        means = {key: _mean([each[key] for each in of]) for key in (of[0] if of else {}) if key not in _NO_MEANS}
        lines.append(_line(f"**{'sealed' if sealed else 'tuned'}: geometric mean**", {**dict.fromkeys(of[0]), **means}))
    return "\n".join(lines) + "\n"


_NO_MEANS = ("function", "memory")


def _cells(row: dict[str, Any], before: dict[str, Any] | None) -> dict[str, float | None]:
    ratio = row["srcad"] / row["function"]
    cells = {
        "function": row["function"],
        "ratio": ratio,
        "jax": row["jax"] / row["srcad"] if row.get("jax") else None,
        "memory": row["memory"],
        "first": row["first"],
    }
    if before:
        cells["gain"] = before["srcad"] / before["function"] / ratio
    return cells


def _mean(values: list[float | None]) -> float | None:
    logs = [math.log(each) for each in values if each]
    return math.exp(sum(logs) / len(logs)) if logs else None


def _line(name: str, cells: dict[str, float | None]) -> str:
    formats = {"function": lambda each: f"{each * 1e3:.3g} ms", "first": lambda each: f"{each:.1f} s"}
    texts = ["" if each is None else formats.get(key, "{:.2f}".format)(each) for key, each in cells.items()]
    return "| " + " | ".join([name, *texts]) + " |"


def main() -> None:
    """Measure, or print the table of what has been measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", type=Path, default=Path("figures.json"))
    parser.add_argument("--before", type=Path, help="earlier figures, to compare with")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME")
    parser.add_argument("--seconds", type=float, default=2.0, help="how long the peers take turns")
    parser.add_argument("--report", action="store_true", help="print the table")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    named = {each.name: each for each in workloads()}
    if options.one:
        warnings.simplefilter("ignore")
        print(json.dumps(figures(named[options.one], options.seconds)))
        return
    known = json.loads(options.figures.read_text()) if options.figures.exists() else {}
    if options.report:
        print(report(known, json.loads(options.before.read_text()) if options.before else {}))
        return
    for name in options.only or named:
        row = in_new_process(name, options.seconds)
        if row is not None:
            known[name] = row
            print(_line(name, _cells(row, None)), flush=True)
        options.figures.write_text(json.dumps(known, indent=1))


if __name__ == "__main__":
    main()
