"""What an exported module cannot hold is refused, with a way out."""

import numpy as np
import pytest
import scipy.special

import srcad
from srcad.errors import BadArgument

PLAN = object()


def digammas(x):
    return np.sum(scipy.special.gammaln(x))


def test_functions_of_scipy_are_refused_where_it_is_not_allowed():
    with pytest.raises(BadArgument, match=r"scipy\.special\.psi.*needs SciPy") as raised:
        srcad.export(digammas, signature="f8[:]")
    assert raised.value.hint == "export with numpy_only=True and scipy=True"
    with pytest.raises(BadArgument, match="needs SciPy"):
        srcad.export(digammas, signature="f8[:]", numpy_only=True)


def test_scipy_is_called_where_it_is_allowed():
    text = srcad.export(digammas, signature="f8[:]", numpy_only=True, scipy=True)
    space = {"__name__": "exported"}
    exec(compile(text, "exported.py", "exec"), space)
    x = np.array([0.5, 2.0])
    np.testing.assert_allclose(space["digammas_grad"](x), scipy.special.digamma(x), rtol=1e-14)


def test_compiled_code_cannot_call_scipy():
    with pytest.raises(BadArgument, match="by addresses that srcad looks up"):
        srcad.export(digammas, signature="f8[:]", scipy=True)
