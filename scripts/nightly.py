"""What takes too long for every change, and the page that says how it went last: docs/reliability.md.

    python scripts/nightly.py            # all of it: several hours
    python scripts/nightly.py --short    # a little of each step, to see that they work
    python scripts/nightly.py --only random faults
    python scripts/nightly.py --counts   # nothing but the counts of fuzz campaigns on the page

Steps: the whole suite with all programs in all modes; passes left out one by one of all programs; random programs, with
a seed of the day; a fuzz campaign, whose counts are added to those of all before; faults seeded one by one; and, where
they are installed, TensorFlow and the libraries of the benchmarks. Uses one process at low priority; `.ci/run` does not
call it. Ends with status 1 if a step has failed.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
PAGE = ROOT / "docs" / "reliability.md"
PYTEST = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider"]
FUZZ = [sys.executable, "-m", "tests.fuzz", "--record"]
PROGRAMS = ("tests/test_random_programs.py", "tests/test_random_tuples.py")


@dataclass(frozen=True)
class Step:
    """Commands, and what of their output goes into the page; `needs` are modules without which it is left out.

    `environment` depends on whether all or little is asked for, as do the commands.
    """

    name: str
    does: str
    commands: Callable[[bool], list[list[str]]]
    environment: Callable[[bool], dict[str, str]] = lambda _: {}
    needs: tuple[str, ...] = ()


def day() -> str:
    """The seed of random programs: another one every day."""
    return str(datetime.date.today().toordinal() % 100_000)


def tests(*arguments: str) -> list[str]:
    """A command that runs tests."""
    return [*PYTEST, *arguments]


STEPS = (
    Step(
        "suite",
        "the whole suite, each program in each mode, with second derivatives, all marked ones compiled",
        lambda short: [tests("-n0", "tests/test_programs.py", "-k", "views")] if short else [tests()],
        lambda short: {} if short else {"SRCAD_ALL_PROGRAMS": "1"},
    ),
    Step(
        "passes",
        "each optional pass left out of each program: the same derivatives",
        lambda short: [tests("-n0", "--nightly", *(["-k", "views-1"] if short else []), "tests/driver/test_passes.py")],
    ),
    Step(
        "cases",
        "the cases of tables of which every run takes some: compiled functions above all",
        lambda short: [
            tests("-n0", "--nightly", "tests/transforms/normalise", "-k", "50")
            if short
            else tests("--nightly", "--deselect", "tests/driver/test_passes.py", "--deselect", "tests/faults")
        ],
    ),
    Step(
        "random",
        "random programs, with passes left out at random, in all modes, and with each pass left out",
        lambda _: [tests("-n0", "-rP", *PROGRAMS), tests("-n0", "tests/driver/test_passes.py", "-k", "random")],
        lambda short: {"SRCAD_RANDOM_PROGRAMS": "12" if short else "2000", "SRCAD_RANDOM_SEED": day()},
    ),
    Step(
        "fuzz",
        "a fuzz campaign over the whole language; the counts of all campaigns stand below",
        lambda short: [
            [*FUZZ, "--programs", "20" if short else "10000"],
            [*FUZZ, "--programs", "2" if short else "1000", "--compiled"],
        ],
    ),
    Step(
        "faults",
        "faults seeded one by one: how many of them a test detects",
        lambda short: [
            [sys.executable, "scripts/seed_faults.py", *(["--only", "liveness", "--most", "module"] if short else [])]
        ],
    ),
    Step(
        "injuries",
        "bad inputs; 200 processes that race for one cache file, 100 killed while they write, 100 damaged caches",
        lambda short: [
            tests("-n0", "-rP", "tests/refusals/test_bad_inputs.py"),
            tests("-n0", *([] if short else ["--nightly"]), "tests/faults"),
        ],
    ),
    Step(
        "tensorflow",
        "outcomes under TensorFlow are those recorded in tests/conformance",
        lambda _: [[sys.executable, "-m", "tests.conformance.oracle", "--check"]],
        needs=("tensorflow",),
    ),
    Step(
        "benchmarks",
        "gradients of the benchmarks' workloads against JAX and adjoints written by hand",
        lambda _: [tests("-n0", "benchmarks")],
        needs=("jax", "pytest_benchmark"),
    ),
)


def last_words(output: str) -> str:
    """What a command says at its end about its outcome, without times.

    >>> last_words("2 failed, 5 passed in 3.21s (0:00:03)")
    '2 failed, 5 passed'
    """
    said = [
        line.strip("= ")
        for line in output.splitlines()
        if re.search(r"\d+ (passed|failed|error)|detected|checked", line)
    ]
    return re.sub(r" in [\d.:]+s?( \([\d:]+\))?$", "", said[-1]) if said else "no outcome"


def outcome(step: Step, short: bool) -> tuple[str, bool, float]:
    """What a step says, whether it has passed, and its seconds."""
    missing = [name for name in step.needs if importlib.util.find_spec(name) is None]
    if missing:
        return f"not run: {', '.join(missing)} not installed", True, 0.0
    start, said, passed = time.monotonic(), [], True
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **step.environment(short)}
    for command in step.commands(short):
        with tempfile.TemporaryFile("w+") as log:
            done = subprocess.run(
                ["nice", "-n", "10", *command], cwd=ROOT, env=environment, stdout=log, stderr=log, check=False
            )
            log.seek(0)
            output = log.read()
        print(output[-4000:], flush=True)
        said.append(last_words(output))
        passed = passed and done.returncode == 0
    return "; ".join(said), passed, time.monotonic() - start


def campaigns() -> list[str]:
    """What all fuzz campaigns together have found."""
    from tests.fuzz.campaign import refusals, table

    return [
        "## Fuzz campaigns",
        "",
        "All campaigns so far (`scripts/fuzz --record`, `tests/fuzz`). A program is *right* when all ways to its",
        "derivative that were tried agree with each other and with a complex step or with differences; *refused* when",
        "srcad names the line and a way out; *unclear* when srcad agrees with itself and neither judge is reliable;",
        "*invalid* when Python itself raises an exception or gives nan; *slow* when it takes more than a minute. What",
        "was *wrong* or a *crash* when it was found has been a test of the suite since. Three of the wrong ones are",
        "not srcad's: where `stats.skewnorm.logcdf` is -184.8, SciPy's value is off by 0.0009, and differences with",
        "it; `np.fft.irfft` reads memory that is not its own where an axis has no elements; the vectors of",
        "`np.linalg.svd` that have no singular value are any basis.",
        "",
        *table(),
        "",
        "Reasons of refusals:",
        "",
        *refusals(),
    ]


def page(rows: list[tuple[Step, str, bool, float]], short: bool) -> str:
    """The text of docs/reliability.md."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    lines = [
        "# Reliability",
        "",
        "What runs at night and not with every change, and how it went last. `python scripts/nightly.py` writes this",
        "page; [tests](internals/tests.md) explains the steps.",
        "",
        f"Last run: {datetime.date.today()}, commit {commit}, Python {platform.python_version()},"
        f" {os.cpu_count()} cores{', a little of each step (`--short`)' if short else ''}.",
        "",
        "| step | what it does | outcome | minutes |",
        "|---|---|---|---|",
        *(
            f"| {step.name} | {step.does} | {'' if passed else '**failed**: '}{said} | {seconds / 60:.1f} |"
            for step, said, passed, seconds in rows
        ),
    ]
    return "\n".join(lines) + "\n"


def with_campaigns(text: str, written: str) -> str:
    """A page with the counts of campaigns as they are now, and with the end of `written`, which is written by hand."""
    _, title, rest = written.partition("\n## Versions\n")
    return "\n".join([text.split("\n## Fuzz campaigns", maxsplit=1)[0], *campaigns()]) + "\n" + title + rest


def main() -> int:
    """Run the steps, write the page, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="a little of each step")
    parser.add_argument("--only", nargs="*", default=[], choices=[step.name for step in STEPS], help="these steps")
    parser.add_argument("--counts", action="store_true", help="run nothing; write the counts of fuzz campaigns")
    given = parser.parse_args()
    if given.counts:
        PAGE.write_text(with_campaigns(PAGE.read_text(), PAGE.read_text()))
        return 0
    rows = []
    for step in STEPS:
        if not given.only or step.name in given.only:
            rows.append((step, *outcome(step, given.short)))
    PAGE.write_text(with_campaigns(page(rows, given.short), PAGE.read_text()))
    return int(not all(passed for _, _, passed, _ in rows))


if __name__ == "__main__":
    sys.exit(main())
