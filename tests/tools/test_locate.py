"""From the command line to a function: found, or refused in one line."""

import sys

import numpy as np
import pytest

from srcad.errors import BadArgument
from srcad.tools.locate import evaluate, locate


@pytest.fixture(autouse=True)
def _path_and_modules_as_before(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    for name in ("model_of_mine", "neighbour", "failing"):
        sys.modules.pop(name, None)


@pytest.fixture
def model(tmp_path):
    (tmp_path / "neighbour.py").write_text("RATE = 2.0\n")
    path = tmp_path / "model_of_mine.py"
    path.write_text(
        "from neighbour import RATE\n\n\ndef loss(x):\n    return RATE * x\n\n\n"
        "class Model:\n    @staticmethod\n    def step(x):\n        return x\n\n\nfast = True\n"
    )
    return path


def test_a_function_of_a_file_is_found_with_its_neighbours(model):
    assert locate(f"{model}:loss")(3.0) == 6.0
    assert locate(f"{model}:Model.step")(3.0) == 3.0


def test_a_function_of_a_module_is_found():
    import textwrap

    assert locate("textwrap:dedent") is textwrap.dedent


def test_a_file_named_like_a_module_leaves_the_module_alone(tmp_path):
    import statistics

    path = tmp_path / "statistics.py"
    path.write_text("def mean(x):\n    return 'mine'\n")
    assert locate(f"{path}:mean")(1.0) == "mine"
    assert sys.modules["statistics"] is statistics


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("loss", r"'loss' does not name a function\n.*FILE\.py:FUNCTION"),
        (":loss", "does not name"),
        ("model.py:", "does not name"),
        ("nowhere.py:loss", r"there is no file nowhere\.py"),
        ("no_such_module:loss", "cannot be imported: ModuleNotFoundError"),
        ("{model}:lost", "has no 'lost'; did you mean 'loss'"),
        ("{model}:Model.stop", "has no 'Model.stop'; did you mean 'step'"),
        ("{model}:fast", "'fast' .* is a bool, not a function"),
    ],
)
def test_what_names_no_function_is_refused(model, target, message):
    with pytest.raises(BadArgument, match=message):
        locate(target.format(model=model))


@pytest.mark.parametrize("text", ["1 / 0", "def f(:\n", "raise SystemExit(3)"])
def test_a_file_that_fails_is_refused_in_one_line(tmp_path, text):
    path = tmp_path / "failing.py"
    path.write_text(text)
    with pytest.raises(BadArgument, match="cannot be imported") as caught:
        locate(f"{path}:f")
    assert "\n" not in str(caught.value)


def test_arguments_are_read_with_the_names_of_the_file(model):
    function = locate(f"{model}:loss")
    x, rate = evaluate("np.ones(2), RATE", function)
    assert np.array_equal(x, [1.0, 1.0])
    assert rate == 2.0
    assert evaluate("(1.0, 2.0)", function) == ((1.0, 2.0),)


@pytest.mark.parametrize("text", ["1 / 0", "x", "f(", "1;2"])
def test_arguments_that_fail_are_refused(model, text):
    with pytest.raises(BadArgument, match="--args"):
        evaluate(text, locate(f"{model}:loss"))
