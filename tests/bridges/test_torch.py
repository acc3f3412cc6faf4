"""The bridge to PyTorch, against PyTorch's own derivatives, `gradcheck` and `gradgradcheck`."""

import numpy as np
import pytest

import srcad
from srcad.bridges.leaf_calls import LeafCalls
from srcad.bridges.torch import as_function

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")  # PyTorch's forward mode calls it
D = torch.float64


def modulated(x, k):
    total = 0.0
    for i in range(x.shape[0]):
        if x[i] > 0.2:
            total += np.sin(k * x[i]) * x[i]
    return total


def two_results(x, y):
    return x * np.exp(y), np.sum(x) * y[0]


def overwriting(x):
    x[0] = x[1] ** 2
    return x * x


def sums_of_outer(x):
    return np.sum(x.T @ x, axis=0)


def leaf(*shape):
    # 0.1 to 0.9, away from the kink of `modulated` at 0.2
    count = int(np.prod(shape))
    return (torch.arange(1, count + 1, dtype=D).reshape(shape) / (count + 1.0) + 0.003).requires_grad_()


PROGRAMS = {
    "loop": (modulated, (4,), ()),
    "two results": (two_results, (3,), (3,)),
    "the arguments themselves": (lambda x, y: x + y, (3,), (3,)),
    "the argument itself": (lambda x: x, (3,)),
    "overwritten arguments": (overwriting, (3,)),
    "matrices": (sums_of_outer, (3, 2)),
    "trace and result": (np.exp, (2,)),
    "no elements": (lambda x: np.sum(x) * x, (0,)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradcheck_and_gradgradcheck_pass(name):
    f, *shapes = PROGRAMS[name]
    layer, args = as_function(f, jit=False), tuple(leaf(*shape) for shape in shapes)
    assert torch.autograd.gradcheck(layer, args, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(layer, args)


@pytest.mark.compiled
def test_compiled_functions_agree_with_pytorch():
    layer, x, k = as_function(modulated), leaf(5), torch.tensor(1.3, dtype=D, requires_grad=True)
    assert torch.autograd.gradcheck(layer, (x, k))
    assert torch.autograd.gradgradcheck(layer, (x, k))
    ours = torch.autograd.grad(layer(x, k), (x, k))
    theirs = torch.autograd.grad((torch.sin(k * x) * x * (x > 0.2)).sum(), (x, k))
    assert all(torch.allclose(one, other, rtol=1e-13) for one, other in zip(ours, theirs, strict=True))


def test_structures_go_in_and_come_out():
    layer = as_function(lambda p, x: {"u": p["w"] * x, "v": [np.sum(x) ** 2 * p["b"], 3]}, jit=False)
    w, b, x = leaf(3), torch.tensor(2.0, dtype=D, requires_grad=True), leaf(3)
    found = layer({"w": w, "b": b}, x)
    assert found["v"][1].item() == 3
    assert torch.autograd.gradcheck(lambda w, b, x: layer({"w": w, "b": b}, x)["u"], (w, b, x))
    assert torch.autograd.gradgradcheck(lambda w, b, x: layer({"w": w, "b": b}, x)["v"][0], (w, b, x))


def test_results_may_be_written_to_and_gradients_share_no_memory():
    x = leaf(3)
    y = as_function(np.exp, jit=False)(x)
    with torch.no_grad():
        y.mul_(0.0)
    y.sum().backward()
    assert torch.allclose(x.grad, x.exp())
    a, b = leaf(3), leaf(3)
    as_function(lambda a, b: a + b, jit=False)(a, b).sum().backward()
    a.grad.mul_(5.0)
    assert b.grad.tolist() == [1.0, 1.0, 1.0]


def test_memory_is_shared_both_ways(monkeypatch):
    places = []

    class Calls(LeafCalls):
        def at(self, args):
            made = super().at(args)
            places.append(made.values[0].ctypes.data)
            real = made.run.forward

            def forward(*given):
                value, pull = real(*given)
                places.append(value.ctypes.data)
                return value, pull

            made.run.forward = forward
            return made

    monkeypatch.setattr("srcad.bridges.torch.LeafCalls", Calls)
    x = leaf(3)
    y = as_function(lambda x: x * 2.0, jit=False)(x)
    assert places == [x.data_ptr(), y.data_ptr()]


def test_arguments_that_are_written_to_before_the_backward_pass_are_an_error():
    x = leaf(3) * 1.0
    y = as_function(lambda x: x * x, jit=False)(x)
    x.mul_(2.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_arguments_are_not_overwritten():
    layer = as_function(overwriting, jit=False)
    for x in (torch.tensor([1.0, 2.0], dtype=D), torch.tensor([1.0, 2.0], dtype=D, requires_grad=True)):
        assert layer(x).tolist() == [16.0, 4.0]
        assert x.tolist() == [1.0, 2.0]


def test_tensors_that_need_no_gradient_get_none():
    layer = as_function(lambda x, i, k: np.sum(x[i]) * k, jit=False)
    x, index = leaf(4), torch.tensor([0, 2, 2])
    found = layer(x, index, 2.0)
    found.backward()
    assert x.grad.tolist() == [2.0, 0.0, 4.0, 0.0]
    assert not layer(x.detach(), index, 2.0).requires_grad
    with torch.no_grad():
        assert not layer(x, index, 2.0).requires_grad
    assert not as_function(lambda x: np.argmax(x) + 1, jit=False)(x).requires_grad


def test_gradients_have_the_dtypes_and_layouts_of_their_tensors():
    x = torch.ones(4, 3, requires_grad=True)
    y = torch.tensor(2.0, dtype=D, requires_grad=True)
    as_function(lambda x, y: np.sum(x * x) * y, jit=False)(x[::2].T, y).backward()
    assert (x.grad.dtype, y.grad.dtype) == (torch.float32, D)
    assert x.grad[:, 0].tolist() == [4.0, 0.0, 4.0, 0.0]
    z = torch.tensor([1.0 + 2.0j], dtype=torch.complex128, requires_grad=True)
    assert torch.autograd.gradcheck(as_function(lambda z: z * z * z, jit=False), (z,))
    assert as_function(lambda z: z * 1.0, jit=False)(z.conj()).tolist() == [1.0 - 2.0j]


BAD = {
    "device": (lambda: torch.zeros(2, device="meta"), "x.cpu"),
    "bfloat16": (lambda: torch.zeros(2, dtype=torch.bfloat16), "x.float"),
    "half": (lambda: torch.zeros(2, dtype=torch.float16), "x.float"),
    "float8": (lambda: torch.zeros(2, dtype=torch.float8_e5m2), "x.float"),
    "sparse": (lambda: torch.eye(2).to_sparse(), "to_dense"),
}


@pytest.mark.parametrize("name", BAD)
def test_tensors_that_cannot_be_taken_are_refused_with_the_cure(name):
    make, cure = BAD[name]
    with pytest.raises(srcad.BadType, match=cure):
        as_function(np.sum, jit=False)(make())


def test_what_cannot_be_differentiated_is_refused_with_the_cure():
    layer, x = as_function(lambda x: np.sum(np.exp(x)), jit=False), leaf(2)
    with pytest.raises(srcad.BadType, match=r"torch\.autograd"):
        torch.func.grad(layer)(x)
    (first,) = torch.autograd.grad(layer(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x, create_graph=True)
    assert torch.allclose(second, x.exp())
    with pytest.raises(srcad.BadArgument, match="three times"):
        torch.autograd.grad(second.sum(), x)


def test_second_and_forward_derivatives_where_some_tensors_need_no_gradient():
    def f(x, k, i):
        return np.sum(np.sin(k * x[i]) * x)

    def in_torch(x, k, i):
        return (torch.sin(k * x[i]) * x).sum()

    layer, index = as_function(f, jit=False), torch.tensor([0, 2, 1, 1])
    x, k = leaf(4), torch.tensor(1.3, dtype=D)
    assert torch.autograd.gradgradcheck(lambda x: layer(x, k, index), (x,))
    ours, theirs = (torch.autograd.functional.hessian(lambda x, g=g: g(x, k, index), x) for g in (layer, in_torch))
    assert torch.allclose(ours, theirs, rtol=1e-12)
    forward = torch.autograd.forward_ad
    with forward.dual_level():
        moving = forward.make_dual(k, torch.tensor(1.0, dtype=D))
        ours, theirs = (forward.unpack_dual(g(x, moving, index)).tangent for g in (layer, in_torch))
        assert torch.allclose(ours, theirs, rtol=1e-12)


def test_exceptions_of_the_function_pass():
    def f(x):
        if x[0] > 0.0:
            raise ValueError("positive")
        return np.sum(x)

    with pytest.raises(ValueError, match="positive"):
        as_function(f, jit=False)(leaf(2))
