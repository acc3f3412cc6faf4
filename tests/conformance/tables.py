"""All cases, by the names of their files and their own."""

from tests.conformance import corners, functions, jacobians, numbers, tapes, variables, watching

CASES = {
    f"{module.__name__.rpartition('.')[2]}: {name.replace('_', ' ')}": case
    for module in (tapes, watching, variables, jacobians, functions, corners, numbers)
    for name, case in module.case.items()
}
