"""What can be computed element by element."""

import numpy as np
import pytest

import srcad
from srcad.transforms.optimise.elementwise_statements import Elements, is_fusible
from tests.checking import assert_gradient
from tests.transforms.core_text import at_line, program_of


def statement(line, signature="f8[::1], f8[:, ::1], i8, i8[::1]"):
    text = f"""
def f(x, A, n, k):
    {line}
    return n
"""
    program = program_of(text, signature)
    return program, at_line(program.unit, 2)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("t = x * 2.0", True),
        ("t = A + x", True),
        ("t = -x", True),
        ("t = np.sin(x)", True),
        ("t = np.maximum(x, 0.0)", True),
        ("t = x > 0.0", True),
        ("t = np.where(True, x, 0.0)", True),
        ("t = x[k]", True),
        ("t = k + n", True),
        ("t = np.astype(x, np.int64)", True),
        ("t = n * 2.0", False),
        ("t = A @ x", False),
        ("t = np.sum(x)", False),
        ("t = np.cumsum(x)", False),
        ("t = np.zeros(n)", False),
        ("t = x[1:]", False),
        ("t = np.transpose(A)", False),
        ("x[0] = 1.0", False),
    ],
)
def test_arithmetic_and_elementary_functions_of_arrays_are_fusible(line, expected):
    assert is_fusible(*statement(line)) is expected


@pytest.mark.parametrize("kind", ["i4[::1]", "u8[::1]"])
def test_arrays_of_short_numbers_stay_array_statements(kind):
    assert not is_fusible(*statement("t = x * x", f"{kind}, f8[:, ::1], i8, i8[::1]"))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("t = np.sum(x)", True),
        ("t = np.sum(A)", True),
        ("t = np.sum(A, axis=0)", True),
        ("t = np.mean(A, axis=(1, 0), keepdims=True)", True),
        ("t = np.mean(x)", True),
        ("t = np.prod(x)", False),
    ],
)
def test_sums_and_means_are_nests(line, expected):
    assert Elements.sums(*statement(line)) is expected


@pytest.mark.parametrize(
    ("line", "rank"), [("t = x * 2.0", 1), ("t = A * x", 2), ("t = np.sum(A)", 2), ("A[0] = x", 1), ("A[...] = x", 2)]
)
def test_a_nest_has_a_loop_for_each_dimension(line, rank):
    assert Elements.rank(*statement(line)) == rank


def row_of_a_matrix(x, m):
    x[:] = m[:1]
    return np.sum(x * x)


def computed_row(x, m):
    x[1:] = np.sin(m[:1, 1:] * 2.0)
    return np.sum(x * x)


@pytest.mark.parametrize("function", [row_of_a_matrix, computed_row])
def test_a_store_drops_leading_axes_of_length_1(function):
    assert_gradient(function, np.array([0.3, 0.5, 0.9]), np.array([[0.4, -0.7, 0.2], [1.0, 2.0, 3.0]]))


def test_a_store_that_never_runs_may_have_a_value_of_too_many_axes():
    def never(x, m, flag):
        if flag:
            x[1:] *= np.sin(m[1:])
        return np.sum(x * x) + np.sum(m)

    assert_gradient(never, np.array([0.3, 0.5, 0.9]), np.ones((2, 3)), False, wrt=(0, 1))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("t = z * z", True),
        ("t = x * z", True),
        ("t = np.exp(z)", True),
        ("t = np.conj(z)", True),
        ("t = kernels.modulus(z)", True),
        ("t = kernels.imaginary(z)", True),
        ("t = np.real(z)", True),
        ("t = np.real(x)", False),  # a view of the whole of it
        ("t = z == x", True),
        ("t = z < x", False),  # numbers have no order
        ("t = np.sum(z)", False),
    ],
)
def test_arithmetic_of_complex_arrays_is_fusible(line, expected):
    text = f"""
def f(x, z):
    {line}
    return t
"""
    program = program_of(text, "f8[::1], c16[::1]")
    assert is_fusible(program, at_line(program.unit, 2)) is expected


@pytest.mark.parametrize("written", ["z", "t"])
def test_a_real_part_that_is_written_into_stays_a_view(written):
    text = f"""
def f(z):
    t = np.real(z)
    {written}[0] = 2.0
    return t
"""
    program = program_of(text, "c16[::1]")
    assert not is_fusible(program, at_line(program.unit, 2))


def kept_real_part(z):
    part = z.real
    z[0] = 3.0 * z[1]
    return np.sum(part * part) + np.sum(z.imag)


def phases(psi, v, dt):
    for _k in range(3):
        psi = psi * np.exp(-1j * v * dt)
        psi[1:] = psi[1:] + 0.1j * psi[:-1]
    density = np.abs(psi) ** 2
    return np.sum(density * v) / np.sum(density)


def escaping(c, n):
    z = np.zeros(c.shape, dtype=np.complex128)
    for _k in range(n):
        z = np.where(np.abs(z) < 2.0, z**2 + c, z)
    return np.sum(np.real(z * np.conj(z)))


def impedance(w, r, c):
    z = 1.0 / (1j * w * c) + r
    h = z / (z**3 + 50.0)
    return np.sum(np.log(np.abs(h))) + np.mean(np.angle(h))


def spread(a, x, m):
    b = a[:, None] * x[None, :]
    b /= m + 3.0
    total = np.sum(b, axis=0) + np.mean(m, axis=1)[:, None][0] * 1j
    return np.sum(total.real**2 - total.imag * x)


def single(z, x):
    w = z * x - np.conj(z)
    return np.sum(np.abs(w))


Z = np.array([0.3 + 0.4j, -1.2 + 0.5j, 0.7 - 0.9j, 0.1 + 1.1j])
X = np.array([0.5, -0.3, 1.2, 0.8])


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (kept_real_part, (Z,)),
        (phases, (Z, X, 0.3)),
        (escaping, (0.4 * Z, 4)),
        (escaping, (0.4 * Z, 0)),
        (impedance, (X, 2.0, 0.5)),
        (spread, (Z[:2], X, np.outer(Z[:2], X))),
        (spread, (Z[:1], X, np.outer(Z[:1], X))),
    ],
)
@pytest.mark.parametrize("jit", [True, False])
def test_programs_of_complex_arrays(f, args, jit):
    rng = np.random.default_rng(0)
    directions = [rng.standard_normal(np.shape(each)) + 0.0 for each in args]
    directions = [
        None if isinstance(each, int) else along + 1j * along[::-1] if np.iscomplexobj(each) else along
        for each, along in zip(args, directions, strict=True)
    ]
    wrt = tuple(place for place, along in enumerate(directions) if along is not None)

    def moved(step):
        return f(
            *[np.copy(x) if along is None else x + step * along for x, along in zip(args, directions, strict=True)]
        )

    expected = (8 * (moved(1e-4) - moved(-1e-4)) - (moved(2e-4) - moved(-2e-4))) / 12e-4
    value, gradients = srcad.value_and_grad(f, wrt=wrt, jit=jit)(*args)
    found = sum(np.sum(np.real(np.conj(g) * directions[i])) for i, g in zip(wrt, gradients, strict=True))
    _, tangent = srcad.jvp(f, args, directions, jit=jit)
    assert np.allclose(value, f(*map(np.copy, args)), rtol=1e-14, atol=0.0)
    assert np.allclose(found, expected, rtol=1e-8)
    assert np.allclose(found, tangent, rtol=1e-12)


@pytest.mark.parametrize("f", [phases, escaping, impedance])
def test_no_complex_array_is_made_where_a_number_will_do(f):
    args = {phases: (Z, X, 0.3), escaping: (Z, 2), impedance: (X, 2.0, 0.5)}[f]
    text = srcad.source(srcad.value_and_grad(f), args=args)
    assert "kernels.modulus(" in text
    assert "unbroadcast" not in text


def test_single_precision_stays_single():
    gradient = srcad.grad(single)(Z.astype(np.complex64), X.astype(np.float32))
    assert gradient.dtype == np.complex64
    assert np.allclose(gradient, srcad.grad(single)(Z, X), rtol=1e-5)


def quotients(a, b):
    c = a / b
    return np.sum(np.where(np.abs(b) > 0.0, c, 0.0).real)


def test_a_quotient_by_zero_that_is_not_used_raises_no_exception():
    b = np.array([0j, 2.0, 1j, 1.0])
    with np.errstate(all="ignore"):
        of_a, of_b = srcad.grad(quotients, wrt=(0, 1))(Z, b)
    assert of_a[0] == of_b[0] == 0.0
    assert np.allclose(of_a[1:], np.conj(1.0 / b[1:]))
    assert np.allclose(of_b[1:], np.conj(-Z[1:] / b[1:] ** 2))
