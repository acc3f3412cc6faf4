"""The page on limitations says what the code says."""

from pathlib import Path

import srcad
from srcad.tools.limitations import limitations

PAGE = Path(srcad.__file__).parent.parent / "docs" / "limitations.md"


def test_the_page_is_what_the_code_gives():
    assert PAGE.read_text(encoding="utf-8") == limitations(), "python -m srcad.tools.limitations > docs/limitations.md"
