"""`np.vectorize`: a callable structure, lowered to a loop over the elements.

f = np.vectorize(g)         f(x, 2.0)       becomes         kernels.mapped_over(g, x, 2.0), which is defined as a loop
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from srcad.refusals.numpy_calls import VECTORIZE_OF_UNKNOWN, VECTORIZE_OPTIONS, VECTORIZED_CALL
from srcad.runtime import kernels
from srcad.runtime.rulebook import registry
from srcad.transforms.ir.build import at, load
from srcad.transforms.lowering.calls.itertools_calls import Iterators
from srcad.transforms.lowering.structures.abstract_state import Callee, Structure

_GIVEN = ("pyfunc", "otypes", "doc", "excluded", "cache", "signature")


class Mapped(Iterators):
    """Turns functions of elements into functions of arrays, and calls them."""

    def call(self, node: gast.Call) -> gast.expr:
        """The value of a call."""
        meaning = self.meant(node.func)
        if registry.called_by(meaning) is not None:  # a rule of the user's own
            return super().call(node)
        if meaning is np.vectorize:
            return self.vectorized(node)
        if isinstance(meaning, np.vectorize):
            self.check_vectorized(dict.fromkeys(each for each in ("excluded", "signature") if getattr(meaning, each)))
            return self.mapped_over(self.meant_function(meaning.pyfunc), node)
        if type(meaning).__name__ == "DUFunc":
            return self.mapped_over(self.meant_function(meaning._dispatcher.py_func), node)
        return super().call(node)

    def vectorized(self, node: gast.Call) -> Structure:
        """`np.vectorize(function)`."""
        given = dict(zip(_GIVEN, node.args, strict=False)) | {each.arg: each.value for each in node.keywords}
        self.check_vectorized(given)
        function = self.part(given["pyfunc"]) if "pyfunc" in given else None
        if not isinstance(function, (Callee, Structure)):
            self.refuse(VECTORIZE_OF_UNKNOWN)
        made: Structure = self.memory.new(np.vectorize, {"pyfunc": function})
        return made

    def check_vectorized(self, given: dict[str, Any]) -> None:
        """Refuse options that change how the function is called."""
        if "excluded" in given or "signature" in given:
            self.refuse(VECTORIZE_OPTIONS)

    def meant_function(self, function: Any) -> gast.expr:
        """The name for a function that a captured object holds."""
        assert self.outside is not None
        return load(self.outside.bind(getattr(function, "__name__", "function"), function))

    def mapped_over(self, function: gast.expr, node: gast.Call) -> gast.expr:
        """A call for each element of the arguments, which broadcast."""
        if node.keywords or not node.args or any(isinstance(each, gast.Starred) for each in node.args):
            self.refuse(VECTORIZED_CALL)
        assert self.outside is not None
        name = load(self.outside.bind("mapped_over", kernels.mapped_over))
        made = gast.Call(func=name, args=[function, *node.args], keywords=[])
        at(made, self.place)
        return self.call(made)
