"""Rules for the tape only, of functions that also have a definition.

The compiler inlines the definition and optimises the result. So does a tape, but for the functions here: their
definitions do not cover all calls, have many steps, or take lists.
"""

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.kernels.arrays import rearrangements
from srcad.runtime.kernels.tape_rules import (
    composed_functions,
    list_functions,
    matrix_functions,
)
from srcad.runtime.rulebook.registry import adjoint, d, linear, tangent


@adjoint(np.average)
def average(y, a, axis=None, weights=None):
    d[a] = kernels.restore(d[y], a.shape, axis) * composed_functions.parts_of_average(a, axis, weights)
    d[weights] = composed_functions.to_weights(d[y], y, a, axis, weights)


@tangent(np.average)
def average_tangent(y, a, axis=None, weights=None):
    parts = composed_functions.parts_of_average(a, axis, weights)
    d[y] = np.sum(parts * d[a], axis=axis) + composed_functions.of_weights(d[weights], y, a, axis, weights)


@adjoint(np.vecdot, np.linalg.vecdot)
def vecdot(y, x1, x2, axis=-1):
    # For real vectors; for complex ones see `call_rewrites`.
    d[x1] = composed_functions.vecdot_adjoint(d[y], x2, x1, axis)
    d[x2] = composed_functions.vecdot_adjoint(d[y], x1, x2, axis)


@tangent(np.vecdot, np.linalg.vecdot)
def vecdot_tangent(y, x1, x2, axis=-1):
    d[y] = np.linalg.vecdot(d[x1], x2, axis=axis) + np.linalg.vecdot(x1, d[x2], axis=axis)  # type: ignore[call-overload]


@adjoint(np.matvec)
def matvec(y, x1, x2):
    d[x1] = np.expand_dims(d[y], -1) * np.expand_dims(x2, -2)
    d[x2] = np.sum(np.expand_dims(d[y], -1) * x1, axis=-2)


@tangent(np.matvec)
def matvec_tangent(y, x1, x2):
    d[y] = np.sum(d[x1] * np.expand_dims(x2, -2), axis=-1) + np.sum(x1 * np.expand_dims(d[x2], -2), axis=-1)


@adjoint(np.vecmat)
def vecmat(y, x1, x2):
    d[x1] = np.sum(np.expand_dims(d[y], -2) * x2, axis=-1)
    d[x2] = np.expand_dims(x1, -1) * np.expand_dims(d[y], -2)


@tangent(np.vecmat)
def vecmat_tangent(y, x1, x2):
    d[y] = np.vecmat(d[x1], x2) + np.vecmat(x1, d[x2])


@adjoint(np.delete)
def delete(y, arr, obj):
    d[arr] = rearrangements.undelete(d[y], arr.shape, obj)


@tangent(np.delete)
def delete_tangent(y, arr, obj):
    d[y] = np.delete(d[arr], obj)


@adjoint(np.dstack)
def dstack(y, tup):
    d[tup] = list_functions.undstack(d[y], tup)


@adjoint(np.select)
def select(y, condlist, choicelist, default=0):
    d[choicelist] = list_functions.unselect(d[y], condlist, choicelist)
    d[default] = list_functions.not_selected(d[y], condlist)


@adjoint(np.choose)
def choose(y, a, choices):
    d[choices] = list_functions.unchoose(d[y], a, choices)


@adjoint(np.linalg.multi_dot)
def multi_dot(y, arrays):
    d[arrays] = list_functions.multi_dot_adjoint(d[y], arrays)


@tangent(np.linalg.multi_dot)
def multi_dot_tangent(y, arrays):
    d[y] = list_functions.multi_dot_tangent(d[arrays], arrays)


@adjoint(np.append)
def append(y, arr, values, axis=None):
    d[arr] = rearrangements.appended_first(d[y], arr, axis)
    d[values] = rearrangements.appended_rest(d[y], arr, values, axis)


@adjoint(rearrangements.take_along_adjoint)
def take_along_adjoint(y, g, shape, indices, axis):
    d[g] = np.take_along_axis(d[y], indices, axis)


@adjoint(np.linalg.svd, handles_complex=False)
def svd(y, a, full_matrices=True, compute_uv=True, hermitian=False):
    d[a] = matrix_functions.svd_adjoint(d[y], y, a)


@tangent(np.linalg.svd)
def svd_tangent(y, a, full_matrices=True, compute_uv=True, hermitian=False):
    d[y] = matrix_functions.svd_tangent(d[a], y, a)


@adjoint(np.linalg.qr, handles_complex=False)
def qr(y, a, mode="reduced"):
    d[a] = matrix_functions.qr_adjoint(d[y], y, a)


@tangent(np.linalg.qr)
def qr_tangent(y, a, mode="reduced"):
    d[y] = matrix_functions.qr_tangent(d[a], y, a)


@adjoint(np.linalg.eigvalsh, handles_complex=False)
def eigvalsh(y, a):
    d[a] = matrix_functions.eigvalsh_adjoint(d[y], a)


@tangent(np.linalg.eigvalsh)
def eigvalsh_tangent(y, a):
    d[y] = matrix_functions.eigvalsh_tangent(d[a], a)


@adjoint(np.linalg.eigh, handles_complex=False)
def eigh(y, a):
    d[a] = matrix_functions.eigh_adjoint(d[y], y)


@tangent(np.linalg.eigh)
def eigh_tangent(y, a):
    d[y] = matrix_functions.eigh_tangent(d[a], y)


@adjoint(np.linalg.pinv, handles_complex=False)
def pinv(y, a):
    d[a] = matrix_functions.pinv_adjoint(d[y], y, a)


@tangent(np.linalg.pinv)
def pinv_tangent(y, a):
    d[y] = matrix_functions.pinv_tangent(d[a], y, a)


@adjoint(rearrangements.step)
def step(y, x):
    d[x] = np.zeros(np.shape(x))


@tangent(rearrangements.step)
def step_tangent(y, x):
    d[y] = np.where(False, d[x], 0.0)


@adjoint(np.linalg.lstsq, handles_complex=False)
def lstsq(y, a, b, rcond=None):
    t = matrix_functions.lstsq_adjoint(d[y], y, a, b)
    d[a] = t[0]
    d[b] = t[1]


@adjoint(np.linalg.vector_norm, handles_complex=False)
def vector_norm(y, x, axis=None, keepdims=False, ord=2):
    d[x] = composed_functions.norm_adjoint(d[y], y, x, axis, keepdims, ord)


@adjoint(composed_functions.norm_of_vectors, handles_complex=False)
def norm_of_vectors(y, x, order, axis=None, keepdims=False):
    d[x] = composed_functions.norm_adjoint(d[y], y, x, axis, keepdims, order)


@tangent(composed_functions.norm_of_vectors)
def norm_of_vectors_tangent(y, x, order, axis=None, keepdims=False):
    d[y] = np.sum(
        composed_functions.norm_adjoint(np.ones(np.shape(y)), y, x, axis, keepdims, order) * d[x],
        axis=axis,
        keepdims=keepdims,
    )


linear(np.append, np.choose, np.dstack, np.select, rearrangements.take_along_adjoint)
