import gast
import pytest

from srcad.cuda.shared_divisors import with_shared_divisors
from srcad.names import Names
from srcad.printing.printer import print_module


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("w = m / r\nt = 2.0 * d / r", "r_inverse = 1.0 / r\nw = m * r_inverse\nt = 2.0 * d * r_inverse"),
        ("w = 1.0 / r\nt -= w / r", "r_inverse = 1.0 / r\nw = r_inverse\nt -= w * r_inverse"),
        (
            "w = m / r\nt = 0.0 if d == 0.0 else d / r",
            "r_inverse = 1.0 / r\nw = m * r_inverse\nt = 0.0 if d == 0.0 else d * r_inverse",
        ),
    ],
)
def test_quotients_become_products(before, after):
    assert print_module(with_shared_divisors(gast.parse(before).body, Names())).strip() == after


@pytest.mark.parametrize(
    "text",
    [
        "w = m / r",
        "w = m / r\nr = 2.0\nt = w / r",
        "w = 0.0 if m == 0.0 else m / r\nt = 0.0 if d == 0.0 else d / r",
        "w = m / r\nif c:\n    t = d / r",
        "w = m // r\nt = d // r",
    ],
)
def test_others_stay(text):
    assert print_module(with_shared_divisors(gast.parse(text).body, Names())).strip() == text
