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

    def recorded(self, name: str, value: Any, function: Any, ask: Any, persistent: bool = False) -> None:
        """A case of one `x`: what `ask(tape, x, y)` gives, of a tape that has watched `y = function(tf, x)`.

        `value` is what `tf.constant` makes `x` of, or a function that makes it: `value(tf)`.
        """

        def run(tf: Any) -> Any:
            x = value(tf) if callable(value) else tf.constant(value)
            with tf.GradientTape(persistent=persistent) as tape:
                tape.watch(x)
                y = function(tf, x)
            return ask(tape, x, y)

        self._add(name, run)

    def nested(self, name: str, value: Any, function: Any, ask: Any, ask_outer: Any) -> None:
        """The same of two tapes: the outer one records `slope = ask(tape, x, y)`, of which `ask_outer` then asks it."""

        def run(tf: Any) -> Any:
            x = value(tf) if callable(value) else tf.constant(value)
            with tf.GradientTape() as outer:
                outer.watch(x)
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = function(tf, x)
                slope = ask(tape, x, y)
            return ask_outer(outer, x, slope)

        self._add(name, run)

    def _add(self, name: str, run: Case) -> None:
        run.__name__ = name
        self(run)
