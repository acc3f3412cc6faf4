"""Calls of `coverage_calls` that other libraries do not differentiate, by library."""

from __future__ import annotations

from collections.abc import Mapping

NOT_DIFFERENTIATED: Mapping[str, frozenset[str]] = {"autograd": frozenset(), "JAX": frozenset()}
