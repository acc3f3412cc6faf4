"""The picture in the README is what the compiler gives."""

from pathlib import Path

import numpy as np

from srcad.tools.report import Report
from srcad.tools.side_by_side import picture, settle

SHOWN = Path(__file__).parents[2] / "docs" / "side_by_side.svg"


def test_the_picture_is_up_to_date():
    made = picture(Report(settle, (np.ones(2), 0.3), (0, 1), jit=False, passes=False))
    assert SHOWN.read_text(encoding="utf-8") == made, "python -m srcad.tools.side_by_side > docs/side_by_side.svg"


def test_the_gradient_of_what_it_shows_is_right():
    assert Report(settle, (np.linspace(0.1, 2.0, 5), 0.3), (0, 1), jit=False, passes=False).verdict == "right"
