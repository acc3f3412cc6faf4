"""What functions that are written for a kind of call record: the lines that make an entry of the tape.

if (a._value.ndim, b.ndim) not in plan.ranks:
plan.check_ranks((a._value, b))
if a._value.size >= LARGE or b.size >= LARGE:
entry = entry_of(plan, (a, b), {}, result)
else:
entry = (plan, (a, b.copy()), result if value.size < LARGE or active.accumulations else shell(result), {})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from srcad.runtime.keep import what_is_read
from srcad.runtime.plans import RULED, Plan
from srcad.runtime.tensor import Tensor

_HASHED = frozenset((Tensor, np.ndarray, np.float64, np.int64, float, int, bool, str, type(None)))
_LETTERS = "abcdefghijklm"
MOST = len(_LETTERS)  # arguments


class Entries:
    """The lines that make an entry, for one kind of call; values of arrays and lists have been looked at before."""

    def __init__(self, plan: Plan, kinds: Sequence[type], keywords: Mapping[str, Any]) -> None:
        self.plan = plan
        self.names = _LETTERS[: len(kinds)]
        self.of = dict(zip(self.names, kinds, strict=True))
        self.arguments = f"({', '.join(self.names)},)"
        self.keywords = "keywords" if keywords else "{}"
        self.handed = ", **keywords" if keywords else ""
        self.named = [type(value) for value in keywords.values()]
        self.tuples = [name for name, value in keywords.items() if type(value) is tuple]
        self.arrays = [name for name, kind in self.of.items() if kind in (Tensor, np.ndarray)]
        self.meant = f"plan.meaning({', '.join(self.names)}{self.handed})"
        self.list = self.names[plan.list_at] if plan.joins else ""
        self.is_recorded = plan.kind == RULED or plan.composed

    def _value(self, name: str) -> str:
        if name == self.list:
            return "values"
        return f"{name}._value" if self.of[name] is Tensor else name

    def _entry(self) -> list[str]:
        plan, lines = self.plan, []
        if plan.composed or plan.refuses is not None:
            lines += self._acceptance()
        sizes = [f"{self._value(name)}.size" for name in self.arrays]
        large = " or ".join(f"{size} >= LARGE" for size in [*sizes, *(["value.size"] if self.list else [])])
        handed = f"plan, {self.arguments}, {self.keywords}, result"
        lines += ["if value.dtype.kind not in 'fc':", f"    return recorded({handed})", *self._ranks()]
        held = ", ".join(self._held(name) for name in self.names[: plan.count]) + ","
        stated = self.keywords
        if plan.stated is not None:
            stated = "{" + ", ".join(f"{name!r}: keywords[{name!r}]" for name in plan.stated) + "}"
        lines += [f"if {large}:", f"    entry = entry_of({handed})"]
        lines += ["else:", f"    entry = (plan, ({held}), {self._result()}, {stated})"]
        return [" " * 12 + line for line in lines]

    def _result(self) -> str:
        """The result, without its elements if they are many and nobody is going to read them."""
        plan = self.plan
        if self.list:
            return "result"
        if not plan.composed:
            reads = what_is_read(plan.primitive, plan.count)
            if reads is None or -1 in reads:
                return "result"
        return "result if value.size < LARGE or active.accumulations else shell(result)"

    def _ranks(self) -> list[str]:
        """A look at whether a rule is known for the ranks."""
        check = f"plan.check_ranks(({', '.join(map(self._value, self.names))},))"
        return [] if self.plan.ranks is None else [f"if not {self._are_ranks_known()}:", f"    {check}"]

    def _are_ranks_known(self) -> str:
        """The test for that, of arrays without asking for what else rules may want; others are looked at each time."""
        if self.plan.ranks is None or not {Tensor, np.ndarray}.issuperset(self.of.values()):
            return str(self.plan.ranks is None)
        return f"({', '.join(f'{self._value(name)}.ndim' for name in self.names)},) in plan.ranks"

    def _acceptance(self) -> list[str]:
        """A look at whether the definition is known to run; of lists and the like the function that asks finds out."""
        return [f"if not {self._is_accepted()}:", f"    check_accepted(plan, {self.arguments}, {self.keywords}, value)"]

    def _is_accepted(self) -> str:
        """The test whether the definition is known to run, where an expression can tell."""
        if not _HASHED.issuperset(self.of.values()) or not (_HASHED - {np.ndarray}).issuperset(self.named):
            return "False"
        facts = [f"{self._value(name)}.shape" if name in self.arrays else name for name in self.names]
        facts += ["*keywords.values()"] if self.named else []
        return f"({', '.join(facts)},) in plan.accepted"

    def _held(self, name: str) -> str:
        kind = self.of[name]
        if kind is np.ndarray:
            return f"{name}.copy()"
        if name == self.list:
            return f"([each.copy() if type(each) is ndarray else each for each in {name}] if theirs else [*{name}])"
        if kind is tuple:
            return f"(unshared({name}) if held_{name} else {name})"
        return f"unshared({name})" if kind in (list, tuple) else name
