"""What a statement reads and writes, names and memory, is what the table in the docstring of the module says."""

import gast
import pytest

from srcad.transforms.ir.side_effects import all_written, changed_in, changed_memory, is_effect, reads, stored_in

# For each statement: the names that it stores, the variables that it reads, and the arrays that it writes to.
STATEMENTS = {
    "a = x[i]": ("a", "ix", ""),
    "a[i] = x": ("", "aix", "a"),
    "a[i, j:k] += x": ("", "aijkx", "a"),
    "a[i][j] = x": ("", "aijx", "a"),
    "a += x": ("a", "ax", "a"),
    "a, b = t": ("ab", "t", ""),
    "kept.d.append(x)": ("", "kept x", "kept x"),
    "k.append(x)": ("", "kx", "k"),
    "kernels.scatter_add(a, i, x)": ("", "aix kernels", "a"),
    "kernels.add_to(a, x)": ("", "ax kernels", "ax kernels"),
    "unknown(a, x)": ("", "ax unknown", "ax unknown"),
    "for i in range(n): a = i": ("i", "n range", ""),
    "if c: a = x": ("", "c", ""),
    "while c: a = x": ("", "c", ""),
    "return a, b": ("", "ab", ""),
}


def names(text):
    """Single letters are names of their own, words as well."""
    return {name for word in text.split() for name in ([word] if word in WORDS else word)}


WORDS = {"kept", "kernels", "unknown", "range"}


@pytest.mark.parametrize("text", STATEMENTS)
def test_a_statement_reads_and_writes(text):
    statement = gast.parse(text).body[0]
    found = set(all_written(statement)), set(reads(statement)), set(changed_memory(statement))
    assert found == tuple(map(names, STATEMENTS[text]))


def test_blocks_are_looked_into():
    block = gast.parse("for i in range(n):\n    if c:\n        a[i] = x\n    else:\n        b = x\n").body
    assert (stored_in(block), changed_in(block)) == ({"i", "b"}, {"a"})


@pytest.mark.parametrize("text", ["return a", "assert a", "raise a", "print(a)", "unknown(a, x)"])
def test_effects_are_kept(text):
    assert is_effect(gast.parse(text).body[0])


@pytest.mark.parametrize("text", ["a = x", "a[0] = x", "k.append(x)", "kernels.scatter_add(a, i, x)"])
def test_what_only_changes_names_and_memory_is_no_effect(text):
    assert not is_effect(gast.parse(text).body[0])
