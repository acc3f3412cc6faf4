"""Takes out of a thread what nothing reads: operations, reads, merges, and names that loops carry for nothing."""

from __future__ import annotations

from collections import Counter
from typing import Any

from srcad.cuda.regions import Add, Assign, If, Load, Loop, Region, Store, inner_regions, walk
from srcad.transforms.ir.build import load, names_in


def drop_dead_values(body: Region) -> None:
    """Leave only what reaches memory or decides which statements run."""
    while True:
        reads = counted_reads(body)
        if not _dropped(body, reads):
            return


def counted_reads(body: Region) -> Counter[str]:
    """How often each name is read; what a loop carries into itself only is not counted."""
    found: Counter[str] = Counter()
    for node in walk(body):
        for atom in atoms(node):
            found.update(names_in(atom))
        if isinstance(node, If):
            for merge in node.merges:
                found.update(names_in(merge.then))
                found.update(names_in(merge.orelse))
        if isinstance(node, Loop):
            for carried in node.carried:
                found.update(names_in(carried.first))
                found.update(name for name in names_in(carried.next) if name != carried.name)
    return found


def atoms(node: Any) -> list[Any]:
    """The expressions that a node itself reads."""
    match node:
        case Assign():
            return [node.value]
        case Load():
            return list(node.index)
        case Store() | Add():
            return [*node.index, node.value]
        case If():
            return [node.test]
        case Loop():
            test = [] if node.test is None else [load(node.test)]
            return [*node.bounds, *test, *([] if node.stopped is None else [node.stopped])]
    return []


def _dropped(region: Region, reads: Counter[str]) -> bool:
    """Whether something has been taken out."""
    changed, kept = False, []
    for node in region.nodes:
        for inner in inner_regions(node):
            changed |= _dropped(inner, reads)
        if isinstance(node, (Assign, Load)) and not reads[node.name]:
            changed = True
            continue
        if isinstance(node, If):
            alive = [merge for merge in node.merges if reads[merge.name]]
            changed |= len(alive) < len(node.merges)
            node.merges = alive
            if not alive and not node.then.nodes and not node.orelse.nodes:
                changed = True
                continue
        if isinstance(node, Loop):
            alive_carried = [each for each in node.carried if reads[each.name] or reads[each.last]]
            changed |= len(alive_carried) < len(node.carried)
            node.carried = alive_carried
            if not node.body.nodes and not any(reads[each.last] for each in node.carried) and not reads[node.count]:
                changed = True
                continue
        kept.append(node)
    region.nodes = kept
    return changed
