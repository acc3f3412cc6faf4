"""The error that generated code raises for what it was generated without: arrays that broadcast, or idle loops."""


class Widens(ValueError):
    """Arrays broadcast, or a loop is not entered, in a function that was generated for others."""
