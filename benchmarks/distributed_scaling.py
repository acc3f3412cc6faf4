"""How gradients over several processes scale: measured costs of a chunk, and a projection to many workers.

python -m benchmarks.distributed_scaling > docs/distributed_scaling.md
"""

import pickle
import time
from math import ceil, log2
from statistics import median

import numpy as np

from srcad.distributed import map_gradient
from srcad.distributed.chunk_task import ChunkTask
from srcad.distributed.fixed_tree import added
from srcad.distributed.sample_functions import network_error

BANDWIDTH, LATENCY = 1e9, 0.5e-3  # assumed of a network: bytes in a second, seconds for a message
DISPATCH = 1e-3  # assumed of a scheduler: seconds for a task
CHUNKS = 10_000
WORKERS = (1, 2, 10, 100, 1000)
SIZES = ((32, 2_000), (128, 20_000), (512, 20_000), (512, 400_000))

HEAD = """# How distributed gradients scale

Written by `python -m benchmarks.distributed_scaling`. The gradient of a network with one hidden layer, over chunks of
rows, by [`srcad.distributed.map_gradient`](how_to/over_several_machines.md).

## Measured

On one machine with two cores that other programs use as well. So what is given for a chunk is the processor time of the
process that computes it, the median of several; bytes are those of the pickled parameters and gradient, which each task
moves.

| parameters | rows in a chunk | gradient of a chunk | sum of two gradients | to a worker | from a worker |
|---|---|---|---|---|---|
"""
BETWEEN = f"""
Two processes gave the gradient of one process, bit for bit, in each of these cases.

## Projected

For n chunks and W workers of Dask, which add up gradients where they are, with the measured seconds c of a chunk and a
of a sum, the measured bytes p to a worker and g from one:

    T(W) = max(n d, ceil(n / W) (c + a + p / B)) + ceil(log2(min(n, W))) (a + g / B + L)

A task is dispatched in d = {1e3 * DISPATCH:g} ms, the network moves B = {BANDWIDTH / 1e9:g} GB a second, with
L = {1e3 * LATENCY:g} ms for a message. These three are assumptions; the rest is measured. The first term is what the
scheduler or the busiest worker takes, the second one the tree of sums between workers. n = {CHUNKS:,}; in brackets
T(1) / T(W).

"""
LAST = """
Where n d is the larger part, workers are idle, since a scheduler cannot dispatch tasks any faster: with 1,000 workers,
make chunks that take a second or more. A pool of processes (`workers=2`) has its sums added by the calling process,
which takes n a.
"""


def processor_time(function, *args, repeats=5):
    """The median processor time of a call, in seconds."""
    function(*args)
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function(*args)
        times.append(time.process_time() - start)
    return median(times)


def measured(width, rows):
    """Seconds for a chunk and for a sum, bytes to and from a worker."""
    rng = np.random.default_rng(0)
    parameters = {"in": rng.normal(size=(8, width)), "out": rng.normal(size=width)}
    chunks = [(rng.normal(size=(rows, 8)), rng.normal(size=rows)) for _ in range(3)]
    task = ChunkTask(network_error, 0, True)
    found = task((parameters,), chunks[0])
    chunk = processor_time(task, (parameters,), chunks[0])
    total = processor_time(lambda: [added(found, found) for _ in range(20)]) / 20
    one = map_gradient(network_error, chunks, value=True)(parameters)
    with map_gradient(network_error, chunks, value=True, workers=2, timeout=300.0) as gradient:
        two = gradient(parameters)
    assert pickle.dumps(one) == pickle.dumps(two)
    given = len(pickle.dumps((task, (parameters,))))
    return chunk, total, given, len(pickle.dumps(found))


def projected(workers, chunk, total, given, found):
    """The seconds for all chunks."""
    busiest = ceil(CHUNKS / workers) * (chunk + total + given / BANDWIDTH)
    tree = ceil(log2(min(CHUNKS, workers))) if workers > 1 else 0
    return max(CHUNKS * DISPATCH, busiest) + tree * (total + found / BANDWIDTH + LATENCY)


def main():
    """Print the page."""
    rows = [(8 * width + width, count, *measured(width, count)) for width, count in SIZES]
    print(HEAD, end="")
    for parameters, count, chunk, total, given, found in rows:
        moved = f"{given / 1e3:.1f} kB | {found / 1e3:.1f} kB"
        print(f"| {parameters:,} | {count:,} | {1e3 * chunk:.2f} ms | {1e6 * total:.0f} µs | {moved} |")
    print(BETWEEN, end="")
    print("| parameters | rows in a chunk |" + "".join(f" {each:,} worker{'s' * (each > 1)} |" for each in WORKERS))
    print("|---|---|" + "---|" * len(WORKERS))
    for parameters, count, *costs in rows:
        times = [projected(each, *costs) for each in WORKERS]
        cells = "".join(f" {each:.3g} s ({times[0] / each:.0f}) |" for each in times)
        print(f"| {parameters:,} | {count:,} |{cells}")
    print(LAST, end="")


if __name__ == "__main__":
    main()
