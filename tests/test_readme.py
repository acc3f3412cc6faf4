"""Code blocks in the documents run as they stand, and print what the documents say that they print.

A block marked ``python`` is a program of its own. If one marked ``text`` or ``py`` follows at once, that is its output,
in which ``...`` stands for anything. Where the output has changed on purpose:

    python -m tests.test_readme        writes what is printed now into the documents, to be read in the difference
"""

import contextlib
import inspect
import io
import re
import runpy
import sys
import tempfile
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path

import pytest

import srcad

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:```(?:text|py)\n(?P<output>.*?)^```\n)?", re.MULTILINE | re.DOTALL
)
LINK = re.compile(r"\]\((?P<target>[^)#:]+)(?:#[^)]*)?\)")
CHECKER, OPTIONS = OutputChecker(), ELLIPSIS | NORMALIZE_WHITESPACE


def blocks():
    for document in DOCUMENTS:
        text = document.read_text()
        for match in BLOCK.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield pytest.param(match["code"], match["output"], id=f"{document.name}:{line}")


def skip_without_libraries(code):
    """Skip a block that imports the library of a bridge, where that is not installed."""
    libraries = "dask|distributed|torch|jax|pytensor|pymc|tensorflow|nlopt|cyipopt"
    for name in re.findall(rf"^(?:import|from) ({libraries})\b", code, re.MULTILINE):
        pytest.importorskip(name, reason=f"{name} is not installed")


def printed_by(code, folder):
    script = Path(folder) / "block.py"
    script.write_text(code)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(str(script), run_name="__main__")
    return printed.getvalue()


@pytest.mark.parametrize(("code", "expected"), list(blocks()))
def test_code_block_prints_what_the_document_says(code, expected, tmp_path, monkeypatch):
    skip_without_libraries(code)
    monkeypatch.chdir(tmp_path)
    printed = printed_by(code, tmp_path)
    assert expected is None or CHECKER.check_output(expected, printed, OPTIONS), printed


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(document):
    prose = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.DOTALL | re.MULTILINE)
    for match in LINK.finditer(prose):
        assert (document.parent / match["target"]).exists(), match["target"]


def test_readme_commands_exist():
    text = (ROOT / "README.md").read_text()
    commands = re.findall(r"^    sh (\S+)$", text, re.MULTILINE)
    assert commands == ["scripts/demo", "scripts/test"]
    assert all((ROOT / script).exists() for script in commands)


def test_api_page_names_everything_public():
    text = (ROOT / "docs" / "api.md").read_text()
    public = [name for name in srcad.__all__ if not name.startswith("_")]
    assert public
    assert not [name for name in public if not re.search(rf"`\.?{name}\b", text)]


def test_everything_that_the_api_page_has_from_srcad_is_there():
    text = (ROOT / "docs" / "api.md").read_text().split("## In a shell")[0]
    # Tables of arguments and of passes tell of other things than names of srcad's.
    text = re.sub(r"^\| argument \|.*?\n\n|^## Passes$.*?(?=^## )", "", text, flags=re.MULTILINE | re.DOTALL)
    listed = re.findall(r"^(?:\| )?`(\w+)[`(]", text, re.MULTILINE)
    listed = [name for name in listed if name not in ("without", "mode", "static")]
    assert set(listed) == set(srcad.__all__)
    assert set(listed) <= set(dir(srcad))
    assert all(getattr(srcad, name) is not None for name in listed)


def test_api_page_gives_the_real_signatures():
    text = (ROOT / "docs" / "api.md").read_text()
    for name, parameters in re.findall(r"^(?:\| )?`(\w+)\(([^`()]*)\)`", text, re.MULTILINE):
        told = [part.split("=")[0].strip() for part in parameters.split(",")]
        told = [each for each in told if each not in ("*", "...")]
        real = list(map(str, inspect.signature(getattr(srcad, name)).parameters.values()))
        assert told == [each.split(":")[0].split("=")[0] for each in real][: len(told)], name


def update() -> None:
    """Write outputs that no longer hold into the documents."""

    def renewed(match: re.Match[str]) -> str:
        with tempfile.TemporaryDirectory() as folder:
            if match["output"] is None or CHECKER.check_output(
                match["output"], now := printed_by(match["code"], folder), OPTIONS
            ):
                return match[0]
        return match[0].replace(match["output"], now.strip("\n") + "\n")

    for document in DOCUMENTS:
        document.write_text(BLOCK.sub(renewed, document.read_text()))


if __name__ == "__main__":
    sys.exit(update())
