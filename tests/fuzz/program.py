"""A program: the text of a module, and arguments for its function `program`."""

import functools
import linecache
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any


@dataclass(frozen=True)
class Program:
    """The text of a module with a function `program`, what to call it with, whether second derivatives are finite."""

    text: str
    arguments: tuple[Any, ...]
    is_smooth: bool = True

    @functools.cached_property
    def function(self) -> Callable[..., Any]:
        """The function, with a source that can be found."""
        return function_of(self.text)


def function_of(text: str, **replaced: Any) -> Callable[..., Any]:
    """The function `program` of a text; `replaced` are names that get other values than those that the text gives."""
    name = f"<random {hash(text)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    module = ModuleType(re.sub(r"\W", "_", name))
    sys.modules[module.__name__] = module  # where a dataclass looks for its module
    exec(compile(text, name, "exec"), module.__dict__)
    module.__dict__.update(replaced)
    return module.__dict__["program"]
