"""Every example runs on its data and reaches a result worth showing."""

import importlib.util
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from srcad.tools import demo
from tests.waiting import run

ROOT = Path(__file__).parent.parent
PNG = b"\x89PNG\r\n\x1a\n"


def load_example(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_demo_prints_an_adjoint_and_learns_to_read_digits(capsys):
    assert demo.main(["--epochs", "5"]) == 0
    printed = capsys.readouterr().out
    assert "k_bar" in printed
    accuracy = float(printed.split("Held-out accuracy: ")[1].split("%")[0])
    assert accuracy > 90.0


def test_demo_without_scikit_learn_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    assert demo.main([]) == 1
    assert "pip install 'srcad[examples]'" in capsys.readouterr().err


def test_demo_split_keeps_held_out_digits_apart():
    images, labels, test_images, test_labels = demo.digits(seed=0)
    assert (len(labels), len(test_labels)) == (1437, 360)
    together = np.unique(np.concatenate([images, test_images]), axis=0)
    assert len(together) == 1797


@pytest.mark.slow
def test_lotka_volterra_fit_agrees_with_published_estimates(tmp_path, capsys):
    picture = tmp_path / "fit.png"
    result = load_example("lotka_volterra").main(["--steps", "20", "--plot", str(picture)])
    assert result.success, result.message
    growth, predation, death, conversion, hare, lynx = np.exp(result.x)
    # Posterior means and deviations of the Stan case study, which has priors and a noise for either species besides.
    assert growth == pytest.approx(0.545, abs=2 * 0.064)
    assert predation == pytest.approx(0.028, abs=2 * 0.004)
    assert death == pytest.approx(0.803, abs=2 * 0.092)
    assert conversion == pytest.approx(0.024, abs=2 * 0.004)
    assert hare == pytest.approx(33.96, abs=2 * 2.9)
    assert lynx == pytest.approx(5.95, abs=2 * 0.53)
    assert picture.read_bytes().startswith(PNG)
    assert "evaluations of loss and gradient" in capsys.readouterr().out


def test_lotka_volterra_record_is_complete():
    year, observed = load_example("lotka_volterra").read_record()
    assert year.tolist() == list(range(1900, 1921))
    assert observed.shape == (21, 2)
    assert observed.sum() == pytest.approx(715.7 + 423.5, abs=0.05)


@pytest.mark.slow
def test_heat_source_is_found_through_the_noise(tmp_path):
    picture = tmp_path / "source.png"
    error = load_example("heat_source").main(["--digit", "0", "--looks", "6", "--plot", str(picture)])
    assert error < 0.15
    assert picture.read_bytes().startswith(PNG)


def test_heat_source_scheme_agrees_with_the_exact_solution():
    example = load_example("heat_source")
    power = example.heaters(3)
    exact = example.observe(power, looks=12, noise=0.0)
    assert np.sqrt(example.misfit(power, exact, 1.0, 0.0)) < 0.005 * exact.max()


@pytest.mark.slow
def test_examples_run_as_scripts():
    for name in ("lotka_volterra", "heat_source"):
        command = [sys.executable, str(ROOT / "examples" / f"{name}.py"), "--help"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        assert "--plot" in run(command, env=environment).stdout


@pytest.mark.slow
def test_layers_that_are_built_when_first_called_learn_to_read_digits(capsys):
    example = load_example("dense_layers")
    assert example.Dense(3).variables == []
    assert example.main(["--epochs", "8"]) > 0.93
    assert "Held-out accuracy: 9" in capsys.readouterr().out
