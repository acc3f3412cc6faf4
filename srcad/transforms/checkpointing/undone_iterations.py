"""Undone iterations: the statements of a loop's forward and reverse function where a reversible step has an inverse.

x_first = kernels.snapshot(x)                   # forward: all iterations, no snapshots on the way
t = loop_4_advance(first, stop, width, k, x)
x_last = t[0]

for last in range(trips, 0, -1):                # reverse
x_after = x
t = loop_4_undo(here, here + width, width, k, kernels.snapshot(x))
x = t[0]
t = loop_4_advance(here, here + width, width, k, kernels.snapshot(x))
kernels.check_recovered(kernels.recovered(t[0], x_after, ...), "...")
t = loop_4_iteration(here, k, kernels.snapshot(x), x_bar)
x_bar = t[0]
kernels.check_recovered(kernels.recovered(x, x_first, ...), "...")
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types as nb

from srcad.transforms.ir.build import place_of

if TYPE_CHECKING:
    from srcad.transforms.checkpointing.snapshot_functions import Drivers


class UndoneIterations:
    """Writes the statements for the functions that `Drivers` writes."""

    def __init__(self, drivers: Drivers) -> None:
        self.drivers, self.version, self.state = drivers, drivers.version, drivers.state
        names = drivers.names.copy()
        self.after = {name: names.fresh(f"{name}_after") for name in drivers.recovered}
        self.again = {name: names.fresh(f"{name}_again") for name in drivers.own}
        self.scales = {name: names.fresh(f"{name}_scale") for name in drivers.recovered}
        self.index = names.fresh("index")

    def forward(self, begun: Iterable[str]) -> list[str]:
        """The statements that run all iterations."""
        drivers, carried = self.drivers, self.state.carried
        run = (
            f"{self.version.advance.name}({', '.join((drivers.first, drivers.stop, drivers.width, *self.state.names))})"
        )
        counted = f"kernels.trip_count({drivers.first}, {drivers.stop}, {drivers.width})"
        has_results = bool(carried) or self.version.has_exit
        return [
            *begun,
            *(f"{first} = kernels.snapshot({name})" for name, first in drivers.firsts.items()),
            f"{drivers.most} = 0",
            f"t = {run}" if has_results else run,
            *(f"{name} = t[{k}]" for k, name in enumerate(carried)),
            f"{drivers.trips} = {f't[{len(carried)}]' if self.version.has_exit else counted}",
        ]

    def reverse(self) -> list[str]:
        """The statements that reverse all iterations, from the last one to the first."""
        drivers, again = self.drivers, self.again
        given = [again.get(name, name) for name in self.state.names]
        copies = [f"{again[name]} = kernels.snapshot({name})" for name in drivers.own]
        bounds = f"{self.index}, {self.index} + {drivers.width}, {drivers.width}"
        return [
            *(f"{name} = kernels.snapshot({drivers.lasts[name]})" for name in drivers.kept),
            *self.first_scales(),
            f"for {drivers.last} in range({drivers.trips}, 0, -1):",
            f"    {drivers.here} = {drivers.last} - 1",
            f"    {self.index} = {drivers.first} + {drivers.here} * {drivers.width}",
            *(f"    {after} = kernels.snapshot({name})" for name, after in self.after.items()),
            *(f"    {line}" for line in self.called(self.undo_name, bounds, self.state.names, self.state.carried)),
            *(f"    {scale} = kernels.magnitude({name}, {scale})" for name, scale in self.scales.items()),
            *(f"    {line}" for line in copies),
            *(
                f"    {line}"
                for line in self.called(
                    self.version.advance.name, bounds, given, [again[k] for k in self.state.carried]
                )
            ),
            *(f"    {self.checked(again[name], after, name)}" for name, after in self.after.items()),
            *(f"    {line}" for line in copies),
            *(f"    {line}" for line in drivers.reversed_iteration(given)),
            *(self.checked(name, first, name) for name, first in drivers.firsts.items()),
        ]

    @property
    def undo_name(self) -> str:
        """The function that undoes iterations."""
        return self.version.undo.name if self.version.undo is not None else ""

    def called(self, function: str, bounds: str, given: Iterable[str], results: Iterable[str]) -> list[str]:
        """A call that works in place on arrays, and gives loop-carried names their values."""
        run = f"{function}({', '.join((bounds, *given))})"
        taken = [f"{name} = t[{k}]" for k, name in enumerate(results)]
        return [f"t = {run}" if taken else run, *taken]

    def first_scales(self) -> list[str]:
        """The largest absolute values before and after the loop."""
        firsts = self.drivers.firsts
        return [
            f"{scale} = kernels.magnitude({name}, kernels.magnitude({firsts[name]}, 0.0))"
            for name, scale in self.scales.items()
        ]

    def checked(self, found: str, expected: str, name: str) -> str:
        """The check that a part of the state is what it was."""
        place = place_of(self.version.advance.unit.tree.body[-1])
        where = f"{place.file}:{place.line}: " if place is not None else ""
        message = (
            f"{where}the inverse of this loop's reversible step does not recover the state; correct it, or raise rtol"
        )
        holds = f"kernels.recovered({found}, {expected}, {self.scales[name]}, {self.tolerance(name)!r})"
        return f"kernels.check_recovered({holds}, {message!r})"

    def tolerance(self, name: str) -> float:
        """The relative tolerance for a part of the state."""
        kind: Any = self.drivers.kinds[name]
        kind = getattr(kind, "dtype", kind)
        if isinstance(kind, (nb.Float, nb.Complex)):
            return self.version.rtol or float(np.sqrt(np.finfo(str(kind)).eps))
        return 0.0
