"""What each optional pass gains, in executed instructions, memory and compile time; the table of docs/passes.md.

    python -m benchmarks.pass_worth --figures figures.json --more ../bench/workloads/*.py benchmarks.defended
    python -m benchmarks.pass_worth --figures figures.json --report

The programs are those of `benchmarks/programs`, which were not written with any pass in view, and what `--more` gives:
files, each with `primal`, `wrt` and `make_args(size, seed)`, of which `SIZES` has the sizes, else it is M; and modules
with a table `WORKLOADS`, as `benchmarks.collection.matrices`. For each pass, and each group of passes that may stand in
for one another, the gradient is generated without it. Where the text differs, the gradient is compiled, and one call of
it is counted:

    instructions   executed by one call, counted by Callgrind (valgrind), on a processor with AVX2 and without AVX-512
    bytes          allocated at the same time during the call, the gradients included
    LLVM           instructions that Numba hands to LLVM, before any of its optimisations
    seconds        processor time of the first call, in a process that has compiled another gradient before

Each first call starts with an empty cache: kernels that it compiles count, whatever was compiled before.

Needs valgrind with its headers, a C compiler, Linux. `--figures` keeps what has been measured: what is in the file and
has the same text is not measured again.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import importlib
import importlib.util
import json
import math
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import gast

HERE = Path(__file__).resolve().parent
# LLVM is to make the same code under valgrind, which has no AVX-512, as outside of it.
PROCESSOR = {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx2,+fma,+bmi,+bmi2,+lzcnt,+popcnt,+f16c,+movbe"}
# `rep stosb` would count as an instruction for each byte.
NO_REP = "glibc.cpu.x86_rep_stosb_threshold=1000000000000:glibc.cpu.x86_rep_movsb_threshold=1000000000000"
# Of the programs of the benchmark suite, in place of M, which takes too long under Callgrind.
SIZES: dict[str, Any] = {
    "ba": (40, 2000, 4000),
    "barrier": (500, 64),
    "cavity": (61, 6, 12),
    "cholesky": 100,
    "dtw": (200, 200),
    "gmm": (40, 16, 10),
    "jacobi_2d": (100, 10),
    "kmeans": (500, 8, 20),
    "lstm": (4, 100, 14),
    "mlp": (64, 48, 32, 10),
    "nbody": (30, 30),
    "seidel_2d": (80, 6),
    "vadv": (20, 20, 40),
}
# Passes that may do the work of one another where one of them is left out.
GROUPS = (
    ("shape_copy_elision", "copy_elision_moves", "buffer_reuse"),
    ("accumulator_forwarding", "copy_elision_moves"),
    ("array_contraction", "array_contraction_to_scalar"),
    ("copy_hoisting", "cse_and_licm"),
    ("scalar_replacement", "redundancy_elimination", "induction_variables"),
)


@dataclass(frozen=True)
class Program:
    """A function, what to differentiate by, and how to make its arguments."""

    name: str
    function: Callable[..., Any]
    wrt: tuple[int, ...]
    arguments: Callable[[], tuple[Any, ...]]


def programs(more: Iterable[str]) -> list[Program]:
    """All programs: those of other files and modules come first."""
    from benchmarks.programs import samples

    return [
        *(program for each in more for program in ([_of_file(Path(each))] if ".py" in each else _of_module(each))),
        *(Program(each.name, each.function, each.wrt, each.fresh_arguments) for each in samples()),
    ]


def _of_file(path: Path) -> Program:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.SIZES["counted"] = SIZES.get(path.stem, module.SIZES["M"])
    return Program(path.stem, module.primal, tuple(module.wrt), lambda: tuple(module.make_args("counted", 0)))


def _of_module(name: str) -> list[Program]:
    table = importlib.import_module(name).WORKLOADS
    return [Program(each.name, each.function, each.wrt, partial(each.fresh_arguments, True)) for each in table]


def choices() -> list[tuple[str, ...]]:
    """What is left out together: nothing, each optional pass, groups of them."""
    from srcad.driver.passes import PASSES

    known = [tuple(name for name in group if name in PASSES) for group in GROUPS]
    return [(), *((name,) for name in PASSES), *(group for group in known if len(group) > 1)]


# Measuring, each step in processes of its own.


def texts(program: Program, passes: list[str]) -> dict[str, str]:
    """The hash of the generated text for each choice of passes; `passes` restricts these to some and their groups."""
    found = {}
    arguments = program.arguments()
    with _watched() as changing:
        found[""] = _text(program, arguments, ())
    for without in choices()[1:]:
        if changing.isdisjoint(without):
            found[",".join(without)] = found[""]
        elif not passes or not set(passes).isdisjoint(without):
            found[",".join(without)] = _text(program, arguments, without)
    return found


def _text(program: Program, arguments: tuple[Any, ...], without: tuple[str, ...]) -> str:
    import srcad

    try:
        text = srcad.source(program.function, "grad", wrt=program.wrt, args=arguments, without=without)
    except srcad.SrcadError as problem:
        text = f"{type(problem).__name__}: {problem}"
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


@contextmanager
def _watched() -> Iterator[set[str]]:
    """Collects the names of passes that change a function; of others, as choices within a stage, all."""
    from srcad.driver import pass_manager
    from srcad.driver.passes import FINISH, ROWS
    from srcad.transforms.ir import pass_names

    choices_within = {value for name, value in vars(pass_names).items() if name.isupper()}
    changing = choices_within | {name for name, row in ROWS.items() if not row.function or row in FINISH}
    plain = pass_manager.run

    def watched(row: Any, code: Any) -> Any:
        before = _printed(code.body)  # which the pass may change in place
        after = plain(row, code)
        if row.name not in changing and _printed(after.body) != before:
            changing.add(row.name)
        return after

    pass_manager.run = watched
    try:
        yield changing
    finally:
        pass_manager.run = plain


def _printed(trees: Iterable[Any]) -> list[Any]:
    """Trees with the notes on their nodes, to be compared."""
    from srcad.transforms.ir.node_notes import notes_of

    return [(gast.dump(tree), [vars(notes_of(node)) for node in gast.walk(tree)]) for tree in trees]


def compiled(program: Program, without: str) -> dict[str, Any]:
    """The size for LLVM and the seconds of a first call."""
    import srcad

    counter = _LlvmCounter()
    gradient = srcad.grad(program.function, wrt=program.wrt, without=without)
    arguments = program.arguments()
    with _empty_cache():
        start = time.process_time()
        gradient(*arguments)
        return {"seconds": time.process_time() - start - counter.seconds, "llvm": counter.count}


@contextmanager
def _empty_cache() -> Iterator[None]:
    """A cache folder of its own, whose files join the others in the end, where Callgrind's process finds them."""
    everything = os.environ["SRCAD_CACHE_DIR"]
    with tempfile.TemporaryDirectory() as own:
        os.environ["SRCAD_CACHE_DIR"] = own
        yield
        shutil.copytree(own, everything, dirs_exist_ok=True)
        os.environ["SRCAD_CACHE_DIR"] = everything


class _LlvmCounter:
    """Counts the instructions of all modules before LLVM optimises them, and the time that counting takes."""

    def __init__(self) -> None:
        from numba.core.codegen import CPUCodeLibrary

        self.count, self.seconds = 0, 0.0
        plain = CPUCodeLibrary._optimize_final_module

        def counted(library: Any) -> None:
            start = time.process_time()
            self.count += sum(line.startswith("  ") for line in str(library._final_module).splitlines())
            self.seconds += time.process_time() - start
            plain(library)

        CPUCodeLibrary._optimize_final_module = counted


def _warmed_up() -> None:
    import numpy as np

    import srcad

    def warm(x: Any) -> Any:
        total = 0.0
        for i in range(x.size):
            total += np.exp(x[i]) * x[i]
        return total + np.sum(x * x)

    srcad.grad(warm)(np.ones(3))


def _in_child(function: Callable[..., Any], *args: Any) -> Any:
    """The result of a call in a forked process; None, with its traceback printed, where it fails."""
    ours, theirs = multiprocessing.Pipe()

    def run() -> None:
        try:
            theirs.send(function(*args))
        except Exception:  # noqa: BLE001 - whatever it is, the other programs are measured
            traceback.print_exc()
            theirs.send(None)

    child = multiprocessing.get_context("fork").Process(target=run)
    child.start()
    theirs.close()
    try:
        return ours.recv()
    except EOFError:
        return None
    finally:
        child.join()


def counted(work: list[tuple[Program, str]], folder: Path) -> Iterator[dict[str, Any]]:
    """Instructions and bytes of one call each; run by Callgrind, from what is in the disk cache."""
    import srcad

    library = ctypes.CDLL(str(folder / "counting.so"))
    library.end.restype = ctypes.c_long
    ready = []
    for program, without in work:
        gradient = srcad.grad(program.function, wrt=program.wrt, without=without)
        arguments = program.arguments()
        gradient(*arguments)
        ready.append((gradient, arguments))
    library.start_instrumentation()
    for number, (gradient, arguments) in enumerate(ready):
        library.begin()
        result = gradient(*arguments)
        most = library.end()
        del result
        library.dump(str(number).encode())
        yield {"bytes": most, "instructions": _total(folder, number + 1)}


def _total(folder: Path, number: int) -> int:
    """The instructions of one dump of Callgrind."""
    (file,) = folder.glob(f"counts.{number}")
    for line in file.read_text().splitlines():
        if line.startswith("totals:"):
            file.unlink()
            return int(line.split()[1])
    return 0


def under_callgrind(work: list[tuple[str, str]], more: list[str]) -> list[dict[str, Any]]:
    """What `counted` gives, in a process that Callgrind runs."""
    with tempfile.TemporaryDirectory() as place:
        library = f"{place}/counting.so"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, str(HERE / "counting.c")], check=True)
        Path(place, "work.json").write_text(json.dumps(work))
        tool = ["valgrind", "-q", "--tool=callgrind", "--instr-atstart=no", "--collect-atstart=no"]
        tool += ["--smc-check=all-non-file", f"--callgrind-out-file={place}/counts"]
        own = [sys.executable, "-m", "benchmarks.pass_worth", "--count", place, "--more", *more]
        environment = {**os.environ, "LD_PRELOAD": library, "GLIBC_TUNABLES": NO_REP, "OPENBLAS_NUM_THREADS": "1"}
        subprocess.run([*tool, *own], env=environment, check=True, cwd=HERE.parent)
        return [json.loads(line) for line in Path(place, "found.jsonl").read_text().splitlines()]


def measured(
    known: dict[str, Any], more: list[str], only: list[str], passes: list[str], most: int, save: Callable[[], None]
) -> None:
    """Add to what is known, by program and text, the figures that it lacks; for each choice of `most` programs."""
    _warmed_up()
    work = []
    for program in programs(more):
        if only and program.name not in only:
            continue
        entry = known.setdefault(program.name, {"texts": {}, "figures": {}})
        entry["texts"].update(_in_child(texts, program, passes) or {})
        for without in _to_measure(known, entry, most):
            figures = _in_child(compiled, program, without)
            if figures is not None:
                work.append((program.name, without))
            entry["figures"][entry["texts"][without]] = figures
        print(f"{program.name}: compiled", flush=True)
        save()
    # One process for many, since it takes a minute to start.
    for at in range(0, len(work), _TOGETHER):
        part = work[at : at + _TOGETHER]
        for (name, without), counts in zip(part, under_callgrind(part, more), strict=True):
            known[name]["figures"][known[name]["texts"][without]].update(counts)
        save()


_TOGETHER = 60


def _to_measure(known: dict[str, Any], entry: dict[str, Any], most: int) -> list[str]:
    """One choice for each text of a program that is to get figures; the first of them is to leave nothing out."""
    plain, first = entry["texts"].get(""), dict[str, str]()
    for without, text in entry["texts"].items():
        if text != plain and text not in entry["figures"] and len(gains(known, without)["llvm"]) < most:
            first.setdefault(text, without)
    if first and plain not in entry["figures"]:
        return ["", *first.values()]
    return list(first.values())


# The table.

MEASURES = ("instructions", "bytes", "llvm", "seconds")


def gains(known: dict[str, Any], without: str) -> dict[str, list[tuple[float, str]]]:
    """For each measure and program that changes, by what factor it is more without the passes, less one."""
    found: dict[str, list[tuple[float, str]]] = {measure: [] for measure in MEASURES}
    for name, entry in known.items():
        text, plain = entry["texts"].get(without), entry["texts"].get("")
        figures, base = entry["figures"].get(text), entry["figures"].get(plain)
        if text == plain or figures is None or base is None:
            continue
        for measure in MEASURES:
            if base.get(measure) and figures.get(measure):
                found[measure].append((figures[measure] / base[measure] - 1.0, name))
    return found


def report(known: dict[str, Any]) -> str:
    """The table in Markdown: one row for each pass and each group."""
    lines = [
        f"| left out | programs changed, of {len(known)} | measured | instructions | bytes | LLVM | seconds |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for without in (",".join(each) for each in choices()[1:]):
        found = gains(known, without)
        changed = sum(entry["texts"].get(without) not in (None, entry["texts"].get("")) for entry in known.values())
        cells = " | ".join(_cell(found[measure]) for measure in MEASURES)
        names = ", ".join(f"`{name}`" for name in without.split(","))
        lines.append(f"| {names} | {changed} | {len(found['llvm'])} | {cells} |")
    return "\n".join(lines) + "\n"


def _cell(values: list[tuple[float, str]]) -> str:
    """The mean over the programs measured, in per cent; the least and the greatest, with the program."""
    if not values:
        return ""
    mean = math.expm1(sum(math.log1p(value) for value, _ in values) / len(values))
    if len(values) == 1:
        return f"{mean:+.1%} {values[0][1]}"
    (least, loser), (most, winner) = min(values), max(values)
    return f"{mean:+.1%} ({least:+.1%} {loser}, {most:+.1%} {winner})"


def _save(known: dict[str, Any], file: Path) -> None:
    file.write_text(json.dumps(known, indent=1))


def main() -> None:
    """Measure, or print the table of what has been measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", type=Path, default=Path("figures.json"))
    parser.add_argument("--more", nargs="*", default=[], metavar="FILE.py|MODULE")
    parser.add_argument("--only", nargs="*", default=[], metavar="PROGRAM")
    parser.add_argument("--passes", nargs="*", default=[], metavar="PASS")
    parser.add_argument("--most", type=int, default=sys.maxsize, metavar="N", help="programs measured for each choice")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--count", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.count:
        named = {each.name: each for each in programs(given.more)}
        work = [(named[name], without) for name, without in json.loads((given.count / "work.json").read_text())]
        with (given.count / "found.jsonl").open("w") as file:
            for each in counted(work, given.count):
                file.write(json.dumps(each) + "\n")
                file.flush()
        return
    # Before Numba is imported, which every import of srcad may do.
    os.environ.update(PROCESSOR)
    known = json.loads(given.figures.read_text()) if given.figures.exists() else {}
    if not given.report:
        with tempfile.TemporaryDirectory() as place:
            os.environ["SRCAD_CACHE_DIR"] = place
            save = partial(_save, known, given.figures)
            measured(known, given.more, given.only, given.passes, given.most, save)
    print(report(known))


if __name__ == "__main__":
    main()
