"""Statements of several modules in one text, under names that do not collide."""

from srcad.tools.standalone.flat_text import FlatText
from srcad.tools.standalone.helper_closure import Closure
from srcad.tools.standalone.helper_modules import HelperModule


def flat(text, **imports):
    root = HelperModule.of_text("", text)
    root.imports.update(imports)
    return FlatText(Closure(root, numba=False), root)


def test_attributes_of_modules_become_names():
    found = flat("from srcad.runtime import kernels\ndef f(t):\n    return kernels.grown(t)  # é longer")
    assert [text for _, text in found.own()] == ["def f(t):\n    return grown(t)  # é longer"]
    assert found.imports() == ["import numpy as np", "from typing import Any"]


def test_a_name_that_the_text_has_already_gets_the_name_of_its_module():
    found = flat("from srcad.runtime import kernels\ndef f(grown):\n    return kernels.grown(grown)")
    assert "grown_growing_traces(grown)" in found.own()[0][1]
    assert any("def grown_growing_traces(trace" in text for _, texts in found.helpers() for text in texts)


def test_modules_that_define_the_same_name_stay_apart():
    one, two = (HelperModule.of_text(name, f"K = {k}\ndef {name}():\n    return K") for name, k in (("a", 1), ("b", 2)))
    found = flat("def f():\n    return a(), b()", a=(one, "a"), b=(two, "b"))
    space = {}
    texts = [text for _, parts in found.helpers() for text in parts] + [text for _, text in found.own()]
    exec("\n".join(texts), space)
    assert space["f"]() == (1, 2)
