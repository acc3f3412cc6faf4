"""What stands in for TensorFlow in the cases: `srcad` for the tape, NumPy's functions for the operations."""

import types
from typing import Any

import numpy as np

import srcad


def _gather(params: Any, indices: Any, axis: int = 0) -> Any:
    return np.take(params, indices, axis=axis)


def _sigmoid(x: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-x))


def _cholesky(x: Any) -> Any:
    # TensorFlow's gradient is that by the symmetric part of a matrix; NumPy's function reads the lower triangle alone.
    return np.linalg.cholesky(0.5 * (x + np.swapaxes(x, -1, -2)))


linalg = types.SimpleNamespace(
    inv=np.linalg.inv,
    det=np.linalg.det,
    solve=np.linalg.solve,
    cholesky=_cholesky,
    trace=np.trace,
    eigh=np.linalg.eigh,
    eigvalsh=np.linalg.eigvalsh,
    qr=np.linalg.qr,
    slogdet=np.linalg.slogdet,
    diag_part=np.diag,
    matvec=lambda a, x: a @ x,
    norm=np.linalg.norm,
)

tf = types.SimpleNamespace(
    **{name: getattr(srcad, name) for name in srcad.__all__},
    **{name: getattr(np, name) for name in ("float32", "float64", "int32", "int64", "complex64", "complex128")},
    **{
        name: getattr(np, name)
        for name in ("abs", "square", "exp", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh")
    },
    **{name: getattr(np, name) for name in ("maximum", "minimum", "where", "floor", "round", "sign", "zeros_like")},
    **{name: getattr(np, name) for name in ("ones_like", "reshape", "transpose", "matmul", "expand_dims", "squeeze")},
    **{
        name: getattr(np, name) for name in ("stack", "tile", "einsum", "cumsum", "tensordot", "argmax", "broadcast_to")
    },
    **{
        name: getattr(np, name)
        for name in ("repeat", "roll", "sort", "pow", "atan2", "asin", "acos", "asinh", "acosh", "equal")
    },
    **{name: getattr(np, name) for name in ("add", "subtract", "multiply", "divide", "negative", "shape", "size")},
    bool=np.bool_,
    norm=np.linalg.norm,
    atan=np.atan,
    concat=np.concatenate,
    cast=lambda x, dtype: srcad.convert_to_tensor(x).astype(dtype),
    identity=lambda x: +srcad.convert_to_tensor(x),
    reduce_sum=np.sum,
    reduce_mean=np.mean,
    reduce_max=np.max,
    reduce_min=np.min,
    reduce_prod=np.prod,
    reduce_any=np.any,
    add_n=sum,
    clip_by_value=np.clip,
    gather=_gather,
    zeros=lambda shape, dtype="float64": srcad.constant(np.zeros(shape, dtype)),
    ones=lambda shape, dtype="float64": srcad.constant(np.ones(shape, dtype)),
    sigmoid=_sigmoid,
    nn=types.SimpleNamespace(relu=lambda x: np.maximum(0.0, x), softplus=lambda x: np.log1p(np.exp(x))),
    math=types.SimpleNamespace(
        reduce_variance=np.var,
        reduce_std=np.std,
        log=np.log,
        log1p=np.log1p,
        expm1=np.expm1,
        real=np.real,
        imag=np.imag,
        conj=np.conj,
        cumprod=np.cumprod,
    ),
    complex=lambda real, imag: real + 1j * imag,
    linalg=linalg,
    autodiff=types.SimpleNamespace(ForwardAccumulator=srcad.ForwardAccumulator),
)
