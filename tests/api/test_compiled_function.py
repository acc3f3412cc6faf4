"""`srcad.function` wherever it is called from: as it is, in compiled code, under tapes."""

import inspect
import math
import pickle
import warnings

import numba
import numpy as np
import pytest

import srcad
from srcad.errors import AssignsVariable, EntersTape, PerformanceWarning
from tests.runtime.tape.test_tape_conformance import COMPLEX

X = np.array([1.0, -2.0, 0.5])
VARIABLE = srcad.Variable([1.0, 2.0, 3.0])
TABLE = np.array([1.0, 2.0, 3.0])


def energy(x, k=2.0):
    total = 0.0
    for i in range(x.shape[0]):
        total += k * x[i] * x[i] * x[i]
    return total


def model(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += TABLE[i] * VARIABLE[i] * x[i] * x[i]
    return total


def test_a_function_runs_its_primal():
    run = srcad.function(energy)
    assert run(X) == run(x=X, k=2.0) == pytest.approx(2.0 * np.sum(X**3))
    assert run.__name__ == "energy"
    assert inspect.signature(run) == inspect.signature(energy)
    assert run.__wrapped__ is energy


def halved(x, k):
    return x if k <= 0 else halved(x * x, k - 1) * 0.5


def twice_halved(x, k):
    return halved(x, k) * 2.0


def test_a_function_may_call_one_that_calls_itself():
    assert srcad.function(twice_halved)(1.1, 2) == pytest.approx(twice_halved(1.1, 2))
    assert srcad.grad(srcad.function(twice_halved))(1.1, 2) == pytest.approx(2.0 * 1.1**3)


def test_a_function_reads_what_it_captures_at_each_call(monkeypatch):
    run = srcad.function(model)
    assert run(X) == pytest.approx(np.sum(TABLE * np.array([1.0, 2.0, 3.0]) * X**2))
    monkeypatch.setitem(globals(), "TABLE", np.zeros(3))
    assert run(X) == 0.0


def test_what_nobody_can_ask_for_is_not_computed():
    run = srcad.function(model, jit=False)
    with srcad.GradientTape() as tape:
        x = srcad.constant(X)
        tape.watch(x)
        y = run(x)
    assert tape.gradient(y, [x, VARIABLE])[1].tolist() == (TABLE * X * X).tolist()
    (made,) = run._pairs.values()
    names = [made.version.unit.parameters[place] for place in made.wrt]
    assert names == ["x", "VARIABLE"]  # TABLE is a constant to the tape


def scaled_and_written(x, k, out):
    for i in range(x.shape[0]):
        out[i] = out[i] * k * x[i]
    return np.sum(out * out)


def cubic(x, k, weights):
    return np.sum(k * x**3 * weights**2)


TENSORS = [(0,), (1,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]


def some_tensors(tensors):
    values = [np.array([1.0, -2.0, 0.5]), 1.5, np.array([2.0, 3.0, -1.0])]
    return values, [srcad.constant(each) if place in tensors else each for place, each in enumerate(values)]


@pytest.mark.parametrize("tensors", TENSORS)
def test_plain_arguments_have_no_adjoint_and_the_others_are_right(tensors):
    def total(values):
        x, k, out = values
        return float(np.sum((out * k * x) ** 2))

    run = srcad.function(scaled_and_written, jit=False)
    values, given = some_tensors(tensors)
    with srcad.GradientTape() as tape:
        tape.watch(given[tensors[0]])
        y = run(*given)
        for place in tensors:
            tape.watch(given[place])  # late: what was recorded for another argument counts
    slopes = tape.gradient(y, [given[place] for place in tensors])
    (made,) = run._pairs.values()
    assert made.wrt == tensors
    for place, slope in zip(tensors, slopes, strict=True):
        for index in np.ndindex(np.shape(values[place])):
            moved = [[np.array(each) for each in values] for _ in range(2)]
            moved[0][place][index] += 1e-5
            moved[1][place][index] -= 1e-5
            assert float(slope[index]) == pytest.approx((total(moved[0]) - total(moved[1])) / 2e-5, abs=1e-6)
    assert values[2].tolist() == [2.0, 3.0, -1.0]


@pytest.mark.parametrize("tensors", TENSORS)
def test_second_derivatives_beside_plain_arguments(tensors):
    def penalty(function):
        given = some_tensors(tensors)[1]
        sources = [given[place] for place in tensors]
        with srcad.GradientTape() as outer:
            outer.watch(sources)
            with srcad.GradientTape() as tape:
                tape.watch(sources)
                y = function(*given)
            norm = sum(np.sum(each * each) for each in tape.gradient(y, sources))
        return outer.gradient(norm, sources, unconnected_gradients="zero")

    for found, expected in zip(penalty(srcad.function(cubic, jit=False)), penalty(cubic), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_call_with_plain_arguments_only_is_no_node():
    run = srcad.function(energy, jit=False)
    with srcad.GradientTape() as tape:
        tape.watch(srcad.constant(1.0))
        assert float(run(X)) == pytest.approx(2.0 * np.sum(X**3))
    assert len(tape.trace) == 0


def test_a_function_serves_inside_compiled_code():
    run = srcad.function(energy)
    assert numba.njit(lambda x: run(x, 1.0))(X) == pytest.approx(np.sum(X**3))


def test_a_function_of_a_function_is_itself():
    run = srcad.function(energy)
    assert srcad.function(run) is run
    assert srcad.grad(run)(X).shape == (3,)


def test_a_function_can_be_pickled():
    assert pickle.loads(pickle.dumps(srcad.function(energy)))(X) == srcad.function(energy)(X)


class Spring:
    stiffness = 3.0

    @srcad.function
    def energy(self, x):
        return self.stiffness * x * x


def test_a_method_is_a_function_of_its_own_arguments():
    assert Spring().energy(2.0) == 12.0


def test_a_method_is_prepared_once_for_an_object():
    first, second = Spring(), Spring()
    assert first.energy is first.energy
    assert first.energy is not second.energy
    second.stiffness = 5.0
    assert (first.energy(2.0), second.energy(2.0)) == (12.0, 20.0)


def test_a_tape_records_a_call_as_one_node():
    x = srcad.constant(X)
    with srcad.GradientTape() as tape:
        tape.watch(x)
        value = srcad.function(energy)(x, 2.0) * 3.0
    np.testing.assert_allclose(tape.gradient(value, x), 18.0 * X**2)


def test_a_tape_finds_the_variables_that_a_function_captures():
    with srcad.GradientTape() as tape:
        value = srcad.function(model)(X)
    np.testing.assert_allclose(tape.gradient(value, VARIABLE), TABLE * X**2)


def test_the_pullback_that_a_tape_holds_covers_arguments_and_captured_variables():
    values = (X, np.array([3.0, 2.0, 1.0]))
    value, pullback = srcad.function(model).forward(values)
    assert value == pytest.approx(np.sum(TABLE * values[1] * X**2))
    by_x, by_variable = pullback(2.0)
    np.testing.assert_allclose(by_x, 4.0 * TABLE * values[1] * X)
    np.testing.assert_allclose(by_variable, 2.0 * TABLE * X**2)


@pytest.fixture
def table():
    yield TABLE
    TABLE[:] = [1.0, 2.0, 3.0]


@pytest.mark.parametrize("jit", [True, False])
def test_arrays_changed_between_recording_and_gradient_do_not_change_it(jit, table):
    def scaled(x, factor):
        return np.sum(TABLE * factor * x * x)

    x, factor = srcad.constant(X), np.array([1.0, 10.0, 100.0])
    with srcad.GradientTape() as tape:
        tape.watch(x)
        value = srcad.function(scaled, jit=jit)(x, factor)
    expected = 2.0 * table * factor * X
    table[:] = 7.0
    factor[:] = 7.0
    np.testing.assert_allclose(tape.gradient(value, x), expected)


def test_a_captured_array_that_is_returned_is_copied(table):
    def same(x):
        return TABLE

    x = srcad.constant(1.0)
    for watched in (False, True):
        with srcad.GradientTape() as tape:
            if watched:
                tape.watch(x)
            found = srcad.function(same)(x)
        table[0] += 8.0
        assert found[0].numpy() != table[0]


def rotating(x, k, rounds):
    """Loops, stores, a captured array, a captured variable, several results."""
    out = np.zeros(3)
    for i in range(rounds):
        for j in range(3):
            out[j] += np.sin(k * x[j] * TABLE[j]) * VARIABLE[j] * x[(j + i) % 3]
    return out, k * x[0]


@pytest.mark.slow
@pytest.mark.parametrize("jit", [True, False])
def test_second_derivatives_of_a_function_with_loops_and_stores(jit):
    f, at, bar = srcad.function(rotating, jit=jit), [X, np.array(1.3)], np.array([1.0, -2.0, 0.5])
    weights = [np.array([0.2, -1.0, 0.4]), np.array(0.7), np.array([1.0, 0.3, -0.6])]

    def weighted_slope(x, k, weight):
        with srcad.GradientTape() as inner:
            inner.watch([x, k])
            values = f(x, k, 2)
        slopes = inner.gradient(values, [x, k, VARIABLE], output_gradients=[weight, 1.0])
        return sum(np.sum(slope * each) for slope, each in zip(slopes, weights, strict=True))

    inputs = [srcad.constant(each) for each in (*at, bar)]
    with srcad.GradientTape() as outer:
        outer.watch(inputs)
        value = weighted_slope(*inputs)
    for place, found in enumerate(outer.gradient(value, inputs)):
        for index in np.ndindex(found.shape):
            moved = [np.array(each) for each in (*at, bar)]
            ends = []
            for step in (1e-6, -1e-6):
                moved[place][index] = (*at, bar)[place][index] + step
                ends.append(float(weighted_slope(*map(srcad.constant, moved))))
            assert float(found[index]) == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6, abs=1e-8)


def test_a_function_of_module_math_under_two_tapes():
    def growth(x):
        return math.exp(x) * x

    x = srcad.constant(1.0)
    with srcad.GradientTape() as outer:
        outer.watch(x)
        with srcad.GradientTape() as inner:
            inner.watch(x)
            value = srcad.function(growth)(x)
        slope = inner.gradient(value, x)
    assert float(slope) == pytest.approx(2.0 * math.e)
    assert float(outer.gradient(slope, x)) == pytest.approx(3.0 * math.e)


def test_third_derivatives_run_the_function_on_tensors_and_notice_what_was_changed(table):
    def cubic(x):
        return np.sum(TABLE * x * x * x)

    f, x = srcad.function(cubic), srcad.constant(X)
    with srcad.GradientTape(persistent=True) as third:
        third.watch(x)
        with srcad.GradientTape() as second:
            second.watch(x)
            with srcad.GradientTape() as first:
                first.watch(x)
                value = f(x)
            slope = first.gradient(value, x)
        bend = second.gradient(slope, x)
    np.testing.assert_allclose(bend, 6.0 * table * X)
    np.testing.assert_allclose(third.gradient(bend, x), 6.0 * table)
    table[0] = 5.0
    with pytest.raises(RuntimeError, match="what cubic captures was changed"):
        third.gradient(bend, x)


def test_variables_are_found_in_closures_and_attributes():
    class Layer:
        def __init__(self):
            self.weights = srcad.Variable([1.0, 2.0, 3.0])

        @srcad.function
        def call(self, x):
            return np.sum(self.weights * x)

    inner, layer = srcad.Variable([2.0, 2.0, 2.0]), Layer()
    closure = srcad.function(lambda x: np.sum(inner * inner * x))
    with srcad.GradientTape() as tape:
        value = layer.call(X) + closure(X)
    by_weights, by_inner = tape.gradient(value, [layer.weights, inner])
    np.testing.assert_allclose(by_weights, X)
    np.testing.assert_allclose(by_inner, 4.0 * X)
    assert len(tape.watched_variables()) == 2


@pytest.mark.parametrize(("function", "expected"), COMPLEX.values(), ids=COMPLEX.keys())
def test_complex_gradients_are_conjugated_as_those_of_single_operations(function, expected):
    x = srcad.constant([1 + 2j, 3 - 1j])
    with srcad.GradientTape() as tape:
        tape.watch(x)
        try:
            y = srcad.function(lambda z: function(z) + 0.0, jit=False)(x)
        except (srcad.errors.MissingRule, srcad.errors.SourceUnavailable) as error:
            pytest.skip(str(error))
    np.testing.assert_allclose(tape.gradient(y, x), expected, rtol=1e-6, atol=1e-8)


def mixed(z, scale):
    total = z[0] * scale
    for i in range(1, z.shape[0]):
        total = total * z[i] + np.conj(z[0]) * scale
    return np.real(total) * np.hypot(np.real(z[1]), np.real(-1j * z[1]))


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
def test_the_gradient_of_a_real_result_of_complex_arguments_points_uphill(jit):
    z, scale, step = np.array([1 + 2j, 0.3 - 1j, 0.5j]), 1.5, 1e-6
    by_z, by_scale = srcad.grad(mixed, wrt=(0, 1), jit=jit)(z, scale)
    for k in range(3):
        for direction, part in ((step, by_z[k].real), (step * 1j, by_z[k].imag)):
            moved = z.copy()
            moved[k] += direction
            assert (mixed(moved, scale) - mixed(z, scale)) / step == pytest.approx(part, rel=1e-4, abs=1e-5)
    assert (mixed(z, scale + step) - mixed(z, scale)) / step == pytest.approx(by_scale, rel=1e-4)
    tensor = srcad.constant(z)
    with srcad.GradientTape() as tape:
        tape.watch(tensor)
        value = srcad.function(mixed, jit=jit)(tensor, scale)
    np.testing.assert_allclose(tape.gradient(value, tensor), by_z)


def test_a_real_number_between_complex_ones_has_a_real_adjoint():
    def there_and_back(z):
        part = np.real(z * z)
        return np.real(part * (1 + 2j) * part * (0.5 - 1j) * (2 + 1j))

    z, step = 1.5 - 0.5j, 1e-6
    slope = srcad.grad(there_and_back, jit=False)(z)
    assert (there_and_back(z + step) - there_and_back(z - step)) / (2 * step) == pytest.approx(slope.real)
    assert (there_and_back(z + step * 1j) - there_and_back(z - step * 1j)) / (2 * step) == pytest.approx(slope.imag)
    tensor = srcad.constant(z)
    with srcad.GradientTape() as tape:
        tape.watch(tensor)
        value = there_and_back(tensor)
    assert complex(tape.gradient(value, tensor)) == pytest.approx(slope)


def test_the_gradient_of_a_squared_modulus_points_uphill():
    # |z|**2 is x**2 + y**2
    assert srcad.grad(lambda z: np.abs(z) ** 2, jit=False)(1 + 2j) == pytest.approx(2 + 4j)


@pytest.mark.filterwarnings("ignore::srcad.errors.PerformanceWarning")
def test_a_function_that_enters_a_tape_runs_as_python():
    w = srcad.Variable([0.0, 0.0])
    x, y = np.array([[1.0, 2.0], [0.5, -1.0], [2.0, 0.3]]), np.array([3.0, -0.5, 2.3])

    @srcad.function
    def step(x, y, rate):
        with srcad.GradientTape() as tape:
            loss = np.sum((x @ w - y) ** 2)
        w.assign_sub(rate * tape.gradient(loss, w))
        return loss

    for _ in range(300):
        loss = step(x, y, rate=0.05)
    assert float(loss) < 1e-12
    np.testing.assert_allclose(w, [1.0, 1.0])


@pytest.mark.filterwarnings("ignore::srcad.errors.PerformanceWarning")
def test_tapes_around_one_that_enters_a_tape_follow_what_is_in_it():
    @srcad.function
    def slope(p):
        with srcad.GradientTape() as tape:
            tape.watch(p["x"])
            y = p["x"] ** 3
        return tape.gradient(y, p["x"])

    @srcad.function
    def twice(p):
        return slope(p) * 2.0

    x = srcad.constant([1.0, 2.0])
    with srcad.GradientTape() as tape:
        tape.watch(x)
        y = twice({"x": x})
    assert (y.tolist(), tape.gradient(y, x).tolist()) == ([6.0, 24.0], [12.0, 24.0])
    assert slope({"x": np.array([1.0])}).tolist() == [3.0]


class Counting:
    def __init__(self):
        self.calls, self.scale = srcad.Variable(0.0), [srcad.Variable(2.0)]

    @srcad.function
    def __call__(self, x):
        self.calls.assign_add(1.0)
        y = np.sum(self.scale[0] * x * x)
        for each in self.scale:
            each.assign(3.0)
        return y


@pytest.mark.filterwarnings("ignore::srcad.errors.PerformanceWarning")
def test_a_function_may_assign_to_variables():
    model = Counting()
    assert float(model(np.array([1.0, 2.0]))) == 10.0
    x = srcad.constant([1.0, 2.0])
    with srcad.GradientTape() as tape:
        tape.watch(x)
        y = model(x)
    assert (float(model.calls), float(model.scale[0]), float(y)) == (2.0, 3.0, 15.0)
    assert tape.gradient(y, x).tolist() == [6.0, 12.0]
    with pytest.raises(AssignsVariable, match="assign in the caller"):
        srcad.grad(lambda x: VARIABLE.assign_add(x)[0])(X)


def test_that_a_function_runs_as_python_is_said_once():
    @srcad.function
    def slope(x):
        with srcad.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x)

    with pytest.warns(PerformanceWarning, match="slope runs as Python: it enters a tape"):
        assert float(slope(np.float64(3.0))) == 6.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert float(slope(np.float64(4.0))) == 8.0
    with pytest.raises(EntersTape, match="enter the tape in the caller"):
        srcad.grad(slope)(3.0)


@pytest.mark.parametrize("jit", [True, False])
def test_tensors_that_no_tape_follows_are_not_written_to(jit):
    def doubled(x):
        x *= 2.0
        return np.sum(x)

    run = srcad.function(doubled, jit=jit)
    x, v, array = srcad.constant(X), srcad.Variable(X), X.copy()
    assert [float(run(each)) for each in (x, v, array)] == [2.0 * np.sum(X)] * 3
    assert (x.tolist(), v.tolist(), array.tolist()) == (X.tolist(), X.tolist(), (2.0 * X).tolist())


def test_structures_of_variables_are_taken_outside_of_a_tape():
    def loss(params, x):
        return np.sum(params["w"] * x) + params["b"][0]

    run, params = srcad.function(loss, jit=False), {"w": srcad.Variable(X), "b": [srcad.Variable(2.0)]}
    with srcad.GradientTape():
        inside = run(params, X)
    assert float(run(params, X)) == float(inside) == np.sum(X * X) + 2.0
