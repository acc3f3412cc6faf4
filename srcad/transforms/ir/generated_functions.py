"""Generated functions: the result of differentiation, with the objects that their free names refer to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import gast

from srcad.names import Names
from srcad.transforms.ir.build import Block

if TYPE_CHECKING:
    from srcad.transforms.sweeps.sweep_construction import Sweeps


@dataclass(frozen=True)
class Made:
    """Generated functions in order, statements that precede them, and the objects that their free names refer to.

    outputs     function -> parameters that it writes to for its caller
    sweeps      the assembled sweeps that the functions were made from
    """

    functions: list[gast.FunctionDef]
    bindings: dict[str, Any]
    names: tuple[str, ...]
    maker: Names | None = None
    before: tuple[gast.stmt, ...] = ()
    outputs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sweeps: Sweeps | None = None


def function(name: str, parameters: Sequence[str], body: Block) -> gast.FunctionDef:
    """A function definition."""
    arguments = gast.arguments(
        args=[gast.Name(id=each, ctx=gast.Param(), annotation=None, type_comment=None) for each in parameters],
        posonlyargs=[],
        vararg=None,
        kwonlyargs=[],
        kw_defaults=[],
        kwarg=None,
        defaults=[],
    )
    return gast.FunctionDef(
        name=name, args=arguments, body=body, decorator_list=[], returns=None, type_comment=None, type_params=[]
    )
