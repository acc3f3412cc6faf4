"""Parts of the printer: how tightly expressions bind, how they are written, where comments and blank lines go."""
