"""What a case did, in a form that can be written down and compared: numbers, structures, names of exceptions."""

from typing import Any

import numpy as np

BUILTIN = (
    *(TypeError, NotImplementedError, RuntimeError, AttributeError, IndexError, KeyError, ZeroDivisionError),
    *(AssertionError, LookupError, ValueError),
)


def outcome(case: Any, library: Any) -> Any:
    """What a case returns, or which of Python's exceptions it raises; with no names, one of a library's own."""
    try:
        return plain(case(library))
    except Exception as error:  # noqa: BLE001 - that is what is compared
        return {"raises": [each.__name__ for each in BUILTIN if isinstance(error, each)]}


def plain(result: Any) -> Any:
    """Lists, dictionaries, numbers, strings and None in place of everything else."""
    if result is None or isinstance(result, (bool, int, str)):
        return result
    if isinstance(result, dict):
        return {str(key): plain(value) for key, value in result.items()}
    if isinstance(result, (list, tuple)) and not hasattr(result, "dtype"):
        return [plain(each) for each in result]
    if isinstance(result, np.dtype):
        return result.name
    array = np.asarray(result)
    if array.dtype.kind == "c":
        return {"complex": _rounded(np.stack([array.real, array.imag], -1))}
    if array.dtype == object:
        return str(result)
    return _rounded(array)


def _rounded(array: Any) -> Any:
    if array.dtype.kind == "f":
        return _finite(np.vectorize(lambda x: float(f"{x:.9g}"), otypes=[float])(array).tolist())
    return array.tolist()


def _finite(value: Any) -> Any:
    """JSON has no infinities."""
    if isinstance(value, list):
        return [_finite(each) for each in value]
    return value if np.isfinite(value) else str(value)


def agree(found: Any, expected: Any) -> bool:
    """Whether an outcome is the expected one: numbers to within rounding, all else exactly."""
    if isinstance(expected, dict) and "raises" in expected:
        return isinstance(found, dict) and "raises" in found and set(expected["raises"]) <= set(found["raises"])
    if isinstance(expected, dict) and isinstance(found, dict):
        return list(expected) == list(found) and all(agree(found[key], expected[key]) for key in expected)
    if isinstance(expected, list) and isinstance(found, list):
        return len(found) == len(expected) and all(map(agree, found, expected))
    if isinstance(expected, bool) or isinstance(found, bool):
        return found is expected
    if isinstance(expected, (int, float)) and isinstance(found, (int, float)):
        return bool(np.isclose(found, expected, rtol=1e-7, atol=1e-9))
    return bool(found == expected)
