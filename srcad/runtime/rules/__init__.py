"""The derivative rules, one table per family. Importing this package registers all of them.

Input        the names of `runtime.rulebook`.
Output       nothing: rules are found again by `runtime.rulebook.registry`.
Invariant    each partial derivative is written once; a comment says where a formula stops holding.
Elsewhere    kernels that formulas call (`runtime.kernels`).
"""

from srcad.runtime.rules import (
    array_api_names,
    complex_numbers,
    composed_definitions,
    counting_and_selection,
    decompositions,
    elementwise,
    fourier,
    further_arguments,
    further_keywords,
    grids_and_sets,
    higher_order,
    insertions,
    item_assignment,
    linalg,
    mutating_functions,
    nest_broadcasting,
    numpy_polynomials,
    operators,
    order_statistics,
    random_numbers,
    reductions,
    rule_results,
    shape_functions,
    special_functions,
    tape_only,
)

__all__ = [
    "array_api_names",
    "complex_numbers",
    "composed_definitions",
    "counting_and_selection",
    "decompositions",
    "elementwise",
    "fourier",
    "further_arguments",
    "further_keywords",
    "grids_and_sets",
    "higher_order",
    "insertions",
    "item_assignment",
    "linalg",
    "mutating_functions",
    "nest_broadcasting",
    "numpy_polynomials",
    "operators",
    "order_statistics",
    "random_numbers",
    "reductions",
    "rule_results",
    "shape_functions",
    "special_functions",
    "tape_only",
]
