"""Every example runs on its data and reaches a result worth showing, which is compared with what is published."""

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


def test_demo_prints_an_adjoint_checks_it_and_learns_to_read_digits(capsys, tmp_path):
    picture = tmp_path / "digits.png"
    assert demo.main(["--epochs", "5", "--plot", str(picture)]) == 0
    assert picture.read_bytes().startswith(PNG)
    printed = capsys.readouterr().out
    assert "k_bar" in printed
    compared = [line.split() for line in printed.split("differences of the function")[1].splitlines()[3:8]]
    assert [row[0] for row in compared] == ["x[0]", "x[1]", "x[2]", "x[3]", "k"]
    assert all(abs(float(row[1]) - float(row[2])) < 1e-8 for row in compared)
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


def result_of(name, folder, *options):
    """What an example returns, run uncompiled; it has to make its picture."""
    picture = folder / "picture.png"
    result = load_example(name).main(["--no-jit", "--plot", str(picture), *options])
    assert picture.read_bytes().startswith(PNG)
    return result


@pytest.mark.nightly
def test_nile_variances_are_those_of_durbin_and_koopman(tmp_path):
    assert load_example("nile_flow").read_record()[1].mean() == pytest.approx(919.35)
    assert result_of("nile_flow", tmp_path) == pytest.approx((15099.0, 1469.1), rel=1e-3)


def test_o_rings_coefficients_are_those_of_the_literature(tmp_path):
    # Dalal, Fowlkes and Hoadley (1989): logit of the risk = 15.043 - 0.2322 t.
    p = result_of("o_rings", tmp_path)
    assert (p[0] - 70.0 * p[1], p[1]) == pytest.approx((15.043, -0.2322), abs=5e-4)


@pytest.mark.parametrize("name", ["Misra1a", pytest.param("BoxBOD", marks=pytest.mark.nightly)])
def test_fits_have_the_digits_that_are_certified(name):
    example = load_example("certified_fits")
    assert example.digits(name, example.fitted(name, jit=False)) > 7.0


@pytest.mark.nightly
def test_all_fits_have_the_digits_that_are_certified(tmp_path):
    assert min(result_of("certified_fits", tmp_path).values()) > 6.0


@pytest.mark.nightly
def test_boarding_school_rates_are_about_those_of_the_literature(tmp_path):
    # Murray (2002) has 1.66 and 0.44 by least squares of the counts themselves.
    found = result_of("boarding_school", tmp_path)
    assert found["infection"] == pytest.approx(1.68, abs=0.06)
    assert found["recovery"] == pytest.approx(0.47, abs=0.05)


@pytest.mark.nightly
def test_mauna_loa_is_foretold_for_two_decades(tmp_path):
    assert np.max(np.abs(result_of("mauna_loa", tmp_path))) < 3.0


@pytest.mark.nightly
def test_hubble_constant_is_hubbles(tmp_path):
    # He found 465 +- 50 of the nebulae one by one.
    constant = result_of("hubble", tmp_path, "--draws", "600")
    assert constant.mean() == pytest.approx(465.0, abs=50.0)
    assert 50.0 < constant.std() < 110.0


@pytest.mark.nightly
def test_way_to_mars_is_about_that_of_the_mission_of_2020(tmp_path):
    # Mars 2020 left on 30 July 2020 with C3 = 14.5 km^2/s^2, and landed on 18 February 2021.
    p, distance = result_of("to_mars", tmp_path, "--steps", "40")
    assert distance < 1e-6
    assert p["departure"] == pytest.approx(20.58, abs=0.04)
    assert 365.25 * p["duration"] == pytest.approx(203.0, abs=10.0)


def test_planets_are_where_they_were_at_j2000():
    example = load_example("to_mars")
    elements = example.read_planets()
    # Heliocentric positions on 1 January 2000, 12:00, by NASA's Horizons, in astronomical units.
    assert example.position(elements["Earth"], 0.0) == pytest.approx([-0.1771, 0.9672, 0.0], abs=1e-3)
    assert example.position(elements["Mars"], 0.0) == pytest.approx([1.3907, -0.0134, -0.0345], abs=1e-3)


@pytest.mark.nightly
def test_photograph_gets_sharper(tmp_path):
    assert result_of("sharpen", tmp_path, "--size", "40") < 0.95


def test_gallery_shows_the_examples_as_they_are():
    spec = importlib.util.spec_from_file_location("gallery", ROOT / "scripts" / "gallery.py")
    gallery = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gallery)
    assert len(gallery.SHOWN) >= 10
    assert gallery.PAGE.read_text() == gallery.page(), "run python scripts/gallery.py"
    for name in gallery.SHOWN:
        assert (gallery.PICTURES / f"{name}.png").read_bytes().startswith(PNG), (
            f"run scripts/gallery.py --pictures {name}"
        )
