"""Definitions of solvers of `scipy.optimize`: SciPy runs, and what its solution satisfies gives the derivatives."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import scipy.optimize

from srcad.runtime.rulebook.registry import define
from srcad.runtime.rulebook.theorems import SolvedBy, Unsolved


def run_root(function: Any, start: Any, method: str, tol: Any, options: Any) -> Any:
    """The solution of a system of equations."""
    found = scipy.optimize.root(function, start, method=method, tol=tol, options=options)
    if not found.success:
        raise Unsolved(str(found.message))
    return found.x


ROOT = SolvedBy("root", run_root, "root", "np.ravel(np.asarray(function(x{args})))")


Solution = namedtuple("Solution", ["x", "success"])


@define(scipy.optimize.root)
def root(fun, x0, args=(), method="hybr", jac=None, tol=None, callback=None, options=None):
    if not isinstance(args, tuple):
        args = (args,)
    x = ROOT(fun, args, np.ravel(np.asarray(x0)), method, tol, options)
    return Solution(x, True)
