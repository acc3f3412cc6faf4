"""Refusals about solvers: equations, minimisers and integrals whose derivatives theorems give."""

from __future__ import annotations

from srcad.errors import NoSolution, UnsupportedSyntax
from srcad.refusals.refusal import Refusal

NOT_CONVERGED = Refusal(
    NoSolution,
    "Solvers that do not converge",
    "`{solver}` found no solution, so that there is no derivative: {reason}",
    "begin nearer to the solution, allow more iterations or another method, or check that there is a solution",
    """
    from scipy.optimize import root

    def f(a):
        return root(lambda x: x * x + a, 1.0).x[0]
    """,
)

UNKNOWN_FUNCTION = Refusal(
    UnsupportedSyntax,
    "Functions that a solver gets and that are not known while compiling",
    "the function that `{solver}` gets is not known while compiling",
    "pass a function, a method or an object that is known; for one of several functions a lambda, `lambda x: g(x)`",
    """
    from scipy.optimize import brentq

    def f(a):
        excess = (lambda x: x - a) if a > 0.0 else (lambda x: x * x + a)
        return brentq(excess, 0.0, 10.0)
    """,
)

SOLVER_WRITES = Refusal(
    UnsupportedSyntax,
    "Functions for solvers that write into arrays from around them",
    "a function that a solver gets writes into `{name}`, which is not its own",
    "write into a copy, or return what is to be known afterwards",
    """
    from scipy.optimize import brentq

    def f(a):
        seen = np.zeros(1)

        def excess(x):
            seen[0] = x
            return x * x - a

        return brentq(excess, 0.0, 10.0) + seen[0]
    """,
)

SOLVER_OPTION = Refusal(
    UnsupportedSyntax,
    "Options of solvers that are not known while compiling",
    "`{solver}` gets a {what}, which is not known while compiling",
    "pass texts and functions that are written at the call",
    unshown="options that srcad hands on are numbers, texts, arrays, and tuples and dictionaries of these",
)
