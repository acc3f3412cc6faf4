import gast
import pytest

from srcad.cuda.late_clears import with_late_clears
from srcad.printing.printer import print_module


def late(text):
    block = gast.parse(text).body
    clears = {
        id(each) for each in gast.walk(gast.Module(block, [])) if isinstance(each, gast.Assign) and is_clear(each)
    }
    return print_module(with_late_clears(block, clears)).strip()


def is_clear(statement):
    match statement:
        case gast.Assign(targets=[gast.Subscript()], value=gast.Constant()):
            return True
    return False


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y[i] = 0.0\nx[i] += t", "x[i] += t\ny[i] = 0.0"),
        ("y[i] = 0.0\nx[i] += t\nz = y[j]\nx[j] = z", "x[i] += t\ny[i] = 0.0\nz = y[j]\nx[j] = z"),
        ("y[i] = 0.0\nx[i] += t\ni = 3\nz = 1", "x[i] += t\ny[i] = 0.0\ni = 3\nz = 1"),
        ("y[i] = 0.0\nx[i] += t\ncuda.syncthreads()\nz = 1", "x[i] += t\ny[i] = 0.0\ncuda.syncthreads()\nz = 1"),
        ("if c:\n    y[i] = 0.0\n    z = 1\nw = 2", "if c:\n    z = 1\n    y[i] = 0.0\nw = 2"),
        ("y[i] = 0.0\nfor i in range(3):\n    z = 1\nw = 2", "y[i] = 0.0\nfor i in range(3):\n    z = 1\nw = 2"),
        ("y[i] = 0.0\nfor k in range(3):\n    z = 1", "for k in range(3):\n    z = 1\ny[i] = 0.0"),
    ],
)
def test_a_clear_moves_behind_what_does_not_concern_it(before, after):
    assert late(before) == after
