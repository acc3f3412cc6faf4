"""A failing program made as short as it can be while it fails in the same way (delta debugging on its syntax tree).

pysource-minimize proposes the smaller programs; each is checked as the first one was.
"""

import time
from dataclasses import replace

from pysource_minimize import minimize

from tests.fuzz.checks import Outcome, outcome
from tests.fuzz.program import Program


def reduced(program: Program, seed: int, failure: Outcome, compiled: bool = False, seconds: float = 120) -> Program:
    """A shorter program whose outcome is `failure`, as short as is found in so many seconds."""
    end = time.monotonic() + seconds

    def fails(text: str) -> bool:
        if time.monotonic() > end:
            return False
        try:
            return outcome(replace(program, text=text), seed, compiled) == failure
        except SyntaxError:
            return False

    try:
        return replace(program, text=minimize(program.text, fails))
    except (RecursionError, ValueError):  # a text too deeply nested for what proposes shorter ones, or no time left
        return program
