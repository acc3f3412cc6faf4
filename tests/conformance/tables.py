"""All cases, by the names of their files and their own."""

from tests.conformance import (
    arguments,
    corners,
    customs,
    follows,
    functions,
    jacobians,
    mixtures,
    numbers,
    operands,
    several,
    tapes,
    together,
    unwatched,
    variables,
    watching,
)

CASES = {
    f"{module.__name__.rpartition('.')[2]}: {name.replace('_', ' ')}": case
    for module in (
        tapes,
        watching,
        variables,
        jacobians,
        functions,
        corners,
        numbers,
        arguments,
        customs,
        operands,
        unwatched,
        mixtures,
        follows,
        together,
        several,
    )
    for name, case in module.case.items()
}
