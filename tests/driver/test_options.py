"""Options go with a request to all that is made from it, and into the keys under which it is kept."""

import pickle

import numba
import numpy as np
import pytest

import srcad
from srcad.api.jacobian_and_hessian import Jacobian
from srcad.driver import pipeline
from srcad.driver.options import Options
from srcad.driver.passes import PASSES
from srcad.driver.version import Request, Version

X = np.array([0.4, -0.3, 1.1])


def chained(x):
    s = 1.0
    for i in range(x.size):
        s = s * np.sin(x[i]) + x[i] * x[i]
    return s


@pytest.fixture
def left_out(monkeypatch):
    """The choice of passes of each derivation."""
    seen, derive = [], pipeline.derive

    def noting(*args, without=(), **kwargs):
        seen.append(tuple(without))
        return derive(*args, without=without, **kwargs)

    monkeypatch.setattr(pipeline, "derive", noting)
    monkeypatch.setenv("SRCAD_CACHE_DIR", "/dev/null/none")
    return seen


def calls():
    """Every way to a derivative of a function, of which nothing has been made yet, without a pass."""

    def chained(x):
        s = 1.0
        for i in range(x.size):
            s = s * np.sin(x[i]) + x[i] * x[i]
        return s

    def vector(x):
        return np.exp(x) * x

    how = {"jit": False, "without": "iteration_local_reversal"}
    direction = np.ones(3)
    return {
        "grad": lambda: srcad.grad(chained, **how)(X),
        "value_and_grad": lambda: srcad.value_and_grad(chained, **how)(X),
        "hvp": lambda: srcad.hvp(chained, **how)(X, direction),
        "hessian": lambda: srcad.hessian(chained, **how)(X),
        "jacobian": lambda: srcad.jacobian(vector, **how)(X),
        "columns": lambda: srcad.jacobian(vector, mode="forward", **how)(X),
        "vjp": lambda: srcad.vjp(chained, X, **how)[1](1.0),
        "vjp wrt": lambda: srcad.vjp(chained, X, wrt=0, **how)[1](1.0),
        "jvp": lambda: srcad.jvp(chained, (X,), (direction,), **how),
        "grad of grad": lambda: srcad.grad(srcad.grad(lambda x: np.sin(x) * x, jit=False), **how)(0.3),
        "check_grads": lambda: srcad.check_grads(chained, (X,), **how),
        "structures": lambda: srcad.grad(lambda p: p["a"] * p["b"], **how)({"a": 1.0, "b": 2.0}),
        "tape": lambda: taped(srcad.function(chained, **how)),
        "grad of a function": lambda: srcad.grad(srcad.function(chained, **how), jit=False)(X),
    }


def taped(f):
    x = srcad.Variable(X)
    with srcad.GradientTape(persistent=True) as tape:
        y = f(x)
    return tape.gradient(y, x), tape.hessian(y, x)


@pytest.mark.parametrize("way", calls())
def test_every_way_to_a_derivative_hands_the_choice_of_passes_on(way, left_out):
    calls()[way]()
    assert left_out
    assert set(left_out) == {("iteration_local_reversal",)}


def test_a_choice_of_passes_has_generated_code_of_its_own():
    def text(**how):
        slope = srcad.grad(chained, jit=False, **how)
        slope(X)
        ((module, _),) = slope._version._modules.values()
        return module.__name__

    assert text() != text(without="forward_substitution")
    assert text(without=("forward_substitution", "cse_and_licm")) == text(without="cse_and_licm,forward_substitution")


def test_a_function_keeps_its_options_and_others_are_added():
    f = srcad.function(chained, without="cse_and_licm", fastmath=True)
    assert f.options == Options(("cse_and_licm",), True)
    assert pickle.loads(pickle.dumps(f)).options == f.options
    assert srcad.function(f) is f
    assert srcad.function(f, without="forward_substitution").options == Options(
        ("cse_and_licm", "forward_substitution"), True
    )
    assert srcad.grad(f, without="forward_substitution").request.options == Options(
        ("cse_and_licm", "forward_substitution"), True
    )
    assert isinstance(srcad.jacobian(f), Jacobian)
    assert srcad.jacobian(f).options == f.options


def test_a_request_is_written_the_same_in_every_process():
    passes = [*reversed(PASSES)]
    assert repr(Request("grad", (0,), options=Options.of(passes))) == repr(
        Request("grad", (0,), options=Options.of(PASSES))
    )


def summed(x):
    s = 0.0
    for i in range(x.size):
        s += x[i] * x[i] * x[i]
    return s


FAST = numba.njit(fastmath=True)(summed)
KIND = numba.float64[::1]
ASKED = {
    "njit": (FAST, {}, True),
    "some of it": (numba.njit(fastmath={"contract"})(summed), {}, {"contract"}),
    "function": (summed, {"fastmath": True}, True),
    "function of njit": (FAST, {}, True),
    "switched off": (FAST, {"fastmath": False}, False),
    "plain": (summed, {}, False),
}


@pytest.mark.parametrize("way", ASKED)
@pytest.mark.parametrize("mode", ["core", "grad", "vjp", "tangent", "hvp"])
def test_fastmath_reaches_everything_that_is_compiled_of_a_function(way, mode):
    given, how, expected = ASKED[way]
    f = srcad.function(given, **how) if how or way == "function of njit" else given
    wrt = () if mode == "core" else (0,)
    version = Version(f, Request(mode, wrt, options=Options.of(function=f)))
    dispatchers = version.compiled((KIND,))
    assert dispatchers
    for each in dispatchers:
        assert each.targetoptions.get("fastmath", False) == expected


@pytest.mark.compiled
@pytest.mark.parametrize("expected", [True, False])
def test_machine_code_of_a_gradient_of_fastmath_is_of_fast_operations(expected, monkeypatch):
    monkeypatch.setenv("SRCAD_CACHE_DIR", "/dev/null/none")
    slope = srcad.grad(srcad.function(summed, fastmath=expected))
    np.testing.assert_allclose(slope(X), 3.0 * X * X, rtol=1e-14)
    ((dispatcher,),) = slope._version._by_module.values()
    (code,) = dispatcher.inspect_llvm().values()
    assert ("fmul fast" in code) == expected


def test_a_function_with_fastmath_is_pulled_back_with_it():
    f = srcad.function(chained, fastmath=True)
    (x,) = (srcad.Variable(X),)
    with srcad.GradientTape() as tape:
        y = f(x)
    np.testing.assert_allclose(tape.gradient(y, x), srcad.grad(chained, jit=False)(X), rtol=1e-12)
    (made,) = f._pairs.values()
    assert made.pair.version.request.options.fastmath
