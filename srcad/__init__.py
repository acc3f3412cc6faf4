"""Automatic differentiation of numerical Python by source transformation: readable gradients, compiled by Numba.

`grad`, `jacobian`, `hessian`, `vjp` and `jvp` differentiate functions, `GradientTape` records a block of code, `source`
shows the generated code, and `explain` describes a derivative.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from srcad.runtime.jit.gc_pause import nothing_collected

if TYPE_CHECKING:
    from srcad.api.custom_rules import custom_jvp, custom_vjp
    from srcad.api.grad_vjp_jvp import function, grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp
    from srcad.api.implicit_functions import implicit
    from srcad.api.linear_maps import jacfwd, jacrev, linearize, value_and_jacobian
    from srcad.batching.streamed_gradient import map_gradient
    from srcad.batching.vmap import vmap
    from srcad.errors import (
        BadArgument,
        BadIndex,
        BadType,
        BadValue,
        CompilerBug,
        GradientCut,
        MayOverlap,
        MissingRule,
        NonFinite,
        NoSolution,
        NotATensor,
        NotDifferentiable,
        PerformanceWarning,
        SourceUnavailable,
        SrcadError,
        TapeMisuse,
        TraceTooLarge,
        UnreliableDifferences,
        UnsupportedSyntax,
        UnsupportedVersion,
        WorkersLost,
        WrongGradient,
        WrongRule,
    )
    from srcad.runtime.checkpointed import checkpointed
    from srcad.runtime.reversible import reversible
    from srcad.runtime.stop_gradient import stop_gradient
    from srcad.runtime.support.debug_mode import debug
    from srcad.runtime.tape.public import (
        ForwardAccumulator,
        GradientTape,
        IndexedSlices,
        Tensor,
        UnconnectedGradients,
        Variable,
        constant,
        convert_to_tensor,
        custom_gradient,
        is_tensor,
        recompute_grad,
        set_default_dtype,
    )
    from srcad.sparse.sparse_derivatives import sparse_hessian, sparse_jacobian
    from srcad.tools.check_grads import check_grads
    from srcad.tools.explain import explain
    from srcad.tools.report import report
    from srcad.tools.source_text import source
    from srcad.tools.standalone.exported_module import export

__version__ = "0.2.0"  # pyproject.toml reads it here

# The module that defines each name. It is imported when the name is first used: a program that calls compiled gradients
# does not import the tape, and a program that uses the tape does not import the checks.
_HOMES = {
    "BadArgument": "srcad.errors",
    "BadIndex": "srcad.errors",
    "BadType": "srcad.errors",
    "BadValue": "srcad.errors",
    "CompilerBug": "srcad.errors",
    "ForwardAccumulator": "srcad.runtime.tape.public",
    "GradientCut": "srcad.errors",
    "GradientTape": "srcad.runtime.tape.public",
    "IndexedSlices": "srcad.runtime.tape.public",
    "MayOverlap": "srcad.errors",
    "MissingRule": "srcad.errors",
    "NonFinite": "srcad.errors",
    "NoSolution": "srcad.errors",
    "NotATensor": "srcad.errors",
    "NotDifferentiable": "srcad.errors",
    "PerformanceWarning": "srcad.errors",
    "SourceUnavailable": "srcad.errors",
    "SrcadError": "srcad.errors",
    "TapeMisuse": "srcad.errors",
    "Tensor": "srcad.runtime.tape.public",
    "TraceTooLarge": "srcad.errors",
    "UnreliableDifferences": "srcad.errors",
    "UnconnectedGradients": "srcad.runtime.tape.public",
    "UnsupportedSyntax": "srcad.errors",
    "UnsupportedVersion": "srcad.errors",
    "Variable": "srcad.runtime.tape.public",
    "WrongGradient": "srcad.errors",
    "WorkersLost": "srcad.errors",
    "WrongRule": "srcad.errors",
    "check_grads": "srcad.tools.check_grads",
    "checkpointed": "srcad.runtime.checkpointed",
    "constant": "srcad.runtime.tape.public",
    "convert_to_tensor": "srcad.runtime.tape.public",
    "debug": "srcad.runtime.support.debug_mode",
    "custom_gradient": "srcad.runtime.tape.public",
    "custom_jvp": "srcad.api.custom_rules",
    "custom_vjp": "srcad.api.custom_rules",
    "explain": "srcad.tools.explain",
    "export": "srcad.tools.standalone.exported_module",
    "function": "srcad.api.grad_vjp_jvp",
    "grad": "srcad.api.grad_vjp_jvp",
    "hessian": "srcad.api.grad_vjp_jvp",
    "hvp": "srcad.api.grad_vjp_jvp",
    "implicit": "srcad.api.implicit_functions",
    "is_tensor": "srcad.runtime.tape.public",
    "jacfwd": "srcad.api.linear_maps",
    "jacobian": "srcad.api.grad_vjp_jvp",
    "jacrev": "srcad.api.linear_maps",
    "jvp": "srcad.api.grad_vjp_jvp",
    "linearize": "srcad.api.linear_maps",
    "map_gradient": "srcad.batching.streamed_gradient",
    "recompute_grad": "srcad.runtime.tape.public",
    "report": "srcad.tools.report",
    "reversible": "srcad.runtime.reversible",
    "set_default_dtype": "srcad.runtime.tape.public",
    "source": "srcad.tools.source_text",
    "sparse_hessian": "srcad.sparse.sparse_derivatives",
    "sparse_jacobian": "srcad.sparse.sparse_derivatives",
    "stop_gradient": "srcad.runtime.stop_gradient",
    "value_and_grad": "srcad.api.grad_vjp_jvp",
    "value_and_jacobian": "srcad.api.linear_maps",
    "vjp": "srcad.api.grad_vjp_jvp",
    "vmap": "srcad.batching.vmap",
}

_MODULES = ("distributed", "extend", "testing")  # public modules, which are imported when they are first used

__all__ = [
    "BadArgument",
    "BadIndex",
    "BadType",
    "BadValue",
    "CompilerBug",
    "ForwardAccumulator",
    "GradientCut",
    "GradientTape",
    "IndexedSlices",
    "MayOverlap",
    "MissingRule",
    "NoSolution",
    "NonFinite",
    "NotATensor",
    "NotDifferentiable",
    "PerformanceWarning",
    "SourceUnavailable",
    "SrcadError",
    "TapeMisuse",
    "Tensor",
    "TraceTooLarge",
    "UnconnectedGradients",
    "UnreliableDifferences",
    "UnsupportedSyntax",
    "UnsupportedVersion",
    "Variable",
    "WorkersLost",
    "WrongGradient",
    "WrongRule",
    "__version__",
    "check_grads",
    "checkpointed",
    "constant",
    "convert_to_tensor",
    "custom_gradient",
    "custom_jvp",
    "custom_vjp",
    "debug",
    "explain",
    "export",
    "function",
    "grad",
    "hessian",
    "hvp",
    "implicit",
    "is_tensor",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "linearize",
    "map_gradient",
    "recompute_grad",
    "report",
    "reversible",
    "set_default_dtype",
    "source",
    "sparse_hessian",
    "sparse_jacobian",
    "stop_gradient",
    "value_and_grad",
    "value_and_jacobian",
    "vjp",
    "vmap",
]


# Names that other libraries have for what srcad has, or does not need.
_NAMES_ELSEWHERE = {
    "jit": "srcad.function(f), or numba.njit; gradients are compiled anyway",
    "pmap": "srcad.vmap(f) for many elements, srcad.distributed.map_gradient for several processes",
    "numpy": "NumPy itself: import numpy as np",
    "gradient": "srcad.grad(f)",
    "derivative": "srcad.grad(f)",
    "value_and_gradient": "srcad.value_and_grad(f)",
    "elementwise_grad": "srcad.vjp(f, x), and give its pullback an array of ones",
    "make_vjp": "srcad.vjp(f, x)",
    "make_jvp": "srcad.jvp(f, (x,), (v,))",
    "hessian_vector_product": "srcad.hvp(f)",
    "checkpoint": "srcad.checkpointed(range(n)) in the loop, or srcad.recompute_grad(f)",
    "remat": "srcad.checkpointed(range(n)) in the loop, or srcad.recompute_grad(f)",
    "primitive": "srcad.custom_vjp, or srcad.extend",
    "debug_nans": "srcad.debug()",
    "lax": "Python's own if, while and for",
    "tree_util": "optree; structures need no registration",
}

if not TYPE_CHECKING:  # a type checker that saw this would take any name for one of srcad's

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            return import_module(f"srcad.{name}")
        home = _HOMES.get(name)
        if home is None:
            way = f": use {_NAMES_ELSEWHERE[name]}" if name in _NAMES_ELSEWHERE else ""
            raise AttributeError(f"module 'srcad' has no attribute {name!r}{way}")
        with nothing_collected():
            found = globals()[name] = getattr(import_module(home), name)
        return found


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES, *(name for name in globals() if name.startswith("__"))})
