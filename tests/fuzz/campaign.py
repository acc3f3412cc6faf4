"""Programs by the thousand: which seeds, in which processes, and how many went how.

Each program is checked in a process that may die of it: then its outcome is a crash, and the next process goes on.
"""

import gc
import json
import multiprocessing
import time
from collections import Counter
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import NamedTuple

from tests.fuzz.checks import Outcome, outcome
from tests.fuzz.families import family_of, program

COUNTS = Path(__file__).parent / "counts.json"
FAILURES = ("wrong", "crash", "slow")
LATE_AFTER = 600.0  # seconds, for a process that hears no signal: it is in a loop of NumPy's, say
RENEWED_AFTER = 1000  # programs that one process checks, which keep memory that they have compiled


class Attempt(NamedTuple):
    """How the program of a seed went."""

    seed: int
    family: str
    outcome: Outcome


def attempt(seed: int, compiled: bool) -> Attempt:
    """Make and check the program of a seed."""
    return Attempt(seed, family_of(seed), outcome(program(seed), seed, compiled))


Check = Callable[[int, bool], Attempt]


def _work(connection: Connection, check: Check, compiled: bool) -> None:
    """Check the programs of the seeds that arrive."""
    gc.freeze()  # what is imported stays; most of what a program makes is freed without a search for cycles
    gc.set_threshold(200_000, 20, 100)
    while True:
        connection.send(check(connection.recv(), compiled))


class _Worker:
    """A process, and the seed that it works on."""

    def __init__(self, check: Check, compiled: bool) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would have what this process has
        self.connection, other = context.Pipe()
        self.process = context.Process(target=_work, args=(other, check, compiled), daemon=True)
        self.process.start()
        other.close()
        self.left, self.seed = RENEWED_AFTER, -1
        self.began, self.is_late = 0.0, False

    def take(self, seed: int) -> None:
        """Begin with a seed."""
        self.seed, self.left, self.began = seed, self.left - 1, time.monotonic()
        self.connection.send(seed)

    def give(self) -> Attempt:
        """What has become of the seed; a crash if the process has died."""
        try:
            return self.connection.recv()
        except (EOFError, ConnectionResetError):
            self.process.join(60.0)
            self.left = 0
            died = Outcome("crash", f"exit status {self.process.exitcode}")
            return Attempt(self.seed, family_of(self.seed), Outcome("slow") if self.is_late else died)

    def hurry(self) -> None:
        """End the process if it has been at its seed for too long."""
        if time.monotonic() > self.began + LATE_AFTER and not self.is_late:
            self.is_late = True
            self.process.kill()

    def stop(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join(60.0)
        self.connection.close()


def attempts(
    seeds: Iterator[int], compiled: bool = False, jobs: int = 1, seconds: float = 1e9, check: Check = attempt
) -> Iterator[Attempt]:
    """How the programs of these seeds went, as they come, until the time is over."""
    end = time.monotonic() + seconds
    working: dict[Connection, _Worker] = {}

    def begin(worker: _Worker | None) -> None:
        """Give a worker the next seed, a new one in place of one that has died or done enough."""
        seed = next(seeds, None) if time.monotonic() < end else None
        if worker is not None and (seed is None or not worker.left):
            worker.stop()
        if seed is not None:
            worker = worker if worker is not None and worker.left else _Worker(check, compiled)
            worker.take(seed)
            working[worker.connection] = worker

    try:
        for _ in range(jobs):
            begin(None)
        while working:
            for connection in wait([*working], timeout=LATE_AFTER):
                worker = working.pop(connection)
                yield worker.give()
                begin(worker)
            for worker in working.values():
                worker.hurry()
    finally:
        for worker in working.values():
            worker.stop()


def record(found: list[Attempt], compiled: bool) -> None:
    """Add the counts of a campaign to those of all before, and to the reasons of refusals."""
    known = json.loads(COUNTS.read_text()) if COUNTS.exists() else {}
    mode = known.setdefault("compiled" if compiled else "uncompiled", {})
    for each in found:
        counts = mode.setdefault(each.family, {})
        counts[each.outcome.kind] = counts.get(each.outcome.kind, 0) + 1
    reasons = Counter(known.setdefault("refusals", {}))
    reasons.update(each.outcome.about for each in found if each.outcome.kind == "refused")
    known["refusals"] = dict(sorted(reasons.items()))
    COUNTS.write_text(json.dumps(known, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def table() -> list[str]:
    """What all campaigns have found, as lines of Markdown."""
    known = json.loads(COUNTS.read_text())
    kinds = ("right", "refused", "unclear", "invalid", "slow", "crash", "wrong")
    lines = [f"| mode | family | programs | {' | '.join(kinds)} |", "|---|---|" + "---:|" * (len(kinds) + 1)]
    for mode in ("uncompiled", "compiled"):
        for family, counts in sorted(known.get(mode, {}).items()):
            numbers = [sum(counts.values()), *(counts.get(kind, 0) for kind in kinds)]
            lines.append(f"| {mode} | {family} | {' | '.join(f'{number:,}' for number in numbers)} |")
    return lines


def refusals() -> list[str]:
    """The reasons of refusals in all campaigns, as lines of Markdown, from the most frequent on."""
    reasons = json.loads(COUNTS.read_text())["refusals"]
    lines = [f"| {reason} | {count:,} |" for reason, count in sorted(reasons.items(), key=lambda each: -each[1])]
    return ["| reason | programs |", "|---|---:|", *lines]
