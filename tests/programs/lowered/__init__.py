"""Functions whose every step can be seen, which lowering must leave as they are."""
