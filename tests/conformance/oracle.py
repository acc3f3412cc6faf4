"""Writes `expected.json`: what the cases do under TensorFlow, to be run where that is installed.

    python -m tests.conformance.oracle [--check]

Python's floats are double precision on both sides, so that the numbers can be compared closely.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

EXPECTED = Path(__file__).with_name("expected.json")


def in_double(value: Any, dtype: Any, tf: Any) -> Any:
    """The dtype of a new tensor."""
    import numpy as np

    if dtype is not None or tf.is_tensor(value) or isinstance(value, (np.ndarray, np.generic)):
        return dtype
    kind = np.asarray(value() if callable(value) else value).dtype.kind if not has_tensors(value, tf) else "O"
    return tf.float64 if kind == "f" else None


def has_tensors(value: Any, tf: Any) -> bool:
    """Whether there are tensors inside a list."""
    if isinstance(value, (list, tuple)):
        return any(has_tensors(each, tf) for each in value)
    return bool(tf.is_tensor(value)) or hasattr(value, "assign")


class Double:
    """TensorFlow, in double precision."""

    def __init__(self, tf: Any) -> None:
        self._tf = tf

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tf, name)

    def constant(self, value: Any, dtype: Any = None, **keywords: Any) -> Any:
        return self._tf.constant(value, in_double(value, dtype, self._tf), **keywords)

    def Variable(self, initial_value: Any = None, *arguments: Any, dtype: Any = None, **keywords: Any) -> Any:
        if initial_value is not None:
            dtype = in_double(initial_value, dtype, self._tf)
        return self._tf.Variable(initial_value, *arguments, dtype=dtype, **keywords)

    def convert_to_tensor(self, value: Any, dtype: Any = None, **keywords: Any) -> Any:
        return self._tf.convert_to_tensor(value, in_double(value, dtype, self._tf), **keywords)


def main() -> None:
    """Run all cases."""
    import tensorflow as tf

    from tests.conformance.outcome import agree, outcome
    from tests.conformance.tables import CASES

    tf.get_logger().setLevel("ERROR")
    library = Double(tf)
    found = {name: outcome(case, library) for name, case in CASES.items()}
    if "--check" in sys.argv:
        held = json.loads(EXPECTED.read_text())
        assert list(held) == list(found), "the cases are others"
        assert all(agree(found[name], held[name]) for name in found), "an outcome is another"
        return
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in found.items())
    EXPECTED.write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main()
