"""What generated code raises where arrays broadcast that were taken to fit as they are."""


class Widens(ValueError):
    """Arrays broadcast in a function that was generated for arrays that do not."""
