"""What is known of extents, integers and tests at a point of the code, and forgotten where a name is stored."""

import gast
import pytest

from srcad.transforms.analysis.affine.linear_forms import Form
from srcad.transforms.analysis.affine.point_facts import Facts

RANKS = {**dict.fromkeys("hxz", 2), "y": 1, "n": 0, "m": 0, "s": 0, "k": 0}


def learned(text):
    at = Facts(RANKS, "nmk")
    for statement in gast.parse(text).body:
        at.learn(statement)
    return at


def extents(at, name):
    found = at.of(name)
    return None if found is None else [gast.unparse(each).strip() for each in found]


def form(at, text):
    return at.form(gast.parse(text, mode="eval").body)


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        ("x", ["x.shape[0]", "x.shape[1]"]),
        ("x[0]", ["x.shape[1]"]),
        ("x[:, n]", ["x.shape[0]"]),
        ("x[n + 1]", ["x.shape[1]"]),
        ("x[...]", None),
        ("x[None]", None),
        ("x[0, ...]", None),
        ("x[s]", None),
    ],
)
def test_a_view_by_integers_has_the_other_extents(view, expected):
    found = learned("").parts(gast.parse(view, mode="eval").body)
    assert expected == (None if found is None else [gast.unparse(each).strip() for each in found])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = np.zeros((n + 1, m))", ["n + 1", "m"]),
        ("a = np.full(n, 2.0)", ["n"]),
        ("a = np.empty(max(n, 0))", ["max(n, 0)"]),
        ("a = np.empty(max(n, t))", None),
        ("b = np.ones((n, 3)); a = np.zeros_like(b); c = np.copy(a)", ["n", "3"]),
        ("a = np.zeros_like(x)", ["x.shape[0]", "x.shape[1]"]),
        ("t = x.shape; a = np.zeros(t)", ["x.shape[0]", "x.shape[1]"]),
        ("a = np.zeros(x.shape)", ["x.shape[0]", "x.shape[1]"]),
        ("a = np.zeros(t)", None),
        ("a = np.zeros(n); n = n + 1", None),
        ("b = np.zeros(n); n = 2; a = np.zeros_like(b)", None),
        ("a = np.zeros_like(x); x = np.zeros((3, 3))", None),
        ("a = np.zeros(n); a, n = n, a", None),
        ("a = np.sin(x)", None),
        ("a = np.zeros(x.shape[1])", ["x.shape[1]"]),
        ("a = np.zeros(x.shape[1:])", None),
        ("a = np.zeros(x[0])", None),
        ("a = x @ z", ["x.shape[0]", "z.shape[1]"]),
        ("a = x @ y", ["x.shape[0]"]),
        ("a = np.outer(y, y)", ["y.shape[0]", "y.shape[0]"]),
        ("a = np.outer(x, y)", None),
        ("a = kernels.times_transpose(x, z)", ["x.shape[0]", "z.shape[0]"]),
        ("a = kernels.transpose_times(x, z)", ["x.shape[1]", "z.shape[1]"]),
        ("a = kernels.transpose_times(x, y)", ["x.shape[1]"]),
        ("a = kernels.times_transpose(x, y)", None),
    ],
)
def test_extents_are_those_that_the_array_was_made_with(text, expected):
    assert extents(learned(text), "a") == expected


def test_what_has_been_multiplied_fits():
    at = learned("h = np.zeros((n, m)); t = h @ x; u = x @ y")
    assert extents(at, "x") == ["m", "x.shape[1]"]
    assert extents(at, "y") == ["x.shape[1]"]
    assert extents(at, "t") == ["n", "x.shape[1]"]
    at.forget(["m"])
    assert extents(at, "x") == ["x.shape[0]", "x.shape[1]"]
    assert extents(learned("h = np.zeros((n, m)); x = h @ x"), "x") == ["x.shape[0]", "x.shape[1]"]


def test_extents_of_other_arrays_are_symbols():
    at = learned("n = x.shape[0]; t = x.shape; m = t[1]; k = x.shape[-1]; a = np.zeros((n, k))")
    assert form(at, "n + 1") == Form.of("x.shape[0]") + 1
    assert form(at, "m - k") == Form()
    assert form(at, "a.shape[1]") == Form.of("x.shape[1]")
    assert form(at, "t[2]") is None
    assert form(at, "x.shape[n]") is None
    at.forget(["x"])
    assert form(at, "n") == Form.of("n")


def test_a_number_stored_anew_is_another_one():
    at = learned("n = m + 1; m = m + n")
    assert form(at, "n") == Form.of("n")
    assert form(at, "m") == Form.of("m")
    assert form(learned("k = n - 1; n = k"), "k") == Form.of("k")


def test_tests_of_whole_numbers_tell_how_they_compare():
    at = learned("g = n > m; h = s > 0; m = 3; b = k <= n")
    for text, holds, expected in (
        ("n < k", True, Form.of("k") - Form.of("n") - 1),
        ("n < k", False, Form.of("n") - Form.of("k")),
        ("b", True, Form.of("n") - Form.of("k")),
        ("b", False, Form.of("k") - Form.of("n") - 1),
        ("n >= 0", True, Form.of("n")),
    ):
        assert at.under(gast.parse(text, mode="eval").body, holds).known == (expected,)
    same = at.under(gast.parse("n == k", mode="eval").body, True)
    assert set(same.known) == {Form.of("n") - Form.of("k"), Form.of("k") - Form.of("n")}
    for text in ("g", "h", "s > n", "n != k", "n"):  # g is of another m; s is no whole number
        assert at.under(gast.parse(text, mode="eval").body, True).known == ()
    assert at.known == ()


def in_loop(*texts, loop="range(n)"):
    at = Facts({"x": 1, "n": 0}, "n").enter(gast.parse(f"for j in {loop}: pass").body[0])
    for text in texts:
        at.learn(gast.parse(text).body[0])
    return at


def test_names_are_followed_until_they_are_stored_anew():
    at = in_loop("k = j + 2", "l = k - 1")
    assert form(at, "l") == Form.of("j") + 1
    at.learn(gast.parse("j = x[0]").body[0])
    assert form(at, "l") == Form.of("l")
    assert not at.is_nonnegative(Form.of("j"))


@pytest.mark.parametrize("text", ["k, l = l, k", "k += 1", "k = x[0]"])
def test_any_store_ends_what_is_known_about_a_name(text):
    at = in_loop("k = j + 2")
    at.learn(gast.parse(text).body[0])
    assert form(at, "k") == Form.of("k")


def test_what_an_iteration_stores_later_is_not_known_before():
    at = in_loop()
    at.restrict({"k"})
    assert form(at, "k + 1") is None
    at.learn(gast.parse("k = j").body[0])
    assert form(at, "k + 1") == Form.of("j") + 1
    at.learn(gast.parse("k += 1").body[0])
    assert form(at, "k") is None


def test_multiples_of_an_index():
    at = in_loop("k = 2 * j", "l = k + 1")
    assert form(at, "l - j * 2") == Form.number(1)
    assert form(at, "-l") == Form.of("j").scaled(-2) - 1
    assert form(at, "j * j") is None


@pytest.mark.parametrize(
    ("loop", "low", "high"),
    [
        ("range(n)", "j", "n - 1 - j"),
        ("range(2, n)", "j - 2", "n - 1 - j"),
        ("range(n, 2, -1)", "j - 3", "n - j"),
        ("range(0, n, 3)", "j", "n - 1 - j"),
        ("range(n, -1, -2)", "j", "n - j"),
    ],
)
def test_an_index_stays_within_its_range(loop, low, high):
    at = in_loop(loop=loop)
    assert at.is_nonnegative(form(at, low))
    assert at.is_nonnegative(form(at, high))
    assert not at.is_nonnegative(form(at, f"{low} - 1"))
    assert not at.is_nonnegative(form(at, f"{high} - 1"))


def test_what_the_loop_stores_is_no_bound_in_it():
    at = Facts().enter(gast.parse("for j in range(k):\n    k = 0").body[0])
    assert at.known == (Form.of("j"),)


def test_blocks_know_what_leads_to_them_and_nothing_that_is_stored_in_them():
    at = Facts({}, "nmk")
    branch = gast.parse("if n < m:\n    m = 0\nelse:\n    k = 1").body[0]
    (_, then), (_, otherwise) = at.descend(branch)
    assert then.known == (Form.of("m") - Form.of("n") - 1,)
    assert otherwise.known == (Form.of("n") - Form.of("m"),)
    at = Facts({}, "nmk")
    at.learn(gast.parse("k = n + 1").body[0])
    ((_, inside),) = at.descend(gast.parse("while n < m:\n    n = n + k").body[0])
    assert form(inside, "k") == form(at, "k") == Form.of("k")  # n is another number in each iteration
    assert inside.known == (Form.of("m") - Form.of("n") - 1,)
