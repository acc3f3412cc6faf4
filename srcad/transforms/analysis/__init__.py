"""Facts about core form before it is differentiated: positions, liveness, aliases, dependences, activity.

Input        a `Unit` with types.
Output       frozen facts, gathered in `program_facts.Program` for differentiation.
Invariant    facts are functions of an unchanging unit, so they never go stale; what is not proved counts as
             false.
Elsewhere    facts about generated code (`loop_analysis`).
"""
