"""What a call through each bridge costs, beside srcad's own and beside an empty function of the same library.

    python -m benchmarks.bridges torch jax tensorflow pytensor scipy

The function is a loop over ten elements. Times are microseconds, the least of many short batches; `own` is srcad's own
call, `empty` a custom function of the library that returns a constant, with an empty derivative.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import srcad

X = np.linspace(0.0, 1.0, 10)
Row = tuple[str, Callable[[], Any], Callable[[], Any]]


def energy(x, k):
    """A loop over ten elements."""
    total = 0.0
    for i in range(x.shape[0]):
        total += k * x[i] * x[i] + np.sin(x[i])
    return total


def microseconds(run: Callable[[], Any], number: int = 20, batches: int = 400) -> float:
    """The time of a call: the least of the means of short batches, which other processes seldom interrupt."""
    run()
    best = float("inf")
    for _ in range(batches):
        start = time.perf_counter()
        for _ in range(number):
            run()
        best = min(best, (time.perf_counter() - start) / number)
    return 1e6 * best


def in_torch() -> Iterator[Row]:
    """Calls of PyTorch's."""
    import torch

    from srcad.bridges.torch import as_function

    torch.set_num_threads(1)
    one, zeros = torch.tensor(1.0, dtype=torch.float64), torch.zeros(10, dtype=torch.float64)

    class Empty(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return one.clone()

        @staticmethod
        def backward(ctx: Any, bar: Any) -> Any:
            assert ctx.saved_tensors
            return zeros.clone()

    layer, plain = as_function(energy), torch.from_numpy(X.copy())
    x = plain.clone().requires_grad_()
    yield "value", lambda: layer(plain, 2.0), lambda: Empty.apply(plain)
    yield (
        "value and gradient",
        lambda: torch.autograd.grad(layer(x, 2.0), x),
        lambda: torch.autograd.grad(Empty.apply(x), x),
    )


def in_jax() -> Iterator[Row]:
    """Calls of JAX's, under `jit`; the empty function calls back by `jax.pure_callback`."""
    import jax

    from srcad.bridges.jax import as_primitive

    jax.config.update("jax_enable_x64", True)
    number, vector = jax.ShapeDtypeStruct((), np.float64), jax.ShapeDtypeStruct((10,), np.float64)
    one, zeros = np.array(1.0), np.zeros(10)

    @jax.custom_vjp
    def empty(x: Any, k: Any) -> Any:
        return jax.pure_callback(lambda x, k: one, number, x, k)

    def pulled(given: Any, bar: Any) -> Any:
        return jax.pure_callback(lambda x, k, bar: zeros, vector, *given, bar), 0.0

    empty.defvjp(lambda x, k: (empty(x, k), (x, k)), pulled)
    bridge, x = as_primitive(energy), jax.numpy.asarray(X)

    def ready(f: Callable[..., Any]) -> Callable[[], Any]:
        run = jax.jit(lambda x: f(x, 2.0))
        return lambda: jax.block_until_ready(run(x))

    yield "value", ready(bridge), ready(empty)
    yield "gradient", ready(jax.grad(bridge)), ready(jax.grad(empty))
    yield "value and gradient", ready(jax.value_and_grad(bridge)), ready(jax.value_and_grad(empty))


def in_tensorflow() -> Iterator[Row]:
    """Eager calls of TensorFlow's."""
    import tensorflow as tf

    from srcad.bridges.tensorflow import as_function

    one, zeros = tf.constant(1.0, tf.float64), tf.zeros(10, tf.float64)

    @tf.custom_gradient
    def empty(x: Any) -> Any:
        return tf.identity(one), lambda bar: tf.identity(zeros)

    layer, x = as_function(energy), tf.constant(X)

    def gradient(f: Callable[..., Any]) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    yield "value", lambda: layer(x, 2.0), lambda: empty(x)
    yield "value and gradient", lambda: gradient(lambda x: layer(x, 2.0)), lambda: gradient(empty)


def in_pytensor() -> Iterator[Row]:
    """Functions that PyTensor's Numba backend compiles; the empty one returns what it is given."""
    import pytensor
    import pytensor.tensor as pt

    from srcad.bridges.pytensor import as_op

    x = pt.dvector("x")
    value = as_op(energy)(x, 2.0)
    for name, outputs in (("value", [value]), ("value and gradient", [value, pytensor.grad(value, x)])):
        run = pytensor.function([x], outputs, mode="NUMBA", trust_input=True)
        empty = pytensor.function([x], [x] * len(outputs), mode="NUMBA", trust_input=True)
        yield name, lambda run=run: run(X), lambda empty=empty: empty(X)


def in_scipy() -> Iterator[Row]:
    """The function that SciPy's solvers are given, of a vector or a structure. The empty one is srcad's own call."""
    from srcad.bridges.scipy import Objective

    own = srcad.value_and_grad(energy)
    vector = Objective(energy, X, args=(2.0,))
    parts = Objective(lambda p, k: energy(p["x"], k), {"x": X}, args=(2.0,))
    yield "value and gradient, a vector", lambda: vector.value_and_gradient(X), lambda: own(X, 2.0)
    yield "value and gradient, a structure", lambda: parts.value_and_gradient(X), lambda: own(X, 2.0)


LIBRARIES = {"torch": in_torch, "jax": in_jax, "tensorflow": in_tensorflow, "pytensor": in_pytensor, "scipy": in_scipy}


def main() -> None:
    """Print the table for the libraries that are named in the command."""
    own = srcad.value_and_grad(energy)
    print(f"own: {microseconds(lambda: own(X, 2.0)):.1f}")
    print("| library | call | bridge | empty |\n|---|---|---|---|")
    for library in sys.argv[1:] or LIBRARIES:
        for name, run, empty in LIBRARIES[library]():
            print(f"| {library} | {name} | {microseconds(run):.1f} | {microseconds(empty):.1f} |", flush=True)


if __name__ == "__main__":
    main()
