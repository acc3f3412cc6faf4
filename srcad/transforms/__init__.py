"""From tree to tree, and from tree to facts: the passes and analyses between lowering and printing."""
