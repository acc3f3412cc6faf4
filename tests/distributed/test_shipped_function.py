import importlib
import linecache
import pickle
import sys
import threading

import numpy as np
import pytest

import srcad
from srcad.distributed.shipped_function import Shipped, checked
from srcad.errors import BadArgument
from tests.distributed.programs import misfit

TEXT = "def cube(x):\n    return x * x * x\n"


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module of its own, with the file that it was read from."""
    file = tmp_path / "sent_by_test.py"
    file.write_text(TEXT)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    found = importlib.import_module("sent_by_test")
    yield found, file
    del sys.modules["sent_by_test"]
    linecache.cache.pop(str(file), None)


def test_functions_of_modules_arrive_as_they_are():
    assert pickle.loads(pickle.dumps(checked(misfit))).function is misfit


def test_a_worker_without_the_file_gets_its_text(module):
    found, file = module
    content = pickle.dumps(Shipped(found.cube))
    file.unlink()
    linecache.cache.pop(str(file), None)
    arrived = pickle.loads(content).function
    assert srcad.grad(arrived, jit=False)(2.0) == 12.0


def test_a_worker_with_another_version_of_the_file_is_an_error(module):
    found, file = module
    content = pickle.dumps(Shipped(found.cube))
    file.write_text(TEXT.replace("x * x * x", "x * x"))
    linecache.cache.pop(str(file), None)
    with pytest.raises(BadArgument, match="differs from"):
        pickle.loads(content)


def test_a_worker_without_the_module_is_an_error(module, monkeypatch):
    found, _ = module
    content = pickle.dumps(Shipped(found.cube))
    monkeypatch.delattr(found, "cube")
    with pytest.raises(BadArgument, match="cannot import the function"):
        pickle.loads(content)


def test_what_cannot_be_sent_is_an_error_that_names_the_cure():
    lock = threading.Lock()
    with pytest.raises(BadArgument, match=r"<lambda> \(.*test_shipped_function.py:\d+\) cannot be sent") as refused:
        checked(lambda x: x if lock else np.sin(x))
    assert "at the top of a module" in str(refused.value)
