"""Rules of your own for functions of any library, in the words that srcad's own tables use.

    import numpy as np
    from srcad.extend import d, adjoint, linear, partial, tangent

    @partial(library.softplus)                  elementwise: the partial derivatives, one for each input
    def softplus(y, x):
        return 1.0 / (1.0 + np.exp(-x))

    @adjoint(library.scaled)                    how the adjoint of the result contributes to those of the inputs
    def scaled(y, x, k):
        d[x] = k * d[y]
        d[k] = np.sum(x * d[y])

    @tangent(library.scaled)                    how the tangents of the inputs make that of the result
    def scaled_tangent(y, x, k):
        d[y] = k * d[x] + x * d[k]

The parameters of a rule are the result, then the inputs as the function names them. A rule is read, not called: it has
assignments to names and to `d[...]`, and for `partial` a `return` at its end. It may call functions of NumPy and
others, and reads nothing else from around it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from srcad.runtime.rulebook import users_statements
from srcad.runtime.rulebook.registry import d
from srcad.runtime.rulebook.rule import Fit, Kind

_Function = TypeVar("_Function", bound=Callable[..., Any])

__all__ = ["adjoint", "d", "definition", "linear", "partial", "tangent", "zero"]


def _stating(functions: tuple[Any, ...], kind: Kind, field: str, fit: Fit) -> Callable[[_Function], _Function]:
    def decorate(rule: _Function) -> _Function:
        users_statements.state(functions, kind, field, rule, fit)
        return rule

    return decorate


def partial(*functions: Any, arity: int | None = None) -> Callable[[_Function], _Function]:
    """State the partial derivatives of an elementwise function: one expression, or a tuple with one for each input.

    None stands for an input without a derivative. Reverse and forward mode follow, and broadcasting is undone.
    `arity=1` restricts the rule to calls with one argument. Raises WrongRule, BadArgument or BadType for what cannot
    be a rule.

    >>> import numpy as np, srcad
    >>> from srcad.extend import partial
    >>> def softplus(x):
    ...     return np.log1p(np.exp(x))
    >>> @partial(softplus)
    ... def softplus_rule(y, x):
    ...     return 1.0 / (1.0 + np.exp(-x))
    >>> srcad.grad(lambda x: np.sum(softplus(x)))(np.array([0.0, 1000.0]))
    array([0.5, 1. ])
    """
    return _stating(functions, "partial", "partials_source", Fit(arity=arity))


def adjoint(*functions: Any, ndim: tuple[int, ...] = (), arity: int | None = None) -> Callable[[_Function], _Function]:
    """State how the adjoint of the result, `d[y]`, contributes to those of the inputs: `d[x] = ...`.

    Contributions are added up. Each has the shape of its input. `ndim=(2, 1)` restricts the rule to leading inputs of
    these ranks, `arity` to calls with so many arguments.

    >>> import numpy as np, srcad
    >>> from srcad.extend import adjoint, d
    >>> def scaled(x, k):
    ...     return k * x
    >>> @adjoint(scaled)
    ... def scaled_rule(y, x, k):
    ...     d[x] = k * d[y]
    ...     d[k] = np.sum(x * d[y])
    >>> srcad.grad(lambda x, k: np.sum(scaled(x, k)), (0, 1))(np.array([1.0, 2.0]), 3.0)
    (array([3., 3.]), 3.0)
    """
    return _stating(functions, "adjoint", "adjoint_source", Fit(ndim, arity))


def tangent(*functions: Any, ndim: tuple[int, ...] = (), arity: int | None = None) -> Callable[[_Function], _Function]:
    """State the tangent of the result from those of the inputs, for forward mode and second derivatives: `d[y] = ...`.

    An input that does not move has the tangent 0.
    """
    return _stating(functions, "adjoint", "tangent_source", Fit(ndim, arity))


def linear(*functions: Any) -> None:
    """State that a function is linear: its tangent is the function itself, on the tangents of the inputs.

    Inputs by which it is not linear are those that its `adjoint` rule, stated first, does not contribute to.
    """
    users_statements.state_without_text(functions, "adjoint", is_linear=True)


def zero(*functions: Any) -> None:
    """State that the derivative of a function is zero wherever it exists."""
    users_statements.state_without_text(functions, "zero")


def definition(*functions: Any) -> Callable[[_Function], _Function]:
    """State that a function is the same as another one, which srcad can differentiate, and which takes its place.

    >>> import math, numpy as np, srcad
    >>> from srcad.extend import definition
    >>> class Library:
    ...     @staticmethod
    ...     def cube(x):
    ...         return eval("x ** 3")
    >>> @definition(Library.cube)
    ... def cube(x):
    ...     return x * x * x
    >>> srcad.grad(lambda x: Library.cube(x))(2.0)
    12.0
    """

    def decorate(function: _Function) -> _Function:
        users_statements.define(functions, function)
        return function

    return decorate
