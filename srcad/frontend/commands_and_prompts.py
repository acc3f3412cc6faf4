"""The text of functions that stand in no file: after `python -c`, at a prompt, given to `exec`.

IPython, Jupyter, doctest, and Python's own prompt from 3.13 on keep their texts in `linecache`. The text after
`python -c` is among the arguments of the process. What `exec` and older prompts were given is kept nowhere.
"""

from __future__ import annotations

import re
import sys
from types import FunctionType

_EXEC = (
    "Python keeps no text of what `exec` is given: write it to a file and import that, or keep the text "
    "before it is executed: `linecache.cache[name] = len(text), None, text.splitlines(True), name` "
    "and `exec(compile(text, name, 'exec'))`"
)
_PROMPT = (
    "this prompt, or a script that is read from a pipe, keeps no text: use Python 3.13 or later, or IPython, "
    "or define the function in a file"
)


def text_of_command(function: FunctionType) -> list[str]:
    """The lines of the text after `python -c`, if the function stands in that; else none."""
    is_command = function.__code__.co_filename == "<string>" and function.__globals__ is vars(sys.modules["__main__"])
    return command_in(sys.orig_argv).splitlines(keepends=True) if is_command else []


def command_in(arguments: list[str]) -> str:
    """The text after `-c` among the arguments of a process of Python; empty if there is none.

    >>> command_in(["python", "-W", "ignore", "-Ic", "print(1)", "-c"]), command_in(["python", "-cprint(2)"])
    ('print(1)', 'print(2)')
    >>> command_in(["python", "model.py", "-c", "x"])
    ''
    """
    given = iter(arguments[1:])
    for each in given:
        found = re.fullmatch("-([^-WXmc]*)([WXmc])(.*)", each, re.DOTALL)  # the first letter that takes a value, and it
        if found is not None and found[2] == "c":
            return found[3] or next(given, "")
        if each == "-" or not each.startswith("-") or (found is not None and found[2] == "m"):
            return ""
        if each == "--check-hash-based-pycs" or (found is not None and not found[3]):
            next(given, None)  # its value
    return ""


def way_to_keep(file: str) -> str:
    """What to do about a function whose text is kept nowhere, by the name that its file has."""
    return _PROMPT if file.startswith("<stdin>") else _EXEC


def edited_or_kept_nowhere(file: str) -> str:
    """What to do about a function that is not what its file's text says."""
    if file in ("<string>", "<stdin>"):
        return way_to_keep(file)
    return "reload the module if the file was edited; give lambdas that share a line a line each"
