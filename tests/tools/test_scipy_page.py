"""The page on SciPy says what the rules say."""

from pathlib import Path

import srcad
from srcad.tools.scipy_page import NAMESPACES, functions, page

PAGE = Path(srcad.__file__).parent.parent / "docs" / "scipy.md"


def test_the_page_is_what_the_code_gives():
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m srcad.tools.scipy_page > docs/scipy.md"


def test_each_namespace_has_functions():
    assert all(functions(each) for each in NAMESPACES)
    assert len(functions("scipy.special")) > 110
