"""The rules of SciPy's functions in generated code: compiled, uncompiled, in forward mode and twice, in groups.

`test_rules` compares each rule with differences; here what is generated and compiled is compared with the rule itself.
A group is one program, since each program takes seconds to compile.
"""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest

import srcad
from srcad.runtime.rulebook.registry import definition, find
from srcad.runtime.rulebook.rule_template import primitive_name
from tests.night import by_day, every
from tests.runtime.rules.test_rules import pullback, smooth_places
from tests.runtime.samples import SAMPLES
from tests.runtime.scipy_samples import ONCE
from tests.runtime.scipy_samples import SAMPLES as OF_SCIPY

PUBLIC = [each for each in OF_SCIPY if primitive_name(each).startswith("scipy.") and smooth_places(SAMPLES[each][0])]
PUBLIC = [each for each in PUBLIC if find(each).kind != "zero"]
SIZE = 9


def in_groups(functions: list[Any]) -> list[list[Any]]:
    return [functions[k : k + SIZE] for k in range(0, len(functions), SIZE)]


TWICE = in_groups([each for each in PUBLIC if each not in ONCE])
GROUPS = [*TWICE, [each for each in PUBLIC if each in ONCE]]
HEADER = "import numpy as np\nimport scipy.special\n\n\n"


def text_of(group: list[Any]) -> tuple[str, list[Any]]:
    """A function that adds up the results of a group, and its arguments: those that are differentiated come first."""
    smooth, kept, terms = list[Any](), list[Any](), list[str]()
    for primitive in group:
        sample, names = SAMPLES[primitive][0], list[str]()
        for place, value in enumerate(sample.args):
            if place in smooth_places(sample):
                names.append(f"x[{len(smooth)}]")
                smooth.append(value)
            else:
                names.append(repr(value) if np.ndim(value) == 0 else f"c{len(kept)}")
                kept += [value] if np.ndim(value) else []
        terms.append(f"    s += np.sum({primitive_name(primitive)}({', '.join(names)}))\n")
    parameters = ", ".join(["x", *(f"c{k}" for k in range(len(kept)))])
    return f"{HEADER}def f({parameters}):\n    s = 0.0\n{''.join(terms)}    return s\n", [tuple(smooth), *kept]


def function_of(text: str, folder: Any) -> Any:
    path = folder / "program.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def by_rules(group: list[Any]) -> list[Any]:
    found = []
    for primitive in group:
        sample = SAMPLES[primitive][0]
        result = primitive(*sample.args)
        found += pullback(primitive, result, sample.args, {}, smooth_places(sample))(np.ones_like(result))
    return found


@pytest.mark.compiled
@pytest.mark.parametrize(
    "group", by_day(GROUPS, every(2)), ids=lambda group: primitive_name(group[0]).rpartition(".")[2]
)
def test_compiled_gradients_are_what_the_rules_say(group, tmp_path):
    assert all(definition(each) is None for each in group)
    text, args = text_of(group)
    f, expected = function_of(text, tmp_path), by_rules(group)
    value, found = srcad.value_and_grad(f)(*args)
    np.testing.assert_allclose(value, f(*args), rtol=1e-13)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: primitive_name(group[0]).rpartition(".")[2])
def test_uncompiled_gradients_tangents_and_second_derivatives_agree(group, tmp_path):
    text, args = text_of(group)
    f, expected = function_of(text, tmp_path), by_rules(group)
    x, *kept = args
    towards = tuple(np.cos(np.arange(1.0, 1.0 + np.size(each))).reshape(np.shape(each)) for each in x)
    for one, other in zip(srcad.grad(f, jit=False)(*args), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    _, tangent = srcad.jvp(f, args, (towards, *(None for _ in kept)), jit=False)
    slope = sum(np.sum(one * other) for one, other in zip(expected, towards, strict=True))
    assert tangent == pytest.approx(slope, rel=1e-11)
    if group in TWICE:
        bent = srcad.hvp(f, jit=False)(x, *kept, towards)
        there, back = (
            srcad.grad(f, jit=False)(tuple(a + step * b for a, b in zip(x, towards, strict=True)), *kept)
            for step in (1e-6, -1e-6)
        )
        for one, plus, minus in zip(bent, there, back, strict=True):
            np.testing.assert_allclose(one, (plus - minus) / 2e-6, rtol=2e-5, atol=1e-6)
