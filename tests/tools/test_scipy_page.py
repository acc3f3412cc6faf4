"""The page on SciPy says what the rules say."""

from pathlib import Path

import srcad
from srcad.tools.scipy_others import MISSING
from srcad.tools.scipy_page import NAMESPACES, differentiated_elsewhere, functions, is_differentiated, page

PAGE = Path(srcad.__file__).parent.parent / "docs" / "scipy.md"


def test_the_page_is_what_the_code_gives():
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m srcad.tools.scipy_page > docs/scipy.md"


def test_each_namespace_has_functions():
    assert all(functions(each) for each in NAMESPACES)
    assert len(functions("scipy.special")) > 110


def test_nothing_that_autograd_or_jax_differentiates_is_missing():
    missing = {name for name in differentiated_elsewhere() if not is_differentiated(name)}
    assert missing <= MISSING.keys()
    assert is_differentiated("scipy.stats.norm.logpdf")
    assert not is_differentiated("scipy.linalg.schur")
