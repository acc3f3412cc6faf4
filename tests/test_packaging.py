"""What is installed: srcad and nothing beside it."""

import re
import sys
import zipfile
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import srcad
from tests.waiting import run

ROOT = Path(__file__).parent.parent
PROJECT = (ROOT / "pyproject.toml").read_text()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Names of the files in the wheel, built from what git would hand out (no leftovers of the working tree)."""
    pytest.importorskip("setuptools", minversion="77", reason="older ones cannot read this pyproject.toml")
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    listing = ["git", "ls-files", "-co", "--exclude-standard"]
    listed = run(listing, cwd=ROOT, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    for name in listed.stdout.split("\n"):
        origin = ROOT / name
        if name and origin.exists():
            target = source / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if origin.is_symlink():
                target.symlink_to(origin.readlink())
            else:
                target.write_bytes(origin.read_bytes())
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--quiet",
        "-w",
        str(folder),
        str(source),
    ]
    run(command)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as archive:
        return archive.namelist()


@pytest.mark.slow
def test_wheel_holds_only_the_package_and_its_metadata(wheel):
    tops = {name.split("/")[0] for name in wheel}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"srcad"}


@pytest.mark.slow
def test_wheel_holds_every_module(wheel):
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "srcad").rglob("*.py")}
    assert modules <= set(wheel)
    assert "srcad/py.typed" in wheel


def test_wheel_holds_the_licence(wheel):
    assert any(name.endswith("licenses/LICENSE") for name in wheel)


def test_what_a_package_index_shows_leads_nowhere_else():
    text = (ROOT / re.search(r'^readme = "(.*?)"', PROJECT, re.MULTILINE)[1]).read_text()
    assert re.findall(r"\]\((?!https://)", text) == []


def test_the_citation_has_the_version():
    assert f"\nversion: {srcad.__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_the_public_checks_are_of_the_versions_that_are_supported():
    text = (ROOT / ".github" / "workflows" / "test.yml").read_text()
    first = re.search(r'requires-python = ">=(.*?)"', PROJECT)[1]
    assert f'python: ["{first}", ' in text
    bounds = dict(re.findall(r'^    "([a-z]+)>=([\d.]+)",', PROJECT, re.MULTILINE))
    for name, bound in re.findall(r'"(\w+)==([\d.]+?)(?:\.\*)?"', text):
        assert bounds[name] == bound, name


def test_the_recipe_for_conda_has_version_and_requirements():
    text = (ROOT / "conda" / "recipe.yaml").read_text()
    first = re.search(r'requires-python = ">=(.*?)"', PROJECT)[1]
    assert f'version: "{srcad.__version__}"' in text
    assert f'python_min: "{first}"' in text
    needed = re.search(r"^dependencies = \[\n(.*?)^\]", PROJECT, re.MULTILINE | re.DOTALL)[1]
    bounds = re.findall(r'^    "([a-z]+)>=([\d.]+)"', needed, re.MULTILINE)
    run = text.partition("  run:\n")[2].partition("\n\n")[0]
    assert bounds
    assert sorted(bounds) == sorted(re.findall(r"^    - ([a-z]+) >=([\d.]+)$", run, re.MULTILINE))


def test_command_is_installed():
    assert any(entry.name == "srcad" for entry in entry_points(group="console_scripts"))
