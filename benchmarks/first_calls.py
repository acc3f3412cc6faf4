"""What the first call of a gradient costs, in seconds of processor time and in instructions that LLVM gets.

    python -m benchmarks.first_calls                          all rows, as a table
    python -m benchmarks.first_calls --only sort softmax      rows whose name contains one of these
    python -m benchmarks.first_calls --gradients              without the times of Numba and JAX beside them
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
    stored      seconds where only the kernels are in the cache, from another gradient
    primal      seconds for the function itself, by Numba alone, in another process ("-": Numba cannot)
    jax         seconds for `jax.jit(jax.grad(f))`, where jax is installed and can take the function as it stands

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
    stored: float | None = None
    primal: float | None = None
    jax: float | None = None


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


NETS = {
    "convolutional net, loops over the filter": """
def net_by_shifts(x, k1, k2, w):
    n = x.shape[0] - 2
    h = np.zeros((n, n, k1.shape[2]))
    for a in range(3):
        for b in range(3):
            h = h + x[a : a + n, b : b + n, np.newaxis] * k1[a, b]
    h = np.maximum(h, 0.0)
    h = 0.25 * (h[0::2, 0::2] + h[1::2, 0::2] + h[0::2, 1::2] + h[1::2, 1::2])
    m = h.shape[0] - 2
    g = np.zeros((m, m, k2.shape[3]))
    for a in range(3):
        for b in range(3):
            g = g + h[a : a + m, b : b + m] @ k2[a, b]
    g = np.tanh(g)
    logits = g.reshape(g.size) @ w
    return np.log(np.sum(np.exp(logits - np.max(logits)))) + np.max(logits) - logits[0]
""",
    "convolutional net, scalar loops": """
def net_by_loops(x, k1, k2, w):
    n = x.shape[0] - 2
    h = np.zeros((n, n, k1.shape[2]))
    for i in range(n):
        for j in range(n):
            for c in range(k1.shape[2]):
                s = 0.0
                for a in range(3):
                    for b in range(3):
                        s += x[i + a, j + b] * k1[a, b, c]
                h[i, j, c] = max(s, 0.0)
    m = n // 2 - 2
    pooled = np.zeros((n // 2, n // 2, k1.shape[2]))
    for i in range(n // 2):
        for j in range(n // 2):
            for c in range(k1.shape[2]):
                pooled[i, j, c] = max(h[2 * i, 2 * j, c], h[2 * i + 1, 2 * j, c], h[2 * i, 2 * j + 1, c])
    g = np.zeros((m, m, k2.shape[3]))
    for i in range(m):
        for j in range(m):
            for a in range(3):
                for b in range(3):
                    g[i, j] += pooled[i + a, j + b] @ k2[a, b]
    logits = np.tanh(g).reshape(m * m * k2.shape[3]) @ w
    return np.log(np.sum(np.exp(logits))) - logits[0]
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


def long() -> Iterator[Row]:
    """Two small convolutional nets, and long programs of `compile_time`."""
    from benchmarks import compile_time

    rng = np.random.default_rng(0)
    shapes = ((10, 10), (3, 3, 2), (3, 3, 2, 3), (12, 4))
    args = tuple(rng.normal(size=shape) for shape in shapes)
    for name, text in NETS.items():
        yield Row(name, function_of(text, text.split("(")[0].split()[1]), args, (1, 2, 3))
    ninety = function_of(compile_time.array_statements(45), "f")
    yield Row("ninety lines of array statements", ninety, (rng.normal(size=20),), (0,))
    yield Row("1,000 statements", function_of(compile_time.statements(1000), "f"), (0.3,), (0,))


def programs(files: list[str]) -> Iterator[Row]:
    """The programs of `benchmarks/programs`, and those of the files."""
    from benchmarks.pass_worth import programs as all_of_them

    for each in all_of_them(files):
        yield Row(each.name, each.function, each.arguments(), each.wrt)


def measured(row: Row, with_stored: bool = True, with_others: bool = True) -> Figures | str:
    """The figures of a row, or why there are none; `others` are Numba and JAX."""
    folder = tempfile.mkdtemp()
    found: Figures | str = _in_a_new_process(_gradient, row, folder)
    if isinstance(found, Figures) and with_stored:
        for each in Path(folder).iterdir():
            if not each.name.startswith("srcad_kernel_"):
                each.unlink()
        again = _in_a_new_process(_gradient, row, folder)
        found.stored = again.seconds if isinstance(again, Figures) else None
    if isinstance(found, Figures) and with_others:
        primal, jax = (_in_a_new_process(work, row, tempfile.mkdtemp()) for work in (_primal, _in_jax))
        found.primal = primal if isinstance(primal, float) else None
        found.jax = jax if isinstance(jax, float) else None
    return found


def _in_a_new_process(work: Callable[[Row], Any], row: Row, folder: str) -> Any:
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(sender, work, row, folder))
    process.start()
    found = receiver.recv() if receiver.poll(300) else "took more than 300 s"
    process.kill()
    process.join()
    return found


def _run(sender: Any, work: Callable[[Row], Any], row: Row, folder: str) -> None:
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


def _in_jax(row: Row) -> float:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    jax.block_until_ready(jax.jit(jax.grad(lambda x: jnp.sum(x * x)))(jnp.ones(3)))
    function = types.FunctionType(row.function.__code__, {**row.function.__globals__, "np": jnp})
    args = tuple(jnp.asarray(each) if isinstance(each, np.ndarray) else each for each in row.args)
    start = time.process_time()
    jax.block_until_ready(jax.jit(jax.grad(function, argnums=row.wrt))(*args))
    return time.process_time() - start


NOTED = Path(__file__).with_suffix(".json")


def checked(rows: list[Row], noted: dict[str, int], is_noting: bool) -> bool:
    """Whether no row takes twice the instructions that are noted for it; with `is_noting` they are noted anew."""
    passed = True
    for row in rows:
        figures = measured(row, with_stored=False, with_others=False)
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
    parser.add_argument("--gradients", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--note", action="store_true")
    given = parser.parse_args()
    import numba

    import srcad

    srcad.grad(function_of("def warm(x):\n    return np.sum(x * x)\n", "warm"))(np.ones(3))
    numba.njit(function_of("def cold(x):\n    return x + 1.0\n", "cold"))(1.0)
    rows = [*one_liners(), *short(), *long(), *programs(given.more)]
    if given.check or given.note:
        noted = json.loads(NOTED.read_text(encoding="utf-8"))
        sys.exit(not checked([each for each in rows if each.name in noted], noted, given.note))
    found: dict[str, Any] = {}
    for row in rows:
        if given.only and not any(each in row.name for each in given.only):
            continue
        figures = measured(row, with_others=not given.gradients)
        if isinstance(figures, str):
            print(f"{row.name:40} {figures}", flush=True)
            continue
        found[row.name] = asdict(figures)
        others = (figures.stored, figures.primal, figures.jax)
        stored, primal, jax = ("-" if each is None else f"{each:.2f}" for each in others)
        print(
            f"{row.name:40} {figures.seconds:6.2f} s, transform {figures.transform:5.2f}, LLVM {figures.llvm:6.2f}, "
            f"{figures.instructions:7} instructions, {figures.functions:4} functions, {figures.lines:4} lines, "
            f"stored {stored}, primal {primal}, jax {jax}",
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
