"""What iterations pass on to each other by name."""

import gast
import pytest

from srcad.transforms.loop_analysis.loop_carried_values import are_sums, carried, is_sum, passed_on


def passed(body, arrays=("w",)):
    text = "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    return carried(gast.parse(f"for i in range(n):\n{text}").body[0], arrays)


@pytest.mark.parametrize(
    "body",
    [
        "s += x[i]",
        "s -= x[i]",
        "s = x[i] + s",
        "s = s + x[i] - y",
        "t = s\ns = t + x[i]",
        "if x[i] > 0.0:\n    t = s + x[i]\nelse:\n    t = s\ns = t",
        "t = s\nfor j in range(i):\n    t += x[j]\ns = t",
        "t = s\ny = 0.0\nwhile x[i] > y:\n    y = y + 1.0\n    t = t + y\ns = t",
    ],
)
def test_sums(body):
    assert passed(body) == {"s": "sum"}


@pytest.mark.parametrize(
    "body",
    [
        "t = s\ns = 0.0\ns += t",
        "t = s\ns = 0.0\nif x[i] > 0.0:\n    s += t\nelse:\n    s += t",
        "t = s\ns = 0.0\nfor j in range(3):\n    u = t\n    t = 0.0\n    t += u\ns += t",
        "x[i] = s\nt = s\ns = 1.0\ns = t",
    ],
)
def test_values_that_end_as_they_began(body):
    assert passed(body) == {"s": "same"}


@pytest.mark.parametrize(
    "body",
    [
        "s *= x[i]",
        "s = x[i] - s",
        "s = s + s",
        "s = s + s * x[i]",
        "s += x[i]\ny[i] = s",
        "s += x[i]\nif s > 0.0:\n    y[i] = 1.0",
        "s += x[i]\nfor j in range(s):\n    y[i] = 1.0",
        "t = s\nwhile t > 0.0:\n    t = t - x[i]\ns = t",
        "if x[i] > 0.0:\n    s = 0.0\ns += x[i]",
        "t = s\ns = r + x[i]\nr = t",
        "if x[i] > 0.0:\n    t = s\nelse:\n    t = 1.0\ns = t",
        "s = max(s, x[i])",
        "if x[i] > s:\n    s = x[i]",
        "t = s\ns = 0.0\nif x[i] > 0.0:\n    s += t",
        "y[s] += 1.0\ns += 1",
        "r = r + s\ns = s + x[i]",  # what the next iteration finds in `r` is what `s` was in this one
        "t = r + s\ns += x[i]\nr = t",
        "r += s\ns += x[i]",
        "for j in range(3):\n    r += s\ns += x[i]",
        "if x[i] > 0.0:\n    r = r + s\ns += x[i]",
    ],
)
def test_everything_else(body):
    assert passed(body) is None


def test_what_each_iteration_stores_first_is_not_passed_on():
    assert passed("t = x[i]\nu = t * t\ny[i] = u") == {}


def test_arrays_that_are_added_to_are_memory():
    assert passed("w += x[i]") == {}
    assert passed("w += x[i]", arrays=()) == {"w": "sum"}


def test_what_stays_as_it_is_is_a_sum_only_if_nothing_else_reads_it():
    assert is_sum(gast.parse("t = s\ns = t").body, "s")
    read = gast.parse("x[i] = s\nt = s\ns = t").body
    assert passed_on(read, "s") == "same"
    assert not is_sum(read, "s")


def test_several_names_are_sums_where_none_of_them_is_read_by_another():
    body = gast.parse("t = s + x[i]\nr = r + y\ns = t").body
    assert are_sums(body, ["r", "s"])
    assert are_sums(body, [])
    assert not are_sums(gast.parse("r = s + x[i]\ns = s + y").body, ["r", "s"])
    assert not are_sums(gast.parse("r = r + s\ns = s + y").body, ["r", "s"])
    assert not are_sums(gast.parse("t = r\nr = s\ns = t").body, ["r", "s"])
