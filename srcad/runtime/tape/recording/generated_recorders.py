"""Tier 2 of recording: for each kind of call, generate a function that computes and records such calls.

The kind of a call is its primitive with the types of its arguments and keywords. The generated function leaves out
every test whose outcome the plan of the kind already determines. For `np.maximum` with a tensor and an array, for
instance, it is

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

For calls with variables the function reads these, and calls the function for tensors. For `np.sin` of a variable it is

    def call(a):
        a = a._read()
        function = written.get(kind)
        return function(a) if function else otherwise((a,), {})

`Entries` makes the lines of the entry, `_Lines` those around them, `write` compiles the function.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.runtime.support.nested_structures import is_nested
from srcad.runtime.tape.active_recordings import active
from srcad.runtime.tape.recording.call_plans import DEFINED, READS, RULED, Plan
from srcad.runtime.tape.recording.composed_calls import check_accepted
from srcad.runtime.tape.recording.multiple_results import has_several, several
from srcad.runtime.tape.recording.retention import LARGE, contents, shell, unshared, what_is_read
from srcad.runtime.tape.recording.stacked_linalg import OF_MATRICES
from srcad.runtime.tape.values.list_stacking import without_variables
from srcad.runtime.tape.values.tensor import Tensor, next_identity
from srcad.runtime.tape.values.tensor_protocols import Readable
from srcad.runtime.tape.why_none import note_behind_cut

_HASHED = frozenset((Tensor, np.ndarray, np.float64, np.int64, float, int, bool, str, type(None)))
_LETTERS = "abcdefghijklm"
MOST = len(_LETTERS)  # the most arguments of a generated function


class Entries:
    """The lines that make an entry of the tape, for one kind of call. The contents of lists are checked before."""

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
        """The result, or an empty shell of its shape if it is large and the reverse does not read it."""
        plan = self.plan
        if self.list:
            return "result"
        if not plan.composed:
            reads = what_is_read(plan.primitive, plan.count)
            if reads is None or -1 in reads:
                return "result"
        return "result if value.size < LARGE or active.accumulations else shell(result)"

    def _ranks(self) -> list[str]:
        """The lines that check that a rule covers the ranks."""
        check = f"plan.check_ranks(({', '.join(map(self._value, self.names))},))"
        return [] if self.plan.ranks is None else [f"if not {self._are_ranks_known()}:", f"    {check}"]

    def _are_ranks_known(self) -> str:
        """The test whether these ranks were checked before; False for arguments whose ranks need a closer look."""
        if self.plan.ranks is None or not {Tensor, np.ndarray}.issuperset(self.of.values()):
            return str(self.plan.ranks is None)
        return f"({', '.join(f'{self._value(name)}.ndim' for name in self.names)},) in plan.ranks"

    def _acceptance(self) -> list[str]:
        """The lines that check that the definition runs; `check_accepted` itself examines lists and other values."""
        return [f"if not {self._is_accepted()}:", f"    check_accepted(plan, {self.arguments}, {self.keywords}, value)"]

    def _is_accepted(self) -> str:
        """The test whether the definition is known to run, or "False" if no expression can tell."""
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


def kind_read(key: tuple[Any, ...], arguments: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """The kind of the call with tensors in place of variables; None if there may be variables in keywords.

    >>> from srcad.runtime.tape.values.variable import Variable
    >>> kind_read(("sum", Variable, "axis", int), (Variable(1.0),), {"axis": 0})
    ('sum', <class 'srcad.runtime.tape.values.tensor.Tensor'>, 'axis', <class 'int'>)
    """
    if any(is_nested(each) or isinstance(each, Readable) for each in keywords.values()):
        return None
    kinds = [Tensor if isinstance(each, Readable) else type(each) for each in arguments]
    return (key[0], *kinds, *key[1 + len(kinds) :])


def lines_of_reading(kinds: Mapping[str, type], handed: str) -> list[str]:
    """The lines after the first of a function that reads variables; `handed` is how it passes its keywords."""
    given = ", ".join(kinds)
    return [
        *[f"{name} = {name}._read()" for name, kind in kinds.items() if issubclass(kind, Readable)],
        *[
            line
            for name, kind in kinds.items()
            if kind in (list, tuple)
            for line in (f"if contents({name}) > 1:", f"    {name} = without_variables({name})")
        ],
        "function = written.get(kind)",
        f"return function({given}{handed}) if function else otherwise(({given},), {'keywords' if handed else '{}'})",
    ]


# (primitive, types of arguments, names and types of keywords) -> the generated function for such calls
written: dict[Hashable, Callable[..., Any]] = {}

_MOST = 4096  # the most functions in the cache
_PARTS = frozenset((np.ndarray, np.float64, float, int))  # types of elements in joined lists, besides tensors


def write(
    key: tuple[Any, ...], plan: Plan, arguments: Sequence[Any], keywords: Mapping[str, Any], **others: Any
) -> None:
    """Generate the function for a kind of call whose plan is settled, and add it to `written`.

    `others` are functions that it may call: `otherwise(arguments, keywords)` for a call that turns out to be of another
    kind; and, with the arguments `(plan, arguments, keywords, result)`, `recorded` for results that are not real or
    complex, `entry_of` for large arrays, and `cut` for results without a derivative. `apply` is that of `dispatch`.
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
    """Whether each list among the arguments stands for an array, unless it holds tensors."""
    return plan.operands is not None and plan.operands.issuperset(plan.nested) and plan.way != READS


def _made(lines: list[str], plan: Plan, others: Mapping[str, Any]) -> Callable[..., Any]:
    """The function with these lines; its source is registered for tracebacks and debuggers."""
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
    """The lines of the generated function for one kind of call."""

    def head(self) -> str:
        """The first line."""
        return f"def call({', '.join(self.names)}{self.handed}):"

    def meaning(self) -> list[str]:
        """The lines for a function that is defined by others: the definition, if a tape follows an argument."""
        return [
            self.head(),
            *self._stacks(),
            *self._if_followed(self.meant),
            f"return otherwise({self.arguments}, {self.keywords})",
        ]

    def converting(self) -> list[str]:
        """The lines for a function with lists that stand for arrays: convert them and call `apply`."""
        nested = [self.names[place] for place in self.plan.nested]
        given = [f"asarray({name})" if name in nested else name for name in self.names]
        return [
            self.head(),
            f"if {' or '.join(f'contents({name}) > 1' for name in nested)}:",
            f"    return otherwise({self.arguments}, {self.keywords})",
            f"return apply(primitive, ({', '.join(given)},), {self.keywords})",
        ]

    def call(self) -> list[str]:
        """The lines for a function with a rule, or without a derivative."""
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
        """The last lines for a function that returns a tuple."""
        known = self._is_accepted() if self.plan.refuses else self._are_ranks_known()
        return [
            "if type(value) is not kind or not (value[0].dtype.kind in 'fc' or has_several(plan, value)):",
            f"    return otherwise({self.arguments}, {self.keywords})",
            f"return several(plan, {self.arguments}, {self.keywords}, value, {known})",
        ]

    def _stacks(self) -> list[str]:
        """The lines that leave stacks of matrices to `otherwise`, in a function of matrices."""
        if self.plan.primitive not in OF_MATRICES or not self.arrays:
            return []
        tests = " or ".join(f"{self._value(name)}.ndim > 2" for name in self.arrays)
        return [f"if {tests}:", f"    return otherwise({self.arguments}, {self.keywords})"]

    def _expansion(self) -> list[str]:
        """The lines that expand a composed function into its definition while a definition is being differentiated."""
        return ["if active.expansions:", f"    return {self.meant}"] if self.plan.composed else []

    def _of_complex(self) -> list[str]:
        """The lines that use another definition for complex numbers, if a tape follows an argument."""
        if self.plan.for_complex is None or not self.is_recorded:
            return []
        lines = self._if_followed(f"plan.for_complex({', '.join(self.names)}{self.handed})")
        tests = " or ".join(f"{self._value(name)}.dtype.kind == 'c'" for name in self.arrays)
        return [f"if {tests}:", *[f"    {line}" for line in lines]]

    def _if_followed(self, returned: str) -> list[str]:
        """The lines that return something if a tape follows an argument."""
        test = f"    if {self._is_known()}:"
        return ["for tape in active.tapes:", "    known = tape.known", test, f"        return {returned}"]

    def _guards(self) -> list[str]:
        """The lines that check the contents of lists and tuples."""
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
        """The lines that collect the values in a joined list, the identities of tensors, and if there are arrays."""
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
