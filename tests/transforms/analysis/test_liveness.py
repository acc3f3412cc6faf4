"""What is live, against the fixed point of the definition, in random programs."""

import gast
import numpy as np
import pytest

from srcad.transforms.analysis.liveness import carried_names, live_before, liveness, stored_certainly
from srcad.transforms.ir.build import inner_blocks, is_exit, written
from srcad.transforms.ir.side_effects import reads
from tests.transforms.core_text import parsed

NAMES = "abcd"


def expected_before(block, after):
    """By iteration, as the definition says."""
    for statement in reversed(block):
        own = set(reads(statement))
        if isinstance(statement, gast.If):
            arms = [after] if is_exit(statement) else [expected_before(arm, after) for arm in inner_blocks(statement)]
            after = own.union(*arms)
        elif isinstance(statement, (gast.For, gast.While)):
            after = expected_head(statement, after) | after | own
        elif isinstance(statement, gast.AugAssign) and isinstance(statement.target, gast.Name):
            after = after | own | {statement.target.id}
        else:
            after = (after - {written(statement)}) | own
    return after


def expected_head(loop, after):
    head = set(reads(loop)) if isinstance(loop, gast.While) else set()
    index = {written(loop)} if isinstance(loop, gast.For) else set()
    while True:
        wider = head | (expected_before(loop.body, head | after) - index)
        if wider == head:
            return head
        head = wider


def block_of(rng, depth, indent):
    lines = []
    for _ in range(rng.integers(1, 4)):
        x, y, z = rng.choice(list(NAMES), 3)
        kind = rng.integers(0, 7 if depth else 4)
        pad = "    " * indent
        if kind < 3:
            lines.append(pad + [f"{x} = {y} + {z}", f"{x} += {y}", f"{x}[{y}] = {z}"][kind])
        elif kind == 3:
            lines.append(f"{pad}{x} = 1.0")
        elif kind == 4:
            lines += [f"{pad}if {x}:", *block_of(rng, depth - 1, indent + 1), f"{pad}else:"]
            lines += block_of(rng, depth - 1, indent + 1)
        else:
            head = f"for {x} in range({y}):" if kind == 5 else f"while {x}:"
            lines += [pad + head, *block_of(rng, depth - 1, indent + 1)]
            if rng.random() < 0.3:
                lines += [f"{pad}    if {y}:", f"{pad}        break"]
    return lines


@pytest.mark.parametrize("seed", range(60))
def test_what_is_live_is_the_least_fixed_point(seed):
    rng = np.random.default_rng(seed)
    body = parsed("def f(a, b, c, d):\n" + "\n".join(block_of(rng, 3, 1)) + "\n").body
    after = frozenset(rng.choice(list(NAMES), rng.integers(0, 3)))
    assert live_before(body, after) == expected_before(body, set(after))
    live = liveness(body, after)
    for k, statement in enumerate(body):
        behind = expected_before(body[k + 1 :], set(after))
        assert live.after[statement] == behind
        if isinstance(statement, (gast.For, gast.While)):
            assert live.heads[statement] == expected_head(statement, set(behind)) | behind


def test_blocks_inside_see_the_next_iteration_and_what_is_behind():
    lines = "    for i in range(n):\n        b = a\n        a = c\n        if n:\n            c = b\n    return b\n"
    outer = parsed("def f(a, c, n):\n" + lines).body
    live, body = liveness(outer).after, outer[0].body
    assert [live[each] for each in outer] == [{"b"}, frozenset()]
    assert live[body[0]] == {"b", "c", "n"}  # and not `a`, which is stored anew before it is read
    assert live[body[1]] == {"a", "b", "c", "n"}
    assert live[body[2].body[0]] == {"a", "b", "c", "n"}


def test_a_loop_left_in_the_middle_keeps_what_is_read_behind_it():
    lines = "    for i in range(n):\n        b = a\n        if n:\n            break\n        a = b\n    return a\n"
    outer = parsed("def f(a, n):\n" + lines).body
    live, body = liveness(outer).after, outer[0].body
    assert "a" in live[body[0]]
    assert "a" not in live[body[1]]  # past the exit, it is stored anew before it is read


def test_a_raise_ends_what_is_live():
    body = parsed("def f(a, n):\n    if n:\n        raise ValueError(n)\n    return a\n").body
    live = liveness(body)
    assert live.before[body[0].body[0]] == {"ValueError", "n"}
    assert live.start == {"ValueError", "a", "n"}


def test_what_an_iteration_reads_before_it_stores_it_is_carried():
    body = parsed("def f(n):\n    t = s + x\n    s = t * 2.0\n    u = s\n    if n:\n        v = u\n    w = v\n").body
    assert carried_names(body) == {"s", "v"}


def test_what_is_stored_on_all_paths_is_stored_certainly():
    lines = "    if n:\n        a = 1\n        b = 1\n    else:\n        a = 2\n"
    more = "    for i in range(n):\n        c = 1\n    d = 2\n"
    assert stored_certainly(parsed("def f(n):\n" + lines + more).body) == {"a", "d"}


def test_a_path_that_raises_does_not_get_to_the_end():
    body = parsed("def f(n):\n    if n:\n        raise ValueError(n)\n    else:\n        a = 2\n").body
    assert stored_certainly(body) == {"a"}
