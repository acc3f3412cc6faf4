"""The exception that a `try` statement has caught, for handlers that raise it again or print it."""

from __future__ import annotations

import threading

_local = threading.local()


def remember(problem: BaseException) -> None:
    """Note what has been caught in this thread."""
    _local.problem = problem


def caught() -> BaseException:
    """What has been caught last in this thread.

    >>> remember(ValueError("no root"))
    >>> caught()
    ValueError('no root')
    """
    found: BaseException = _local.problem
    return found
