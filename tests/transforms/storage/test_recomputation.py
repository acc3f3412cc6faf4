"""How a value is computed once more, and what that costs."""

import ast

import gast
import pytest

from srcad.printing.printer import print_function
from srcad.transforms.ir.build import stores_into
from srcad.transforms.storage.recomputation import Recipes
from tests.transforms.core_text import at_line, program_of


def recipes(text, signature="f8, f8[:], i8"):
    return Recipes(program_of(text, signature))


def recipe(value, before="", signature="f8, f8[:], i8", parameters="a, x, n"):
    """The text of the recipe for `v = value`; None where there is none."""
    node = recipes(
        f"""
def f({parameters}):
{before}    v = {value}
    return v
""",
        signature,
    ).recipe("v")
    return None if node is None else print_function(node).strip()


@pytest.mark.parametrize("value", ["a * 2.0", "-a", "a > 0.0", "np.sin(a)", "x[0]", "x[1:]", "n + 1", "x.shape", "2.0"])
def test_a_pure_operation_is_its_own_recipe(value):
    assert recipe(value) == value


@pytest.mark.parametrize("value", ["np.sin(x)", "x * a", "np.sum(x)", "x @ x"])
def test_array_operations_are_not_repeated(value):
    assert recipe(value, signature="f8, f8[::1], i8") is None


@pytest.mark.parametrize(
    ("value", "is_repeated"),
    [
        ("np.transpose(m)", True),
        ("np.ravel(m)", True),
        ("np.broadcast_to(x, (2, n))", True),
        ("np.ascontiguousarray(m)", True),
        ("np.asfortranarray(m)", False),
        ("np.ascontiguousarray(w)", False),
        ("np.diag(x)", False),
        ("np.asarray(m, np.float32)", False),
    ],
)
def test_views_are_taken_again_and_what_may_be_a_copy_is_not(value, is_repeated):
    stores = "    m[0, 0] = a\n    w = np.transpose(m)\n    x[0] = a\n"
    found = recipe(value, stores, "f8, f8[::1], f8[:, ::1], i8", "a, x, m, n")
    assert (found is not None) is is_repeated


def test_elements_chosen_by_an_array_are_not_repeated():
    assert recipe("x[k]", before="    k = np.arange(n)\n") is None


def test_a_carried_value_has_no_recipe():
    found = recipes("""
def f(a, x, n):
    s = a
    for i in range(0, n, 1):
        t = s * a
        s = t
    return s
""")
    assert found.recipe("s") is None


def counter(first, bounds, amount):
    node = recipes(f"""
def f(a, x, n):
    k = {first}
    for i in range({bounds}):
        t = k + {amount}
        k = t
    return k
""").recipe("k")
    return None if node is None else print_function(node).strip()


@pytest.mark.parametrize("first", ["0", "5", "n"])
@pytest.mark.parametrize("bounds", ["0, n, 1", "2, n, 1"])
@pytest.mark.parametrize("amount", [1, 3])
def test_a_counter_is_computed_from_the_index(first, bounds, amount):
    formula = counter(first, bounds, amount)
    n, k = 7, eval(first, {"n": 7})
    for i in eval(f"range({bounds})", {"n": n}):
        assert eval(formula, {"i": i, "n": n}) == k
        k += amount


def test_a_sum_of_floats_is_no_counter():
    assert (
        recipes("""
def f(a, x, n):
    s = 0.0
    for i in range(0, n, 1):
        t = s + 1
        s = t
    return s
""").recipe("s")
        is None
    )


WRITTEN = """
def f(a, x, n):
    u = x[0]
    v = u * a
    x[1] = v
    w = x[1]
    x[0] = w
    return w
"""


def test_a_load_holds_until_its_element_is_overwritten():
    found = recipes(WRITTEN)
    program = found.program
    number = {line: program.flow.spot(at_line(program.unit, line)).number for line in (4, 6)}
    assert len(found.loads("u")) == 1
    assert found.is_unchanged("u", number[4])
    assert not found.is_unchanged("u", number[6])


def test_only_stores_into_the_same_element_come_after_a_load():
    found = recipes(WRITTEN)
    load = at_line(found.program.unit, 2)
    assert [stores_into(store).slice.value for store in found.stores_after(load, load.value)] == [0]


def test_an_element_of_an_array_that_nobody_writes_into_is_no_load():
    assert not recipes(WRITTEN.replace("x[1] = v", "pass").replace("x[0] = w", "pass")).loads("u")


def test_a_name_that_both_arms_store_is_chosen_again():
    found = recipes("""
def f(a, x, n):
    for i in range(n):
        v = x[i]
        c = v > a
        if c:
            u = x[0]
        else:
            u = v
        w = u * u
    return w
""")
    assert ast.unparse(gast.gast_to_ast(found.recipe("u"))) == "x[0] if c else v"


def test_what_an_arm_computes_is_not_chosen_again():
    found = recipes("""
def f(a, x, n):
    for i in range(n):
        c = a > 0.0
        if c:
            t = a * a
            u = t
        else:
            u = a
        w = u * u
    return w
""")
    assert found.recipe("u") is None


def test_dear_operations_cost_more_than_a_record_and_cheap_ones_less():
    found = recipes("""
def f(a, x, n):
    s = a * a
    e = np.exp(a)
    r = a > 0.0
    return s
""")
    assert found.compute_cost("s") < found.record_cost("s") < found.compute_cost("e")
    assert found.record_cost("r") < found.record_cost("s")
