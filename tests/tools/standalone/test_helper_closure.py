"""What a text needs, and nothing else."""

import ast

from srcad.tools.standalone.helper_closure import Closure
from srcad.tools.standalone.helper_modules import HelperModule


def needed(text, numba=True):
    closure = Closure(HelperModule.of_text("", text), numba)
    names = []
    for each in closure.in_order():
        if each.module.name:
            statement = each.statement
            names.append(getattr(statement, "name", None) or ast.unparse(statement))
    return names


GROWN = "from srcad.runtime import kernels\ndef f(x):\n    return kernels.grown(x)"


def test_helpers_come_with_what_they_call_and_what_is_registered_for_it():
    found = needed(GROWN)
    assert found[-1] == "grown"
    assert {"copy_to", "_store", "_by_elements", "_by_elements(copy_to, _store, _store_any)"} <= {*found}
    assert "add_to" not in found
    assert len(found) == len({*found})


def test_overloads_come_from_modules_whose_names_are_not_among_the_kernels():
    text = "from srcad.runtime import kernels\ndef f(g, x):\n    return kernels.sort_adjoint(g, x, -1)"
    assert {"to_rows", "_overload_rows", "from_rows", "sorted_places", "_overload_sorted_places"} <= {*needed(text)}


def test_plain_python_needs_no_registrations():
    assert needed(GROWN, numba=False) == ["copy_to", "grown"]


def test_functions_of_numpy_come_with_the_overloads_that_srcad_has_for_them():
    text = "import numpy as np\ndef f(x):\n    return np.moveaxis(x, (0,), (1,))"
    assert needed(text) == ["_moveaxis"]
    assert needed(text, numba=False) == []
    assert needed("import numpy as np\ndef f(x):\n    return np.exp(x)") == []
