"""An extension of Griffe, which reads docstrings for the documentation site: it hands them on as Markdown."""

from __future__ import annotations

from typing import Any

import griffe

from srcad.tools.docstring_markdown import markdown_of


class Docstrings(griffe.Extension):
    """Docstrings become Markdown when they are read."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Replace the docstring of a module, class, function or attribute."""
        if obj.docstring is not None:
            obj.docstring.value = markdown_of(obj.docstring.value)
