"""Jacobians by a given mode, with the value, and the derivative at a point as a function of tangents."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from srcad.api.grad_vjp_jvp import function, jacobian, jvp
from srcad.api.jacobian_and_hessian import Jacobian
from srcad.api.wrt import Wrt
from srcad.runtime.support.array_snapshots import snapshot

_P = ParamSpec("_P")  # the parameters of a function, which its derivatives have too
_R = TypeVar("_R")


def jacfwd(f: Callable[_P, Any], wrt: Wrt = 0, **how: Any) -> Callable[_P, Any]:
    """The Jacobian by forward mode, one tangent sweep per element of the arguments: `jacobian(f, wrt, "forward")`.

    Takes the other arguments of `jacobian`.

    >>> import numpy as np
    >>> jacfwd(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    return jacobian(f, wrt, "forward", **how)


def jacrev(f: Callable[_P, Any], wrt: Wrt = 0, **how: Any) -> Callable[_P, Any]:
    """The Jacobian by reverse mode, one reverse sweep per element of the result: `jacobian(f, wrt, "reverse")`.

    Takes the other arguments of `jacobian`.

    >>> import numpy as np
    >>> jacrev(lambda x: np.sum(x * x))(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    return jacobian(f, wrt, "reverse", **how)


def value_and_jacobian(
    f: Callable[_P, _R], wrt: Wrt = 0, mode: str | None = None, **how: Any
) -> Callable[_P, tuple[_R, Any]]:
    """The value of a function together with its Jacobian, from the same sweeps.

    Takes the arguments of `jacobian`; the returned function gives the pair (value, Jacobian).

    >>> import numpy as np
    >>> value_and_jacobian(lambda x: x * x)(np.array([1.0, 2.0]))
    (array([1., 4.]), array([[2., 0.],
           [0., 4.]]))
    """
    made: Any = jacobian(f, wrt, mode, **how)
    if isinstance(made, functools.partial):  # of a method, by a part of its object
        of: Any = made.func
        return functools.partial(of.with_value, *made.args)
    if isinstance(made, Jacobian):
        return made.with_value
    return lambda *args, **kwargs: (f(*args, **kwargs), made(*args, **kwargs))  # of a gradient, which changes nothing


def linearize(f: Callable[..., Any], *primals: Any, jit: bool = True, **how: Any) -> tuple[Any, Callable[..., Any]]:
    """The value of f(*primals), and the function that maps tangents to the derivative along them.

    That function takes one tangent per argument, with the argument's shape; None means that the argument does not move.
    It is linear, and may be called any number of times, also after the arguments have changed. Each call computes the
    value again along with the tangent. Takes the other keyword arguments of `jvp`.

    >>> value, along = linearize(lambda x, y: x * y, 3.0, 2.0)
    >>> value, along(1.0, None), along(None, 1.0)
    (6.0, 2.0, 3.0)
    """
    held = snapshot(primals)
    value = function(f, jit=jit, **how)(*snapshot(held))

    def along(*tangents: Any) -> Any:
        return jvp(f, held, tangents, jit, **how)[1]

    return value, along


for _each in (jacfwd, jacrev):  # what they are, for functions that call them
    setattr(_each, "__srcad_transform__", "jacobian")  # noqa: B010 - for the type checker
