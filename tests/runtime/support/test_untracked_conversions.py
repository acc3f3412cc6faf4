"""What becomes of tensors that are made arrays while a tape follows them, and of what is computed from these."""

import functools
import inspect
import math
import threading
import types
import warnings

import numpy as np
import pytest
import scipy.sparse
import scipy.special

import srcad
from srcad.errors import GradientCut, MissingRule
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.values.conversions import constant, convert_to_tensor
from srcad.runtime.tape.values.indexed_slices import IndexedSlices
from tests.waiting import join

SPARSE = scipy.sparse.csr_matrix(np.eye(2))
SCALE = 2.0

CUTS = {
    "np.array of a list": lambda x, v: np.array([x, x]),
    "np.asarray": lambda x, v: np.asarray(v),
    "np.array": lambda x, v: np.array(v),
    "a ufunc of lists": lambda x, v: np.add([x, x], 1.0),
    "a function in C of lists": lambda x, v: np.dot([x, x], [1.0, 2.0]),
    "rows": lambda x, v: np.array([v, v]),
}
REFUSED = {
    "np.sum": lambda x, v: np.sum([x, x]),
    "np.mean": lambda x, v: np.mean([x, v[0]]),
    "np.max": lambda x, v: np.max([x, 3.0]),
    "np.prod": lambda x, v: np.prod((v, v)),
    "np.std": lambda x, v: np.std([x, 1.0, 2.0]),
    "np.tile": lambda x, v: np.tile([x, x], 2),
    "np.linalg.norm": lambda x, v: np.linalg.norm([x, x]),
}
ALLOWED = {
    "numpy()": lambda x, v: v.numpy() + np.array(v.numpy()),
    "float": lambda x, v: float(x) + math.sin(x) + x.item(),
    "a library": lambda x, v: SPARSE @ v,
    "tolist": lambda x, v: np.sum(v.tolist()),
    "bool": lambda x, v: 1.0 if x else 2.0,
    "text": lambda x, v: f"{x} {v} {v!r} {[v]}",
    "assertions": lambda x, v: np.testing.assert_allclose(v, [1.0, 2.0]),
    "comparisons": lambda x, v: np.allclose(v, [1.0, 2.0]) and np.array_equal(v, v),
    "a new variable": lambda x, v: Variable([x, x]).assign([x, x]),
    "facts": lambda x, v: (np.shape(v), np.ndim(v), len(v), v.dtype),
}


def under_a_tape(use):
    x, v = constant(2.0), constant([1.0, 2.0])
    with GradientTape() as tape:
        tape.watch([x, v])
        return use(x, v)


@pytest.mark.parametrize("use", CUTS.values(), ids=CUTS.keys())
def test_a_followed_tensor_may_be_made_an_array_that_is_not_used(use):
    under_a_tape(use)


@pytest.mark.parametrize("use", [lambda _, v: np.sum(v.tolist()) + np.sum(v), lambda _, v: v[0].item() * v[1]])
def test_numbers_that_come_back_are_refused(use):
    """Both gradients were wrong, without a word."""
    with pytest.raises(GradientCut):
        under_a_tape(use)


@pytest.mark.parametrize("name", REFUSED)
def test_functions_that_would_cut_the_gradient_of_a_list_are_refused(name):
    with pytest.raises(MissingRule, match=rf"{name} is given a list that holds tensors[^!]*np\.stack"):
        under_a_tape(REFUSED[name])


@pytest.mark.parametrize("use", ALLOWED.values(), ids=ALLOWED.keys())
def test_what_says_that_it_wants_a_plain_value_is_free(use):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        under_a_tape(use)


@pytest.mark.parametrize("use", [*CUTS.values(), *REFUSED.values()], ids=[*CUTS, *REFUSED])
def test_without_a_tape_that_follows_them_tensors_are_arrays(use):
    x, v = constant(2.0), constant([1.0, 2.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        outside = use(x, v)
        with GradientTape() as tape:
            tape.watch(constant(1.0))
            use(x, v)
        with GradientTape() as tape:
            tape.watch([x, v])
            with tape.stop_recording():
                use(x, v)
    assert not isinstance(outside, list)


def test_what_the_messages_propose_is_differentiated():
    def proposals(x):
        yield np.sum(np.stack([x, x * x]))
        yield np.sum(convert_to_tensor([x, x * x]))
        yield np.sum(constant([x, x * x]))

    for place in range(3):
        x = constant(3.0)
        with GradientTape() as tape:
            tape.watch(x)
            y = list(proposals(x))[place]
        assert float(tape.gradient(y, x)) == 7.0


def test_variables_and_slices_come_back_as_well():
    w = Variable([1.0, 2.0])
    with GradientTape() as tape:
        with pytest.raises(GradientCut):
            np.asarray(w) * w
        tape.watch(values := constant([1.0]))
        slices = IndexedSlices(values, [0], (2,))
        with pytest.raises(GradientCut):
            np.sum(np.asarray(slices) * values)


class Model:
    """An object that keeps what is computed from a tensor."""

    def __init__(self, x):
        self.x = x

    def prepare(self):
        self.weights = 2.0 * np.asarray(self.x)

    def loss(self, v):
        return np.sum(self.weights * v)


def weighted(v, weights):
    return np.sum(v * weights)


def scaled(v):
    return SCALE * np.asarray(v)


def by_view(x):
    a = np.array(x)
    return np.sum(a[::-1] * x)


def by_arithmetic(x):
    a = 2.0 * np.asarray(x)
    b, _ = a + 1.0, 3.0
    return np.sum(b * x)


def by_sparse_product(x):
    c = SPARSE @ x
    return np.sum(c * x)


def by_sparse_product_in_place(x):
    return np.sum((SPARSE @ x) * x)


def by_library(x):
    a = scipy.special.erfcinv(np.tanh(x).tolist()) + scipy.special.logsumexp(np.asarray(x))
    return np.sum(a * x)


def by_list(x):
    rows = np.array([x[0], x[1]])
    return np.sum(rows * x)


def by_argument(x):
    return weighted(x, np.asarray(x) + 1.0)


def by_result(x):
    return np.sum(scaled(x) * x)


def by_attribute(x):
    model = Model(x)
    model.prepare()
    return model.loss(x)


def by_container(x):
    history = []
    history.append(np.asarray(x) * 3.0)
    return np.sum(history[0] * x)


def by_constant(x):
    t = constant(np.asarray(x) + 1.0)
    return np.sum(t * x)


def by_buffer(x):
    buffer = np.zeros(2)
    buffer[:] = x
    return np.sum(buffer * x)


def by_second_name(x):
    buffer = np.ones(2)
    also = buffer
    also[0] = x[1]
    return np.sum(buffer * x)


def by_view_of_a_view(x):
    buffer = np.ones(3)
    tail = buffer[1:]
    rest = tail[1:]
    rest[0] = x[1]
    return np.sum(buffer * x[0])


def by_transpose(x):
    buffer = np.ones((2, 2))
    buffer.T.reshape(2, 2)[0] = x
    return np.sum(buffer * x)


def by_rows(x):
    buffer = np.ones((2, 2))
    for k, row in enumerate(buffer):
        row[0] = x[k]
    return np.sum(buffer * x)


def by_either(x):
    buffer, other = np.ones(2), np.ones(2)
    chosen = buffer if len(x) > 1 else other
    chosen[0] = x[1]
    return np.sum(buffer * x)


def by_list_of_buffers(x):
    buffer = np.ones(2)
    held = [buffer, np.zeros(2)]
    held[0][1] = x[0]
    return np.sum(buffer * x)


def put(array, value):
    tail = array[1:]
    tail[0] = value


def by_stored_argument(x):
    buffer = np.ones(2)
    put(buffer, x[0])
    return np.sum(buffer * x)


def by_out(x):
    buffer, a = np.zeros(2), np.asarray(x)
    np.add(a, 1.0, out=buffer)
    return np.sum(buffer * x)


def by_keyword(x):
    weights = np.asarray(x) + 1.0
    return np.average(x, weights=weights)


def by_closure(x):
    a = np.asarray(x) + 1.0

    def inner():
        return x * a

    return np.sum(inner())


def by_comprehension(x):
    a = [2.0 * each for each in np.asarray(x)]
    return sum(x[i] * a[i] for i in range(2))


def by_lambda(x):
    make = lambda: np.asarray(x) + 1.0  # noqa: E731 - what is tested
    return np.sum(x * make())


def by_generator(x):
    def rows():
        yield np.asarray(x) + 1.0

    return sum(np.sum(x * each) for each in rows())


def by_number(x):
    return math.sin(x[0]) * x[0]


def by_augmented_assignment(x):
    y = x * 1.0
    y *= np.asarray(x) + 1.0
    return np.sum(y)


def by_earlier_iteration(x):
    scale, y = np.ones(2), x
    for _ in range(2):
        y = y * scale
        scale = np.asarray(x) + 1.0
    return np.sum(y)


dot = srcad.function(lambda a, b: np.sum(a * b), jit=False)


def by_compiled_function(x):
    a = np.asarray(x) + 1.0
    return dot(x, a)


@srcad.custom_gradient
def product(a, b):
    return a * b, lambda bar: (bar * b, bar * a)


def by_custom_gradient(x):
    a = np.asarray(x) + 1.0
    return np.sum(product(x, a))


class Kept:
    """An object whose value others read from it, by methods that are not active when it is kept."""

    def __init__(self, x):
        self.kept = np.asarray(x) * 2.0

    @property
    def thrice(self):
        return self.kept * 3.0

    def halves(self):
        return self.kept * 0.5


def by_property(x):
    return np.sum(Kept(x).thrice * x)


def by_method(x):
    return np.sum(Kept(x).halves() * x)


def keep_global(x):
    global kept_globally  # noqa: PLW0603 - what is tested
    kept_globally = np.asarray(x) * 2.0


def by_global(x):
    keep_global(x)
    return np.sum(kept_globally * x)


def by_nonlocal(x):
    a = None

    def keep():
        nonlocal a
        a = np.asarray(x) * 2.0

    keep()
    return np.sum(a * x)


def by_callback(x):
    parts = []

    def keep():
        parts.append(np.asarray(x) * 2.0)

    keep()
    return np.sum(parts[0] * x)


def by_partial(x):
    times = functools.partial(np.multiply, np.asarray(x) * 2.0)
    return np.sum(times(x))


def by_reduce(x):
    return np.sum(functools.reduce(lambda a, b: a * b, [np.asarray(x) * 2.0, x]))


def by_default(x):
    def times(a=np.asarray(x) * 2.0):  # noqa: B008 - what is tested
        return a * x

    return np.sum(times())


def by_setattr(x):
    holder = Model(x)
    setattr(holder, "doubled", np.asarray(x) * 2.0)  # noqa: B010 - what is tested
    return np.sum(holder.doubled * x)


def by_flat(x):
    a = np.zeros(2)
    a.flat = x
    return np.sum(a * x)


RETURNS = [each for name, each in list(globals().items()) if name.startswith("by_")]


@pytest.mark.parametrize("use", RETURNS, ids=lambda each: each.__name__)
def test_what_comes_back_is_refused_where_it_comes_back(use):
    x = constant([0.5, 0.25])
    with GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(GradientCut, match="made a plain array or number at") as caught:
            use(x)
    file, first, lines = __file__, inspect.getsourcelines(use)[1], inspect.getsourcelines(use)[0]
    assert caught.value.at.file == file
    if use not in (by_argument, by_attribute, by_custom_gradient):
        assert first < caught.value.at.line < first + len(lines)
    assert f"{file}:" in caught.value.what


def of_printed(x):
    print(np.asarray(x) * 2.0)
    return np.sum(x * np.ones(2) * 2.0)


def of_copy(x):
    buffer = np.ones(2)
    own = buffer.copy()
    own[0] = x[1]
    return np.sum(2.0 * buffer * x)


def of_other_argument(x):
    buffer, other = np.ones(2), np.ones(2)
    put(other, x[0])
    return np.sum(2.0 * buffer * x)


def of_order(x):
    order = np.argsort(np.asarray(x))
    y = x[order]
    return np.sum(y * 2.0) + np.var(y) - np.var(y)


def of_mask(x):
    mask = np.asarray(x) > 0.0
    y = np.where(mask, x, 0.0)
    return np.sum(y * 2.0)


def of_tests(x):
    assert np.allclose(x, [0.5, 0.25])
    np.testing.assert_allclose(np.asarray(x), [0.5, 0.25])
    return np.sum(2.0 * x)


def of_facts(x):
    a = np.asarray(x)
    return np.sum(x * float(len(a))) * (a.shape[0] / 2.0)


def of_values_that_say_so(x):
    a, b = x.numpy(), float(x[0])
    c = np.asarray(srcad.stop_gradient(x))
    return np.sum(x * a / a) * (b / b) * 2.0 + np.sum(x * (c - c))


def of_neighbours(x):
    a, scale = np.asarray(x) + 1.0, 2.0
    assert np.all(a)
    return np.sum(x * scale)


def of_history(x):
    history = {"x": np.asarray(x).tolist(), "names": ["a"]}
    assert history
    data = np.full(2, 2.0)
    return np.sum(data * x)


def of_names_used_again(x):
    a = np.asarray(x)
    assert a.sum()
    a = 2.0 * x
    return np.sum(1.0 * a)


def squares(a):
    return np.sum(np.asarray(a) ** 2)


def of_helper(x):
    print(squares(x))
    return np.sum(squares(np.ones(2)) * x)


def of_other_names(x):
    def show(a):
        kept = np.asarray(a)
        print(kept)

    kept = np.full(2, 2.0)
    show(x)
    return np.sum(kept * x)


FREE = [each for name, each in list(globals().items()) if name.startswith("of_")]


@pytest.mark.parametrize("use", FREE, ids=lambda each: each.__name__)
def test_what_does_not_come_back_is_free(use):
    x = constant([0.5, 0.25])
    with warnings.catch_warnings(), GradientTape() as tape:
        warnings.simplefilter("error")
        tape.watch(x)
        y = use(x)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), [2.0, 2.0])


def test_without_source_every_array_is_taken_for_one_that_comes_back():
    code = "def cut(x): a = 2.0 * np.asarray(x); return np.sum(a * x)\ndef plot(x): np.asarray(x); return 2.0 * x"
    space = {"np": np}
    exec(compile(code, "<nowhere>", "exec"), space)
    x = constant([1.0, 2.0])
    with GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(GradientCut, match="<nowhere>:1"):
            space["cut"](x)
    with GradientTape() as tape:
        tape.watch(x)
        y = space["plot"](x)
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 2.0]


def test_the_value_of_an_eval_comes_back():
    x = constant([0.5, 0.25])
    with GradientTape() as tape:
        tape.watch(x)
        a = eval("2.0 * np.asarray(x)")
        with pytest.raises(GradientCut, match="<string>:1"):
            a * x


def test_an_array_is_known_in_another_thread_by_its_memory():
    x, found = constant([1.0, 2.0]), []

    def multiply(tape, a):
        with tape:
            try:
                a * x
            except GradientCut as error:
                found.append(error)

    tape = GradientTape()
    with tape:
        tape.watch(x)
        a = np.asarray(x)
    thread = threading.Thread(target=multiply, args=(tape, types.SimpleNamespace(a=a).a), daemon=True)
    thread.start()
    join(thread)
    assert len(found) == 1


def test_each_of_several_tapes_is_asked():
    x = constant([1.0, 2.0])
    for outer_first in (True, False):
        outer, inner = GradientTape(), GradientTape()
        with outer:
            outer.watch(x)
            a = 2.0 * np.asarray(x) if outer_first else np.ones(2)
            with inner:
                inner.watch(x)
                b = a if outer_first else 2.0 * np.asarray(x)
                with pytest.raises(GradientCut):
                    b * x


def test_what_left_before_the_tape_followed_it_is_constant():
    x = constant([1.0, 2.0])
    a = 2.0 * np.asarray(x)
    with GradientTape() as tape:
        tape.watch(x)
        y = np.sum(a * x)
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]


def test_where_the_expression_is_not_known_the_statement_tells(monkeypatch):
    monkeypatch.setattr("srcad.runtime.support.value_flow._span", lambda *_: (None, None, None, None))
    x = constant([0.5, 0.25])
    for use in RETURNS:
        with GradientTape() as tape:
            tape.watch(x)
            with pytest.raises(GradientCut):
                use(x)
    for use in FREE:
        with GradientTape() as tape:
            tape.watch(x)
            use(x)
