"""Programs written as users write them, each a source of gradients to be checked."""
