"""Statements stay in order where one depends on another; loops are joined where nothing has to stay between them."""

import gast
import pytest

from srcad.transforms.sweeps.statement_order import Order
from tests.transforms.core_text import program_of

HEAD = "def f(x, y, n):\n    a = np.zeros_like(x)\n    b = np.zeros_like(x)\n    p = 0.0\n    q = 0.0\n"
FIRST = "    for i in range(0, n, 1):\n        t = x[i]\n        a[i] = t\n"
LAST = "    return a, b, p, q\n"


def joins(between, second):
    """Whether the first two loops are joined; and the lines of the statements then, by what they begin with."""
    program = program_of(HEAD + FIRST + between + second + LAST, "f8[::1], f8[::1], i8")
    block = program.unit.tree.body
    order = Order(program, block)
    loops = [each for each in block if isinstance(each, gast.For)]
    joined = order.join(loops[0], loops[-1])
    made = order.arranged({loops[0]: gast.Pass()} if joined else {})
    assert isinstance(made[-1], gast.Return)
    assert len(made) == len(block) - joined
    return joined


SECOND = "    for j in range(0, n, 1):\n        u = a[j]\n        b[j] = u\n"


@pytest.mark.parametrize(
    ("between", "second", "expected"),
    [
        ("", SECOND, True),
        ("    c = np.zeros_like(y)\n", SECOND.replace("b[j]", "c[j]"), True),  # moves before both
        ("    r = a[0]\n", SECOND, True),  # after both
        ("    r = a[0]\n    b[0] = r\n", SECOND, False),  # by way of r, and b
        ("    r = a[0]\n", SECOND.replace("b[j] = u", "v = u * r\n        b[j] = v"), False),
        ("    b[0] = p\n", SECOND, True),  # before both
        ("    a[0] = p\n", SECOND, False),
        ("    kernels.check_room(n, 'n')\n", SECOND, True),  # moves before both
        ("    print(p)\n", SECOND, True),
    ],
)
def test_what_stands_between(between, second, expected):
    assert joins(between, second) == expected


def test_more_than_two_become_one():
    third = SECOND.replace("j", "k").replace("u", "w")
    program = program_of(HEAD + FIRST + SECOND + third + LAST, "f8[::1], f8[::1], i8")
    order = Order(program, program.unit.tree.body)
    first, second, last = [each for each in program.unit.tree.body if isinstance(each, gast.For)]
    assert order.join(first, last) is False  # the second stays between them
    assert order.join(first, second)
    assert order.join(first, last)


def test_nothing_moves_past_what_may_leave():
    text = HEAD + FIRST + "    c = n > 3\n    if c:\n        raise ValueError('n')\n" + SECOND + LAST
    program = program_of(text, "f8[::1], f8[::1], i8")
    block = program.unit.tree.body
    order = Order(program, block)
    first, second = [each for each in block if isinstance(each, gast.For)]
    assert not order.join(first, second)
    assert order.arranged({}) == block
