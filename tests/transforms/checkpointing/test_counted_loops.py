import gast
import pytest
from numba import types as nb

from srcad.names import Names
from srcad.printing.printer import print_module
from srcad.runtime import kernels
from srcad.transforms.checkpointing.counted_loops import CountedLoops
from srcad.transforms.ir.build import is_loop
from srcad.transforms.ir.node_notes import note

BEFORE = """\
t1 = x < 9.0
c = kernels.checkpointed_test(t1, 5)
c_2 = c
while c_2:
    x = x * x
    c_2 = x < 9.0
"""
AFTER = """\
t1 = x < 9.0
c = kernels.checkpointed_test(t1, 5)
c_2 = c
start = kernels.checkpointed_start(0, 5)
stop = kernels.while_limit(c_2)
for turn in range(start, stop, 1):
    x = x * x
    c_2 = x < 9.0
    ends = not c_2
    if ends:
        break
"""


@pytest.mark.parametrize(("is_marked", "after"), [(True, AFTER), (False, BEFORE)])
def test_marked_while_loops_become_loops_over_a_range(is_marked, after):
    block = gast.parse(BEFORE).body
    for each in filter(is_loop, block):
        note(each, checkpointed=is_marked)
    known = {}
    block = CountedLoops(Names({"t1", "c", "c_2", "x"}), known, {"kernels": kernels}).block(block)
    assert print_module(block) == after
    assert known == ({"start": nb.int64, "stop": nb.int64, "turn": nb.int64, "ends": nb.boolean} if is_marked else {})
