"""SciPy's solvers by the bridge, against SciPy's own with derivatives written by hand or differences."""

import numpy as np
import pytest
import scipy.optimize
from scipy.integrate import solve_ivp as scipys_solve_ivp

import srcad
from srcad.bridges.scipy import Objective, least_squares, minimize, root, solve_ivp

T = np.linspace(0.0, 4.0, 9)


def rosenbrock(x, a):
    total = 0.0
    for i in range(x.shape[0] - 1):
        total += a * (x[i + 1] - x[i] * x[i]) ** 2 + (1.0 - x[i]) ** 2
    return total


def shared(p, a):
    """The same function of a structure."""
    return a * (p["y"][0] - p["x"] * p["x"]) ** 2 + (1.0 - p["x"]) ** 2


def decay(p, t):
    return p["a"] * np.exp(-p["k"] * t) - 3.0 * np.exp(-0.5 * t)


@pytest.fixture(scope="module")
def objective():
    return Objective(shared, {"x": 0.5, "y": np.array([2.0])}, args=(100.0,), jit=False)


def test_an_objective_has_scipys_derivatives_of_rosenbrocks_function(objective):
    x, p = np.array([0.5, 2.0]), np.array([0.3, -0.7])
    value, gradient = objective.value_and_gradient(x)
    assert value == objective.value(x) == scipy.optimize.rosen(x)
    expected = scipy.optimize.rosen_der(x)
    assert np.allclose(gradient, expected, rtol=1e-14)
    assert np.allclose(objective.gradient(x), expected, rtol=1e-14)
    assert np.allclose(objective.hvp(x, p), scipy.optimize.rosen_hess_prod(x, p), rtol=1e-13)
    assert np.allclose(objective.hessian(x), scipy.optimize.rosen_hess(x), rtol=1e-13)


def test_an_objective_of_a_vector_has_them_too():
    objective, x = Objective(rosenbrock, [0.5, 2.0, -1.0], args=100.0, jit=False), np.array([0.5, 2.0, -1.0])
    assert np.allclose(objective.gradient(x), scipy.optimize.rosen_der(x), rtol=1e-14)
    assert np.allclose(objective.hessian(x), scipy.optimize.rosen_hess(x), rtol=1e-13)
    assert np.allclose(objective.hvp(x, x), scipy.optimize.rosen_hess_prod(x, x), rtol=1e-13)


@pytest.mark.parametrize(
    "method",
    [
        "L-BFGS-B",
        "Newton-CG",
        "trust-exact",
        "Powell",
        *[
            pytest.param(each, marks=pytest.mark.nightly)
            for each in (None, "SLSQP", "TNC", "trust-ncg", "trust-krylov")
        ],
    ],
)
def test_every_method_finds_the_minimum(method):
    found = minimize(shared, {"x": 0.2, "y": np.array([0.7])}, (100.0,), method, jit=False)
    assert found.x["x"] == pytest.approx(1.0, abs=5e-3)
    assert found.x["y"] == pytest.approx(1.0, abs=1e-2)


def test_bounds_and_constraints_are_on_the_structure():
    start, seen = {"x": 0.0, "y": np.array([0.0])}, []
    bounded = minimize(shared, start, (100.0,), bounds={"x": (None, 0.5), "y": None}, callback=seen.append, jit=False)
    assert bounded.x["x"] == 0.5
    assert bounded.x["y"][0] == pytest.approx(0.25, abs=1e-4)
    assert set(seen[-1]) == {"x", "y"}
    disc = {"type": "ineq", "fun": lambda p: 1.0 - p["x"] ** 2 - p["y"][0] ** 2}
    tube = scipy.optimize.NonlinearConstraint(lambda p: p["x"] ** 2 + p["y"][0] ** 2, -np.inf, 1.0)
    for method, constraint in (("SLSQP", disc), ("SLSQP", [disc]), ("trust-constr", tube)):
        found = minimize(shared, start, (100.0,), method, constraints=constraint, jit=False)
        assert [found.x["x"], found.x["y"][0]] == pytest.approx([0.78641515, 0.61769831], abs=1e-4)


def test_callbacks_by_keyword_get_the_structure():
    seen = []

    def told(intermediate_result):
        seen.append(intermediate_result.x["x"])

    minimize(shared, {"x": 0.0, "y": np.zeros(1)}, (100.0,), "L-BFGS-B", callback=told, jit=False)
    assert seen[-1] == pytest.approx(1.0, abs=1e-4)


def test_a_function_that_overwrites_its_argument_leaves_scipys_vector_alone():
    def f(x):
        x[0] = x[0] * x[1]
        return (x[0] - 2.0) ** 2 + (x[1] - 1.0) ** 2

    for method in (None, "Powell"):
        assert minimize(f, [1.0, 2.0], method=method, jit=False).x == pytest.approx([2.0, 1.0], abs=1e-4)

    def residuals(x):
        x[0] = x[0] * x[1]
        return x - np.array([2.0, 1.0])

    assert least_squares(residuals, [1.0, 2.0], jit=False).x == pytest.approx([2.0, 1.0])


@pytest.mark.parametrize("method", ["trf", "dogbox", "lm"])
def test_least_squares_fits_a_structure(method):
    found = least_squares(decay, {"a": 1.0, "k": 1.0}, args=(T,), method=method, jit=False)
    assert (found.x["a"], found.x["k"]) == pytest.approx((3.0, 0.5))
    assert set(found.grad) == {"a", "k"}


def test_least_squares_takes_bounds_and_tuples_of_residuals():
    def two(p, t):
        return decay(p, t)[:3], decay(p, t)[3:].reshape(2, 3)

    found = least_squares(two, {"a": 1.0, "k": 1.0}, bounds={"a": (0.0, 2.0), "k": None}, args=(T,), jit=False)
    expected = scipy.optimize.least_squares(
        lambda p: decay({"a": p[0], "k": p[1]}, T), [1.0, 1.0], bounds=([0.0, -np.inf], [2.0, np.inf])
    ).x
    assert (found.x["a"], found.x["k"]) == pytest.approx(tuple(expected), rel=1e-4)


def test_a_sparse_jacobian_is_given_to_scipy():
    def chain(x):
        r = np.zeros(x.shape[0])
        for i in range(x.shape[0]):
            r[i] = x[i] ** 2 - i - 1.0 + (0.1 * x[i - 1] if i else 0.0)
        return r

    pattern = np.eye(6) + np.eye(6, k=-1)
    start = np.full(6, 2.0)
    sparse = least_squares(chain, start, jac_sparsity=pattern, jit=False)
    assert np.allclose(chain(sparse.x), 0.0, atol=1e-8)
    dense = Objective(chain, start, jit=False)
    assert np.allclose(dense.sparse_jacobian(pattern)(start).toarray(), dense.jacobian(start), rtol=1e-14)


@pytest.mark.parametrize("method", ["hybr", "lm", "krylov"])
def test_root_solves_for_a_structure(method):
    def crossing(p):
        return p["x"] - np.cos(p["y"][0]), np.array([p["y"][0] - p["x"]])

    found = root(crossing, {"x": 1.0, "y": np.ones(1)}, method=method, jit=False)
    assert (found.x["x"], found.x["y"][0]) == pytest.approx((0.7390851332, 0.7390851332), abs=1e-5)


def robertson(t, y, k):
    slow, fast = k * y["a"], 1e2 * y["b"] * y["c"]
    return {"c": slow - fast, "a": -slow + fast, "b": np.zeros(1)[0] * y["b"]}


@pytest.mark.parametrize(
    "method", ["RK45", "BDF", *[pytest.param(n, marks=pytest.mark.nightly) for n in ("Radau", "LSODA")]]
)
def test_solve_ivp_solves_in_a_structure_whatever_the_order_of_keys(method):
    def flat(t, y, k):
        return [-k * y[0] + 1e2 * y[1] * y[2], 0.0, k * y[0] - 1e2 * y[1] * y[2]]

    start, rest = {"a": 1.0, "b": 0.5, "c": 0.0}, (2.0,)
    found = solve_ivp(robertson, (0.0, 0.5), start, method, args=rest, t_eval=[0.5], dense_output=True, jit=False)
    expected = scipys_solve_ivp(flat, (0.0, 0.5), [1.0, 0.5, 0.0], method, args=rest, t_eval=[0.5]).y[:, -1]
    assert [found.y[name][-1] for name in "abc"] == pytest.approx(expected, rel=1e-5)
    assert found.sol(0.5)["a"] == pytest.approx(expected[0], rel=1e-5)
    assert found.sol(np.array([0.0, 0.5]))["a"].shape == (2,)


def test_solve_ivp_takes_rows_events_and_a_pattern():
    def fall(t, y, g):
        return [y[1], -g]

    def ground(t, y, g):
        return y[0]

    ground.terminal = True
    pattern = np.array([[0, 1], [0, 0]])
    for method, more in (("Radau", {}), ("BDF", {"jac_sparsity": pattern}), ("RK45", {})):
        found = solve_ivp(fall, (0.0, 9.0), [5.0, 0.0], method, events=ground, args=(9.81,), jit=False, **more)
        assert found.t[-1] == pytest.approx(np.sqrt(2 * 5.0 / 9.81), rel=1e-3)


def test_derivatives_of_ones_own_are_not_taken():
    with pytest.raises(srcad.BadArgument, match="leave it out"):
        minimize(rosenbrock, [0.0, 0.0], (1.0,), jac=None)


@pytest.mark.compiled
def test_compiled_objectives_find_the_same():
    objective = Objective(rosenbrock, np.zeros(4), args=(100.0,))
    assert np.allclose(objective.value_and_gradient(np.full(4, 0.5))[1], scipy.optimize.rosen_der(np.full(4, 0.5)))
    found = minimize(rosenbrock, np.zeros(4), (100.0,), "Newton-CG")
    assert found.x == pytest.approx(np.ones(4), abs=1e-3)
