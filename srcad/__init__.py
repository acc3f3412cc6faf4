"""Differentiates numerical Python by rewriting its source: gradients that can be read, compiled by Numba.

`grad` and its relatives take functions, `GradientTape` records a block, `source` shows what is generated, `explain`
tells why.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from srcad.runtime.collected import nothing_collected

if TYPE_CHECKING:
    from srcad.api import function, grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp
    from srcad.check import check_grads
    from srcad.errors import (
        BadArgument,
        BadIndex,
        BadValue,
        CompilerBug,
        GradientCut,
        MayOverlap,
        MissingRule,
        NotATensor,
        NotDifferentiable,
        PerformanceWarning,
        SourceUnavailable,
        SrcadError,
        TapeMisuse,
        TraceTooLarge,
        UnsupportedSyntax,
        WrongGradient,
    )
    from srcad.explained import explain
    from srcad.runtime.checkpoint import checkpointed
    from srcad.runtime.custom import custom_gradient, recompute_grad
    from srcad.runtime.forward import ForwardAccumulator
    from srcad.runtime.slices import IndexedSlices
    from srcad.runtime.stop import stop_gradient
    from srcad.runtime.tape import GradientTape, UnconnectedGradients
    from srcad.runtime.tensor import Tensor, constant, convert_to_tensor, is_tensor, set_default_dtype
    from srcad.runtime.variable import Variable
    from srcad.show import source

__version__ = "0.1.0"  # pyproject.toml reads it here

# Where each name is defined. It is imported when first asked for: a program that calls compiled gradients has no use
# for the tape, nor one that uses the tape for the checks.
_HOMES = {
    "BadArgument": "srcad.errors",
    "BadIndex": "srcad.errors",
    "BadValue": "srcad.errors",
    "CompilerBug": "srcad.errors",
    "ForwardAccumulator": "srcad.runtime.forward",
    "GradientCut": "srcad.errors",
    "GradientTape": "srcad.runtime.tape",
    "IndexedSlices": "srcad.runtime.slices",
    "MayOverlap": "srcad.errors",
    "MissingRule": "srcad.errors",
    "NotATensor": "srcad.errors",
    "NotDifferentiable": "srcad.errors",
    "PerformanceWarning": "srcad.errors",
    "SourceUnavailable": "srcad.errors",
    "SrcadError": "srcad.errors",
    "TapeMisuse": "srcad.errors",
    "Tensor": "srcad.runtime.tensor",
    "TraceTooLarge": "srcad.errors",
    "UnconnectedGradients": "srcad.runtime.tape",
    "UnsupportedSyntax": "srcad.errors",
    "Variable": "srcad.runtime.variable",
    "WrongGradient": "srcad.errors",
    "check_grads": "srcad.check",
    "checkpointed": "srcad.runtime.checkpoint",
    "constant": "srcad.runtime.tensor",
    "convert_to_tensor": "srcad.runtime.tensor",
    "custom_gradient": "srcad.runtime.custom",
    "explain": "srcad.explained",
    "function": "srcad.api",
    "grad": "srcad.api",
    "hessian": "srcad.api",
    "hvp": "srcad.api",
    "is_tensor": "srcad.runtime.tensor",
    "jacobian": "srcad.api",
    "jvp": "srcad.api",
    "recompute_grad": "srcad.runtime.custom",
    "set_default_dtype": "srcad.runtime.tensor",
    "source": "srcad.show",
    "stop_gradient": "srcad.runtime.stop",
    "value_and_grad": "srcad.api",
    "vjp": "srcad.api",
}

__all__ = [
    "BadArgument",
    "BadIndex",
    "BadValue",
    "CompilerBug",
    "ForwardAccumulator",
    "GradientCut",
    "GradientTape",
    "IndexedSlices",
    "MayOverlap",
    "MissingRule",
    "NotATensor",
    "NotDifferentiable",
    "PerformanceWarning",
    "SourceUnavailable",
    "SrcadError",
    "TapeMisuse",
    "Tensor",
    "TraceTooLarge",
    "UnconnectedGradients",
    "UnsupportedSyntax",
    "Variable",
    "WrongGradient",
    "__version__",
    "check_grads",
    "checkpointed",
    "constant",
    "convert_to_tensor",
    "custom_gradient",
    "explain",
    "function",
    "grad",
    "hessian",
    "hvp",
    "is_tensor",
    "jacobian",
    "jvp",
    "recompute_grad",
    "set_default_dtype",
    "source",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]


if not TYPE_CHECKING:  # a type checker that saw this would take any name for one of srcad's

    def __getattr__(name: str) -> Any:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module 'srcad' has no attribute {name!r}")
        with nothing_collected():
            found = globals()[name] = getattr(import_module(home), name)
        return found


def __dir__() -> list[str]:
    return sorted(globals().keys() | _HOMES.keys())
