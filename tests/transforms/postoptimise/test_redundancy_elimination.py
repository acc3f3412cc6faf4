"""Values that are available are not computed anew; divisions of rules share reciprocals."""

import random

import gast
import numpy as np
import pytest
from numba import types as nb

from srcad.runtime import kernels
from srcad.transforms.ir.build import noted, walk
from tests.transforms.core_text import apply, assert_same_results, generated, unchanged

KINDS = {**dict.fromkeys("abz", nb.float64), "n": nb.int64, "g": nb.float32, "c": nb.complex128, "x": nb.float64[::1]}


def after(body, own=(), primals=1):
    """The text with shared reciprocals; divisions are those of rules, but for some of the function's own."""
    text = "def f(a, b, z, n, g, c, x, r):\n" + indented(body)

    def mark(tree):
        for k, node in enumerate(each for each in walk(tree) if isinstance(each, gast.BinOp)):
            if k not in own:
                noted(node)

    return apply("redundancy_elimination", text, KINDS, mark=mark, primals=primals).split("\n", 1)[1]


def is_shared(body, own=(), primals=1):
    return after(body, own, primals) != indented(body)


def indented(body):
    return "".join(f"    {line}\n" for line in body.split("\n"))


def test_two_divisions_share_a_reciprocal():
    found = after("r[0] = a / z\nr[1] += b / z")
    assert found == indented("z_inverse = 1.0 / z\nr[0] = a * z_inverse\nr[1] += b * z_inverse")


@pytest.mark.parametrize(
    ("body", "own", "shared"),
    [
        ("z = np.sqrt(b)\nr[0] += a * b * (0.5 / z)", (), True),
        ("z = math.sqrt(b)\nr[0] += a * (0.5 / z) * b", (), True),
        ("z = np.sqrt(b)\nb = a\nr[0] += a * b * (0.5 / z)", (), False),
        ("z = np.exp(b)\nr[0] += a * b * (0.5 / z)", (), False),
        ("z = np.sqrt(b)\nr[0] += a * b * (0.5 / z)", (2,), False),
    ],
)
def test_a_number_times_the_slope_of_its_root_needs_no_division(body, own, shared):
    assert is_shared(body, own) == shared


@pytest.mark.parametrize(
    ("product", "expected"),
    [
        ("kernels.strong_product(a * b, 0.5 / z)", "a * (0.5 * z)"),  # the slope that could be infinite is gone
        ("kernels.strong_product(a * (0.5 / z) * b, n)", "kernels.strong_product(a * (0.5 * z), n)"),  # n may be
        ("kernels.strong_product(b, 0.5 / z)", "kernels.strong_product(b, 0.5 / z)"),
    ],
)
def test_a_product_stays_strong_while_its_slope_can_be_infinite(product, expected):
    assert after(f"z = np.sqrt(b)\nr[0] += {product}") == indented(f"z = np.sqrt(b)\nr[0] += {expected}")


def test_one_division_stays():
    assert not is_shared("r[0] = a / z\nr[1] = b / n")


THREE = "r[0] = a / z\nr[1] = b / z\nr[2] = a / z"


def test_divisions_of_the_function_stay_where_it_returns_a_value_of_the_primal():
    assert not is_shared(THREE, own=(0, 1, 2))
    assert after(THREE, (0, 1, 2), primals=0) == indented(
        "z_inverse = 1.0 / z\nr[0] = a * z_inverse\nr[1] = b * z_inverse\nr[2] = a * z_inverse"
    )
    assert is_shared("for n in range(9):\n    r[n] = np.divide(x[n], z)", primals=0)


@pytest.mark.parametrize(
    "body",
    [
        "a = b / z\nb = b / z\nif a > 0.5:\n    r[0] = a",
        "a = x[0] / z\nb = a + 1.0\nr[0] = 1.0 if b > x[1] / z else 0.0",
        "a = b / z\nr[0] = np.floor(b / z)\nr[1] = a",
        "a = np.divide(b, z)\nr[0] = x[int(a)] + x[int(np.divide(a, z))]",
    ],
)
def test_divisions_stay_that_a_choice_depends_on(body):
    assert not is_shared(body, own=range(9), primals=0)


def test_a_division_that_raises_an_exception_still_does():
    assert not is_shared("r[0] = np.divide(a, z)\nr[1] = b / z", own=(0,), primals=0)
    found = after("r[0] = a / z\nr[1] = np.divide(b, z)", (0,), primals=0)
    assert found == indented("z_inverse = 1.0 / z\nr[0] = a * z_inverse\nr[1] = b * z_inverse")
    found = after("r[0] = np.divide(a, z)\nr[1] = np.divide(b, z)", (), primals=0)
    assert found.startswith("    z_inverse = np.divide(1.0, z)\n")


def test_its_own_reciprocal_serves_too():
    found = after("b = 1.0 / z\nr[1] = a / z", own=(0,))
    assert found == indented("b = 1.0 / z\nr[1] = a * b")
    assert is_shared("b = np.divide(1.0, z)\nr[1] = a / z")
    assert not is_shared("b = 1.0 / z\nb += 1.0\nr[1] = a / z", own=(0,))


@pytest.mark.parametrize("change", ["z = a", "z += 1.0", "for z in range(3):\n    pass", "if n:\n    z = 2.0"])
def test_a_number_that_changes_has_another_reciprocal(change):
    assert not is_shared(f"r[0] = a / z\n{change}\nr[1] = b / z")


def test_what_is_made_in_a_branch_is_not_known_behind_it():
    assert after("if n:\n    r[0] = a / z\n    r[1] = b / z\nr[2] = a / z").endswith("    r[2] = a / z\n")
    assert not is_shared("if n:\n    r[0] = a / z\nr[2] = a / z")
    assert is_shared("r[2] = a / z\nif n:\n    r[0] = a / z\n    r[1] = b / z")


@pytest.mark.parametrize(
    ("body", "shared"),
    [
        ("for n in range(9):\n    r[n] = x[n] / z", True),
        ("for n in range(9):\n    r[n] = x[n] / 9.0", True),
        ("for n in range(9):\n    r[n] = x[n] / z\n    z = z + 1.0", False),
        ("for n in range(9):\n    r[n] = x[n] / n", False),
    ],
)
def test_what_a_loop_does_not_change_is_divided_by_once(body, shared):
    assert is_shared(body) == shared


@pytest.mark.parametrize("name", ["g", "c", "x", "unknown"])
def test_only_numbers_of_double_precision(name):
    assert not is_shared(f"r[0] = a / {name}\nr[1] = b / {name}")


def divisions(text):
    nodes = list(gast.walk(gast.parse(text)))
    strong = sum(isinstance(node, gast.Attribute) and node.attr == "strong_quotient" for node in nodes)
    return strong + sum(isinstance(node, gast.Div) for node in nodes)


def test_the_gradient_of_quotients_divides_once():
    text = """
def f(x, z):
    a = x[0]
    b = x[1]
    p = a / z
    q = b / z
    s = p * q
    return s
"""
    once, twice = (generated(text, "f8[::1], f8", without=without) for without in ((), ("redundancy_elimination",)))
    assert (divisions(once), divisions(twice)) == (1, 4)
    namespace = {"np": np, "kernels": kernels}
    exec(once, namespace)
    x_bar = namespace["f_grad"](np.array([2.0, 3.0]), 4.0)
    np.testing.assert_allclose(x_bar, [3.0 / 16.0, 2.0 / 16.0])


@pytest.mark.parametrize(
    ("body", "shared"),
    [
        ("a = np.sin(z)\nr[0] = b * np.sin(z)", True),
        ("a = np.sin(z)\nz = b\nr[0] = b * np.sin(z)", False),
        ("a = np.sin(z)\na += 1.0\nr[0] = b * np.sin(z)", False),
        ("a = np.random.normal(z)\nr[0] = b * np.random.normal(z)", False),
        ("x = np.zeros(n)\nr[0] = b * np.zeros(n)", False),
        ("a = np.sin(a)\nr[0] = np.sin(a)", False),
        ("if n:\n    a = np.sin(z)\n    n = 0\nif n:\n    r[0] = np.sin(z)", False),  # the test has changed
        ("for n in range(3):\n    r[0] = np.sin(z)\n    z = b\n    a = np.sin(z)\n    z = a", False),
    ],
)
def test_functions_of_numbers_are_computed_once(body, shared):
    assert is_shared(body, own=range(9)) == shared


def test_values_of_one_arm_are_known_in_the_same_arm_of_a_later_branch():
    first = "if n:\n    a = np.sin(z)\nelse:\n    a = np.cos(z)\n"
    found = after(
        first + "if n:\n    r[0] = np.sin(z)\n    r[1] = np.cos(z)\nelse:\n    r[0] = np.sin(z)\n    r[1] = np.cos(z)"
    )
    assert found.endswith(
        indented("if n:\n    r[0] = a\n    r[1] = np.cos(z)\nelse:\n    r[0] = np.sin(z)\n    r[1] = a")
    )


@pytest.mark.parametrize(
    "change", ["n = 2", "z = 2.0", "a = 1.0", "for n in range(3):\n    pass", "if b:\n    a = 1.0"]
)
def test_unless_the_test_or_the_value_has_changed(change):
    assert not is_shared(f"if n:\n    a = np.sin(z)\n{change}\nif n:\n    r[0] = np.sin(z)")


def random_block(rng, pad, depth):
    """Statements over a few numbers that change now and then, in branches on few tests and in loops."""
    found = []
    for _ in range(rng.randint(2, 5)):
        name, other = rng.choice("abdz"), rng.choice("abdz")
        kind = rng.randrange(9)
        if kind < 2:
            found.append(f"{pad}{name} = {rng.choice(['np.sin', 'np.cos', 'np.tanh'])}({other})")
        elif kind < 3:
            found.append(f"{pad}{name} = 1.0 / {other}")
        elif kind < 5:
            found.append(f"{pad}r[{rng.randrange(3)}] += {name} / {other} + np.sin({rng.choice('abdz')})")
        elif kind < 6:
            found.append(f"{pad}{rng.choice(['m = 1', 'n += 1', 'm = 0', 'a += 0.5', 'b = 0.7'])}")
        elif depth < 3:
            inner = random_block(rng, pad + "    ", depth + 1)
            if kind == 8:
                found += [f"{pad}for {rng.choice(['i', 'm', 'n'])} in range({rng.choice('0123')}):", *inner]
            else:
                found += [
                    f"{pad}if {rng.choice('mn')}:",
                    *inner,
                    f"{pad}else:",
                    *random_block(rng, pad + "    ", depth + 1),
                ]
    return found or [f"{pad}pass"]


def divisions_of_rules(tree):
    """Marks as a rule's what is no reciprocal."""
    for node in walk(tree):
        if isinstance(node, gast.BinOp) and not (isinstance(node.left, gast.Constant) and node.left.value == 1.0):
            noted(node)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_no_random_program_gives_another_result(seed):
    rng = random.Random(seed)
    changed = 0
    kinds = {**dict.fromkeys("abdz", nb.float64), **dict.fromkeys("mni", nb.int64), "r": nb.float64[::1]}
    for _ in range(60):
        text = "\n".join(
            [
                "def f(a, b, d, z, m, n):",
                "    r = np.zeros(3)",
                *random_block(rng, "    ", 0),
                "    return r, a, b, d, z",
            ]
        )
        found = apply("redundancy_elimination", text, kinds, mark=divisions_of_rules)
        changed += found != unchanged(text)
        cases = [(*map(np.float64, (0.3, 0.7, 1.1, 1.9)), *tests) for tests in ((0, 0), (1, 0), (0, 2), (1, 1))]
        with np.errstate(all="ignore"):
            assert_same_results(text, found, cases, rtol=1e-12)
    assert changed > 15
