"""The table of passes holds together, and each optional pass can be left out: another text, the same derivative."""

import ast
import re
import typing
from pathlib import Path

import numba
import numpy as np
import pytest
from hypothesis import given, reject, seed, settings
from numba import prange

import srcad
from srcad.driver.pass_selection import RENAMED, VARIABLE, chosen, row_named
from srcad.driver.passes import DIFFERENTIATE, FINISH, NORMALISE, OPTIMISE, PASSES, ROWS, SIMPLIFY, STAGES
from srcad.errors import BadArgument, MayOverlap, UnsupportedSyntax
from srcad.runtime.jit.numba_inference import CannotType
from srcad.transforms.ir.code import Code, Settings
from srcad.transforms.ir.generated_functions import Made
from tests.checking import AT_NIGHT, assert_gradient
from tests.fuzz.program import function_of
from tests.leaving_out import assert_same_without, derivative
from tests.programs.program import Program, vector
from tests.test_programs import programs as corpus
from tests.test_random_programs import COUNT, NUMBERS, PARTS, SEED, SLOW, VECTOR, programs

X = np.linspace(0.3, 1.2, 7)


def two_loops(x):
    y = np.empty_like(x)
    for i in range(x.size):
        y[i] = np.sin(x[i]) * x[i]
    s = 0.0
    for i in range(x.size):
        s += y[i] ** 2 * np.exp(x[i]) + np.cos(x[i]) * np.sin(x[i])
    return s


def wandering(x):
    s = 0.0
    y = np.empty_like(x)
    for i in range(x.size):
        y[i] = np.sin(x[i] * x[i])
        k = 0.5
        while k < 1.0 + y[i]:
            k += 0.25 * max(y[i], 0.1)
            s += np.exp(k)
            if s > 9.0:
                break
    y[1:] += 0.5 * y[:-1]
    return s + np.sum(y * y[::-1])


def smoothed(x):
    a, b = x * x, np.zeros_like(x)
    for _ in range(2):
        for i in range(1, x.size - 1):
            b[i] = a[i - 1] * a[i] + np.cos(0.5 * (a[i] + a[i + 1]))
        a, b = b, a
    return np.sum(a) * a[2] + np.max(a)


def relaxed(x):
    a, b = x.copy(), x.copy()
    for _ in range(2):
        b[1:-1] = 0.3 * (a[:-2] + a[1:-1] * a[2:])
        a[1:-1] = 0.5 * (b[:-2] + b[2:])
    return np.sum(a * a)


def nearest(x):
    total = 0.0
    for i in range(x.size):
        best = 9.0
        for j in range(i):
            gap = 0.0
            for k in range(2):
                gap += (x[i] - x[j] + 0.3 * k) ** 2
            if gap < best:
                best, total = gap, total + 0.1 * gap
        total += (best * np.exp(best) + x[i]) / (1.0 + x[i] * x[i])
    return total


def shared_out(x):
    total, product = 0.0, 1.0
    for i in prange(x.size):
        wave = np.sin(x[i])
        total += wave * x[i]
        product *= wave
    return total + product


def quotients(x):
    a, b, c = x[0], x[1], x[2]
    steps = np.zeros((8, 2))
    for t in range(7):
        steps[t + 1, 0] = 0.5 * steps[t, 0] * x[t] + np.sin(a / c) * (b / c)
    return steps[7, 0]


def filtered(x):
    v = x.copy()
    for i in range(1, x.size):
        v[i] = (v[i - 1] + x[i] + 0.5) / 3.0
    s = v[0] ** 2
    old = v.copy()
    v[1] = s * old[0]
    return v @ v


def triangle(x):
    total = 0.0
    for i in range(2):
        p, y = 3, x[: x.size - 4] * x[i]
        for c in range(3):
            for r in range(c + 1, 3):
                y[r] += x[p] * x[c]
                p += 1
        total += np.sum(y * y)
    return total


def layered(x):
    weights = np.outer(x, x)
    return np.sum(np.tanh(weights @ np.tanh(weights @ x)))


def advected(x):
    u = x.copy()
    for _ in range(3):
        un = u.copy()
        u[1:-1] = un[1:-1] - 0.3 * un[1:-1] * (un[1:-1] - un[:-2]) + 0.1 * (un[2:] - 2.0 * un[1:-1] + un[:-2])
        u[0] = u[-2]
    return np.sum(u**2)


def three_levels(x):
    last, u, new = 0.5 * x, x.copy(), np.zeros_like(x)
    for _ in range(4):
        for i in range(1, u.shape[0] - 1):
            new[i] = 2.0 * u[i] - last[i] + 0.3 * (u[i + 1] * u[i - 1] - u[i])
        last, u, new = u, new, last
    return np.sum(u * last)


def shortest(x):
    n = x.shape[0]
    d = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            d[i, j] = np.sin(x[i] * x[j]) ** 2 + x[i]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = d[i, k] + d[k, j]
                if through < d[i, j]:  # noqa: PLR1730 - a branch on purpose
                    d[i, j] = through
    return np.sum(d * d)


def repeated(x):
    a = np.cos(x) * np.ones((x.size, 1))
    y = x
    for _ in range(3):
        y = np.tanh(-a @ y)
    return np.sum(y)


def of_the_first(x):
    return np.sum(x[0:3] * x[1:4]) * np.sum(x * x)


def scaled_product(x):
    return np.sum((np.outer(x, x) * x @ x) ** 2)


def multiplied_by_rows(x):
    a, y = np.outer(np.sin(x), x), np.zeros_like(x)
    for i in range(x.size):
        y[i] = a[i] @ x
    return y @ y


def both_ways(x):
    a = np.cos(x) * np.ones((x.size, 1))
    return np.sum(np.minimum(np.tanh(2.0 * a @ x), x @ a))


def ratchet(x):
    y, top, s = x.copy(), x[0], 0.0
    for t in range(1, x.size):
        top = max(0.9 * top, x[t])
        y[t] = min(y[t - 1] * x[t], 0.5 * y[t] + x[0])
        s += top * y[t]
    return s


def rotated(x):
    total = 0.0
    for i in range(x.size):
        turned = np.array([x[i] * x[0], -x[i]])
        total += np.sum(turned * turned)
    return total


def framed(x):
    frame, total = np.eye(2), 0.0
    for i in range(x.size):
        turn = np.array([[np.cos(x[i]), -np.sin(x[i])], [np.sin(x[i]), np.cos(x[i])]])
        frame = frame @ turn
        total += frame[0, 1] * x[i]
    return total


SIMPLE = (
    *(both_ways, repeated, advected, three_levels, shortest, two_loops, smoothed, ratchet, wandering, relaxed),
    *(
        nearest,
        quotients,
        filtered,
        triangle,
        layered,
        scaled_product,
        multiplied_by_rows,
        of_the_first,
        rotated,
        framed,
    ),
)
SMALL = [Program(each, vector(7)) for each in SIMPLE]
SMALL += [Program(numba.njit(parallel=True)(shared_out), lambda rng: (rng.normal(size=7),))]


MOST = 3 if AT_NIGHT else 2  # programs that a pass changes, if it changes so many of the small ones
KNOWN = {}


def known(program):
    """The derivative with every pass, which other tests hold to finite differences."""
    if program not in KNOWN:
        KNOWN[program] = derivative(program.function, program.fresh_arguments(), program.wrt, "grad")
    return KNOWN[program]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name for name in PASSES if name != "memory_scopes"]
)  # which changes machine code only
def test_without_a_pass_derivatives_are_the_same_and_the_text_is_another(name):
    first = [*PASSES].index(name) % len(SMALL)
    changed = 0
    for program in [*SMALL[first:], *SMALL[:first]]:
        changed += assert_same_without(name, known(program), program.name)
        if changed == MOST:
            break
    assert changed


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_without_a_pass_random_programs_have_the_same_derivatives(part):
    """Each part leaves out some of the passes, in programs of its own."""
    mode = "vjp" if part % 2 else "value_and_grad"

    @seed(SEED * PARTS + part)
    @settings(suppress_health_check=SLOW, max_examples=max(COUNT // (2 * PARTS), 1), database=None, derandomize=False)
    @given(programs() | programs(trades=True))
    def attempt(text):
        try:
            function_of(text)(*NUMBERS, VECTOR.copy())
            whole = derivative(function_of(text), (*NUMBERS, VECTOR), (0, 1, 2), mode)
        except (UnboundLocalError, OverflowError, UnsupportedSyntax, MayOverlap, CannotType):
            reject()
        for name in [*PASSES][part::PARTS]:
            assert_same_without(name, whole, text)

    attempt()


@pytest.mark.nightly
@pytest.mark.parametrize("program", list(corpus()))
@pytest.mark.parametrize("mode", ["value_and_grad", "vjp"])
def test_without_a_pass_all_programs_have_the_same_derivatives(program, mode):
    arguments = program.fresh_arguments()
    is_number = np.ndim(program.function(*program.fresh_arguments())) == 0
    if program.interpreted or (mode == "value_and_grad" and not is_number):
        pytest.skip("Numba has no types for it, or its result is no number")
    whole = derivative(program.function, arguments, program.wrt, mode)
    for name in PASSES:
        assert_same_without(name, whole, program.name)


@pytest.mark.compiled
def test_without_any_pass_code_compiles_and_is_right():
    assert_gradient(wandering, X)
    expected = srcad.grad(wandering, jit=False)(X)
    np.testing.assert_allclose(srcad.grad(wandering, without=tuple(PASSES))(X), expected, rtol=1e-12)


def test_passes_are_named_in_one_text_or_several():
    both = ("elementwise_fusion", "loop_order")
    assert chosen("loop_order, elementwise_fusion") == chosen([*both]) == both
    assert chosen("") == chosen() == ()


def test_an_unknown_pass_is_refused_with_a_list_of_those_there_are():
    with pytest.raises(BadArgument, match=r"no pass 'fusion'\n?.*elementwise_fusion, broadcast_assumption"):
        srcad.grad(wandering, without="fusion")


@pytest.mark.slow
def test_passes_named_in_the_environment_are_left_out(monkeypatch):
    monkeypatch.setenv(VARIABLE, "forward_substitution,cse_and_licm")
    assert chosen("elementwise_fusion") == ("elementwise_fusion", "cse_and_licm", "forward_substitution")
    assert srcad.source(wandering, args=(X,)) == srcad.source(
        wandering, args=(X,), without=("forward_substitution", "cse_and_licm")
    )
    monkeypatch.setenv(VARIABLE, "nothing")
    with pytest.raises(BadArgument, match=f"no pass 'nothing' in {VARIABLE}"):
        srcad.grad(wandering)


def test_every_pass_is_documented_and_those_that_can_be_left_out_are_marked():
    text = (Path(__file__).parents[2] / "docs" / "architecture.md").read_text()
    for row in ROWS.values():
        name = f"*{row.name}*" if row.optional else row.name
        assert f"{name} | {row.does} | {row.source} |" in text


def test_each_name_is_given_once():
    names = [row.name for rows in STAGES.values() for row in rows]
    assert len(set(names)) == len(names)
    assert not RENAMED.keys() & set(names)
    assert {new for names in RENAMED.values() for new in names} <= PASSES.keys()


def test_old_names_are_refused_with_the_new_ones():
    with pytest.raises(BadArgument, match=r"'spot' has a new name\n?.*iteration_local_reversal"):
        srcad.grad(wandering, without="spot")
    with pytest.raises(BadArgument, match=r"'contract' has a new name\n?.*array_contraction_to_scalar, array_contr"):
        chosen(["contract"])
    with pytest.raises(BadArgument, match="'tidy' has a new name"):
        row_named("tidy")


@pytest.mark.parametrize("row", [row for row in ROWS.values() if row.function], ids=lambda row: row.name)
def test_all_passes_have_one_signature(row):
    kind = Made if row in FINISH else Code
    signature = typing.get_type_hints(row.load())
    assert list(signature.values()) == [kind, kind]
    known = {*vars(Settings()), *(name for name, each in vars(Code).items() if isinstance(each, property))}
    assert {name.removeprefix("not ") for name in row.when} <= known
    # Named after its module, where it has one that is a pass and nothing else.
    module = row.function.partition(":")[0]
    assert module.startswith("driver.") or row.name in (*module.split("."), *NAMED_OTHERWISE)


# Two passes in one module, or one pass run twice.
NAMED_OTHERWISE = {"sweep_notes", "typed_messages", "shape_copy_elision", "plain_names"}


def test_what_a_pass_needs_holds_before_it():
    held = set()
    for row in (*NORMALISE, *OPTIMISE, *DIFFERENTIATE, *SIMPLIFY, *FINISH):
        assert held.issuperset(row.needs), f"{row.name} needs {set(row.needs) - held}"
        held = (held if row.keeps is None else held & set(row.keeps)) | set(row.gives)


def test_choices_within_a_stage_are_named_by_a_row_that_is_run():
    for row in ROWS.values():
        assert bool(row.within) != bool(row.function) or row.name in ("lower", "differentiate")
        assert not row.within or row.within in ROWS


def test_names_that_stages_ask_for_and_times_that_they_note_are_rows_of_the_table():
    from srcad.transforms.ir import pass_names

    asked = {value for name, value in vars(pass_names).items() if name.isupper()}
    assert asked <= PASSES.keys()
    sources = [path.read_text() for path in (Path(srcad.__file__).parent / "transforms").rglob("*.py")]
    noted = {name for text in sources for name in re.findall(r'^ *@stage\("(\w+)"\)', text, re.MULTILINE)}
    assert noted
    assert noted <= ROWS.keys()


def test_the_order_of_passes_stands_in_one_place():
    """Nowhere else do three passes follow each other, as names in a list or as calls."""
    functions = {row.function.partition(":")[2] for row in ROWS.values() if row.function}
    for path in Path(srcad.__file__).parent.rglob("*.py"):
        # The module of choices maps old names to new ones.
        if path.parts[-2:] in (("driver", "passes.py"), ("driver", "pass_selection.py")):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
                texts = [each.value for each in node.elts if isinstance(each, ast.Constant)]
                assert len(PASSES.keys() & {text for text in texts if isinstance(text, str)}) < 3, path
            if isinstance(node, ast.FunctionDef) and path.name != "callee_normalisation.py":
                called = {each.func.id for each in ast.walk(node) if _is_call_by_name(each)}
                assert len(called & functions) < 3, (path, node.name)


def _is_call_by_name(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)


STEPS = [row.name for row in ROWS.values() if not row.within]


@pytest.mark.slow
@pytest.mark.parametrize("name", STEPS)
def test_what_is_there_after_each_pass_is_a_program_that_is_right(name):
    for program in (two_loops, nearest, filtered):
        text = srcad.source(program, args=(X,), after=name)
        namespace = {}
        exec(compile(text, "<text>", "exec"), namespace)
        is_primal = ROWS[name] in (*NORMALISE, *OPTIMISE)
        function = namespace[program.__name__ if is_primal else f"{program.__name__}_grad"]
        if name == "differentiate":
            continue  # names that both sweeps store are not yet told apart from those of the other
        expected = program(X.copy()) if is_primal else srcad.grad(program, jit=False)(X)
        np.testing.assert_allclose(function(X.copy()), expected, rtol=1e-12)
