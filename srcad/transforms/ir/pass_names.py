"""Names of the choices that stages make from within, so that these can be left out: `unit.does(RECOMPUTATION)`.

The table of all passes is `srcad.driver.passes`; passes that the driver runs need a name here only where another stage
has to do something in their place.
"""

BROADCAST_ASSUMPTION = "broadcast_assumption"
ELEMENTWISE_FUSION = "elementwise_fusion"
FIRST_ASSIGNMENT = "first_assignment"
INDUCTION_VARIABLES = "induction_variables"
ITERATION_LOCAL_REVERSAL = "iteration_local_reversal"
LOOP_FUSION = "loop_fusion"
LOOP_ORDER = "loop_order"
MEMORY_SCOPES = "memory_scopes"
PREALLOCATED_TRACES = "preallocated_traces"
RECOMPUTATION = "recomputation"
SCATTER_TO_GATHER = "scatter_to_gather"
ZERO_GUARDS = "zero_guards"
