"""A trace is read by the reverse function that was made for it, whatever has been made since."""

from srcad.runtime.jit.uncompiled_trace import Kept, keeping


def test_a_kept_trace_goes_to_its_own_reverse_function():
    value, kept = keeping((1.5, "trace"), lambda *given: given)
    assert value == 1.5
    assert isinstance(kept, Kept)
    assert kept.pull(("x", "y"), "bar") == ("x", "y", "trace", "bar")
