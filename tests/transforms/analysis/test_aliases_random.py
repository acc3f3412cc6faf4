"""Whatever shares memory in a random program that runs in NumPy may alias by the analysis, before and after."""

import random
import textwrap
from contextlib import suppress
from itertools import combinations

import numpy as np
import pytest
from numba import types as nb

from srcad.runtime import kernels
from srcad.transforms.analysis.aliases import aliases_of, aliases_of_unit
from srcad.transforms.ir.code import code_of
from srcad.transforms.ir.name_types import Types
from tests.transforms.core_text import unit_of

NAMES = "abcd"
VALUES = [
    "{0}",
    "{0}[1:]",
    "{0}[::-1]",
    "{0}[1:][::2]",
    "{0} * 2.0",
    "np.copy({0})",
    "np.zeros(4)",
    "np.zeros_like({0})",
    "np.reshape({0}, (1, -1))[0]",
    "np.ravel({0})",
    "np.asarray({0})",
    "np.transpose({0})",
    "np.real({0})",
    "np.conj({0})",
    "np.flip({0})",
    "np.sin({0}) + {1}",
    "np.maximum({0}, 0.5)",
    "{0}.T",
    "{0}.real",
    "{0}.copy()",
    "({0} if n > 1 else {1})",
    "({0}, {1})[n % 2]",
    "kept[n % 2]",
    "trace.p",
    "trace.q.p",
    "trace.q.kept[0]",
    "keep({0}, {1})",
    "kernels.plus({0}, {0})",
]
STATEMENTS = [
    *(f"{{target}} = {value}" for value in VALUES),
    "{0}, {1} = {1}, {0}",
    "{0}, {target} = keep({1}, {0}), {0}",
    "kept.append({0})",
    "kept[n % 2] = {0}",
    "kept = kept + [{0}]",
    "kept += [{0}]",
    "kept = [{0}, {1}]",
    "{target} = kept.pop()\nkept.append({target})\nkept.append({0})",
    "trace.q.kept.append({0})",
    "{0}[:1] = {1}[:1]",
    "{0} += 1.0",
]


class Trace:
    """What one sweep passes to the other."""

    def __init__(self, **parts):
        self.__dict__.update(parts)


def keep(one, other):
    """A function that nothing is known about: it may return any of its arguments."""
    return other[:] if one.size > 1 else one


def program(seed):
    """The text of a random program, with blocks."""
    choose = random.Random(seed)

    def block(depth, size):
        lines = []
        for _ in range(size):
            one, other, target = (choose.choice([*NAMES, "x", "y"]) for _ in range(3))
            kind = choose.random()
            if depth and kind < 0.3:
                head = choose.choice(["if n > 1:", "for k in range(3):", "for {target} in kept[:2]:"])
                inner = textwrap.indent("\n".join(block(depth - 1, 2)), "    ")
                lines.append(head.format(target=target) + "\n" + inner)
            else:
                lines.append(choose.choice(STATEMENTS).format(one, other, target=target))
        return lines

    first = [f"{name} = {choose.choice(['x', 'y', 'np.ones(4)', 'x[1:]'])}" for name in NAMES]
    body = "\n".join([*first, "kept = [a, x]", *block(2, 7), "return a"])
    return "def f(x, y, trace, n):\n" + textwrap.indent(body, "    ")


def arrays_in(value):
    """The arrays that a value holds."""
    if isinstance(value, (list, tuple)):
        return [each for part in value for each in arrays_in(part)]
    return [value] if isinstance(value, np.ndarray) else []


def with_looks(text):
    """The text with a call after each line that is given all names."""
    lines = []
    for line in text.split("\n"):
        lines.append(line)
        inner = line.lstrip()
        if not inner.endswith(":") and not inner.startswith("return"):
            lines.append(line[: len(line) - len(inner)] + "look(locals())")
    return "\n".join(lines)


GIVEN = "(given)"


def sharing(text, *arguments, given=()):
    """The pairs of names that share memory at some time of a run, which ends early where it raises.

    Those that share memory with the arrays `given` are paired with the name GIVEN.
    """
    found = set()

    def look(names):
        held = {GIVEN: given, **{name: arrays_in(value) for name, value in names.items()}}
        for one, other in combinations(sorted(held), 2):
            if any(np.shares_memory(first, second) for first in held[one] for second in held[other]):
                found.add((one, other))

    namespace = {"np": np, "kernels": kernels, "keep": keep, "look": look}
    exec(with_looks(text), namespace)
    with suppress(IndexError, ValueError, AttributeError, TypeError):
        namespace["f"](*arguments)
    return found


def arguments(is_same):
    """Arguments, where the caller may pass one array twice, and parts of it in a trace."""
    x = np.array([0.5, 1.5, 2.5, 3.5])
    y = x if is_same else x + 1.0
    return x, y, Trace(p=y[1:], q=Trace(p=x + 2.0, kept=[np.ones(4), y if is_same else np.ones(4)])), 2


@pytest.mark.parametrize("is_same", [False, True])
@pytest.mark.parametrize("start", range(0, 200, 50))
def test_what_shares_memory_in_a_run_may_alias(start, is_same):
    seen = 0
    for seed in range(start, start + 50):
        text = program(seed)
        kinds = dict.fromkeys("xy", nb.float64[:]) if seed % 2 else {}
        aliases = aliases_of(code_of(text, {"n": nb.int64, **kinds}))
        for one, other in sharing(text, *arguments(is_same)):
            seen += 1
            assert aliases.may_alias(one, other), f"{one} and {other} share memory in seed {seed}:\n{text}"
            if not is_same and aliases.is_local(one) and aliases.is_local(other):
                assert aliases.alias_class(one) == aliases.alias_class(other), f"{one}, {other}, seed {seed}:\n{text}"
    assert seen > 200


@pytest.mark.parametrize("is_same", [False, True])
def test_an_array_of_the_function_is_never_one_of_the_callers(is_same):
    for seed in range(150):
        text = program(seed)
        aliases = aliases_of(code_of(text, {"n": nb.int64}))
        x, y, trace, n = arguments(is_same)
        found = sharing(text, x, y, trace, n, given=[x, y, trace.p, trace.q.p, *trace.q.kept])
        for name in {other if one == GIVEN else one for one, other in found if GIVEN in (one, other)}:
            assert not aliases.is_local(name), f"{name} is of the caller in seed {seed}:\n{text}"


VIEWS = ["{0}", "{0}[1:]", "{0}[::-1]", "np.ravel({0})", "np.flip({0})", "np.real({0})", "np.asarray({0})"]
MATRICES = ["np.reshape({0}, (2, -1))", "np.expand_dims({0}, 0)", "{0}[None]"]
COPIES = ["{0} * 2.0", "np.copy({0})", "np.zeros_like({0})", "np.sin({0})", "np.sort({0})", "np.where(z, {0}, {1})"]


CORE_TYPES = Types({**dict.fromkeys([*NAMES, *"xyt"], nb.float64[:]), "w": nb.float64[:, :]})


def core_program(seed):
    """The text of a random program in core form that moves and swaps arrays."""
    choose = random.Random(seed)
    lines = ["z = n > 1", *(f"{name} = {choose.choice(['x', 'y', 'np.ones(4)', 'x[1:]'])}" for name in NAMES)]
    for number in range(8):
        one, other, target = (choose.choice(NAMES) for _ in range(3))
        kind = choose.random()
        if kind < 0.2:
            lines += [f"for k{number} in range(0, 3, 1):", f"    t = {one}", f"    {one} = {other}", f"    {other} = t"]
        elif kind < 0.4:
            lines += ["if z:", f"    {target} = {choose.choice(VIEWS).format(one)}"]
        elif kind < 0.5:
            lines += [f"w = {choose.choice(MATRICES).format(one)}", f"{target} = w[0]"]
        else:
            lines.append(f"{target} = {choose.choice(VIEWS + COPIES).format(one, other)}")
    return "def f(x, y, n):\n" + textwrap.indent("\n".join([*lines, "return a"]), "    ")


@pytest.mark.parametrize("start", range(0, 100, 25))
def test_what_shares_memory_in_core_form_may_alias(start):
    for seed in range(start, start + 25):
        text = core_program(seed)
        x = np.array([0.5, 1.5, 2.5, 3.5])
        aliases = aliases_of_unit(unit_of(text), CORE_TYPES)
        for one, other in sharing(text, x, x + 1.0, 2):
            assert aliases.may_alias(one, other), f"{one} and {other} share memory in seed {seed}:\n{text}"
