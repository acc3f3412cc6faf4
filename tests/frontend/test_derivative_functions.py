"""Derivatives that a function makes or calls: what is known of them while compiling."""

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from srcad.frontend.derivative_functions import Described, assembled, described, parameters_of, positions


def area(width, height=2.0):
    return width * width * height


def test_objects_say_what_they_are_derivatives_of():
    assert described(srcad.grad(area, "height")) == Described("grad", area, (1,), False)
    assert described(srcad.jacobian(area, (0, 1))).transform == "jacobian"
    assert described(srcad.hessian(area)).wrt == (0,)
    assert described(srcad.grad(srcad.grad(area))).function is srcad.grad(area)
    assert described(area) is None


def test_directions_of_a_product_follow_the_parameters():
    assert parameters_of(Described("hvp", area, ("width",), True)) == ["width", "height", "width_dot"]
    assert parameters_of(Described("tangent", area, (1,), False)) == ["height_dot", "width", "height"]


def test_parameters_are_found_by_position_and_name():
    assert positions(Described("grad", area, (-1, "width"), True), ["width", "height"]) == (1, 0)
    with pytest.raises(LookupError):
        positions(Described("grad", area, ("depth",), False), ["width", "height"])


def test_a_jacobian_is_a_function_that_loops_over_unit_directions():
    import inspect

    text = inspect.getsource(assembled(Described("jacobian", area, (0,), False), ["width", "height"], (0,)))
    assert "along_width(kernels.unit_direction(width, k), width, height)" in text


@pytest.mark.parametrize(
    "function",
    [
        lambda x: srcad.grad(area, "depth")(x) * x,
        lambda x: srcad.grad(area, int(x))(x),
        lambda x: srcad.grad(x)(x),
        lambda x: srcad.jvp(area, x, x)[1],
        lambda x: srcad.vjp(area, x, x, wrt=int(x))[0],
        lambda x: srcad.vjp(area, x, x, has_aux=True)[0],
        lambda x: srcad.grad(area, 0, boundscheck=False)(x) * x,
    ],
)
def test_what_is_known_only_at_run_time_is_refused(function):
    with pytest.raises(UnsupportedSyntax, match="hint:"):
        srcad.grad(function, jit=False)(2.0)


def test_functions_of_a_module_need_no_definition():
    def f(x):
        return srcad.grad(np.sin)(x) * x

    assert srcad.grad(f, jit=False)(0.5) == pytest.approx(np.cos(0.5) - 0.5 * np.sin(0.5))
