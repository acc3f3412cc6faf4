"""Explain why a gradient is None, for `tape.explain`.

Besides its nodes a tape keeps `cuts`: the results of operations where the path of derivatives ends (`np.floor`, integer
results, `stop_gradient`), and values computed from these. The explanation follows both backwards from the target.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.runtime.tape.core.active_recordings import Recording
from srcad.runtime.tape.core.tensor import Tensor
from srcad.runtime.tape.core.variable import Variable


class Step(NamedTuple):
    """One operation: its name, the identities that it read and made, and why no derivative passes, if none does."""

    name: str
    read: tuple[int, ...]
    made: tuple[int, ...]
    reason: str | None = None


class Skeleton:
    """How values of a recording depend on each other, without the values themselves."""

    def __init__(self, recording: Recording) -> None:
        steps = [
            Step(
                name_of(node),
                tuple([each._identity for each in node.inputs()]),
                tuple([each._identity for each in node.outputs()]),
            )
            for node in recording.nodes
        ]
        steps += [
            Step(primitive_name(name), read, (made,), reason) for made, (name, read, reason) in recording.cuts.items()
        ]
        self.maker = {made: step for step in steps for made in step.made}
        self.known = frozenset(recording.known)
        self.variables = frozenset(recording.variables)
        self.watches_accessed = recording.watches_accessed
        self.conversions = dict(recording.conversions)

    def why(self, target: Tensor, source: Tensor, thing: Any) -> str:
        """Why a source has no derivative, or how it is connected; `thing` is the source as the user passed it."""
        if source._identity == target._identity:
            return "The target is the source itself: the gradient is one."
        for role, tensor in (("target", target), ("source", source)):
            if tensor.dtype.kind not in "fc":
                return f"None: the {role} has the dtype {tensor.dtype}, and only floating-point values have gradients."
        if source._identity not in self.known:
            return "None: " + self._why_unknown(thing)
        path = self._path(target._identity, source._identity)
        if path is None:
            return "None: " + self._why_unconnected(target, source)
        cut = next((step for step in path if step.reason), None)
        if cut is not None:
            return f"None: {cut.name} cuts the gradient: {cut.reason}."
        return "Connected: " + " -> ".join(["source", *(step.name for step in path), "target"]) + "."

    def _why_unknown(self, thing: Any) -> str:
        if not isinstance(thing, Variable):
            return (
                "the source was not watched, and was not computed from anything that was. Call tape.watch(source) in "
                "the tape's block, before it is used."
            )
        if not self.watches_accessed:
            return "the tape has watch_accessed_variables=False. Call tape.watch(variable)."
        if not thing.trainable:
            return "the variable is not trainable, and was not watched. Call tape.watch(variable)."
        return "the variable was not read while the tape was recording."

    def _why_unconnected(self, target: Tensor, source: Tensor) -> str:
        if target._identity not in self.maker:
            reason = (
                "the target was not computed while the tape was recording, from anything that it follows. (An "
                "operation before watch(), outside of the block, or on plain arrays is not recorded.)"
            )
        else:
            reason = "the target was computed without the source. (Note that x + 0 or +x are other tensors than x.)"
        reached = self._reached_from(source._identity)
        plain = sorted({how for identity, how in self.conversions.items() if identity in reached})
        if plain:
            reason += f" What depends on the source was turned into a plain number or array by {', '.join(plain)}."
        return reason

    def _path(self, target: int, source: int) -> list[Step] | None:
        """The operations from the source to the target; a path without a cut if there is one."""
        return self._search(target, source, through_cuts=False) or self._search(target, source, through_cuts=True)

    def _search(self, target: int, source: int, through_cuts: bool) -> list[Step] | None:
        above: dict[int, Step | None] = {target: None}
        pending, towards = [target], dict[int, int]()
        while pending:
            identity = pending.pop()
            step = self.maker.get(identity)
            if step is None or (step.reason and not through_cuts):
                continue
            for read in step.read:
                if read not in above:
                    above[read], towards[read] = step, identity
                    pending.append(read)
            if source in above:
                break
        if source not in above:
            return None
        path, identity = [], source
        while identity != target:
            step = above[identity]
            assert step is not None
            path.append(step)
            identity = towards[identity]
        return path

    def _reached_from(self, source: int) -> set[int]:
        reached = {source}
        for step in dict.fromkeys(self.maker.values()):
            if not reached.isdisjoint(step.read):
                reached.update(step.made)
        return reached


def name_of(node: Any) -> str:
    """The name of a node in messages."""
    primitive = getattr(node, "primitive", None)
    if primitive is not None:
        return primitive_name(primitive)
    function = getattr(node, "function", None) or getattr(node, "gradient", None)
    wrapped = getattr(function, "__wrapped__", function)
    return getattr(wrapped, "__name__", type(node).__name__)
