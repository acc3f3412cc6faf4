"""Primitives have the names that users know."""

import scipy.special

from srcad.runtime.rulebook.rule_template import primitive_name


def test_a_function_that_does_not_know_its_name_has_that_of_its_module(monkeypatch):
    """Of SciPy 1.15's Legendre functions the name was an address, another one in each process."""

    class Nameless:
        __module__ = "scipy.special._multiufuncs"

    nameless = Nameless()
    monkeypatch.setattr(scipy.special, "found_here", nameless, raising=False)
    assert primitive_name(nameless) == "scipy.special.found_here"
