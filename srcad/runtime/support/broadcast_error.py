"""The error that generated code raises if arrays broadcast although it was generated for arrays of equal shapes."""


class Widens(ValueError):
    """Arrays broadcast in a function that was generated for arrays that do not."""
