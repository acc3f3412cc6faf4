"""Long texts on a terminal: shown by a pager, or only the lines that somebody looks for."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_AROUND = 2  # lines that are shown before and after one that is found


def tell(text: str, looked_for: str | None = None) -> bool:
    """Print a text, by a pager if it is longer than the terminal is high; returns whether there was anything to print.

    looked_for   a word: only lines that have it are printed, with their numbers and two lines around each

    The pager is that of `SRCAD_PAGER`, else of `PAGER`, else `less`; none is used where standard output is not a
    terminal, and with `SRCAD_PAGER` set to nothing.
    """
    if looked_for is not None:
        text = found(text, looked_for)
    command = _pager(text)
    if command is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return bool(text)
    environment = {"LESS": "FRX", **os.environ}  # colours; no pager for what fits; the text stays on the terminal
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True, env=environment) as pager:
        try:
            pager.communicate(text)
        except BrokenPipeError:  # the reader has seen enough
            pass
        except KeyboardInterrupt:  # which is for the pager
            pager.wait()
    return bool(text)


def _pager(text: str) -> list[str] | None:
    """The command of a pager, or None where none is wanted, or there."""
    if not sys.stdout.isatty() or text.count("\n") < shutil.get_terminal_size().lines - 1:
        return None
    wanted = os.environ.get("SRCAD_PAGER", os.environ.get("PAGER") or "less")
    command = shlex.split(wanted)
    if not command or shutil.which(command[0]) is None or os.environ.get("TERM", "dumb") == "dumb":
        return None
    return command


def found(text: str, looked_for: str) -> str:
    r"""The lines of a text that have a word in them, numbered, with the lines around them.

    Capital letters matter only if the word has some; dots stand for lines that are left out.

    >>> print(found("a = 1\nb = 2\nc = 3\nd = a\ne = 5\nf = 6\ng = a\n", "a"), end="")
    1: a = 1
    2  b = 2
    3  c = 3
    4: d = a
    5  e = 5
    6  f = 6
    7: g = a
    >>> found("a = 1\n", "A")
    ''
    """
    lines = text.rstrip("\n").split("\n")
    plain = [_COLOURS.sub("", line) for line in lines]
    word = re.compile(re.escape(looked_for), re.IGNORECASE if looked_for.islower() else 0)
    hits = {number for number, line in enumerate(plain) if word.search(line)}
    shown = sorted({near for hit in hits for near in range(hit - _AROUND, hit + _AROUND + 1) if 0 <= near < len(lines)})
    width = len(str(len(lines)))
    told, before = [], -1
    for number in shown:
        if number > before + 1 and before >= 0:
            told.append(f"{'...':>{width}}")
        told.append(f"{number + 1:>{width}}{':' if number in hits else ' '} {lines[number]}".rstrip())
        before = number
    return "".join(line + "\n" for line in told)
