"""For each kind of call a function that computes and records it, written out: nothing is asked that the plan knows.

Of `np.maximum` with a tensor and an array, for instance, it is

    def call(a, b):
        value = compute(a._value, b)
        if type(value) is not ndarray and not isinstance(value, generic):
            return otherwise((a, b), {})
        result = new(Tensor)
        result._value = value
        result._identity = identity = next_identity()
        entry = None
        for tape in active.tapes:
            known = tape.known
            if a._identity in known:
                if entry is None:
                    if value.dtype.kind not in "fc":
                        return recorded(plan, (a, b), {}, result)
                    if a._value.size >= LARGE or b.size >= LARGE:
                        entry = entry_of(plan, (a, b), {}, result)
                    else:
                        entry = (plan, (a, b.copy()), result, {})
                tape.entries.append(entry)
                known.add(identity)
            elif tape.cuts:
                note_behind_cut(tape, primitive, (a, b), (result,))
        return result
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from srcad.runtime.active import active
from srcad.runtime.composed import check_accepted
from srcad.runtime.entries import MOST, Entries
from srcad.runtime.explain import note_behind_cut
from srcad.runtime.keep import LARGE, contents, shell, unshared
from srcad.runtime.packing import without_variables
from srcad.runtime.plans import DEFINED, READS, Plan
from srcad.runtime.reading import kind_read, lines_of_reading
from srcad.runtime.several import has_several, several
from srcad.runtime.stacks import OF_MATRICES
from srcad.runtime.template import primitive_name
from srcad.runtime.tensor import Tensor, next_identity

# (primitive, types of arguments, names and types of keywords) -> the function for such calls
written: dict[Hashable, Callable[..., Any]] = {}

_MOST = 4096  # functions that are remembered
_PARTS = frozenset((np.ndarray, np.float64, float, int))  # of lists that are joined, besides tensors


def write(
    key: tuple[Any, ...], plan: Plan, arguments: Sequence[Any], keywords: Mapping[str, Any], **others: Any
) -> None:
    """Write the function for the calls of a kind whose plan is settled, and enter it in `written`.

    `others` are `otherwise(arguments, keywords)`, for a call that turns out to be of no such kind, and
    `recorded(plan, arguments, keywords, result)`, for results that are not real or complex numbers, and with the same
    arguments `entry_of`, for large arrays, and `cut`, for results that a derivative does not lead to.
    """
    if len(arguments) > MOST:
        return
    if len(written) >= _MOST:
        written.clear()
    lines = _Lines(plan, [type(each) for each in arguments], keywords)
    if converts(plan):
        written[key] = _made(lines.converting(), plan, others)
    elif plan.way != READS:
        is_meaning = plan.kind == DEFINED and not plan.composed
        written[key] = _made(lines.meaning() if is_meaning else lines.call(), plan, others)
    elif kind := kind_read(key, arguments, keywords):
        body = lines_of_reading(lines.of, lines.handed)
        space = {"kind": kind, "written": written, "without_variables": without_variables}
        written[key] = _made([lines.head(), *body], plan, {**others, **space})


def converts(plan: Plan) -> bool:
    """Whether each list among the arguments stands for an array, unless there are tensors in it."""
    return plan.operands is not None and plan.operands.issuperset(plan.nested) and plan.way != READS


def _made(lines: list[str], plan: Plan, others: Mapping[str, Any]) -> Callable[..., Any]:
    """The function of these lines, its source known to tracebacks and debuggers."""
    text = "\n    ".join(lines) + "\n"
    name = primitive_name(plan.primitive)
    file = f"<srcad call {name} {len(linecache.cache)}>"
    space: dict[str, Any] = {
        "LARGE": LARGE,
        "PARTS": _PARTS,
        "Tensor": Tensor,
        "active": active,
        "asarray": np.asarray,
        "check_accepted": check_accepted,
        "compute": plan.compute,
        "contents": contents,
        "generic": np.generic,
        "ndarray": np.ndarray,
        "has_several": has_several,
        "new": object.__new__,
        "next_identity": next_identity,
        "note_behind_cut": note_behind_cut,
        "plan": plan,
        "primitive": plan.primitive,
        "several": several,
        "shell": shell,
        "kind": plan.several,
        "unshared": unshared,
        **others,
    }
    exec(compile(text, file, "exec"), space)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    return space["call"]  # type: ignore[no-any-return]


class _Lines(Entries):
    """The lines of a function for one kind of call."""

    def head(self) -> str:
        """The first line."""
        return f"def call({', '.join(self.names)}{self.handed}):"

    def meaning(self) -> list[str]:
        """For a function that means another: that, if a tape follows an argument."""
        return [
            self.head(),
            *self._stacks(),
            *self._if_followed(self.meant),
            f"return otherwise({self.arguments}, {self.keywords})",
        ]

    def converting(self) -> list[str]:
        """For a function with lists that stand for arrays: the call with these."""
        nested = [self.names[place] for place in self.plan.nested]
        given = [f"asarray({name})" if name in nested else name for name in self.names]
        return [
            self.head(),
            f"if {' or '.join(f'contents({name}) > 1' for name in nested)}:",
            f"    return otherwise({self.arguments}, {self.keywords})",
            f"return apply(primitive, ({', '.join(given)},), {self.keywords})",
        ]

    def call(self) -> list[str]:
        """For a function with a rule, or without a derivative."""
        computed = [
            self.head(),
            *self._stacks(),
            *self._expansion(),
            *self._of_complex(),
            *self._guards(),
            f"value = compute({', '.join(map(self._value, self.names))}{self.handed})",
        ]
        cut = f"        return cut(plan, {self.arguments}, {self.keywords}, result)"
        operands = f"plan.inputs({self.arguments})" if self.list else self.arguments
        if self.plan.several:
            return [*computed, *self._several()]
        return [
            *computed,
            "if type(value) is not ndarray and not isinstance(value, generic):",
            f"    return otherwise({self.arguments}, {self.keywords})",
            "result = new(Tensor)",
            "result._value = value",
            "result._identity = identity = next_identity()",
            "entry = None",
            "for tape in active.tapes:",
            "    known = tape.known",
            f"    if {self._is_known()}:",
            *(["        if entry is None:", *self._entry()] if self.is_recorded else [cut]),
            "        tape.entries.append(entry)",
            "        known.add(identity)",
            "    elif tape.cuts:",
            f"        note_behind_cut(tape, primitive, {operands}, (result,))",
            "return result",
        ]

    def _several(self) -> list[str]:
        """What follows where the result is a tuple."""
        known = self._is_accepted() if self.plan.refuses else self._are_ranks_known()
        return [
            "if type(value) is not kind or not (value[0].dtype.kind in 'fc' or has_several(plan, value)):",
            f"    return otherwise({self.arguments}, {self.keywords})",
            f"return several(plan, {self.arguments}, {self.keywords}, value, {known})",
        ]

    def _stacks(self) -> list[str]:
        """A function of matrices may be given stacks of them."""
        if self.plan.primitive not in OF_MATRICES or not self.arrays:
            return []
        tests = " or ".join(f"{self._value(name)}.ndim > 2" for name in self.arrays)
        return [f"if {tests}:", f"    return otherwise({self.arguments}, {self.keywords})"]

    def _expansion(self) -> list[str]:
        """A function that is defined by others is these where it is run for its derivative."""
        return ["if active.expansions:", f"    return {self.meant}"] if self.plan.composed else []

    def _of_complex(self) -> list[str]:
        """Of complex numbers, what the function means there, if a tape follows an argument."""
        if self.plan.for_complex is None or not self.is_recorded:
            return []
        lines = self._if_followed(f"plan.for_complex({', '.join(self.names)}{self.handed})")
        tests = " or ".join(f"{self._value(name)}.dtype.kind == 'c'" for name in self.arrays)
        return [f"if {tests}:", *[f"    {line}" for line in lines]]

    def _if_followed(self, returned: str) -> list[str]:
        """What is returned if a tape follows an argument."""
        test = f"    if {self._is_known()}:"
        return ["for tape in active.tapes:", "    known = tape.known", test, f"        return {returned}"]

    def _guards(self) -> list[str]:
        """Lists and tuples may hold what has to be looked at."""
        lines = []
        for place in self.plan.nested:
            name = self.names[place]
            if name == self.list:
                lines += self._parts()
                continue
            lines.append(f"held_{name} = contents({name})")
            lines.append(f"if held_{name} > 1:")
            lines.append(f"    return otherwise({self.arguments}, {self.keywords})")
        if self.keywords != "{}":
            for name in self.tuples:
                lines.append(f"if contents(keywords[{name!r}]):")
                lines.append(f"    return otherwise({self.arguments}, {self.keywords})")
        return lines

    def _parts(self) -> list[str]:
        """The values in a list that is joined, the identities of tensors, and whether there are arrays."""
        others = ", ".join(f"{name}._identity" for name, kind in self.of.items() if kind is Tensor)
        return [
            f"values, read, theirs = [], [{others}], False",
            f"for each in {self.list}:",
            "    kind = type(each)",
            "    if kind is Tensor:",
            "        values.append(each._value)",
            "        read.append(each._identity)",
            "    elif kind in PARTS:",
            "        values.append(each)",
            "        theirs = theirs or kind is ndarray",
            "    else:",
            f"        return otherwise({self.arguments}, {self.keywords})",
        ]

    def _is_known(self) -> str:
        if self.list:
            return "not known.isdisjoint(read)"
        return " or ".join(f"{name}._identity in known" for name, kind in self.of.items() if kind is Tensor) or "False"
