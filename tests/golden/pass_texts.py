"""Texts before and after each pass: `passes/NAME.txt` has some cases of the pass NAME.

    ## An element that every iteration adds to is kept in a variable
    names: a: f8[::1], x: f8[::1], n: i8
    given: np.ones(3), np.arange(4.0), 4

    def f(a, x, n):
        for j in range(n):
            a[0] += x[j]
        return a

    becomes

    def f(a, x, n):
        ...

`names` has types of names, for a pass on generated functions. A pass before differentiation has `signature` instead,
the types of the parameters; `from` says what is done to its text first: `core` nothing, `typed` (the default) types,
`settled` SSA form and types. `given` has arguments for which both functions are run. Also: `then`, passes that follow;
`whole: yes` where what is added has the shape of what it is added to; `assumes: yes` where extents may be assumed.

    python -m tests.golden.pass_texts            # write all texts after the passes anew
    python -m tests.golden.pass_texts NAME ...   # those of some passes

Read what it changes as carefully as a change of the pass.
"""

import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from srcad.tools.type_signatures import parse_signature
from tests.transforms.core_text import apply, assert_same_results, mark_whole, settled, typed, unit_of

FOLDER = Path(__file__).parent / "passes"
WORD = "becomes"
BEFORE = {"core": lambda text, _: (unit_of(text), None), "typed": typed, "settled": settled}


@dataclass(frozen=True)
class Case:
    """A text before a pass and after it; `options` are the lines under the title."""

    name: str
    title: str
    options: tuple[tuple[str, str], ...]
    before: str
    after: str

    def found(self) -> str:
        """The text after the pass, as it is now."""
        options = dict(self.options)
        passes = [self.name, *filter(None, re.split(", *", options.get("then", "")))]
        if "signature" in options:
            given, assumes = BEFORE[options.get("from", "typed")], "assumes" in options
            return apply(passes, self.before, options["signature"], given=given, assumes=assumes, is_reversed=True)
        kinds = dict(map(kind_of, re.split(r", (?=\w+:)", options["names"])))
        return apply(passes, self.before, kinds, mark=mark_whole if "whole" in options else None)

    def compare(self) -> None:
        """Both texts give the same results, and leave the same in their arguments."""
        arguments = eval(f"({dict(self.options)['given']},)", {"np": np})
        assert_same_results(self.before, self.after, [arguments], rtol=1e-13, atol=1e-14)

    def text(self) -> str:
        """The case as its file has it."""
        options = "".join(f"{key}: {value}\n" for key, value in self.options)
        return f"## {self.title}\n{options}\n{self.before}\n{WORD}\n\n{self.after}"


def kind_of(text: str) -> tuple[str, object]:
    """A name and its type.

    >>> kind_of("x: f8[:, ::1]")
    ('x', Array(float64, 2, 'C', False, aligned=True))
    """
    name, _, kind = text.partition(": ")
    (found,) = parse_signature(kind)
    return name, found


def file(name: str) -> Path:
    """The file of a pass."""
    return FOLDER / f"{name}.txt"


def cases(name: str) -> list[Case]:
    """The cases of a pass."""
    return [_case(name, part) for part in re.split(r"^## ", file(name).read_text(), flags=re.MULTILINE)[1:]]


def _case(name: str, text: str) -> Case:
    head, code = text.split("\n\n", 1)
    before, after = code.split(f"\n{WORD}\n")
    title, *lines = head.split("\n")
    options = tuple(tuple(line.split(": ", 1)) for line in lines)
    return Case(name, title, options, before.strip("\n") + "\n", after.strip("\n") + "\n")


def names() -> list[str]:
    """The passes that have a file."""
    return sorted(path.stem for path in FOLDER.glob("*.txt"))


def main() -> None:
    """Write the texts after these passes, or all, anew."""
    for name in sys.argv[1:] or names():
        file(name).write_text("\n".join(replace(case, after=case.found()).text() for case in cases(name)))


if __name__ == "__main__":
    main()
