"""What safety costs, in executed instructions: checks of indices, and strong zeros; the tables of docs/safety.md.

    python -m benchmarks.safety_cost --figures checks.json --more ../bench/workloads/*.py
    python -m benchmarks.safety_cost --zeros --figures zeros.json --more ../bench/workloads/*.py

Programs, sizes and counting are those of `pass_worth`: one call of each gradient, with what is measured and without it,
counted by Callgrind. Where both texts are the same, nothing is counted. `--times` measures wall times of checks
instead, as the least of many calls in turns.
"""

from __future__ import annotations

import argparse
import copy
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
HOW = ("safe", "unsafe")


def gradient(program: Program, checked: bool) -> Any:
    """The gradient with or without checks."""
    import srcad

    return srcad.grad(program.function, wrt=program.wrt, boundscheck=checked)


def plain_products() -> None:
    """Make rules give plain products from now on, in which 0 times infinity is nan."""
    from srcad.transforms.adjoint import rule_expansion

    module: Any = rule_expansion
    module.guarded = lambda body, *_, **__: [copy.deepcopy(statement) for statement in body]
    module.is_finite = lambda *_, **__: True


def places(program: Program, words: tuple[str, ...]) -> tuple[int, int]:
    """How many lines of the gradient have one of these words, and how many of them are in loops."""
    import srcad

    text = srcad.source(program.function, "grad", wrt=program.wrt, args=program.arguments())
    found, loops = [], list[int]()
    for line in text.splitlines():
        depth = len(line) - len(line.lstrip())
        loops = [each for each in loops if each < depth]
        if line.lstrip().startswith(("for ", "while ")):
            loops.append(depth)
        if any(word in line for word in words):
            found.append(bool(loops))
    return len(found), sum(found)


def count(place: Path, chosen: list[Program], how: str, of_zeros: bool, fills: bool) -> None:
    """Count one gradient of each program, run by Callgrind; or only fill the cache folder, without Callgrind."""
    library = ctypes.CDLL(str(place / "counting.so"))
    library.end.restype = ctypes.c_long
    if of_zeros and how == "unsafe":
        plain_products()
    ready = []
    for program in chosen:
        made, arguments = gradient(program, of_zeros or how == "safe"), program.arguments()
        made(*arguments)
        ready.append((program.name, made, arguments))
    if fills:
        return
    library.start_instrumentation()
    with (place / "found.jsonl").open("w") as file:
        for number, (name, made, arguments) in enumerate(ready):
            library.begin()
            made(*arguments)
            library.end()
            library.dump(str(number).encode())
            file.write(json.dumps([name, _total(place, number + 1)]) + "\n")


def under_callgrind(names: list[str], given: argparse.Namespace) -> dict[str, dict[str, int]]:
    """The instructions of both gradients of these programs, each in a process of its own."""
    found: dict[str, dict[str, int]] = {}
    for how in HOW:
        with tempfile.TemporaryDirectory() as place:
            library = f"{place}/counting.so"
            subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, str(HERE / "counting.c")], check=True)
            tool = ["valgrind", "-q", "--tool=callgrind", "--instr-atstart=no", "--collect-atstart=no"]
            tool += ["--smc-check=all-non-file", f"--callgrind-out-file={place}/counts"]
            own = [sys.executable, "-m", "benchmarks.safety_cost", "--count", place, "--how", how]
            own += ["--zeros"] * given.zeros + ["--more", *given.more, "--only", *names]
            environment = {**os.environ, "GLIBC_TUNABLES": NO_REP, "OPENBLAS_NUM_THREADS": "1"}
            environment |= {"SRCAD_CACHE_DIR": f"{place}/cache", "LD_PRELOAD": library}
            subprocess.run([*own, "--fills"], env=environment, check=True, cwd=HERE.parent)
            subprocess.run([*tool, *own], env=environment, check=True, cwd=HERE.parent)
            for line in Path(place, "found.jsonl").read_text().splitlines():
                name, instructions = json.loads(line)
                found.setdefault(name, {})[how] = instructions
    return found


def times(program: Program) -> dict[str, float]:
    """The least wall times of the gradients with and without checks, called in turns."""
    made = {how: gradient(program, how == "safe") for how in HOW}
    arguments = program.arguments()
    best = dict.fromkeys(made, math.inf)
    for _ in range(CALLS):
        for how, each in made.items():
            start = time.perf_counter()
            each(*arguments)
            best[how] = min(best[how], time.perf_counter() - start)
    return best


def report(known: dict[str, Any], of_zeros: bool) -> str:
    """The table in Markdown, and the geometric mean."""
    what = "strong products" if of_zeros else "checks"
    lines = [f"| program | {what} | of these in loops | instructions |", "| --- | --- | --- | --- |"]
    logs = []
    for name, entry in known.items():
        ratio = entry["safe"] / entry["unsafe"] if "safe" in entry else 1.0
        logs.append(math.log(ratio))
        lines.append(f"| {name} | {entry['places'][0]} | {entry['places'][1]} | {ratio:.3f} |")
    lines.append(f"| geometric mean of {len(logs)} | | | {math.exp(sum(logs) / len(logs)):.3f} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", type=Path, default=Path("safety.json"))
    parser.add_argument("--more", nargs="*", default=[], metavar="FILE.py")
    parser.add_argument("--only", nargs="*", default=[], metavar="PROGRAM")
    parser.add_argument("--zeros", action="store_true", help="strong zeros, not checks of indices")
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--count", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--how", choices=HOW, help=argparse.SUPPRESS)
    parser.add_argument("--fills", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    os.environ.update(PROCESSOR)  # before Numba is imported, which every import of srcad may do
    chosen = [each for each in programs(given.more) if not given.only or each.name in given.only]
    if given.count:
        count(given.count, chosen, given.how, given.zeros, given.fills)
        return
    known = json.loads(given.figures.read_text()) if given.figures.exists() else {}
    words = ("kernels.strong_product", "kernels.strong_quotient") if given.zeros else ("kernels.check_",)
    for program in chosen:
        known[program.name] = {"places": places(program, words)}
    named = [each.name for each in chosen if known[each.name]["places"][0]]
    if given.times:
        found = {each.name: times(each) for each in chosen if each.name in named}
    else:
        found = under_callgrind(named, given) if named else {}
    for name, figures in found.items():
        known[name].update(figures)
    given.figures.write_text(json.dumps(known, indent=1))
    print(report(known, given.zeros))


if __name__ == "__main__":
    main()
