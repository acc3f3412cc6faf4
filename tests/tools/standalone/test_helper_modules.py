"""What modules of helpers define, import and register."""

from srcad.tools.standalone.helper_modules import Defined, External, HelperModule, helper_module, meaning_of

TEXT = '''"""A module."""
import numpy as np
from numba import types
from numba.core import types as kinds
from srcad.runtime import kernels

A, B = 1, 2

@overload(np.fix, prefer_literal=True)
def _fix(a):
    pass

_by_elements(target, A)
overload(later)(made(B))
'''


def test_definitions_imports_and_registrations():
    module = HelperModule.of_text("m", TEXT)
    assert module.definitions.keys() == {"A", "B"}
    assert module.meaning("A") == Defined(module, "A")
    assert module.meaning("np") == External("numpy")
    assert module.meaning("types") == module.meaning("kinds") == External("numba.core", "types")
    assert module.meaning("kernels") is helper_module("srcad.runtime.kernels")
    assert [statement.lineno for _, statement in module.registrations] == [10, 13, 14]


def test_a_name_is_followed_to_where_it_is_defined():
    found = meaning_of("srcad.runtime.kernels", "scatter_add")
    assert isinstance(found, Defined)
    assert found.module.name == "srcad.runtime.kernels.arrays.scatter"
