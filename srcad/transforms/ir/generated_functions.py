"""Generated functions: the result of differentiation, with the objects that their free names refer to."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import gast

from srcad.names import Names
from srcad.transforms.ir.build import Block
from srcad.transforms.ir.code import Code, Settings
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.unit import Unit

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

    def codes(self, without: Collection[str] = (), loops: bool = True, debug: bool = False) -> list[Code]:
        """The functions with what is known of their names, as passes take them."""
        return [self._code(each, frozenset(without), loops, debug) for each in self.functions]

    def _code(self, tree: gast.FunctionDef, without: frozenset[str], loops: bool, debug: bool) -> Code:
        kinds = notes_of(tree).kinds if loops else None
        return Code(
            Unit(tree.name, tree, self.bindings, self.maker or Names(), without=without),
            Types(kinds or {}),
            outputs=self.outputs.get(tree.name, ()),
            primals=notes_of(tree).primals,
            settings=Settings(loops=kinds is not None, interpreted=not loops, debug=debug),
        )


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
