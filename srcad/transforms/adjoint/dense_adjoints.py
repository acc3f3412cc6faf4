"""Dense adjoints: adjoints of arrays that are rarely zero, because loops add nonzero terms to them in each iteration.

    for i in range(k):                          for j in range(m, 0, -1):
        t_bar = s_bar * np.exp(a[i])                t_bar = d_bar[j]
        a_bar[i] += t_bar       dense               u_bar = kernels.select(x <= y, t_bar, 0.0)
                                                    d_bar[j - 1] += u_bar       sparse: of minima, and paths not taken

Terms that are added in an arm of a branch, or selected, are zero for most elements (sparse). For dense adjoints a test
for zero would only cost time, and the cost model does not count on recomputation being skipped there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import gast

from srcad.transforms.adjoint.reverse_plan import Fork, Plan, Replay, Spot, Step, inner_plans
from srcad.transforms.analysis.dataflow import closure
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.ir.build import names_in, walk
from srcad.transforms.ir.primitive import constant

_SEED = "a number"
_SELECTING = {"select", "shares", "extremum_adjoint"}  # kernels that are zero for all but a few elements


def dense_of(program: Program, plan: Plan, bars: Mapping[str, str]) -> frozenset[str]:
    """The names of the dense adjoints; `bars` has the adjoint of each name."""
    return dense_adjoints(plan, bars.values(), {bar for name, bar in bars.items() if program.types.is_array(name)})


def dense_adjoints(plan: Plan, bars: Collection[str], arrays: Collection[str]) -> frozenset[str]:
    """The same, with `bars` as the names of all adjoints, and `arrays` those of arrays."""
    flows = list(_flows(plan, False, False))
    given = {_SEED, *bars} - {target for target, _, _ in flows}  # the cotangents of results
    passed: dict[str, list[str]] = {}
    for target, sources, in_loop in flows:
        if in_loop or target not in arrays:
            for source in sources:
                passed.setdefault(source, []).append(target)
    return frozenset(set(arrays) & closure(given, lambda name: passed.get(name, ())).keys())


def _flows(plan: Plan, in_loop: bool, in_arm: bool) -> Iterator[tuple[str, list[str], bool]]:
    """The names that contribute to each target, except selected or in an arm in a loop; whether to many elements."""
    for node in plan.nodes:
        if isinstance(node, Step) and not in_arm:
            for statement in node.code:
                for name, sources, is_whole in _passes(statement):
                    yield name, sources, in_loop or is_whole
        for inner in inner_plans(node):
            is_loop, is_arm = isinstance(node, (Replay, Spot)), isinstance(node, Fork) and in_loop
            yield from _flows(inner, in_loop or is_loop, in_arm or is_arm)


def _passes(statement: gast.stmt) -> Iterator[tuple[str, list[str], bool]]:
    """The target of a statement, the names that contribute (none if selected), and whether it is a whole array."""
    match statement:
        case gast.AugAssign(target=target, value=value) | gast.Assign(targets=[target], value=value):
            is_selected = any(isinstance(each, gast.Attribute) and each.attr in _SELECTING for each in walk(value))
            sources = [_SEED] if constant(value) not in (None, 0.0) else list(names_in(value))
            base = target.value if isinstance(target, gast.Subscript) else target
            if isinstance(base, gast.Name):
                yield base.id, [] if is_selected else sources, base is target
