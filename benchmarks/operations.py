"""What the tape adds to each NumPy function that has a derivative rule, as a Markdown table.

    python benchmarks/operations.py [--quick] [--above] [name ...]

For each function the time of NumPy alone, what recording adds to it, and the time of its reverse, on 64 numbers and,
of elementwise functions, on one number. A time is the least of many, which take turns. `--above` leaves out what keeps
to its target: 3 us for recording, 5 us for the reverse. Functions without a call below are named at the end.
"""

from __future__ import annotations

import argparse
import gc
import math
import timeit
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import srcad
from srcad.errors import SrcadError
from srcad.runtime.rulebook.registry import primitives, variants
from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.runtime.tape.core.reverse_sweep import Sweep
from srcad.runtime.tape.core.tensor import Tensor, tensor_of

CALLS = 20  # in one run
RECORDING, REVERSE = 3.0, 5.0  # microseconds
Step = Callable[[Any], Any]

_RANDOM = np.random.default_rng(0)
V = np.linspace(0.1, 0.9, 64)
W = _RANDOM.uniform(0.2, 0.8, 64)
EIGHT = W[:8].copy()
A = _RANDOM.normal(size=(8, 8)) + 4.0 * np.eye(8)
B = _RANDOM.normal(size=(8, 8))
S = A @ A.T
HOLED = np.where(np.arange(64) == 3, np.nan, V)
ORDER = np.argsort(W)
COLUMNS = np.argsort(B, axis=1)
HALVES = (V > 0.7, V > 0.4)

# function -> the argument that is watched, and the call
MATRIX: dict[Any, Step] = {
    np.linalg.cholesky: np.linalg.cholesky,
    np.linalg.cond: np.linalg.cond,
    np.linalg.det: np.linalg.det,
    np.linalg.eigh: lambda a: np.linalg.eigh(a)[0],
    np.linalg.eigvalsh: np.linalg.eigvalsh,
    np.linalg.inv: np.linalg.inv,
    np.linalg.lstsq: lambda a: np.linalg.lstsq(a, EIGHT, rcond=None)[0],
    np.linalg.matmul: lambda a: np.linalg.matmul(a, B),
    np.linalg.matrix_norm: np.linalg.matrix_norm,
    np.linalg.matrix_power: lambda a: np.linalg.matrix_power(a, 3),
    np.linalg.multi_dot: lambda a: np.linalg.multi_dot([a, B, B]),
    np.linalg.pinv: np.linalg.pinv,
    np.linalg.qr: lambda a: np.linalg.qr(a)[1],
    np.linalg.slogdet: lambda a: np.linalg.slogdet(a)[1],
    np.linalg.solve: lambda a: np.linalg.solve(a, EIGHT),
    np.linalg.svd: lambda a: np.linalg.svd(a, full_matrices=False)[1],
    np.linalg.svdvals: np.linalg.svdvals,
    np.linalg.tensordot: lambda a: np.linalg.tensordot(a, B, axes=1),
    np.linalg.vecdot: lambda a: np.linalg.vecdot(a, B),
    np.block: lambda a: np.block([[a, B], [B, a]]),
    np.corrcoef: np.corrcoef,
    np.cov: np.cov,
    np.fft.fft2: lambda a: np.real(np.fft.fft2(a)),
    np.fft.ifft2: lambda a: np.real(np.fft.ifft2(a)),
    np.kron: lambda a: np.kron(a, B[:2, :2]),
    np.matmul: lambda a: np.matmul(a, B),
    np.matvec: lambda a: np.matvec(a, EIGHT),
    np.take_along_axis: lambda a: np.take_along_axis(a, COLUMNS, 1),
    np.tensordot: lambda a: np.tensordot(a, B, 1),
    np.vecmat: lambda a: np.vecmat(EIGHT, a),
    **{
        f: lambda a, f=f: f(a)
        for f in (
            *(np.diag, np.diagonal, np.fliplr, np.flipud, np.linalg.diagonal, np.linalg.matrix_transpose),
            *(np.linalg.trace, np.matrix_transpose, np.rot90, np.trace, np.transpose, np.tril, np.triu, np.ravel),
        )
    },
    **{f: lambda a, f=f: f(a, 0, 1) for f in (np.moveaxis, np.swapaxes)},
}
VECTOR: dict[Any, Step] = {
    np.angle: lambda x: np.angle(x * 1j),
    np.append: lambda x: np.append(x, W),
    np.apply_along_axis: lambda x: np.apply_along_axis(np.sum, 0, x),
    np.astype: lambda x: np.astype(x, np.float32),
    np.average: lambda x: np.average(x, weights=W),
    np.bincount: lambda x: np.bincount(ORDER, x),
    np.broadcast_to: lambda x: np.broadcast_to(x, (2, 64)),
    np.choose: lambda x: np.choose(ORDER % 2, [x, W]),
    np.clip: lambda x: np.clip(x, 0.3, 0.8),
    np.column_stack: lambda x: np.column_stack([x, W]),
    np.compress: lambda x: np.compress(HALVES[0], x),
    np.concatenate: lambda x: np.concatenate([x, W]),
    np.convolve: lambda x: np.convolve(x, EIGHT),
    np.correlate: lambda x: np.correlate(x, EIGHT),
    np.delete: lambda x: np.delete(x, 3),
    np.divmod: lambda x: np.divmod(x, 0.3)[1],
    np.dstack: lambda x: np.dstack([x, W]),
    np.einsum: lambda x: np.einsum("i,i->", x, W),
    np.expand_dims: lambda x: np.expand_dims(x, 0),
    np.extract: lambda x: np.extract(HALVES[0], x),
    np.fft.fft: lambda x: np.real(np.fft.fft(x)),
    np.fft.ifft: lambda x: np.real(np.fft.ifft(x)),
    np.fft.rfft: lambda x: np.real(np.fft.rfft(x)),
    np.histogram: lambda x: np.histogram(W, 4, (0.0, 1.0), weights=x)[0],
    np.hstack: lambda x: np.hstack([x, W]),
    np.insert: lambda x: np.insert(x, 3, 0.5),
    np.interp: lambda x: np.interp(x, V, W),
    np.ldexp: lambda x: np.ldexp(x, 2),
    np.linalg.vector_norm: np.linalg.vector_norm,
    np.meshgrid: lambda x: np.meshgrid(x, EIGHT)[0],
    np.modf: lambda x: np.modf(x)[0],
    np.nanmax: np.nanmax,
    np.pad: lambda x: np.pad(x, 1),
    np.percentile: lambda x: np.percentile(x, 30.0),
    np.polyfit: lambda x: np.polyfit(V, x, 2),
    np.polyval: lambda x: np.polyval([0.5, 0.2, 0.1], x),
    np.quantile: lambda x: np.quantile(x, 0.3),
    np.repeat: lambda x: np.repeat(x, 2),
    np.reshape: lambda x: np.reshape(x, (8, 8)),
    np.roll: lambda x: np.roll(x, 1),
    np.select: lambda x: np.select(HALVES, [x, W]),
    np.squeeze: np.squeeze,
    np.stack: lambda x: np.stack([x, W]),
    np.take: lambda x: np.take(x, ORDER),
    np.tile: lambda x: np.tile(x, 2),
    np.trapezoid: np.trapezoid,
    np.vander: lambda x: np.vander(x, 3),
    np.vstack: lambda x: np.vstack([x, W]),
    np.where: lambda x: np.where(HALVES[0], x, W),
    **{f: lambda x, f=f: f(x, W) for f in (np.dot, np.inner, np.linalg.outer, np.outer, np.vdot, np.vecdot)},
    **{f: lambda x, f=f: f(x, W) for f in (np.add.outer, np.multiply.outer, np.subtract.outer)},
}
OTHERS: dict[Any, tuple[Any, Step]] = {
    np.arccosh: (V + 1.5, np.arccosh),
    np.cross: (W[:3], lambda x: np.cross(x, V[:3])),
    np.diagflat: (EIGHT, np.diagflat),
    np.fft.irfft: (V, np.fft.irfft),
    **{f: (np.float64(0.7), lambda x, f=f: f(x, 2.0, 8)) for f in (np.geomspace, np.linspace, np.logspace)},
    np.linalg.cross: (W[:3], lambda x: np.linalg.cross(x, V[:3])),
    np.unwrap: (V * 20.0, np.unwrap),
    np.nansum: (HOLED, np.nansum),
    np.nanmean: (HOLED, np.nanmean),
}
# These make plain arrays, which no tape follows, or refuse tensors.
PLAIN = (
    *(np.arange, np.array, np.asarray, np.ascontiguousarray, np.asfortranarray),
    *(np.float32, np.float64, np.full, np.full_like),
)
# The same functions in other calls that matter.
MORE: dict[str, tuple[Any, Step]] = {
    "a + 1.0": (V, lambda a: a + 1.0),
    "a * a": (V, lambda a: a * a),
    "a[3]": (V, lambda a: a[3]),
    "a[2:9]": (V, lambda a: a[2:9]),
    "a[index]": (V, lambda a: a[ORDER]),
    "a[mask]": (V, lambda a: a[HALVES[0]]),
    "a @ w": (V, lambda a: a @ W),
    "a @ b": (A, lambda a: a @ B),
    "a ** 2": (V, lambda a: a**2),
    "a.sum()": (V, lambda a: a.sum()),
    "a.T": (A, lambda a: a.T),
    "np.einsum('ij,jk->ik', a, b)": (A, lambda a: np.einsum("ij,jk->ik", a, B)),
    "np.linalg.norm(a, ord=1)": (V, lambda a: np.linalg.norm(a, ord=1)),
    "np.max(a, axis=1)": (A, lambda a: np.max(a, axis=1)),
    "np.mean(a, axis=1)": (A, lambda a: np.mean(a, axis=1)),
    "np.sum(a, axis=1)": (A, lambda a: np.sum(a, axis=1)),
    "np.sum(a, where=mask)": (V, lambda a: np.sum(a, where=HALVES[0])),
    "np.split(a, 2)[0]": (V, lambda a: np.split(a, 2)[0]),
    "np.linalg.solve(a, b)": (A, lambda a: np.linalg.solve(a, B)),
}


def rows(names: Sequence[str]) -> Iterator[tuple[str, Any, Step]]:
    """A title, a value and a call for each function in the tables, in the order of their names."""
    for function in sorted(_functions(), key=primitive_name):
        name = primitive_name(function)
        if names and name not in names:
            continue
        if function in OTHERS:
            yield name, *OTHERS[function]
        elif function in MATRIX:
            yield name, S if function is np.linalg.cholesky else A, MATRIX[function]
        elif isinstance(function, np.ufunc) and function not in VECTOR:
            for title, value, other in ((name, V, W), (f"{name}, scalar", np.float64(0.7), np.float64(0.4))):
                if function.nin == 1:
                    yield title, value, function
                else:
                    yield title, value, lambda x, function=function, other=other: function(x, other)
        else:
            yield name, V, VECTOR.get(function, function)
    for title in sorted(MORE):
        if not names or title in names:
            yield title, *MORE[title]


def _functions() -> list[Any]:
    """NumPy's functions whose derivative is not zero throughout."""
    return [
        each
        for each in primitives()
        if primitive_name(each).startswith("np.")
        and each not in PLAIN
        and not (variants(each) and all(rule.kind == "zero" for rule in variants(each)))
    ]


class Case:
    """One call: what is run for its times, and the least times so far."""

    def __init__(self, title: str, value: Any, step: Step) -> None:
        self.title = title
        watched = srcad.constant(value)
        many = [srcad.constant(value) for _ in range(CALLS)]
        with srcad.GradientTape(persistent=True) as tape:
            tape.watch(many)
            results = [step(each) for each in many]
        seeds = [tensor_of(np.ones_like(each._value)[()]) for each in results]
        recording = tape._recording

        def alone() -> None:
            for _ in range(CALLS):
                step(value)

        def taped(step: Step = step) -> None:
            with srcad.GradientTape() as tape:
                tape.watch(watched)
                for _ in range(CALLS):
                    step(watched)

        def backwards() -> None:
            Sweep(recording, results, many, seeds).run(seeds)

        self.runs = (alone, taped, lambda: taped(_nothing), backwards)
        self.least = [math.inf] * len(self.runs)
        self.run()
        self.least = [math.inf] * len(self.runs)

    def run(self) -> None:
        """Run all once more."""
        self.least = [
            min(known, timeit.timeit(run, number=1)) for known, run in zip(self.least, self.runs, strict=True)
        ]

    def times(self) -> tuple[float, float, float]:
        """Microseconds: of the call on arrays, what recording adds, and of its reverse."""
        bare, with_tape, empty, reverse = [1e6 * each / CALLS for each in self.least]
        return bare, with_tape - empty - bare, reverse


def _nothing(x: Tensor) -> None:
    """What is recorded to find out what a tape itself costs."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few repetitions: to see that it runs")
    parser.add_argument("--above", action="store_true", help="only what is above its target")
    parser.add_argument("--rounds", type=int, default=60, help="repetitions, by three")
    parser.add_argument("names", nargs="*", help="functions, such as np.sin; all if none is given")
    options = parser.parse_args()
    refused, cases, count = [], [], [0, 0, 0]
    gc.disable()
    with np.errstate(all="ignore"):
        for title, value, step in rows(options.names):
            try:
                cases.append(Case(title, value, step))
            except (TypeError, SrcadError) as error:
                refused.append(f"{title}: {str(error).partition(chr(10))[0]}")
        # Rounds over all calls, so that each meets the machine's quiet moments.
        for _ in range(1 if options.quick else options.rounds):
            for case in cases:
                for _ in range(3):
                    case.run()
    print("| | NumPy (us) | recording adds (us) | reverse (us) |\n|---|---|---|---|")
    for case in cases:
        bare, recording, reverse = case.times()
        over = recording > RECORDING, reverse > REVERSE
        count = [count[0] + 1, count[1] + over[0], count[2] + over[1]]
        if any(over) or not options.above:
            print(f"| {case.title} | {bare:.1f} | {recording:.1f} | {reverse:.1f} |")
    print(f"\n{count[0]} calls: {count[1]} above {RECORDING:g} us recording, {count[2]} above {REVERSE:g} us reverse")
    for line in refused:
        print(f"not measured: {line}")


if __name__ == "__main__":
    main()
