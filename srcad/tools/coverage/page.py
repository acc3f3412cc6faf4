"""The page on coverage: which functions of NumPy have which derivatives, by what became of calls of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from srcad.tools.coverage.calls import CALLS, OTHERS, WITHOUT_DERIVATIVE
from srcad.tools.coverage.trials import COLUMNS, NO, NONE, YES, Outcome

_INTRODUCTION = """\
# Coverage of NumPy

What srcad differentiates of NumPy, found by trying: each call below is differentiated at a point, and the result is
compared with central differences (`python -m srcad.tools.coverage > docs/coverage.md`). The columns:

- **reverse**, **tangent**: the gradient, and the derivative in a direction;
- **second order**: the product of the Hessian with a vector;
- **compiled**: the gradient is compiled, nothing of it runs as Python;
- **complex**: the gradient by complex arguments (`-`: NumPy itself has none, or the function is one of real numbers);
- **float32**: single-precision arguments have single-precision gradients.

A cell says `yes` if all calls of the function pass, else how many of them. **autograd** and **JAX** say whether these
libraries differentiate all (`yes`), some, or none of the same calls.
"""


def page(found: Mapping[str, Sequence[Outcome]]) -> str:
    """The page for these outcomes."""
    parts = [_INTRODUCTION, *_counts(found), "\n## Functions\n", *_table(found)]
    problems = list(_problems(found))
    if problems:
        parts += ["\n## What is refused, or runs uncompiled\n", *problems]
    left = [name for name in CALLS if name not in found]
    if left:
        parts += ["\n## Not tried for this page\n", ", ".join(f"`{name}`" for name in left) + "."]
    parts += ["\n## Without a derivative in any sense\n", *_without()]
    return "\n".join(parts) + "\n"


def _counts(found: Mapping[str, Sequence[Outcome]]) -> Iterator[str]:
    calls = [each for outcomes in found.values() for each in outcomes]
    yield f"{len(found)} functions and methods, {len(calls)} calls.\n"
    yield "| | all calls pass | some pass | calls that pass |\n|---|---|---|---|"
    for column in COLUMNS:
        rows = [[each.columns[column] for each in outcomes] for outcomes in found.values()]
        whole = sum(NO not in row for row in rows)
        some = sum(NO in row and set(row) != {NO} for row in rows)
        passed = sum(each.columns[column] == YES for each in calls)
        possible = sum(each.columns[column] != NONE for each in calls)
        yield f"| {column} | {whole} | {some} | {passed} of {possible} |"
    for library, texts in OTHERS.items():
        both = sum(each.text in texts for each in calls)
        missing = [each.text for each in calls if each.text in texts and each.columns["reverse"] == NO]
        listed = f" ({', '.join(f'`{each}`' for each in missing)})" if missing else ""
        yield f"| {library} | | | {both}; of these {len(missing)} are refused here{listed} |"


def _table(found: Mapping[str, Sequence[Outcome]]) -> Iterator[str]:
    titles = (*COLUMNS, *OTHERS)
    yield f"| function | {' | '.join(titles)} |\n|---|{'---|' * len(titles)}"
    for name, outcomes in found.items():
        cells = [_cell([each.columns[column] for each in outcomes]) for column in COLUMNS]
        cells += [_cell([YES if each.text in texts else NO for each in outcomes]) for texts in OTHERS.values()]
        yield f"| `{name}` | {' | '.join(cells)} |"


def _cell(words: Sequence[str]) -> str:
    """How many of the calls pass.

    >>> _cell(["yes", "yes"]), _cell(["yes", "no", "-"]), _cell(["-"]), _cell(["no"])
    ('yes', '1 of 2', '-', 'no')
    """
    asked = [each for each in words if each != NONE]
    passed = asked.count(YES)
    if not asked:
        return NONE
    return YES if passed == len(asked) else NO if not passed else f"{passed} of {len(asked)}"


def _problems(found: Mapping[str, Sequence[Outcome]]) -> Iterator[str]:
    yield "| call | not | why |\n|---|---|---|"
    for outcomes in found.values():
        for each in outcomes:
            columns = [column for column, word in each.columns.items() if word == NO]
            if columns:
                yield f"| `{each.text}` | {', '.join(columns)} | {each.problem.replace('|', '&#124;')} |"


def _without() -> Iterator[str]:
    for reason, names in WITHOUT_DERIVATIVE.items():
        yield f"- {reason}: {', '.join(f'`{name}`' for name in names.split())}."
