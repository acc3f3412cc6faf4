"""Effects: made as often, in the order and with the values of the function, compiled or not."""

import io
import logging
import sys
import warnings
from collections import Counter

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax

LOG = logging.getLogger("tests of effects")
SEEN: list = []
STATE = {"calls": 0}
KINDS: Counter = Counter()
OUT = io.StringIO()
total = 0.0


class Model:
    def __init__(self):
        self.calls = 0
        self.last = None
        self.rate = 2.0

    def loss(self, x):
        self.calls += 1
        self.last = x[0]
        return np.sum(self.rate * x * x)


MODEL = Model()


def many(x):
    global total  # noqa: PLW0603
    s = 0.0
    for k in range(x.shape[0]):
        if x[k] > 1.0:
            LOG.warning("element %d is %.2f", k, x[k])
        s += x[k] * x[k]
        SEEN.append(s)
    SEEN.append({"x": x, "two": [float(s), f"{s:.3f}", "text"]})
    STATE["calls"] += 1
    KINDS["large" if s > 1e9 else "small"] += 1
    print(f"{s:.4f}", "%5.1f" % s, "{:g}".format(s), file=OUT)  # noqa: UP031, UP032
    total += 2.0
    many.count += 1
    if s > 1.0:
        warnings.warn(f"large: {s:.2f}", RuntimeWarning, stacklevel=2)
    return s


many.count = 0


def state():
    seen = [
        {key: str(value) for key, value in each.items()} if isinstance(each, dict) else float(each) for each in SEEN
    ]
    return seen, dict(STATE), dict(KINDS), OUT.getvalue(), total, many.count


def reset():
    global total
    SEEN.clear()
    STATE["calls"] = 0
    KINDS.clear()
    OUT.seek(0)
    OUT.truncate()
    total, many.count = 0.0, 0


@pytest.mark.compiled
@pytest.mark.parametrize("jit", [False, True])
def test_effects_are_those_of_the_function(jit, caplog):
    x = np.array([0.5, 1.25])
    reset()
    with caplog.at_level(logging.WARNING), pytest.warns(RuntimeWarning, match=r"large: 1\.81"):
        many(x)
    expected, logged = state(), caplog.messages[:]
    gradient = srcad.grad(many, jit=jit)
    for _ in range(2):
        reset()
        caplog.clear()
        with caplog.at_level(logging.WARNING), pytest.warns(RuntimeWarning, match=r"large: 1\.81"):
            assert gradient(x) == pytest.approx(2 * x)
        assert state() == expected
        assert caplog.messages == logged == ["element 1 is 1.25"]


@pytest.mark.parametrize("derivative", [srcad.value_and_grad, lambda f, jit: srcad.jacobian(f, jit=jit)])
def test_attributes_of_the_object_of_a_method(derivative):
    before = MODEL.calls
    derivative(MODEL.loss, jit=False)(np.array([3.0, 1.0]))
    assert MODEL.calls == before + 1
    assert MODEL.last == 3.0


def test_a_seed_is_set_before_the_draw():
    def f(x):
        np.random.seed(3)
        return x * np.random.rand()

    slope = srcad.grad(f, jit=False)(2.0)
    np.random.seed(3)
    assert slope == np.random.rand()


def test_the_array_that_is_kept_is_a_copy():
    def f(x):
        y = x * 2.0
        SEEN.append(y)
        y[0] = 100.0 * x[0]
        return np.sum(y)

    reset()
    srcad.grad(f, jit=False)(np.ones(2))
    assert SEEN[0].tolist() == [2.0, 2.0]


def length_is_read(x):
    SEEN.append(x)
    return x * len(SEEN)


def attribute_is_read(x):
    MODEL.rate *= 0.5
    return x * MODEL.rate


def global_is_read(x):
    global total  # noqa: PLW0603
    total = x
    return total * x


THIS = sys.modules[__name__]


def global_is_read_through_its_module(x):
    global total  # noqa: PLW0603
    total = x
    return THIS.total * x


def entry_is_read(x):
    STATE["calls"] = STATE["calls"] + 1
    return x


def object_in_an_argument(x):
    LOG.info("model %s", Model())
    return x


def unknown_call(x):
    sys.modules["json"].dumps(x)
    return x


@pytest.mark.parametrize(
    ("f", "what"),
    [
        *((f, "is also read by the function") for f in (length_is_read, attribute_is_read, global_is_read)),
        (entry_is_read, "is also read by the function"),
        (global_is_read_through_its_module, "is also read by the function"),
        (object_in_an_argument, "in what is printed or raised is not supported"),
        (unknown_call, ""),
    ],
)
def test_refused_with_place_and_way_out(f, what):
    with pytest.raises(UnsupportedSyntax) as caught:
        srcad.grad(f, jit=False)(1.3)
    assert what in str(caught.value)
    assert caught.value.at.file == __file__
    assert caught.value.hint
