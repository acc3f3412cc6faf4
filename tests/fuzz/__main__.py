"""A fuzz campaign: random programs, differentiated in every way and judged by plain Python.

    scripts/fuzz --programs 1000 -j 2          # a thousand programs from a seed of the day
    scripts/fuzz --seed 7 --minutes 30         # as many as half an hour allows
    scripts/fuzz --compiled --programs 100     # through Numba's compiler
    scripts/fuzz --show 7                      # the program of a seed, and how it goes
    scripts/fuzz --record ...                  # add the counts to tests/fuzz/counts.json

The same seeds give the same programs and the same checks. Each failure is reduced to a few lines and printed. Ends with
status 1 if there was one.
"""

import argparse
import datetime
import itertools
import os
import sys
import tempfile
from collections import Counter

import numpy as np

from tests.fuzz.campaign import FAILURES, Attempt, attempts, record
from tests.fuzz.checks import outcome
from tests.fuzz.families import family_of, program
from tests.fuzz.program import Program
from tests.fuzz.reduction import reduced

CONFIRMED = 2  # failures of one kind that are reduced; more are only counted
RECORDED_AFTER = 100  # programs


def shown(text: Program) -> str:
    """A program and its arguments; of arrays in another order than C, how many bytes lie between neighbours."""
    arrays = [each for each in text.arguments if isinstance(each, np.ndarray) and not each.flags.c_contiguous]
    strides = "".join(f"\n# strides of an array of shape {each.shape}: {each.strides}" for each in arrays)
    return f"{text.text}\n# arguments: {text.arguments!r}{strides}"


def report(found: Attempt, compiled: bool) -> None:
    """Reduce a failure and print it."""
    print(f"seed {found.seed}, {found.family}: {found.outcome.kind}, {found.outcome.about}", flush=True)
    if found.outcome.about.startswith("exit status") or found.outcome.kind == "slow":
        print(shown(program(found.seed)))  # to try again would end this process as well
        return
    print(shown(reduced(program(found.seed), found.seed, found.outcome, compiled)), flush=True)


def main() -> int:
    """Run a campaign and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=0, help="so many at most")
    parser.add_argument("--minutes", type=float, default=1e6, help="so long at most")
    parser.add_argument("--seed", type=int, help="the first seed; the others follow it")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="so many processes")
    parser.add_argument("--compiled", action="store_true", help="through Numba's compiler")
    parser.add_argument("--record", action="store_true", help="add the counts to those of all campaigns")
    parser.add_argument("--first", action="store_true", help="stop at the first failure, and do not reduce it")
    parser.add_argument("--show", type=int, help="print the program of a seed and how it goes, and do nothing else")
    given = parser.parse_args()
    if given.show is not None:
        print(shown(program(given.show)), family_of(given.show))
        print(outcome(program(given.show), given.show, given.compiled))
        return 0
    first = datetime.date.today().toordinal() * 100_000 if given.seed is None else given.seed
    count = given.programs or (10**9 if given.minutes < 1e6 else 100)
    seeds = itertools.islice(itertools.count(first), count)
    kinds, failures, unrecorded = Counter(), Counter(), []
    try:
        for each in attempts(seeds, given.compiled, given.jobs, given.minutes * 60):
            kinds[each.outcome.kind] += 1
            unrecorded.append(each)
            if given.record and len(unrecorded) == RECORDED_AFTER:
                record(unrecorded, given.compiled)
                unrecorded.clear()
            if each.outcome.kind in FAILURES:
                failures[each.outcome] += 1
                if given.first:
                    print(f"seed {each.seed}, {each.family}: {each.outcome.kind}, {each.outcome.about}")
                    break
                if failures[each.outcome] <= CONFIRMED:
                    report(each, given.compiled)
    finally:  # also of a campaign that is interrupted
        if given.record:
            record(unrecorded, given.compiled)
    counts = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    print(f"{counts} of {kinds.total()} programs checked")
    return int(bool(failures))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="srcad-fuzz-") as folder:
        os.environ.setdefault("SRCAD_CACHE_DIR", folder)
        sys.exit(main())
