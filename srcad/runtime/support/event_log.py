"""What srcad tells the logger "srcad" of its work: what is generated and compiled, why again, and what the cache gave.

    SRCAD_LOG=debug python model.py                             writes it to standard error
    logging.getLogger("srcad").setLevel(logging.DEBUG)          for programs that have handlers of their own

Nothing is said above the level DEBUG, and nothing is done while that is not asked for.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping

VARIABLE = "SRCAD_LOG"

log = logging.getLogger("srcad")


def configure(environment: Mapping[str, str] = os.environ) -> logging.Handler | None:
    """Write to standard error from the level on that the environment names; the handler, or None.

    >>> configure({}) is None
    True
    """
    name = environment.get(VARIABLE, "").strip()
    if not name:
        return None
    level = getattr(logging, name.upper(), None)
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("srcad: %(message)s"))
    log.addHandler(handler)
    log.propagate = False
    log.setLevel(level if isinstance(level, int) else logging.WARNING)
    if not isinstance(level, int):
        log.warning("%s=%s is no level; give debug, info, warning or error", VARIABLE, name)
    return handler


configure()
