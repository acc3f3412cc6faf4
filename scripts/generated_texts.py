#!/usr/bin/env python3
"""Write down, or compare, the generated text of all test programs: what a change that only moves code must not touch.

    scripts/generated_texts.py save FOLDER      one file per program, mode, loops or arrays
    scripts/generated_texts.py compare FOLDER   the same again, compared byte for byte

`--every N` takes only every so many programs. `--more FILE.py ...` adds programs of other files: each has `primal`,
`wrt` and `make_args(size, seed)`, as those of the benchmark suite have. Run it with the interpreter of the project's
environment.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import srcad  # noqa: E402

MODES = ("grad", "reverse", "forward", "hvp")


def programs() -> Iterator[tuple[str, Any, Any, tuple[Any, ...]]]:
    """A name, a function, what to differentiate by, and arguments, of each program of tests/programs."""
    for path in sorted((ROOT / "tests" / "programs").glob("*.py")):
        table = getattr(importlib.import_module(f"tests.programs.{path.stem}"), "PROGRAMS", ())
        for number, program in enumerate(table):
            yield f"{path.stem}-{number}-{program.name}", program.function, program.wrt, program.fresh_arguments()


def others(files: list[str]) -> Iterator[tuple[str, Any, Any, tuple[Any, ...]]]:
    """The same of files like those of the benchmark suite."""
    for file in map(Path, files):
        spec = importlib.util.spec_from_file_location(file.stem, file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield file.stem, module.primal, tuple(module.wrt), tuple(module.make_args("S", 0))


def texts(more: list[str], every: int) -> Iterator[tuple[str, str]]:
    """The name of a file and its text; of what is refused, the message."""
    for name, function, wrt, arguments in (*islice(programs(), 0, None, every), *others(more)):
        for mode in MODES:
            for arrays in (False, True):
                try:
                    text = srcad.source(function, mode, wrt=wrt, args=arguments, arrays=arrays)
                except Exception as error:  # noqa: BLE001 - whatever it says is part of what is compared
                    message = str(error).splitlines()[0].replace(str(ROOT), "")
                    text = f"{type(error).__name__}: {message}\n"
                yield f"{name}-{mode}-{'arrays' if arrays else 'loops'}.txt", text


def main() -> int:
    """The exit status: 1 where a text is not what it was."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("act", choices=("save", "compare"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--more", nargs="*", default=[], metavar="FILE.py")
    parser.add_argument("--every", type=int, default=1, metavar="N")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    count, refused, different = 0, 0, []
    for name, text in texts(given.more, given.every):
        count += 1
        refused += not text.startswith(("import", "from", "def"))
        file = given.folder / name
        if given.act == "save":
            file.write_text(text)
        elif not file.exists() or file.read_text() != text:
            different.append(name)
    for name in different:
        print(f"differs: {name}")
    print(f"{count} texts, {refused} of them refusals, {len(different)} different")
    return bool(different)


if __name__ == "__main__":
    sys.exit(main())
