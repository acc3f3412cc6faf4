"""Small programs, and what srcad prints for them: read the differences of these files as carefully as those of code."""
