"""The errors that generated code raises for what it was generated without, upon which other code runs."""


class Widens(ValueError):
    """Arrays broadcast, or a loop is not entered, in a function that was generated for others."""


class LeavesIntegers(OverflowError):
    """An integer has left the 64 bits of compiled code; without it, Python's go on, and NumPy's wrap around."""
