"""All calls, tried in several processes."""

from __future__ import annotations

import multiprocessing
import os
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor

from srcad.tools.coverage.calls import CALLS
from srcad.tools.coverage.groups import SIZE, compiled
from srcad.tools.coverage.trials import COLUMNS, Outcome, tried


def outcomes(
    names: Iterable[str] = CALLS, columns: Sequence[str] = COLUMNS, processes: int = 1
) -> dict[str, list[Outcome]]:
    """What becomes of all calls of these functions.

    >>> [each.columns for each in outcomes(["np.sin"], ["reverse"])["np.sin"]]
    [{'reverse': 'yes'}]
    """
    texts = [(name, text) for name in names for text in CALLS[name]]
    groups = [texts[i : i + SIZE] for i in range(0, len(texts), SIZE)]
    asked = [([text for _, text in group], tuple(columns)) for group in groups]
    if processes == 1:
        found = [_of_group(*each) for each in asked]
    else:
        # Not forked: a process that has compiled may hold locks.
        with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
            found = list(pool.map(_of_group, *zip(*asked, strict=True)))
    by_name: dict[str, list[Outcome]] = {}
    for group, answers in zip(groups, found, strict=True):
        for (name, _), outcome in zip(group, answers, strict=True):
            by_name.setdefault(name, []).append(outcome)
    return by_name


def all_outcomes() -> dict[str, list[Outcome]]:
    """What becomes of all calls, by as many processes as there are processors."""
    # Whether code compiles does not depend on how well it is optimised. Numba reads this when it is imported, which the
    # processes do; what they compile is of no use to others, so it goes into a cache folder of its own.
    before = dict(os.environ)
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(NUMBA_OPT="0", SRCAD_CACHE_DIR=folder)
        try:
            return outcomes(processes=os.cpu_count() or 1)
        finally:
            os.environ.clear()
            os.environ.update(before)


def _of_group(texts: Sequence[str], columns: Sequence[str]) -> list[Outcome]:
    """What becomes of the calls of a group."""
    together = compiled(texts) if "compiled" in columns else [Outcome(text, {}, {}) for text in texts]
    found = []
    for text, shared in zip(texts, together, strict=True):
        single = tried(text, [each for each in columns if each != "compiled"])
        words, reasons = {**single.columns, **shared.columns}, {**single.reasons, **shared.reasons}
        ordered = [each for each in columns if each in reasons]
        found.append(Outcome(text, {each: words[each] for each in columns}, {each: reasons[each] for each in ordered}))
    return found
