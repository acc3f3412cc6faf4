"""Kernels are compiled once for all processes, called by gradients, and never taken for one another."""

import os
import sys
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest
from numba import types
from numba.extending import intrinsic

from srcad.runtime.jit.kernel_cache import identity_of, is_plain
from tests import waiting

PROGRAM = """
import sys
import numba
import numpy as np
import srcad
from srcad.runtime.jit import code_libraries, kernel_cache

compiled = []
original = kernel_cache.KernelCache.save_overload
kernel_cache.KernelCache.save_overload = lambda self, sig, data: compiled.append(sig) or original(self, sig, data)


def f(x):
    return np.sum(np.cumprod(x)) + np.sum(np.max(np.outer(x, x), axis=1, keepdims=True) ** 2)


x = np.array([0.3, 0.1, 0.7, 0.2])
derivative = srcad.grad(f)
g = derivative(x)
assert np.allclose(numba.njit(lambda x: derivative(x))(x), g, rtol=1e-14)  # linked, with the kernels
found = kernel_cache._loaded.values()
nested = sum(1 for each in found if each.library.called)
defined = [each.name for kernel in found for each in kernel.library.own_module.functions if not each.is_declaration]
again = [each.fndesc.llvm_func_name for each in found if each.library in code_libraries.names_of_kernels]
again = sum(defined.count(each) - 1 for each in again)
print(np.round(g, 12).tolist(), len(compiled), len(found), len(code_libraries.names_of_kernels), nested, again)
"""


def run(folder, program=PROGRAM):
    """The gradient in a new process; how many kernels were compiled there, are loaded, may be called, and call others.

    The last number is how many kernels that may be called were optimised again in another kernel.
    """
    path = Path(folder) / "program.py"
    path.write_text(program, encoding="utf-8")
    environment = os.environ | {"SRCAD_CACHE_DIR": str(Path(folder) / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)}
    environment.pop("NUMBA_CACHE_DIR", None)
    gradient, _, counts = waiting.run([sys.executable, str(path)], env=environment).stdout.strip().rpartition("] ")
    return gradient, *map(int, counts.split())


# The first process to store a kernel lets another compile and store all of them, and then writes its own over these.
RACE = """
import os, subprocess, sys
from srcad.runtime.jit import code_libraries, kernel_cache

store = kernel_cache.store_code


def second(*args):
    kernel_cache.store_code = store
    os.environ["SECOND"] = "yes"
    subprocess.run([sys.executable, __file__], check=True, stdout=subprocess.DEVNULL)
    return store(*args)


if "SECOND" not in os.environ:
    kernel_cache.store_code = second
"""


def gradients(folder):
    """The stored gradients and the files with their machine code."""
    return [each for each in (Path(folder) / "cache").glob("srcad_*") if each not in kernels(folder)]


def kernels(folder):
    """The stored kernels."""
    return sorted((Path(folder) / "cache").glob("srcad_kernel_*.code"))


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A folder in which one process has compiled a gradient, and what it printed."""
    folder = tmp_path_factory.mktemp("kernels")
    return folder, run(folder)


@pytest.mark.slow
def test_kernels_are_stored_and_called(filled):
    folder, (_, compiled, loaded, called, nested, again) = filled
    assert compiled > 5
    assert loaded == len(kernels(folder)) > 5
    assert 0 < called < loaded
    assert nested > 1
    assert again == 0


@pytest.mark.slow
def test_a_gradient_that_is_stored_loads_the_kernels_that_it_calls(filled):
    folder, (gradient, *_) = filled
    again, compiled, loaded, called, *_ = run(folder)
    assert again == gradient
    assert compiled == 0
    assert loaded == called > 0


@pytest.mark.slow
def test_another_gradient_uses_the_kernels(filled):
    folder, (gradient, *_) = filled
    for each in gradients(folder):
        each.unlink()
    again, compiled, loaded, *_ = run(folder)
    assert again == gradient
    assert compiled == 0
    assert loaded > 3


@pytest.mark.slow
def test_two_processes_that_compile_the_same_kernels_at_once_leave_kernels_that_fit(tmp_path):
    gradient, compiled, *_ = run(tmp_path, RACE + PROGRAM)
    assert compiled > 0
    # The gradient may have been linked to kernels that the other process has replaced; then it is made again, once.
    assert run(tmp_path)[:2] == (gradient, 0)
    again, compiled, loaded, called, *_ = run(tmp_path)
    assert (again, compiled) == (gradient, 0)
    assert loaded == called


@pytest.mark.slow
def test_damaged_and_missing_kernels_are_compiled_again(filled):
    folder, (gradient, *_) = filled
    files = kernels(folder)
    whole = {each: each.read_bytes() for each in files}
    for place, each in enumerate(files):
        if place % 3 == 0:
            each.unlink()
        else:
            each.write_bytes(
                whole[each][:-1]
                if place % 3 == 1
                else whole[each][:40] + bytes([whole[each][40] ^ 1]) + whole[each][41:]
            )
    again, compiled, *_ = run(folder)
    assert again == gradient
    assert compiled >= len(files) > 5
    assert kernels(folder) == files


Pair = namedtuple("Pair", "a b")


def test_types_of_classes_are_not_plain():
    f8 = types.float64
    plain = [
        f8[:, ::1],
        types.UniTuple(types.int64, 2),
        types.Tuple((f8, f8[:])),
        types.literal(-1),
        types.none,
        types.bool_,
        types.List(f8),
        types.Optional(f8[:]),
        types.TypeRef(types.Array),
        types.Omitted(float),
    ]
    assert all(map(is_plain, plain))
    assert not any(
        map(
            is_plain,
            [types.NamedUniTuple(f8, 2, Pair), types.Tuple((types.NamedUniTuple(f8, 2, Pair), f8)), types.pyobject],
        )
    )


def implementation(held):
    def impl(x):
        return x + held

    impl.__module__ = "srcad.runtime.kernels.example"
    return impl


def returning(held):
    return intrinsic(lambda typingctx: (types.int64(), lambda *_: held))


def test_identities_tell_closures_apart():
    assert identity_of(implementation(1)) == identity_of(implementation(1))
    kinds = np.int64(1), np.isnan, np.isinf, np.linalg.inv, np.dtype("f4"), np.dtype("f8"), returning(1)
    held = 1, 1.0, True, "1", (1,), [1], None, implementation(1), *kinds, returning(2)
    found = [identity_of(implementation(each)) for each in held]
    assert None not in found
    assert len(set(found)) == len(found)


def test_what_a_hash_cannot_describe_has_no_identity():
    assert identity_of(implementation(np.ones(3))) is None
    assert identity_of(implementation({1})) is None
    assert identity_of(run) is None


def test_constants_of_inner_functions_count():
    def one():
        return [each + 1 for each in range(3)]

    def two():
        return [each + 2 for each in range(3)]

    for each in (one, two):
        each.__module__ = "srcad.runtime.kernels.example"
    assert identity_of(one) != identity_of(two)
