"""Objects of SciPy that are made outside of the function: interpolants, sparse matrices, density estimates."""

import numpy as np
import pytest
from scipy import interpolate, sparse
from scipy.integrate import solve_ivp
from scipy.stats import gaussian_kde

import srcad
from srcad.errors import SrcadError
from tests.checking import assert_gradient

X = np.array([0.31, 1.2, -0.7, 0.93])
T = np.linspace(-1.0, 2.0, 8)
ROWS = np.column_stack([np.sin(T), np.cos(T)])
SPLINE = interpolate.CubicSpline(T, np.sin(T))
FURTHER = {
    "rows": interpolate.CubicSpline(T, ROWS, bc_type="natural"),
    "pchip": interpolate.PchipInterpolator(T, np.sin(T)),
    "akima": interpolate.Akima1DInterpolator(T, np.sin(T)),
    "b": interpolate.make_interp_spline(T, np.sin(T)),
    "smooth": interpolate.UnivariateSpline(T, np.sin(T), s=0.01),
    "line": interpolate.interp1d(T, np.sin(T), bounds_error=False, fill_value=(-1.0, 2.0)),
    "square": interpolate.interp1d(T, ROWS, axis=0, kind="quadratic", fill_value="extrapolate"),
}
GRID = interpolate.RegularGridInterpolator((T, T[::2]), np.outer(np.sin(T), T[::2] ** 2))
TCK = interpolate.splrep(T, np.sin(T))
DENSITY = gaussian_kde(np.array([0.1, 0.5, 0.9, 1.5, -0.4]))
DENSE = np.array([[2.0, 1, 0, 0], [1, 3, 1, 0], [0, 1, 4, 1], [0, 0, 1, 5]])
A, ARRAY = sparse.csr_matrix(DENSE), sparse.csc_array(DENSE)


class Model:
    def __init__(self):
        self.spline, self.matrix = SPLINE, A

    def loss(self, x):
        return np.sum(self.spline(x) * (self.matrix @ x))


MODEL = Model()


def splines(x):
    s = SPLINE(x) ** 2 + SPLINE(x, 1) + SPLINE.integrate(0.0, x[0]) + SPLINE.derivative()(x[1])
    return s + np.sum([np.sum(FURTHER[name](x) ** 2) for name in ("rows", "pchip", "b", "smooth", "line", "square")])


def on_a_grid(x):
    y = GRID(np.column_stack([x, x * 0.5])) ** 2 + interpolate.splev(x, TCK, der=1)
    return y + np.log(DENSITY(x)) + DENSITY.logpdf(x) + FURTHER["akima"](x) + FURTHER["smooth"].derivative()(x)


def matrices(x):
    s = (A @ x).sum() + (x @ A @ x) + A.nnz * x[1] + A.shape[0] * x[2] + A[1, 2] * x[0] ** 2 + A.sum() * x[3]
    s += np.sum((A.T @ x) ** 2) + np.sum(A.multiply(x).toarray() ** 2) + np.sum(A.diagonal() * x**2)
    for i in range(4):
        s += float((A[i] @ x)[0]) * A[i, i] * x[i]
    return s + np.sum(A[:, 1].toarray() * x[:, None]) + (A.tocsc()[-1, -1] + A.mean()) * x[0]


def arrays(x):
    made = sparse.csr_array((x, ([0, 1, 2, 3], [1, 2, 3, 0])), shape=(4, 4))
    s = (ARRAY[1:3] @ x)[0] ** 2 + (ARRAY[:, 1:2].T @ x)[0] + np.sum(ARRAY[[0, -2], :] @ x) ** 2
    s += np.sum((x * ARRAY).toarray() ** 2) + (ARRAY * x[0]).sum() + made[0, 1] * np.sum((made @ x)[1:])
    return s + (ARRAY + made).trace() + np.sum(made.multiply(DENSE).toarray() ** 2)


def parts(x):
    return (A[1] @ x)[0] * A[1, 2] + (ARRAY[1:3] @ x)[0] ** 2 + FURTHER["line"](x[0])


def in_an_object(x):
    return MODEL.loss(x) + Model().loss(x)


def in_an_equation(x):
    return solve_ivp(lambda t, y: -SPLINE(t) * y * x[0], (0, 1), [1.0], rtol=1e-9, atol=1e-10).y[0, -1]


def cubic_inside(x):
    t = np.arange(4.0)
    y = interpolate.interp1d(t, x, kind="cubic")(1.3) ** 2 + interpolate.UnivariateSpline(t, x, s=0, k=2)(2.2)
    return y + interpolate.splev(0.3, interpolate.splrep(t, x)) + interpolate.InterpolatedUnivariateSpline(t, x)(1.7)


NIGHTLY = [pytest.param(each, marks=pytest.mark.nightly) for each in (splines, on_a_grid, matrices, arrays)]
NIGHTLY += [pytest.param(each, marks=pytest.mark.nightly) for each in (in_an_equation, cubic_inside)]


@pytest.mark.parametrize("function", [parts, in_an_object, *NIGHTLY])
def test_what_is_made_outside_is_differentiated(function):
    assert_gradient(function, X, modes=("arrays",), rtol=1e-5)


def test_they_are_constants_as_arguments():
    def product(x, matrix, spline):
        return np.sum((matrix @ x) ** 2) * spline(0.3)

    expected = 2.0 * DENSE.T @ (DENSE @ X) * np.sin(0.3)
    for matrix in (A, ARRAY):
        np.testing.assert_allclose(srcad.grad(product, jit=False)(X, matrix, SPLINE), expected, rtol=1e-3)


def test_a_change_of_their_elements_counts():
    changing = A.copy()

    def total(x):
        return np.sum(changing @ x)

    gradient = srcad.grad(total, jit=False)
    assert gradient(X).tolist() == [3.0, 5.0, 6.0, 6.0]
    changing.data[:] = 1.0
    assert gradient(X).tolist() == [2.0, 3.0, 3.0, 2.0]
    changing = ARRAY
    assert gradient(X).tolist() == [3.0, 5.0, 6.0, 6.0]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(ARRAY[1] @ x),
        lambda x: np.sum((A * x) ** 2),
        lambda x: np.sum((A @ A) @ x),
        lambda x: np.sum(A[[0, 1], [1, 1]]) * x[0],
        lambda x: interpolate.UnivariateSpline(np.arange(4.0), x)(0.5),
    ],
)
def test_what_is_not_known_of_them_is_refused(function):
    with pytest.raises(SrcadError):
        srcad.grad(function, jit=False)(X)
