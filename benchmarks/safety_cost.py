"""What the checks of indices cost, in executed instructions; the table of docs/safety.md.

    python -m benchmarks.safety_cost --figures figures.json --more ../bench/workloads/*.py

Programs, sizes and counting are those of `pass_worth`: one call of each gradient, with the checks and without them,
counted by Callgrind. Where both texts are the same, nothing is counted. `--times` measures wall times instead, as the
least of many calls in turns.
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
from pathlib import Path
from typing import Any

from benchmarks.pass_worth import HERE, NO_REP, PROCESSOR, Program, _total, programs

CALLS = 30  # of each gradient, for wall times


def gradient(program: Program, checked: bool) -> Any:
    """The gradient with or without checks."""
    import srcad

    return srcad.grad(program.function, wrt=program.wrt, boundscheck=checked)


def checks(program: Program) -> tuple[int, int]:
    """How many checks the gradient has, and how many of them in loops."""
    import srcad

    arguments = program.arguments()
    text = srcad.source(program.function, "grad", wrt=program.wrt, args=arguments)
    found, loops = [], list[int]()
    for line in text.splitlines():
        depth = len(line) - len(line.lstrip())
        loops = [each for each in loops if each < depth]
        if line.lstrip().startswith(("for ", "while ")):
            loops.append(depth)
        if "kernels.check_" in line:
            found.append(bool(loops))
    return len(found), sum(found)


def compile_both(program: Program) -> None:
    """Put both gradients into the cache folder."""
    for checked in (True, False):
        gradient(program, checked)(*program.arguments())


def count(place: Path, chosen: list[Program]) -> None:
    """Count both gradients of each program; run by Callgrind."""
    library = ctypes.CDLL(str(place / "counting.so"))
    library.end.restype = ctypes.c_long
    ready = []
    for program in chosen:
        for checked in (True, False):
            made, arguments = gradient(program, checked), program.arguments()
            made(*arguments)
            ready.append((program.name, checked, made, arguments))
    library.start_instrumentation()
    with (place / "found.jsonl").open("w") as file:
        for number, (name, checked, made, arguments) in enumerate(ready):
            library.begin()
            made(*arguments)
            library.end()
            library.dump(str(number).encode())
            file.write(json.dumps([name, checked, _total(place, number + 1)]) + "\n")


def under_callgrind(names: list[str], more: list[str]) -> dict[str, dict[str, int]]:
    """The instructions of both gradients of these programs."""
    with tempfile.TemporaryDirectory() as place:
        library = f"{place}/counting.so"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, str(HERE / "counting.c")], check=True)
        tool = ["valgrind", "-q", "--tool=callgrind", "--instr-atstart=no", "--collect-atstart=no"]
        tool += ["--smc-check=all-non-file", f"--callgrind-out-file={place}/counts"]
        own = [sys.executable, "-m", "benchmarks.safety_cost", "--count", place, "--more", *more, "--only", *names]
        environment = {**os.environ, "LD_PRELOAD": library, "GLIBC_TUNABLES": NO_REP, "OPENBLAS_NUM_THREADS": "1"}
        subprocess.run([*tool, *own], env=environment, check=True, cwd=HERE.parent)
        found: dict[str, dict[str, int]] = {}
        for line in Path(place, "found.jsonl").read_text().splitlines():
            name, checked, instructions = json.loads(line)
            found.setdefault(name, {})["checked" if checked else "unchecked"] = instructions
        return found


def times(program: Program) -> dict[str, float]:
    """The least wall times of both gradients, called in turns."""
    made = {how: gradient(program, how == "checked") for how in ("checked", "unchecked")}
    arguments = program.arguments()
    best = dict.fromkeys(made, math.inf)
    for _ in range(CALLS):
        for how, each in made.items():
            start = time.perf_counter()
            each(*arguments)
            best[how] = min(best[how], time.perf_counter() - start)
    return best


def report(known: dict[str, Any]) -> str:
    """The table in Markdown, and the geometric mean."""
    lines = ["| program | checks | of these in loops | instructions |", "| --- | --- | --- | --- |"]
    logs = []
    for name, entry in known.items():
        ratio = entry["checked"] / entry["unchecked"] if "checked" in entry else 1.0
        logs.append(math.log(ratio))
        lines.append(f"| {name} | {entry['checks'][0]} | {entry['checks'][1]} | {ratio:.3f} |")
    lines.append(f"| geometric mean of {len(logs)} | | | {math.exp(sum(logs) / len(logs)):.3f} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", type=Path, default=Path("safety.json"))
    parser.add_argument("--more", nargs="*", default=[], metavar="FILE.py")
    parser.add_argument("--only", nargs="*", default=[], metavar="PROGRAM")
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--count", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    os.environ.update(PROCESSOR)  # before Numba is imported, which every import of srcad may do
    chosen = [each for each in programs(given.more) if not given.only or each.name in given.only]
    if given.count:
        count(given.count, chosen)
        return
    known = json.loads(given.figures.read_text()) if given.figures.exists() else {}
    for program in chosen:
        known[program.name] = {"checks": checks(program)}
    named = [name for name in known if known[name]["checks"][0] and any(name == each.name for each in chosen)]
    with tempfile.TemporaryDirectory() as place:
        os.environ["SRCAD_CACHE_DIR"] = place
        compared = [each for each in chosen if each.name in named]
        for each in compared:
            compile_both(each)
        found = {each.name: times(each) for each in compared} if given.times else under_callgrind(named, given.more)
    for name, figures in found.items():
        known[name].update(figures)
    given.figures.write_text(json.dumps(known, indent=1))
    print(report(known))


if __name__ == "__main__":
    main()
