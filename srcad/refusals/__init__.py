"""Everything that the compiler refuses, in one table: construct, message, way out, and an example.

A module raises `GENERATOR.at(place)`, or `UNDEFINED_NAME.at(place, name=name)` where the message has open fields; the
text is here and nowhere else. `docs/limitations.md` is generated from these rows: each example is run, and the message
that it gives is printed. To add a refusal, add a row to the module of its theme.
"""
