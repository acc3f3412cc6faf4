"""The passes that make derivatives which a function calls: the tangent or the gradient of another function."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast
from numba import types as nb

from srcad.driver.pass_manager import passed, reached_types
from srcad.driver.passes import AGAIN, OPTIMISE
from srcad.transforms.adjoint.call_derivatives import Callees
from srcad.transforms.checkpointing.iteration_derivative import make_any_pair, make_any_tangent
from srcad.transforms.ir.build import call
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.generated_functions import Made
from srcad.transforms.sweeps.gradient_function import gradient_function, tangent_unit


class DerivativePasses:
    """Makes derivatives with the settings of the function that calls them."""

    def __init__(self, caller: Code) -> None:
        self.settings = replace(caller.settings, is_primal=False, in_place=False, insist=False)
        self.without = caller.unit.without

    def finished(self, code: Code, is_reversed: bool) -> Code:
        """A function after the passes before differentiation."""
        settings = replace(self.settings, is_reversed=is_reversed, is_again=code.settings.is_again)
        return passed(replace(code, unit=replace(code.unit, without=self.without), settings=settings), OPTIMISE)

    def tangent(self, code: Code, wrt: tuple[int, ...]) -> Code:
        """The derivative of the results along a direction, whose parts become the last parameters."""
        directional = tangent_unit(code.unit, code.types, wrt, Callees(make_any_pair, make_any_tangent))
        kinds = (*code.signature, *(code.signature[place] for place in wrt))
        again = replace(self.settings, is_again=True, loops=False)
        begin = Code(directional, signature=kinds, settings=again)
        return passed(begin.with_unit(*reached_types(directional, kinds)), AGAIN)

    def gradient(self, code: Code, wrt: tuple[int, ...], callees: Any) -> Made:
        """The gradients as a tuple, each in memory of its own."""
        made = gradient_function(code.unit, code.types, code.counts, wrt, True, False, callees)
        last = made.functions[0].body[-1]
        arrays = [isinstance(code.signature[place], nb.Array) for place in wrt]
        pairs = zip(last.value.elts, arrays, strict=True)
        last.value = gast.Tuple([call("np.copy", each) if is_array else each for each, is_array in pairs], gast.Load())
        return made
