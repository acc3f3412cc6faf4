"""The page on how srcad works shows what the compiler gives."""

from pathlib import Path

import srcad
from srcad.tools.walkthrough import PACKAGES, walkthrough

ROOT = Path(srcad.__file__).parent
PAGE = ROOT.parent / "docs" / "architecture.md"


def test_the_page_is_what_the_compiler_gives():
    assert PAGE.read_text(encoding="utf-8") == walkthrough(), "python -m srcad.tools.walkthrough > docs/architecture.md"


def test_the_page_lists_every_package_but_those_inside_of_one_that_it_lists():
    packages = ("transforms.lowering", "transforms.analysis", "transforms.postoptimise")
    inner = tuple(f"{each}." for each in (*packages, "runtime.kernels", "runtime.rules", "runtime.tape"))
    found = {".".join(path.parent.relative_to(ROOT).parts) for path in ROOT.rglob("__init__.py")} - {""}
    assert {name for name in found if not name.startswith(inner)} == set(PACKAGES)
