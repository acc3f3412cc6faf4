"""From nodes back to adjoints: pullbacks, sweeps, batches of cotangents, higher order.

Input        the nodes of a recording, targets with cotangents, sources.
Output       adjoints of the sources.
Invariant    a node is read, never used up, so that a persistent tape can be asked again.
Elsewhere    `GradientTape.gradient`, which calls these (`runtime.tape.gradient_tape`).
"""
