"""Rules of matrix products and `np.linalg`. For the usual ranks they read as the formula; kernels cover others."""

import operator

import numpy as np
from numpy.linalg._linalg import SlogdetResult

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, define, linear, tangent, zero


@adjoint(operator.matmul, np.matmul)
def matmul(y, a, b):
    d[a] = kernels.matmul_adjoint_a(d[y], a, b)
    d[b] = kernels.matmul_adjoint_b(d[y], a, b)


@define(np.matmul)
def matmul_as_operator(x1, x2):
    # Numba takes np.matmul for an elementwise ufunc, but supports the operator.
    return x1 @ x2


@adjoint(np.dot)
def dot(y, a, b):
    d[a] = kernels.dot_adjoint_a(d[y], a, b)
    d[b] = kernels.dot_adjoint_b(d[y], a, b)


@adjoint(operator.matmul, np.matmul, np.dot, ndim=(1, 1))
def dot_of_vectors(y, a, b):
    d[a] = d[y] * b
    d[b] = d[y] * a


@adjoint(operator.matmul, np.matmul, np.dot, kernels.times, ndim=(2, 1))
def dot_of_matrix_and_vector(y, a, b):
    d[a] = np.outer(d[y], b)
    d[b] = kernels.transpose_times(a, d[y])


@adjoint(operator.matmul, np.matmul, np.dot, ndim=(1, 2))
def dot_of_vector_and_matrix(y, a, b):
    d[a] = kernels.times(b, d[y])
    d[b] = np.outer(a, d[y])


@adjoint(operator.matmul, np.matmul, np.dot, kernels.times, ndim=(2, 2))
def dot_of_matrices(y, a, b):
    d[a] = kernels.times_transpose(d[y], b)
    d[b] = kernels.transpose_times(a, d[y])


@tangent(operator.matmul, np.matmul)
def matmul_tangent(y, a, b):
    d[y] = d[a] @ b + a @ d[b]


@tangent(np.dot)
def dot_tangent(y, a, b):
    d[y] = np.dot(d[a], b) + np.dot(a, d[b])


@adjoint(np.vdot, ndim=(1, 1))
def vdot(y, a, b):
    d[a] = np.conjugate(d[y] * b)
    d[b] = d[y] * np.conjugate(a)


@tangent(np.vdot, ndim=(1, 1))
def vdot_tangent(y, a, b):
    d[y] = np.vdot(d[a], b) + np.vdot(a, d[b])


@adjoint(np.vdot)
def vdot_of_arrays(y, a, b):
    d[a] = np.reshape(np.conjugate(d[y] * b), a.shape)
    d[b] = np.reshape(d[y] * np.conjugate(a), b.shape)


@tangent(np.vdot)
def vdot_of_arrays_tangent(y, a, b):
    d[y] = np.vdot(d[a], b) + np.vdot(a, d[b])


@adjoint(np.cross)
def cross(y, a, b):
    # For vectors in three dimensions, along the last axis: numbers, of vectors in two, do not have these shapes.
    d[a] = kernels.unbroadcast(np.cross(b, np.reshape(d[y], y.shape[:-1] + (3,))), a)
    d[b] = kernels.unbroadcast(np.cross(np.reshape(d[y], y.shape[:-1] + (3,)), a), b)


@tangent(np.cross)
def cross_tangent(y, a, b):
    d[y] = np.cross(d[a], b) + np.cross(a, d[b])


@adjoint(np.inner)
def inner(y, a, b):
    d[a] = kernels.inner_adjoint_a(d[y], a, b)
    d[b] = kernels.inner_adjoint_b(d[y], a, b)


@adjoint(np.inner, ndim=(1, 1))
def inner_of_vectors(y, a, b):
    d[a] = d[y] * b
    d[b] = d[y] * a


@tangent(np.inner)
def inner_tangent(y, a, b):
    d[y] = np.inner(d[a], b) + np.inner(a, d[b])


@adjoint(np.outer, ndim=(1, 1))
def outer(y, a, b):
    d[a] = np.dot(d[y], b)
    d[b] = np.dot(a, d[y])


@tangent(np.outer, ndim=(1, 1))
def outer_tangent(y, a, b):
    d[y] = np.outer(d[a], b) + np.outer(a, d[b])


@adjoint(np.outer)
def outer_of_arrays(y, a, b):
    d[a] = np.reshape(np.dot(d[y], np.ravel(b)), np.shape(a))
    d[b] = np.reshape(np.dot(np.ravel(a), d[y]), np.shape(b))


@tangent(np.outer)
def outer_of_arrays_tangent(y, a, b):
    d[y] = np.outer(d[a], b) + np.outer(a, d[b])


@define(np.tensordot)
def tensordot_as_product(a, b, axes=2):
    if isinstance(axes, (tuple, list)):
        of_a, of_b = [tuple(each) if isinstance(each, (tuple, list)) else (each,) for each in axes]
        count = len(of_a)
        first = np.copy(np.moveaxis(a, of_a, tuple(range(-count, 0))))
        return kernels.contracted(first, np.copy(np.moveaxis(b, of_b, tuple(range(count)))), count)
    return kernels.contracted(a, b, axes)


@define(kernels.contracted)
def contracted(a, b, count):
    if count == 0:
        return kernels.before_axes_of(a, b) * b
    if count == 1:
        rows, columns = kernels.product_of(a.shape[:-1]), kernels.product_of(b.shape[1:])
        product = kernels.times(np.reshape(a, (rows, a.shape[-1])), np.reshape(b, (b.shape[0], columns)))
        return np.reshape(product, a.shape[:-1] + b.shape[1:])
    rows, columns = kernels.product_of(a.shape[:-count]), kernels.product_of(b.shape[count:])
    inner = kernels.product_of(b.shape[:count])
    product = kernels.times(np.reshape(a, (rows, inner)), np.reshape(b, (inner, columns)))
    return np.reshape(product, a.shape[:-count] + b.shape[count:])


zero(kernels.product_of)


@adjoint(np.tensordot)
def tensordot(y, a, b, axes=2):
    d[a] = kernels.tensordot_adjoint_a(d[y], a, b, axes)
    d[b] = kernels.tensordot_adjoint_b(d[y], a, b, axes)


@tangent(np.tensordot)
def tensordot_tangent(y, a, b, axes=2):
    d[y] = np.tensordot(d[a], b, axes) + np.tensordot(a, d[b], axes)


@adjoint(np.einsum, arity=2)
def einsum_of_one(y, subscripts, a):
    d[a] = kernels.einsum_adjoint(d[y], subscripts, 0, (a,))


@tangent(np.einsum, arity=2)
def einsum_of_one_tangent(y, subscripts, a):
    d[y] = np.einsum(subscripts, d[a])


@adjoint(np.einsum, arity=3)
def einsum_of_two(y, subscripts, a, b):
    d[a] = kernels.einsum_adjoint(d[y], subscripts, 0, (a, b))
    d[b] = kernels.einsum_adjoint(d[y], subscripts, 1, (a, b))


@tangent(np.einsum, arity=3)
def einsum_of_two_tangent(y, subscripts, a, b):
    d[y] = np.einsum(subscripts, d[a], b) + np.einsum(subscripts, a, d[b])


@adjoint(np.einsum, arity=4)
def einsum_of_three(y, subscripts, a, b, c):
    d[a] = kernels.einsum_adjoint(d[y], subscripts, 0, (a, b, c))
    d[b] = kernels.einsum_adjoint(d[y], subscripts, 1, (a, b, c))
    d[c] = kernels.einsum_adjoint(d[y], subscripts, 2, (a, b, c))


@tangent(np.einsum, arity=4)
def einsum_of_three_tangent(y, subscripts, a, b, c):
    d[y] = np.einsum(subscripts, d[a], b, c) + np.einsum(subscripts, a, d[b], c) + np.einsum(subscripts, a, b, d[c])


@adjoint(kernels.times)
def times(y, a, b):
    d[a] = kernels.matmul_adjoint_a(d[y], a, b)
    d[b] = kernels.matmul_adjoint_b(d[y], a, b)


@tangent(kernels.times)
def times_tangent(y, a, b):
    d[y] = kernels.times(d[a], b) + kernels.times(a, d[b])


@adjoint(kernels.transpose_times, ndim=(2, 2))
def transpose_times(y, a, b):
    d[a] = kernels.times_transpose(b, d[y])
    d[b] = kernels.times(a, d[y])


@adjoint(kernels.transpose_times, ndim=(2, 1))
def transpose_times_vector(y, a, b):
    d[a] = np.outer(b, d[y])
    d[b] = kernels.times(a, d[y])


@adjoint(kernels.transpose_times)
def transpose_times_of_stacks(y, a, b):
    d[a] = kernels.times_transpose(b, d[y])
    d[b] = kernels.times(a, d[y])


@tangent(kernels.transpose_times)
def transpose_times_tangent(y, a, b):
    d[y] = kernels.transpose_times(d[a], b) + kernels.transpose_times(a, d[b])


@adjoint(kernels.times_transpose, ndim=(2, 2))
def times_transpose(y, a, b):
    d[a] = kernels.times(d[y], b)
    d[b] = kernels.transpose_times(d[y], a)


@adjoint(kernels.times_transpose)
def times_transpose_of_stacks(y, a, b):
    d[a] = kernels.times(d[y], b)
    d[b] = kernels.transpose_times(d[y], a)


@tangent(kernels.times_transpose)
def times_transpose_tangent(y, a, b):
    d[y] = kernels.times_transpose(d[a], b) + kernels.times_transpose(a, d[b])


@adjoint(np.linalg.norm)
def norm(y, x, axis=None, keepdims=False):
    # At the origin the subgradient 0 is chosen.
    d[x] = np.conjugate(x) * kernels.restore(kernels.ratio(d[y], y), x.shape, axis, keepdims)


@tangent(np.linalg.norm)
def norm_tangent(y, x, axis=None, keepdims=False):
    d[y] = kernels.ratio(np.real(np.sum(np.conjugate(x) * d[x], axis=axis, keepdims=keepdims)), y)


@adjoint(np.linalg.inv)
def inv(y, a):
    d[a] = kernels.times_transpose(-kernels.transpose_times(y, d[y]), y)


@tangent(np.linalg.inv)
def inv_tangent(y, a):
    d[y] = -(y @ (d[a] @ y))


@adjoint(np.linalg.det, ndim=(2,))
def det(y, a):
    d[a] = d[y] * kernels.cofactors(a, y)  # holds where the determinant is 0 as well


@tangent(np.linalg.det, ndim=(2,))
def det_tangent(y, a):
    d[y] = np.sum(kernels.cofactors(a, y) * d[a])


@adjoint(np.linalg.det)
def det_of_stack(y, a):
    d[a] = kernels.of_each(d[y]) * kernels.cofactors(a, y)


@tangent(np.linalg.det)
def det_of_stack_tangent(y, a):
    d[y] = np.sum(kernels.cofactors(a, y) * d[a], axis=(-2, -1))


@adjoint(kernels.cofactors, ndim=(2, 0))
def cofactors(y, a, whole):
    slope = np.transpose(np.linalg.inv(a))  # LinAlgError for a singular matrix
    d[a] = -np.matmul(y, np.matmul(np.transpose(d[y]), slope))
    d[whole] = np.sum(d[y] * slope)


@tangent(kernels.cofactors, ndim=(2, 0))
def cofactors_tangent(y, a, whole):
    slope = np.transpose(np.linalg.inv(a))
    d[y] = d[whole] * slope - np.matmul(slope, np.matmul(np.transpose(d[a]), y))


@adjoint(kernels.cofactors)
def cofactors_of_stack(y, a, whole):
    slope = np.swapaxes(np.linalg.inv(a), -1, -2)
    d[a] = -np.matmul(y, np.matmul(np.swapaxes(d[y], -1, -2), slope))
    d[whole] = np.sum(d[y] * slope, axis=(-2, -1))


@tangent(kernels.cofactors)
def cofactors_of_stack_tangent(y, a, whole):
    slope = np.swapaxes(np.linalg.inv(a), -1, -2)
    d[y] = kernels.of_each(d[whole]) * slope - np.matmul(slope, np.matmul(np.swapaxes(d[a], -1, -2), y))


@adjoint(kernels.of_each, may_view=True)
def of_each(y, x):
    d[x] = np.sum(d[y], axis=(-2, -1))


linear(kernels.of_each)


@adjoint(np.linalg.slogdet, ndim=(2,), handles_complex=False)
def slogdet(y, a):
    d[a] = d[y][1] * np.transpose(np.linalg.inv(a))


@tangent(np.linalg.slogdet, ndim=(2,))
def slogdet_tangent(y, a):
    d[y] = (None, np.sum(np.transpose(np.linalg.inv(a)) * d[a]))


@adjoint(kernels.log_determinant, ndim=(2,))
def log_determinant(y, a):
    d[a] = d[y] * np.transpose(np.linalg.inv(a))


@tangent(kernels.log_determinant, ndim=(2,))
def log_determinant_tangent(y, a):
    d[y] = np.real(np.sum(np.transpose(np.linalg.inv(a)) * d[a]))


@adjoint(kernels.log_determinant)
def log_determinant_of_stack(y, a):
    d[a] = kernels.of_each(d[y]) * np.swapaxes(np.linalg.inv(a), -1, -2)


@tangent(kernels.log_determinant)
def log_determinant_of_stack_tangent(y, a):
    d[y] = np.real(np.sum(np.swapaxes(np.linalg.inv(a), -1, -2) * d[a], axis=(-2, -1)))


@adjoint(kernels.determinant_direction)
def determinant_direction(y, a):
    d[a] = kernels.of_each(1j * kernels.imaginary(d[y] * y)) * np.swapaxes(np.linalg.inv(a), -1, -2)


@tangent(kernels.determinant_direction)
def determinant_direction_tangent(y, a):
    d[y] = 1j * y * kernels.imaginary(np.sum(np.swapaxes(np.linalg.inv(a), -1, -2) * d[a], axis=(-2, -1)))


@adjoint(np.linalg.solve, ndim=(2, 1))
def solve(x, a, b):
    w = kernels.solve_transposed(a, d[x])
    d[b] = w
    d[a] = np.outer(-w, x)


@define(kernels.solve_transposed)
def solve_transposed(a, b):
    return np.linalg.solve(np.transpose(a), b)


@adjoint(np.linalg.solve, ndim=(2, 2))
def solve_for_columns(x, a, b):
    w = np.linalg.solve(np.transpose(a), d[x])
    d[b] = w
    d[a] = kernels.times_transpose(-w, x)


@tangent(np.linalg.solve, ndim=(2, 1))
def solve_tangent(x, a, b):
    d[x] = np.linalg.solve(a, d[b]) - np.linalg.solve(a, d[a] @ x)


@tangent(np.linalg.solve, ndim=(2, 2))
def solve_for_columns_tangent(x, a, b):
    d[x] = np.linalg.solve(a, d[b]) - np.linalg.solve(a, d[a] @ x)


@adjoint(np.linalg.solve, ndim=(3, 1))
def solve_each_for_vector(x, a, b):
    w = np.linalg.solve(np.swapaxes(a, -1, -2), np.expand_dims(d[x], -1))
    d[b] = kernels.unbroadcast(np.reshape(w, x.shape), b)
    d[a] = kernels.times_transpose(-w, np.expand_dims(x, -1))


@tangent(np.linalg.solve, ndim=(3, 1))
def solve_each_for_vector_tangent(x, a, b):
    moved = np.linalg.solve(a, d[a] @ np.expand_dims(x, -1))
    d[x] = np.linalg.solve(a, d[b]) - np.reshape(moved, x.shape)


@adjoint(np.linalg.solve)
def solve_each(x, a, b):
    w = np.linalg.solve(np.swapaxes(a, -1, -2), d[x])
    d[b] = kernels.unbroadcast(w, b)
    d[a] = kernels.unbroadcast(kernels.times_transpose(-w, x), a)


@tangent(np.linalg.solve)
def solve_each_tangent(x, a, b):
    d[x] = np.linalg.solve(a, d[b]) - np.linalg.solve(a, d[a] @ x)


@adjoint(np.linalg.cholesky)
def cholesky(y, a):
    d[a] = kernels.cholesky_adjoint(d[y], y)


@tangent(np.linalg.cholesky)
def cholesky_tangent(y, a):
    t = np.linalg.inv(y)
    # NumPy reads the lower triangle only, and of its diagonal the real part.
    half = 0.5 * (np.tril(d[a]) + np.tril(d[a], -1))
    symmetric = half + np.conjugate(np.swapaxes(half, -1, -2))
    m = kernels.times_transpose(kernels.times(t, symmetric), np.conjugate(t))
    d[y] = kernels.times(y, 0.5 * (np.tril(m) + np.tril(m, -1)))


# What the compiler makes of these functions: factors that the function, its derivative and others share.


@define(np.linalg.solve)
def solve_by_factors(a, b):
    return kernels.solve_factored(a, kernels.lu_factors(a), b)


@define(np.linalg.inv)
def inv_by_factors(a):
    return kernels.inverse_factored(a, kernels.lu_factors(a))


@define(np.linalg.det)
def det_by_factors(a):
    return kernels.determinant_factored(a, kernels.lu_factors(a))


@define(np.linalg.slogdet)
def slogdet_by_factors(a):
    factors = kernels.lu_factors(a)
    if np.iscomplexobj(a):  # the sign has a derivative
        return SlogdetResult(kernels.determinant_sign(a), kernels.log_determinant_factored(a, factors))
    return SlogdetResult(kernels.sign_factored(a, factors), kernels.log_determinant_factored(a, factors))


zero(kernels.lu_factors)  # derivatives go through the matrix that is passed with its factors


@adjoint(kernels.solve_factored, ndim=(2, 2, 1))
def solve_factored(x, a, factors, b):
    w = kernels.solve_factored_transposed(a, factors, d[x])
    d[b] = w
    d[a] = np.outer(-w, x)


@adjoint(kernels.solve_factored, ndim=(2, 2, 2))
def solve_factored_for_columns(x, a, factors, b):
    w = kernels.solve_factored_transposed(a, factors, d[x])
    d[b] = w
    d[a] = kernels.times_transpose(-w, x)


@adjoint(kernels.solve_factored, ndim=(3, 3, 1))
def solve_each_factored_for_vector(x, a, factors, b):
    w = kernels.solve_factored_transposed(a, factors, np.expand_dims(d[x], -1))
    d[b] = kernels.unbroadcast(np.reshape(w, x.shape), b)
    d[a] = kernels.times_transpose(-w, np.expand_dims(x, -1))


@adjoint(kernels.solve_factored)
def solve_each_factored(x, a, factors, b):
    w = kernels.solve_factored_transposed(a, factors, d[x])
    d[b] = kernels.unbroadcast(w, b)
    d[a] = kernels.unbroadcast(kernels.times_transpose(-w, x), a)


@tangent(kernels.solve_factored, ndim=(3, 3, 1))
def solve_each_factored_for_vector_tangent(x, a, factors, b):
    moved = kernels.solve_factored(a, factors, d[a] @ np.expand_dims(x, -1))
    d[x] = kernels.solve_factored(a, factors, d[b]) - np.reshape(moved, x.shape)


@tangent(kernels.solve_factored)
def solve_each_factored_tangent(x, a, factors, b):
    d[x] = kernels.solve_factored(a, factors, d[b]) - kernels.solve_factored(a, factors, d[a] @ x)


@adjoint(kernels.solve_factored_transposed, ndim=(2, 2, 1))
def solve_factored_transposed(w, a, factors, b):
    x = kernels.solve_factored(a, factors, d[w])
    d[b] = x
    d[a] = np.outer(-w, x)


@adjoint(kernels.solve_factored_transposed, ndim=(2, 2, 2))
def solve_factored_transposed_for_columns(w, a, factors, b):
    x = kernels.solve_factored(a, factors, d[w])
    d[b] = x
    d[a] = kernels.times_transpose(-w, x)


@adjoint(kernels.solve_factored_transposed)
def solve_each_factored_transposed(w, a, factors, b):
    x = kernels.solve_factored(a, factors, d[w])
    d[b] = kernels.unbroadcast(x, b)
    d[a] = kernels.unbroadcast(kernels.times_transpose(-w, x), a)


@tangent(kernels.solve_factored_transposed)
def solve_factored_transposed_tangent(w, a, factors, b):
    moved = kernels.solve_factored_transposed(a, factors, np.swapaxes(d[a], -1, -2) @ w)
    d[w] = kernels.solve_factored_transposed(a, factors, d[b]) - moved


@adjoint(kernels.inverse_factored)
def inverse_factored(y, a, factors):
    d[a] = kernels.times_transpose(-kernels.transpose_times(y, d[y]), y)


@tangent(kernels.inverse_factored)
def inverse_factored_tangent(y, a, factors):
    d[y] = -(y @ (d[a] @ y))


@adjoint(kernels.determinant_factored, ndim=(2, 2))
def determinant_factored(y, a, factors):
    d[a] = d[y] * kernels.cofactors_factored(a, factors, y)  # holds where the determinant is 0 as well


@tangent(kernels.determinant_factored, ndim=(2, 2))
def determinant_factored_tangent(y, a, factors):
    d[y] = np.sum(kernels.cofactors_factored(a, factors, y) * d[a])


@adjoint(kernels.determinant_factored)
def determinant_of_each_factored(y, a, factors):
    d[a] = kernels.of_each(d[y]) * kernels.cofactors_factored(a, factors, y)


@tangent(kernels.determinant_factored)
def determinant_of_each_factored_tangent(y, a, factors):
    d[y] = np.sum(kernels.cofactors_factored(a, factors, y) * d[a], axis=(-2, -1))


@adjoint(kernels.cofactors_factored, ndim=(2, 2))
def cofactors_factored(y, a, factors, whole):
    slope = np.transpose(kernels.inverse_factored(a, factors))  # LinAlgError for a singular matrix
    d[a] = -kernels.times(y, kernels.transpose_times(d[y], slope))
    d[whole] = np.sum(d[y] * slope)


@tangent(kernels.cofactors_factored, ndim=(2, 2))
def cofactors_factored_tangent(y, a, factors, whole):
    slope = np.transpose(kernels.inverse_factored(a, factors))
    d[y] = d[whole] * slope - kernels.times(slope, kernels.transpose_times(d[a], y))


@adjoint(kernels.cofactors_factored)
def cofactors_of_each_factored(y, a, factors, whole):
    slope = np.swapaxes(kernels.inverse_factored(a, factors), -1, -2)
    d[a] = -kernels.times(y, kernels.transpose_times(d[y], slope))
    d[whole] = np.sum(d[y] * slope, axis=(-2, -1))


@tangent(kernels.cofactors_factored)
def cofactors_of_each_factored_tangent(y, a, factors, whole):
    slope = np.swapaxes(kernels.inverse_factored(a, factors), -1, -2)
    d[y] = kernels.of_each(d[whole]) * slope - kernels.times(slope, kernels.transpose_times(d[a], y))


@adjoint(kernels.log_determinant_factored, ndim=(2, 2))
def log_determinant_factored(y, a, factors):
    d[a] = d[y] * np.transpose(kernels.inverse_factored(a, factors))


@tangent(kernels.log_determinant_factored, ndim=(2, 2))
def log_determinant_factored_tangent(y, a, factors):
    d[y] = np.real(np.sum(np.transpose(kernels.inverse_factored(a, factors)) * d[a]))


@adjoint(kernels.log_determinant_factored)
def log_determinant_of_each_factored(y, a, factors):
    d[a] = kernels.of_each(d[y]) * np.swapaxes(kernels.inverse_factored(a, factors), -1, -2)


@tangent(kernels.log_determinant_factored)
def log_determinant_of_each_factored_tangent(y, a, factors):
    slope = np.swapaxes(kernels.inverse_factored(a, factors), -1, -2)
    d[y] = np.real(np.sum(slope * d[a], axis=(-2, -1)))


@define(np.linalg.tensorsolve)
def tensorsolve(a, b, axes=None):
    if axes is not None:
        raise NotImplementedError("np.linalg.tensorsolve with axes has no derivative rule: move these axes to the end")
    shape = a.shape[np.ndim(b) :]
    return np.reshape(np.linalg.solve(np.reshape(a, (np.size(b), -1)), np.ravel(b)), shape)


@define(np.linalg.tensorinv)
def tensorinv(a, ind=2):
    rows = 1
    for k in range(ind):
        rows = rows * a.shape[k]
    return np.reshape(np.linalg.inv(np.reshape(a, (rows, -1))), a.shape[ind:] + a.shape[:ind])


zero(np.linalg.matrix_rank, kernels.determinant_sign, kernels.sign_factored)


@adjoint(kernels.regular)
def regular(y, slope, where):
    d[slope] = d[y]


@tangent(kernels.regular)
def regular_tangent(y, slope, where):
    d[y] = d[slope]
