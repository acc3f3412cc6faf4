"""Facts that rest on themselves: supposed, confirmed, and forgotten where they do not hold."""

import numpy as np
import pytest

import srcad
from srcad.transforms.analysis.affine.linear_forms import Form
from srcad.transforms.analysis.optimistic_facts import Trials
from tests.checking import assert_gradient
from tests.transforms.core_text import program_of


def test_what_rests_on_a_trial_is_forgotten_with_it():
    trials, asked = Trials[str, int](), []

    def find(key, *others):
        def run():
            asked.append(key)
            return sum(trials.ask(other, lambda: 1, 0) for other in others)

        return trials.ask(key, run, 0)

    with trials.supposing("a", 5):
        assert find("b", "a") == 5
        assert find("b", "a") == 5  # not found twice
        assert find("c", "d") == 1
    assert find("b", "a") == 1
    assert find("c", "d") == 1  # rested on nothing
    assert asked == ["b", "c", "b"]


def test_what_asks_for_itself_is_unknown():
    trials = Trials[str, int]()
    assert trials.ask("a", lambda: trials.ask("b", lambda: trials.ask("a", int, 7), 0) + 1, 7) == 8
    trials.learn("c", 3)
    assert trials.ask("c", int, 0) == 3


LOOP = """
def f(x, w, b, n):
    first = np.zeros((b, n))
    h = first
    for t in range(0, n, 1):
        u = h @ w
        v = x + u
        new = {value}
        h = new
    return h
"""


@pytest.mark.parametrize(
    ("value", "has_rows"),
    [
        ("np.tanh(u)", True),  # as many as it had
        ("np.tanh(v)", False),  # x may have others
        ("np.transpose(h)", False),
        ("np.concatenate((h, u))", False),
        ("np.copy(h)", True),
    ],
)
def test_what_a_loop_keeps_of_a_shape(value, has_rows):
    program = program_of(LOOP.format(value=value), "f8[:, ::1], f8[:, ::1], i8, i8")
    for name in ("new", "u", "h"):
        assert (program.meeting.size(name, 0) == Form.of("b")) == has_rows, name


def rnn(w, u, x):
    h = np.zeros((x.shape[1], w.shape[0]))
    total = 0.0
    for t in range(x.shape[0]):
        h = np.tanh(h @ w + x[t] @ u)
        total += np.sum(h * h)
    return total


def growing(x, n):
    h = x
    for _t in range(n):
        h = np.concatenate((h, 2.0 * h[:1]))
    return np.sum(h * h)


def shrinking(x, n):
    h = x
    for _t in range(n - 2):
        h = h[:, 1:] * h[:, :-1]
    return np.sum(h * h)


def turning(x, n):
    h = x
    for _t in range(n):
        h = np.sin(h.T * 0.5) + h.T
    return np.sum(h * h[0, 0])


def trading(x, n):
    a, b = x, x[:, :2] * 2.0
    for _t in range(n):
        a, b = b * 1.5, np.sin(a)
    return np.sum(a) + 2.0 * np.sum(b * b)


def test_states_have_traces_with_a_place_for_each_iteration():
    rng = np.random.default_rng(0)
    args = rng.normal(size=(3, 3)), rng.normal(size=(2, 3)), rng.normal(size=(4, 2, 2))
    assert "grown" not in srcad.source(rnn, args=args)
    assert_gradient(rnn, *args, modes=("loops", "gradient"))


@pytest.mark.parametrize("n", [0, 3])
@pytest.mark.parametrize("function", [growing, shrinking, turning, trading])
def test_states_that_change_their_shape(function, n):
    assert_gradient(function, np.linspace(0.1, 0.9, 6).reshape(2, 3), n, wrt=(0,), modes=("loops", "gradient"))
