"""The command `python -m srcad.tools.coverage`, which writes the page on coverage."""

import sys

from srcad.tools.coverage.page import page
from srcad.tools.coverage.survey import all_outcomes

if __name__ == "__main__":
    sys.stdout.write(page(all_outcomes()))
