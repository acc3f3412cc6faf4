"""A figure of a gradient: bars for one axis, a map for two, as SVG in the colours of the page."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

_WIDTH, _HEIGHT = 560, 150
_MOST_BARS, _MOST_CELLS = 280, 64  # what is wider is averaged over equal parts


def figure(gradient: Any, name: str) -> str | None:
    """An SVG element of a real gradient with one or two axes; None for others.

    >>> figure(np.array([1.0, -2.0]), "x")[:4], figure(3.0, "x")
    ('<svg', None)
    """
    values = np.asarray(gradient)
    if values.dtype.kind != "f" or values.ndim not in (1, 2) or not values.size:
        return None
    values = np.where(np.isfinite(values), values, 0.0).astype(float)
    return _bars(values, name) if values.ndim == 1 else _map(values, name)


def _averaged(values: Any, most: int, axis: int) -> Any:
    if values.shape[axis] <= most:
        return values
    return np.stack([part.mean(axis) for part in np.array_split(values, most, axis)], axis)


def _told(values: Any, name: str, kind: str) -> str:
    text = f"{kind} of the gradient by {name}: from {values.min():.3g} to {values.max():.3g}"
    return f"<title>{html.escape(text)}</title>"


def _bars(values: Any, name: str) -> str:
    shown = _averaged(values, _MOST_BARS, 0)
    top, bottom = max(0.0, float(shown.max())), min(0.0, float(shown.min()))
    scale, step = (_HEIGHT - 20) / ((top - bottom) or 1.0), _WIDTH / shown.shape[0]
    zero = 10 + top * scale
    bars = [
        f'<rect class="{"up" if each >= 0 else "down"}" x="{k * step:.2f}" y="{zero - max(each, 0.0) * scale:.2f}" '
        f'width="{max(step - 1, 0.8):.2f}" height="{abs(each) * scale:.2f}"/>'
        for k, each in enumerate(shown)
    ]
    line = f'<line class="zero" x1="0" x2="{_WIDTH}" y1="{zero:.2f}" y2="{zero:.2f}"/>'
    told = _told(values, name, "bars")
    return f'<svg role="img" viewBox="0 0 {_WIDTH} {_HEIGHT}">{told}{"".join(bars)}{line}</svg>'


def _map(values: Any, name: str) -> str:
    shown = _averaged(_averaged(values, _MOST_CELLS, 0), _MOST_CELLS, 1)
    largest = float(np.abs(shown).max()) or 1.0
    rows, columns = shown.shape
    size = min(24.0, _WIDTH / columns)
    cells = [
        f'<rect class="{"up" if shown[i, j] >= 0 else "down"}" x="{j * size:.2f}" y="{i * size:.2f}" '
        f'width="{size:.2f}" height="{size:.2f}" fill-opacity="{abs(shown[i, j]) / largest:.3f}"/>'
        for i in range(rows)
        for j in range(columns)
    ]
    told = _told(values, name, "map")
    frame = f'<rect class="frame" width="{columns * size:.2f}" height="{rows * size:.2f}"/>'
    return f'<svg role="img" viewBox="0 0 {_WIDTH} {rows * size:.2f}">{told}{"".join(cells)}{frame}</svg>'
