"""What the first call of a gradient costs, in seconds of processor time and in instructions that LLVM gets.

    python -m benchmarks.first_calls                          all rows, as a table
    python -m benchmarks.first_calls --only sort softmax      rows whose name contains one of these
    python -m benchmarks.first_calls --figures figures.json   write the figures to a file
    python -m benchmarks.first_calls --check                  the rows of first_calls.json; fails where LLVM gets twice
                                                              the instructions noted there, `--note` writes them anew

The rows are the functions of `ONE_LINERS`, one for each entry of the rule tables that has a name in NumPy, at every
sample of `tests/runtime/samples.py`; the functions of `SHORT`; the programs of `benchmarks/programs`, and files given
by `--more` with `primal`, `wrt` and `make_args(size, seed)`. Each is measured in a process of its own, forked from one
in which Numba has compiled a function before, with empty caches:

    seconds     processor time until the first gradient
    transform   of these, until the text of the gradient was there
    llvm        of these, in LLVM
    instructions, functions, lines      given to LLVM before optimisation; compiled; of generated text
    primal      seconds for the function itself, by Numba alone, in another process ("-": Numba cannot)
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
import types
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Row:
    """A function to differentiate: its text (empty for a program of a module), the function, and its arguments."""

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    wrt: tuple[int, ...]


@dataclass
class Figures:
    """What a first call has cost."""

    seconds: float
    transform: float
    llvm: float
    instructions: int
    functions: int
    lines: int
    primal: float | None = None


SHORT = {
    "softmax of four dimensions": """
def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    p = e / np.sum(e, axis=-1, keepdims=True)
    return np.sum(p * p)
""",
    "layer normalisation": """
def layer_normalisation(x):
    centred = x - np.mean(x, axis=-1, keepdims=True)
    y = centred / np.sqrt(np.mean(centred**2, axis=-1, keepdims=True) + 1e-5)
    return np.sum(y**3)
""",
    "sorted differences": """
def sorted_differences(x):
    return np.sum(np.diff(np.sort(x.ravel())) ** 2)
""",
    "quadratic form": """
def quadratic_form(x):
    v = x[0, 0]
    return np.sum((v @ v.T) ** 2)
""",
    "loop of scalars": """
def loop_of_scalars(x):
    s = 0.0
    v = x[0, 0, 0]
    for i in range(v.shape[0]):
        s = s * 0.5 + np.sin(v[i]) * s + v[i] ** 2
    return s
""",
}


def function_of(text: str, name: str) -> Callable[..., Any]:
    """The function of a text, from a module whose source can be found."""
    folder = Path(tempfile.mkdtemp())
    path = folder / f"first_call_{abs(hash(text))}.py"
    path.write_text("import numpy as np\n" + text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return next(
        each for each in vars(module).values() if isinstance(each, types.FunctionType) and each.__name__ == name
    )


def one_liners() -> Iterator[Row]:
    """A function for each sample of a NumPy function that has a rule."""
    sys.path.insert(0, str(ROOT))
    from tests.runtime.samples import SAMPLES

    for function, samples in SAMPLES.items():
        path = _path(function)
        for k, sample in enumerate(samples if path else ()):
            row = _one_liner(f"{path} {k}", str(path), function, sample)
            if row is not None:
                yield row


def _path(function: Any) -> str | None:
    """The name of a function in NumPy; None if it has none."""
    for place, module in (("np", np), ("np.linalg", np.linalg), ("np.fft", np.fft)):
        name = getattr(function, "__name__", "")
        if getattr(module, name, None) is function:
            return f"{place}.{name}"
    return None


def _one_liner(name: str, path: str, function: Any, sample: Any) -> Row | None:
    wrt = tuple(k for k, each in enumerate(sample.args) if _is_float(each) and k not in sample.fixed)
    if not wrt or not all(
        isinstance(each, (int, str, float, tuple, bool, type(None))) for each in sample.kwargs.values()
    ):
        return None
    arrays = [k for k, each in enumerate(sample.args) if isinstance(each, (np.ndarray, float, np.floating))]
    given = [f"a{k}" if k in arrays else repr(each) for k, each in enumerate(sample.args)]
    if any("array(" in each or "<" in each for each in given):
        return None
    call = f"{path}({', '.join([*given, *(f'{key}={value!r}' for key, value in sample.kwargs.items())])})"
    try:
        result = function(*sample.args, **sample.kwargs)
    except Exception:  # noqa: BLE001 - a sample that only the tape can call
        return None
    if isinstance(result, tuple):
        total = " + ".join(f"np.sum(np.real(r[{k}]))" for k in range(len(result)))
    else:
        total = "np.sum(np.real(r))" if np.iscomplexobj(result) else "np.sum(r)"
    text = f"def one_line({', '.join(f'a{k}' for k in arrays)}):\n    r = {call}\n    return {total} * 1.7\n"
    args = tuple(sample.args[k] for k in arrays)
    return Row(name, function_of(text, "one_line"), args, tuple(arrays.index(k) for k in wrt))


def _is_float(value: Any) -> bool:
    return isinstance(value, (float, np.floating)) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")


def short() -> Iterator[Row]:
    """The functions of `SHORT`, all of an array of four dimensions."""
    x = np.random.default_rng(0).normal(size=(2, 3, 4, 5))
    for name, text in SHORT.items():
        yield Row(name, function_of(text, text.split("(")[0].split()[1]), (x,), (0,))


def programs(files: list[str]) -> Iterator[Row]:
    """The programs of `benchmarks/programs`, and those of the files."""
    from benchmarks.pass_worth import programs as all_of_them

    for each in all_of_them(files):
        yield Row(each.name, each.function, each.arguments(), each.wrt)


def measured(row: Row, with_primal: bool = True) -> Figures | str:
    """The figures of a row, or why there are none."""
    found: Figures | str = _in_a_new_process(_gradient, row)
    if isinstance(found, Figures) and with_primal:
        primal = _in_a_new_process(_primal, row)
        found.primal = primal if isinstance(primal, float) else None
    return found


def _in_a_new_process(work: Callable[[Row], Any], row: Row) -> Any:
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(sender, work, row))
    process.start()
    found = receiver.recv() if receiver.poll(300) else "took more than 300 s"
    process.kill()
    process.join()
    return found


def _run(sender: Any, work: Callable[[Row], Any], row: Row) -> None:
    folder = tempfile.mkdtemp()
    os.environ["SRCAD_CACHE_DIR"] = folder
    try:
        sender.send(work(row))
    except Exception as error:  # noqa: BLE001 - the reason is what is reported
        sender.send(f"{type(error).__name__}: {error}".splitlines()[0][:160])


def _gradient(row: Row) -> Figures:
    from numba.core.codegen import CPUCodeLibrary

    import srcad

    count = {"instructions": 0, "functions": 0, "llvm": 0.0}

    def timed(name: str, counts: bool) -> None:
        original = getattr(CPUCodeLibrary, name)

        def run(self: Any, *args: Any) -> Any:
            if counts:
                count["functions"] += 1
                module = self._final_module
                count["instructions"] += sum(1 for f in module.functions for b in f.blocks for _ in b.instructions)
            start = time.process_time()
            try:
                return original(self, *args)
            finally:
                count["llvm"] += time.process_time() - start

        setattr(CPUCodeLibrary, name, run)

    timed("_optimize_final_module", counts=True)
    timed("_optimize_functions", counts=False)
    timed("_finalize_final_module", counts=False)
    start = time.process_time()
    derivative = srcad.grad(row.function, wrt=row.wrt)
    text = srcad.source(row.function, args=row.args, wrt=row.wrt)
    transform = time.process_time() - start
    start = time.process_time()
    derivative(*row.args)
    seconds = time.process_time() - start
    return Figures(
        seconds, transform, count["llvm"], int(count["instructions"]), int(count["functions"]), len(text.splitlines())
    )


def _primal(row: Row) -> float:
    import numba

    start = time.process_time()
    numba.njit(row.function)(*row.args)
    return time.process_time() - start


NOTED = Path(__file__).with_suffix(".json")


def checked(rows: list[Row], noted: dict[str, int], is_noting: bool) -> bool:
    """Whether no row takes twice the instructions that are noted for it; with `is_noting` they are noted anew."""
    passed = True
    for row in rows:
        figures = measured(row, with_primal=False)
        if isinstance(figures, str):
            print(f"{row.name:40} failed: {figures}", flush=True)
            passed = False
            continue
        before = noted[row.name]
        is_doubled = figures.instructions > 2 * before
        print(f"{row.name:40} {before:7} -> {figures.instructions:7} {'doubled' * is_doubled}", flush=True)
        passed &= is_noting or not is_doubled
        noted[row.name] = figures.instructions
    if is_noting:
        NOTED.write_text(json.dumps(noted, indent=1) + "\n", encoding="utf-8")
    return passed


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--more", nargs="*", default=[])
    parser.add_argument("--figures", type=Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--note", action="store_true")
    given = parser.parse_args()
    import numba

    import srcad

    srcad.grad(function_of("def warm(x):\n    return np.sum(x * x)\n", "warm"))(np.ones(3))
    numba.njit(function_of("def cold(x):\n    return x + 1.0\n", "cold"))(1.0)
    rows = [*one_liners(), *short(), *programs(given.more)]
    if given.check or given.note:
        noted = json.loads(NOTED.read_text(encoding="utf-8"))
        sys.exit(not checked([each for each in rows if each.name in noted], noted, given.note))
    found: dict[str, Any] = {}
    for row in rows:
        if given.only and not any(each in row.name for each in given.only):
            continue
        figures = measured(row)
        if isinstance(figures, str):
            print(f"{row.name:40} {figures}", flush=True)
            continue
        found[row.name] = asdict(figures)
        primal = "-" if figures.primal is None else f"{figures.primal:6.2f}"
        print(
            f"{row.name:40} {figures.seconds:6.2f} s, transform {figures.transform:5.2f}, LLVM {figures.llvm:6.2f}, "
            f"{figures.instructions:7} instructions, {figures.functions:4} functions, {figures.lines:4} lines, "
            f"primal {primal}",
            flush=True,
        )
    seconds = sorted(each["seconds"] for each in found.values())
    if seconds:
        median, most = statistics.median(seconds), seconds[int(0.9 * len(seconds))]
        print(f"{len(seconds)} rows: median {median:.2f} s, 90 % {most:.2f}, most {seconds[-1]:.2f}")
    if given.figures:
        given.figures.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
