"""Pages on the inside name what there is: a page for each package, a line for each module, a target for each link."""

import re
from pathlib import Path

import pytest

from srcad.driver.passes import ROWS

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "srcad"
PAGES = ROOT / "docs" / "internals"
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
NO_PACKAGE = {"tests"}  # pages about something else
PACKAGE_PAGES = [path for path in sorted(PAGES.glob("*.md")) if path.stem not in NO_PACKAGE]
# Packages that are told about on the page of the package around them.
WITHIN = (
    *("transforms/analysis", "transforms/lowering", "transforms/postoptimise"),
    *("runtime/kernels", "runtime/rules", "runtime/tape"),
)
# Names of packages that also begin other names: `kernels.plus`, `tape.trace`, `calls.fib`.
MEAN_MORE = ("kernels", "tape", "calls")
LINK = re.compile(r"\]\((?P<target>[^)#:\s]*)(?:#(?P<heading>[^)]*))?\)")
LISTED = re.compile(r"^\| `(\w+)` \|", re.MULTILINE)  # in a table under "Modules"


def page_of(package: Path) -> Path:
    name = package.relative_to(SOURCES).as_posix()
    outer = next((each for each in WITHIN if name.startswith(each)), name)
    return PAGES / f"{outer.rpartition('/')[2]}.md"


PACKAGES = sorted(path.parent for path in SOURCES.rglob("__init__.py") if path.parent != SOURCES)


def modules_of(package: Path) -> set[str]:
    return {path.stem for path in package.glob("*.py")} - {"__init__"}


def modules_section(page: Path) -> str:
    """What a page says from its heading on modules to the next heading of that level."""
    return re.split(r"^## ", page.read_text().partition("\n## Modules")[2], flags=re.MULTILINE)[0]


def headings_of(document: Path) -> set[str]:
    """The anchors that GitHub and MkDocs make of the headings."""
    found = re.findall(r"^#+ (.*)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each.lower()).strip().replace(" ", "-") for each in found}


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.relative_to(SOURCES).as_posix())
def test_a_package_has_its_page_and_a_module_its_line_there(package):
    page = page_of(package)
    assert page.exists(), f"docs/internals/{page.name} is missing"
    # Passes are listed by the table of passes, in docs/architecture.md.
    passes = {row.function.partition(":")[0].rpartition(".")[2] for row in ROWS.values()}
    assert not modules_of(package) - passes - set(LISTED.findall(modules_section(page))), page.name


@pytest.mark.parametrize("page", PACKAGE_PAGES, ids=lambda path: path.stem)
def test_a_page_names_modules_that_exist(page):
    known = {module for package in PACKAGES if page_of(package) == page for module in modules_of(package)}
    assert not set(LISTED.findall(modules_section(page))) - known
    # Modules of other packages are named with theirs: `adjoint.rule_expansion`.
    packages = {package.name: package for package in PACKAGES}
    for name, module in re.findall(r"`(\w+)\.(\w+)`", page.read_text()):
        if name in packages and name not in MEAN_MORE:
            inside = {path.stem for path in packages[name].iterdir()}
            assert module in inside, f"{name}.{module}"


@pytest.mark.parametrize("page", PACKAGE_PAGES, ids=lambda path: path.stem)
def test_a_page_belongs_to_a_package(page):
    assert page in {page_of(package) for package in PACKAGES}


@pytest.mark.parametrize("page", PACKAGE_PAGES, ids=lambda path: path.stem)
def test_a_page_says_what_goes_in_and_comes_out(page):
    text = page.read_text()
    for part in ("**Input", "output" if "Input and output" in text else "**Output.**", "**Invariant"):
        assert part in text, part


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_to_pages_and_headings_that_exist(document):
    text = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.DOTALL | re.MULTILINE)
    for match in LINK.finditer(text):
        target = document.parent / match["target"] if match["target"] else document
        assert target.exists(), match[0]
        if match["heading"] and target.suffix == ".md":
            assert match["heading"] in headings_of(target), match[0]


def test_the_site_lists_every_page():
    listed = re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    pages = [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")]
    assert sorted(listed) == sorted(pages)


@pytest.mark.parametrize("document", [ROOT / "docs" / "where.md", ROOT / "CONTRIBUTING.md"], ids=lambda path: path.name)
def test_files_that_are_named_exist(document):
    named = re.findall(r"`((?:srcad|tests|docs|scripts)/[\w/.]*)`", document.read_text())
    assert named
    assert not [name for name in named if not (ROOT / name).exists()]
