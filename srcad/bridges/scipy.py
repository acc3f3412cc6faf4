"""SciPy's solvers with exact derivatives, for unknowns of any structure: dictionaries, dataclasses, lists of arrays.

    from srcad.bridges.scipy import minimize
    minimize(loss, {"w": np.ones(3), "b": 0.0}, args=(x, y)).x["w"]

Each function takes what its namesake in SciPy takes, except for derivatives, which it makes. `Objective` has them in
the forms that other optimisers ask for. Bounds are given in the structure of the unknowns.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcad.api.compiled_function import function_of
from srcad.api.grad_vjp_jvp import grad, hessian, hvp, jacobian, jvp, value_and_grad
from srcad.api.linear_maps import value_and_jacobian
from srcad.bridges.continuous_adjoint import continuous_adjoint
from srcad.bridges.sparse_jacobian import SparseJacobian
from srcad.bridges.structure_vectors import StructureVectors
from srcad.errors import BadArgument

__all__ = ["Objective", "continuous_adjoint", "least_squares", "minimize", "root", "solve_ivp"]

_WITHOUT_GRADIENT = frozenset({"nelder-mead", "powell", "cobyla", "cobyqa"})
_WITH_PRODUCTS = frozenset({"newton-cg", "trust-ncg", "trust-krylov", "trust-constr"})
_WITH_HESSIAN = frozenset({"dogleg", "trust-exact"})
_ROOT_WITH_JACOBIAN = frozenset({"hybr", "lm"})
_IMPLICIT = frozenset({"Radau", "BDF", "LSODA"})


class Objective:
    """A function and its derivatives as functions of one vector, for SciPy and other optimisers.

    f       takes the unknowns, then `args`, and returns a number, or, for `residuals` and `jacobian`, an array or a
            tuple of arrays
    x0      an example of the unknowns: a number, an array, or a structure of these; computed with in float64
    args    the other arguments of `f`
    jit     False runs generated source as plain Python

    `start` is the vector of `x0`; `vector` and `structure` convert between the two forms.

    >>> def f(p, k):
    ...     return k * p["a"] ** 2 + np.sum(p["b"])
    >>> objective = Objective(f, {"a": 3.0, "b": np.ones(2)}, args=(2.0,))
    >>> value, gradient = objective.value_and_gradient(objective.start)
    >>> print(value, gradient)
    20.0 [12.  1.  1.]

    Raises BadType if `x0` has integers within a structure, or complex numbers.
    """

    def __init__(self, f: Callable[..., Any], x0: Any, args: Sequence[Any] = (), *, jit: bool = True) -> None:
        self.f, self.jit = f, jit
        self.args = tuple(args) if isinstance(args, (tuple, list)) else (args,)
        self._form = StructureVectors(x0)
        self.start, self.vector, self.structure = self._form.start, self._form.vector, self._form.structure
        self._both = value_and_grad(f, jit=jit)
        self.is_plain = self._form.is_vector  # the unknowns are a vector as they are

    def value(self, x: Any) -> Any:
        """The value of the function for a vector."""
        return function_of(self.f, self.jit)(self.structure(np.array(x)), *self.args)

    def value_and_gradient(self, x: Any) -> tuple[Any, Any]:
        """The value and the gradient, a vector, from one call."""
        if self._form.is_vector:
            return self._both(x, *self.args)
        value, gradient = self._both(self.structure(x), *self.args)
        return value, self.vector(gradient)

    def gradient(self, x: Any) -> Any:
        """The gradient, a vector."""
        return self.vector(grad(self.f, jit=self.jit)(self.structure(x), *self.args))

    def hvp(self, x: Any, p: Any) -> Any:
        """The product of the Hessian at `x` with the vector `p`."""
        return self.vector(self._products(self.structure(x), *self.args, self.structure(np.array(p, np.float64))))

    @functools.cached_property
    def _products(self) -> Callable[..., Any]:
        return hvp(self.f, jit=self.jit)

    def hessian(self, x: Any) -> Any:
        """The Hessian, a matrix."""
        if self._form.is_vector:
            return hessian(self.f, jit=self.jit)(x, *self.args)
        return np.array([self.hvp(x, row) for row in np.eye(self._form.size)])

    def residuals(self, x: Any) -> Any:
        """The value of a function that returns arrays, as a vector."""
        return _raveled(self.value(x))

    def jacobian(self, x: Any) -> Any:
        """The Jacobian of `residuals`, a matrix."""
        value, found = self._rows(self.structure(x), *self.args)
        several = isinstance(value, (tuple, list))
        pairs = zip(value, found, strict=True) if several else [(value, found)]
        return np.vstack([self._form.rows(block, np.size(part)) for part, block in pairs])

    @functools.cached_property
    def _rows(self) -> Callable[..., Any]:
        return value_and_jacobian(self.f, jit=self.jit)

    def sparse_jacobian(self, pattern: Any) -> Callable[[Any], Any]:
        """A function that gives the Jacobian as a sparse matrix, in few sweeps.

        `pattern` is a matrix, dense or sparse, that is not zero where the Jacobian may not be, or "find". The function
        raises BadArgument if the Jacobian has other entries than a given pattern.
        """
        still = (None,) * len(self.args)

        def push(x: Any, direction: Any) -> Any:
            at, along = self.structure(x), self.structure(direction)
            return _raveled(jvp(self.f, (at, *self.args), (along, *still), self.jit)[1])

        return SparseJacobian(pattern, push, np.size(self.start))

    def bounds(self, given: Any) -> Any:
        """SciPy's `Bounds` from a pair (low, high), or from a structure with a pair or None at each leaf.

        Of a vector, whatever SciPy takes is left as it is.
        """
        from scipy.optimize import Bounds

        if given is None or isinstance(given, Bounds) or self._form.is_vector:
            return given
        return Bounds(*self._form.bounds(given))


def minimize(
    f: Callable[..., Any],
    x0: Any,
    args: Sequence[Any] = (),
    method: Any = None,
    *,
    bounds: Any = None,
    constraints: Any = (),
    callback: Callable[..., Any] | None = None,
    jit: bool = True,
    **how: Any,
) -> Any:
    """Minimise a function as `scipy.optimize.minimize` does, with its gradient and, where used, Hessian or products.

    f, x0, args   as for `Objective`; `f` returns a real number
    bounds        as SciPy's for a vector; else a pair (low, high), or a structure like `x0` with pairs or None at its
                  leaves
    constraints   as SciPy's, with functions of the structure, whose Jacobians are made here

    All else is SciPy's, except for `jac`. `x` and `jac` of the result have the structure of `x0`.

    >>> def distance(p):
    ...     return (p["x"] - 1.0) ** 2 + (p["y"] + 2.0) ** 2
    >>> minimize(distance, {"x": 0.0, "y": 0.0}, bounds={"x": None, "y": (-1.0, 1.0)}, jit=False).x
    {'x': 1.0, 'y': -1.0}
    """
    from scipy.optimize import minimize as solve

    _refuse_jacobian(how)
    objective = Objective(f, x0, args, jit=jit)
    name = method.lower() if isinstance(method, str) else ""
    if name not in _WITHOUT_GRADIENT:
        how["jac"] = True
        if name in _WITH_PRODUCTS and not {"hess", "hessp"} & how.keys():
            how["hessp"] = objective.hvp
        elif name in _WITH_HESSIAN and "hess" not in how:
            how["hess"] = objective.hessian
    if bounds is not None:
        how["bounds"] = objective.bounds(bounds)
    if isinstance(constraints, dict) or not isinstance(constraints, (tuple, list)):
        constraints = [constraints]
    if constraints:
        how["constraints"] = [_constraint(each, x0, name, jit) for each in constraints]
    if callback is not None:
        how["callback"] = _callback(callback, objective)
    run = objective.value_and_gradient if "jac" in how else objective.value
    return _structured(solve(run, objective.start, method=method, **how), objective, ("x", "jac"))


def least_squares(
    f: Callable[..., Any],
    x0: Any,
    bounds: Any = (-np.inf, np.inf),
    args: Sequence[Any] = (),
    *,
    jac_sparsity: Any = None,
    jit: bool = True,
    **how: Any,
) -> Any:
    """Minimise a sum of squares as `scipy.optimize.least_squares` does, with the Jacobian of the residuals.

    f             returns the residuals: an array of any shape, or a tuple of arrays
    jac_sparsity  a matrix, rows by unknowns, that is not zero where the Jacobian may not be, the `plan` of a
                  `sparse_jacobian`, or "find": the Jacobian is then a sparse matrix, from few sweeps. Raises
                  BadArgument if it has entries outside of a given pattern; one that is found is extended

    `x` and `grad` of the result have the structure of `x0`; `fun` and `jac` are a vector and a matrix.

    >>> def residuals(p, t, y):
    ...     return p["a"] * np.exp(-p["k"] * t) - y
    >>> t = np.array([0.0, 1.0, 2.0])
    >>> found = least_squares(residuals, {"a": 1.0, "k": 1.0}, args=(t, 3.0 * np.exp(-0.5 * t)), jit=False)
    >>> {name: round(value, 6) for name, value in found.x.items()}
    {'a': 3.0, 'k': 0.5}
    """
    from scipy.optimize import least_squares as solve

    _refuse_jacobian(how)
    objective = Objective(f, x0, args, jit=jit)
    jac = objective.jacobian if jac_sparsity is None else objective.sparse_jacobian(jac_sparsity)
    if callable(how.get("callback")):
        how["callback"] = _callback(how["callback"], objective)
    found = solve(objective.residuals, objective.start, jac=jac, bounds=objective.bounds(bounds), **how)
    return _structured(found, objective, ("x", "grad"))


def root(
    f: Callable[..., Any],
    x0: Any,
    args: Sequence[Any] = (),
    method: str | None = None,
    *,
    jac_sparsity: Any = None,
    jit: bool = True,
    **how: Any,
) -> Any:
    """Solve f(x, *args) == 0 as `scipy.optimize.root` does, with the Jacobian for the methods that take one.

    f             returns as many numbers as `x0` has, in an array or a tuple of arrays
    method        "hybr" by default, or "krylov" with `jac_sparsity`
    jac_sparsity  as that of `least_squares`, for the method "krylov": its steps are Newton's, with a sparse Jacobian
                  that is factored at each of them

    `x` of the result has the structure of `x0`.

    >>> def crossing(p):
    ...     return p["x"] - np.cos(p["y"]), p["y"] - p["x"]
    >>> round(root(crossing, {"x": 1.0, "y": 1.0}, jit=False).x["x"], 6)
    0.739085
    """
    from scipy.optimize import root as solve

    _refuse_jacobian(how)
    objective = Objective(f, x0, args, jit=jit)
    method = method or ("hybr" if jac_sparsity is None else "krylov")
    if jac_sparsity is not None:
        _add_preconditioner(how, method, objective, jac_sparsity)
    elif method.lower() in _ROOT_WITH_JACOBIAN:
        how["jac"] = objective.jacobian
    return _structured(solve(objective.residuals, objective.start, method=method, **how), objective, ("x",))


def _add_preconditioner(how: dict[str, Any], method: str, objective: Objective, pattern: Any) -> None:
    """Give the Krylov method the inverse of the sparse Jacobian, among the options that the user has given."""
    from srcad.bridges.newton_preconditioner import NewtonPreconditioner

    if method.lower() != "krylov":
        raise BadArgument(
            f"the method {method!r} takes no sparse Jacobian", hint='leave out `jac_sparsity`, or take method="krylov"'
        )
    options = dict(how.get("options") or {})
    inverse = NewtonPreconditioner(objective.sparse_jacobian(pattern), np.size(objective.start))
    options["jac_options"] = {"inner_M": inverse, **(options.get("jac_options") or {})}
    how["options"] = options


def solve_ivp(
    f: Callable[..., Any],
    t_span: Any,
    y0: Any,
    method: Any = "RK45",
    *,
    events: Any = None,
    args: Sequence[Any] = (),
    jac_sparsity: Any = None,
    jit: bool = True,
    **how: Any,
) -> Any:
    """Solve dy/dt = f(t, y, *args) as `scipy.integrate.solve_ivp` does, with the Jacobian for implicit methods.

    f             returns the derivative of `y`, in the structure of `y0`
    events        functions of (t, y, *args), as SciPy's
    jac_sparsity  as that of `least_squares`, for implicit methods

    In the result `y` is `y0`'s structure, each leaf with a last axis of times; `y_events` has such a structure for each
    event, and `sol(t)` gives one.

    >>> def cooling(t, y, k):
    ...     return {"inner": k * (y["outer"] - y["inner"]), "outer": -y["outer"]}
    >>> found = solve_ivp(cooling, (0.0, 2.0), {"inner": 1.0, "outer": 2.0}, "BDF", args=(1.0,), rtol=1e-6, jit=False)
    >>> print(found.y["outer"][-1].round(3), found.y["inner"][-1].round(3))
    0.271 0.677
    """
    from scipy.integrate import solve_ivp as solve

    _refuse_jacobian(how)
    rest = tuple(args) if isinstance(args, (tuple, list)) else (args,)
    form, run = StructureVectors(y0, "y0"), function_of(f, jit)
    if method in _IMPLICIT or getattr(method, "__name__", None) in _IMPLICIT:
        how["jac"] = _jacobian_in_time(f, form, rest, jac_sparsity, jit)

    def slope(t: Any, y: Any) -> Any:
        return form.vector(run(t, form.structure(np.array(y)), *rest))

    if events is not None:
        given = events if isinstance(events, (tuple, list)) else [events]
        how["events"] = [_event(each, form, rest) for each in given]
    found = solve(slope, t_span, form.start, method=method, **how)
    if form.is_vector:
        return found
    found["y"] = form.columns(found.y)
    if found.t_events is not None:
        found["y_events"] = [form.columns(np.reshape(each, (-1, form.size)).T) for each in found.y_events]
    if found.sol is not None:
        inner = found.sol
        found["sol"] = lambda t: form.columns(inner(t)) if np.ndim(t) else form.structure(inner(t))
    return found


def _jacobian_in_time(
    f: Callable[..., Any], form: StructureVectors, args: tuple[Any, ...], pattern: Any, jit: bool
) -> Callable[[Any, Any], Any]:
    """The Jacobian by `y` of f(t, y, *args), dense or with the pattern."""
    rows, still = jacobian(f, 1, jit=jit), (None,) * len(args)
    if pattern is None:
        return lambda t, y: form.square(rows(t, form.structure(np.array(y)), *args))

    def push(at: Any, direction: Any) -> Any:
        t, y = at
        primals, tangents = (t, form.structure(y), *args), (None, form.structure(direction), *still)
        return form.vector(jvp(f, primals, tangents, jit)[1])

    sparse = SparseJacobian(pattern, push, form.size)
    return lambda t, y: sparse((t, np.array(y)))


def _refuse_jacobian(how: dict[str, Any]) -> None:
    if "jac" in how:
        raise BadArgument("`jac` is made by srcad", hint="leave it out, or call SciPy's own function")


def _callback(callback: Callable[..., Any], objective: Objective) -> Callable[..., Any]:
    if objective.is_plain:
        return callback
    if list(inspect.signature(callback).parameters) == ["intermediate_result"]:

        def told(intermediate_result: Any) -> Any:
            return callback(_structured(type(intermediate_result)(intermediate_result), objective, ("x",)))

        return told
    return lambda x, *more: callback(objective.structure(x), *more)


def _constraint(given: Any, x0: Any, method: str, jit: bool) -> Any:
    """A constraint of SciPy's as one on vectors, with its Jacobian."""
    from scipy.optimize import LinearConstraint, NonlinearConstraint

    if isinstance(given, LinearConstraint):
        return given
    if isinstance(given, NonlinearConstraint):
        made = Objective(given.fun, x0, jit=jit)
        jac = given.jac if callable(given.jac) else made.jacobian
        return NonlinearConstraint(made.residuals, given.lb, given.ub, jac, given.hess, given.keep_feasible)
    made = Objective(given["fun"], x0, given.get("args", ()), jit=jit)
    found = {"type": given["type"], "fun": made.residuals}
    return found if method in _WITHOUT_GRADIENT else {**found, "jac": made.jacobian}


def _event(event: Callable[..., Any], form: StructureVectors, args: tuple[Any, ...]) -> Callable[..., Any]:
    def crossed(t: Any, y: Any) -> Any:
        return event(t, form.structure(y), *args)

    for name in ("terminal", "direction"):
        if hasattr(event, name):
            setattr(crossed, name, getattr(event, name))
    return crossed


def _structured(found: Any, objective: Objective, names: tuple[str, ...]) -> Any:
    """SciPy's result, with some vectors in the structure of the unknowns."""
    if not objective.is_plain:
        for name in names:
            if isinstance(found.get(name), np.ndarray):
                found[name] = objective.structure(found[name].copy())
    return found


def _raveled(value: Any) -> Any:
    parts = [np.ravel(each) for each in (value if isinstance(value, (tuple, list)) else (value,))]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
