"""Primal-only loops: a checkpointed loop without derivatives runs all iterations, on copies of written arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import gast
import numpy as np
from numba import types as nb

from srcad.names import Names
from srcad.runtime import kernels
from srcad.transforms.inference.type_inference import Types
from srcad.transforms.ir.build import Block, assign, call, const, effect, load, subscript, tuple_of
from srcad.transforms.ir.generated_functions import function
from srcad.transforms.ir.unit import Unit

if TYPE_CHECKING:
    from srcad.transforms.checkpointing.loop_outlining import Checkpointed


def alone(made: Checkpointed, names: Names, known: Mapping[str, Any]) -> tuple[Unit, Types]:
    """The function that runs the loop, and its types."""
    state, names, kinds = made.state, names.copy(), dict(known)
    bounds = [names.fresh(each) for each in ("first", "stop", "width", "snapshots")]
    kinds |= dict.fromkeys(bounds, nb.int64)
    own = {name: names.fresh(name) for name in (*state.works, *state.carried)}
    kinds |= {own[name]: known.get(name) for name in own}
    whole = names.temporary()
    kinds[whole] = nb.Tuple(made.advance.outcome)
    body: Block = [assign(own[name], begin(load(name), known.get(name))) for name in own]
    given = [load(own.get(name, name)) for name in state.names]
    body.append(effect(assign(whole, call(made.advance.name, *map(load, bounds[:3]), *given))))
    results = [subscript(load(whole), const(state.carried.index(name))) for name in state.results]
    body.append(gast.Return(value=tuple_of(*results, *(load(own[name]) for name in state.works))))
    unit = Unit(
        made.name,
        function(made.name, [*bounds, *state.names], body),
        {"np": np, "kernels": kernels, made.advance.name: made.advance},
        names,
    )
    return unit, Types(kinds, nb.Tuple(made.outcome))


def begin(value: gast.expr, kind: nb.Type | None) -> gast.expr:
    """The initial value for a name of the state: a copy, of the type that the name has in the loop."""
    if isinstance(kind, nb.Array):
        return call("kernels.snapshot", value)
    if isinstance(kind, (nb.Boolean, nb.Number)):
        spelled = {nb.boolean: "bool", nb.float64: "float", nb.complex128: "complex"}.get(kind)
        spelled = spelled or ("int" if isinstance(kind, nb.Integer) else f"np.{kind}")
        return call(spelled, value)
    return value
