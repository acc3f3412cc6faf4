"""Write the gallery, docs/gallery.md, and with `--pictures` run each example for its picture in docs/gallery/.

python scripts/gallery.py [--pictures [NAME ...]]
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
PAGE, PICTURES = ROOT / "docs" / "gallery.md", ROOT / "docs" / "gallery"
SHOWN = (
    "lotka_volterra",
    "to_mars",
    "nile_flow",
    "mauna_loa",
    "hubble",
    "o_rings",
    "boarding_school",
    "certified_fits",
    "heat_source",
    "sharpen",
)
HEAD = """# Gallery

Models on real data, each a script of about a hundred lines in the folder `examples`, with the picture that it makes.
The data lie in `examples/data`, each file with its source, or come with scikit-learn. To run them:
`python -m pip install '.[examples]'` in a checkout, then `python examples/NAME.py`. The tests run each and compare the
results with what is published.
"""


def entry(name: str) -> str:
    """The part of the page on an example: its docstring, its picture, its source."""
    source = (EXAMPLES / f"{name}.py").read_text()
    first, _usage, *more = (ast.get_docstring(ast.parse(source)) or "").split("\n\n")
    title, _, summary = first.partition(": ")
    return (
        f"## {title}\n\n{summary[0].upper()}{summary[1:]}\n\n![{title}](gallery/{name}.png)\n\n"
        + "\n\n".join(more)
        + f'\n\n<details markdown="1"><summary>examples/{name}.py</summary>\n\n```py\n{source}```\n\n</details>\n'
    )


def page() -> str:
    """The text of docs/gallery.md."""
    return HEAD + "\n" + "\n".join(entry(name) for name in SHOWN)


def main() -> None:
    """Write the page, and the pictures that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", nargs="*", metavar="NAME", help="make these pictures, or all of them")
    options = parser.parse_args()
    PAGE.write_text(page())
    PICTURES.mkdir(exist_ok=True)
    for name in [] if options.pictures is None else options.pictures or SHOWN:
        script, picture = EXAMPLES / f"{name}.py", PICTURES / f"{name}.png"
        subprocess.run([sys.executable, str(script), "--plot", str(picture)], check=True)


if __name__ == "__main__":
    main()
