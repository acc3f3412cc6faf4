"""A case: a function of a library that is TensorFlow, or stands in for it; its outcome is what it returns or raises."""

from collections.abc import Callable
from typing import Any

Case = Callable[[Any], Any]


class Cases(dict[str, Case]):
    """The cases of one file, by name."""

    def __call__(self, function: Case) -> Case:
        assert function.__name__ not in self, function.__name__
        self[function.__name__] = function
        return function
