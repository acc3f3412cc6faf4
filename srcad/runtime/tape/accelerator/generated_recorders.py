"""For each kind of call, generate a function that computes and records such calls.

The kind of a call is its primitive with the types of its arguments and keywords. The generated function leaves out
every test whose outcome the plan of the kind already determines. For `np.maximum` with a tensor and an array, for
instance, it is

    def call(a, b):
        value = compute(a._value, b)
        if type(value) is not ndarray and not isinstance(value, generic):
            return otherwise((a, b,), {})
        result = new(Tensor)
        result._value = value
        result._identity = next_identity()
        node = None
        for tape in active.tapes:
            if a._identity in tape.known:
                if node is None:
                    if tape.departures is not None or value.dtype.kind not in 'fc' or a._value.size >= LARGE or ...:
                        return recorded(plan, (a, b,), {}, result)
                    node = PrimitiveCall(plan, (a, b.copy(),), result, {})
                elif tape.departures is not None:
                    check_return((tape,), primitive, (a, b,), {})
                tape.append(node)
            elif tape.cuts:
                tape.note_cut(primitive, (a._identity,), (result,), None)
        return result

For calls with variables the function reads these. For `np.sin` of a variable it is

    def call(a):
        return apply(primitive, (a._read(),), {})

Other kinds have no function: those with lists, with several results, and functions that are defined by others.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.runtime.support.untracked_conversions import check_return
from srcad.runtime.tape.core.active_recordings import active
from srcad.runtime.tape.core.operand import Readable
from srcad.runtime.tape.core.tensor import Tensor, next_identity
from srcad.runtime.tape.recording.call_plans import DEFINED, READS, RULED, Plan, plans
from srcad.runtime.tape.recording.dispatch import apply, apply_by_plan, recorded, shortcuts
from srcad.runtime.tape.recording.primitive_call import PrimitiveCall
from srcad.runtime.tape.recording.retention import LARGE, contents

_LETTERS = "abcdefghijklm"
_MOST = 4096  # the most functions that are remembered


def write(key: tuple[Any, ...], plan: Plan, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
    """Generate the function for a kind of call whose plan is settled, if it is covered."""
    kinds = dict(zip(_LETTERS, map(type, arguments), strict=False))
    if len(kinds) < len(arguments) or not _is_covered(plan, [*kinds.values()], keywords):
        return
    if len(shortcuts) >= _MOST:
        plans.clear()
        shortcuts.clear()
    lines = _reading(kinds, keywords) if plan.way == READS else _recording(plan, kinds, keywords)
    shortcuts[key] = _made(lines, key, plan)


def _is_covered(plan: Plan, kinds: Sequence[type], keywords: Mapping[str, Any]) -> bool:
    named = [type(each) for each in keywords.values()]
    if list in (*kinds, *named):
        return False
    if plan.way == READS:
        return tuple not in kinds and not any(issubclass(each, (Readable, tuple)) for each in named)
    if plan.joins or plan.several or plan.composed or plan.of_matrices or plan.kind == DEFINED or plan.refuses:
        return False
    return Tensor in kinds and not (plan.operands or frozenset()).intersection(plan.nested)


def _head(kinds: Mapping[str, type], keywords: Mapping[str, Any]) -> str:
    return f"def call({', '.join(kinds)}{', **keywords' if keywords else ''}):"


def _reading(kinds: Mapping[str, type], keywords: Mapping[str, Any]) -> list[str]:
    """The lines for a kind of call with variables."""
    given = "".join(f"{name}._read(), " if issubclass(kind, Readable) else f"{name}, " for name, kind in kinds.items())
    return [_head(kinds, keywords), f"return apply(primitive, ({given}), {'keywords' if keywords else '{}'})"]


def _recording(plan: Plan, kinds: Mapping[str, type], keywords: Mapping[str, Any]) -> list[str]:
    """The lines for a kind of call with tensors."""
    tensors = [name for name, kind in kinds.items() if kind is Tensor]
    values = {name: f"{name}._value" if kind is Tensor else name for name, kind in kinds.items()}
    sizes = ["value", *[values[name] for name, kind in kinds.items() if kind in (Tensor, np.ndarray)]]
    held = "".join(f"{name}.copy(), " if kind is np.ndarray else f"{name}, " for name, kind in kinds.items())
    named = "keywords" if keywords else "{}"
    call = f"({''.join(f'{name}, ' for name in kinds)}), {named}"
    handed = f"{', '.join(values.values())}{', **keywords' if keywords else ''}"
    lines = [_head(kinds, keywords)]
    if guards := _guards(plan, kinds, keywords):
        lines += [f"if {' or '.join(guards)}:", f"    return otherwise({call})"]
    general = " or ".join(["value.dtype.kind not in 'fc'", *[f"{each}.size >= LARGE" for each in sizes]])
    holds_arrays = np.ndarray in map(type, keywords.values())  # which a node has copies of
    if plan.kind != RULED or plan.stated is not None or plan.count < len(kinds) or holds_arrays:
        general = "True"
    return [
        *lines,
        f"value = compute({handed})",
        "if type(value) is not ndarray and not isinstance(value, generic):",
        f"    return otherwise({call})",
        "result = new(Tensor)",
        "result._value = value",
        "result._identity = next_identity()",
        "node = None",
        "for tape in active.tapes:",
        f"    if {' or '.join(f'{name}._identity in tape.known' for name in tensors)}:",
        "        if node is None:",
        f"            if tape.departures is not None or {general}:",
        f"                return recorded(plan, {call}, result)",
        *([] if plan.ranks is None else [f"            plan.check_ranks(({', '.join(values.values())},))"]),
        f"            node = PrimitiveCall(plan, ({held}), result, {named})",
        "        elif tape.departures is not None:",
        f"            check_return((tape,), primitive, {call})",
        "        tape.append(node)",
        "    elif tape.cuts:",
        f"        tape.note_cut(primitive, ({''.join(f'{name}._identity, ' for name in tensors)}), (result,), None)",
        "return result",
    ]


def _guards(plan: Plan, kinds: Mapping[str, type], keywords: Mapping[str, Any]) -> list[str]:
    """Tests for tuples with arrays or lists in them, and for complex numbers that have a definition of their own."""
    guards = [f"contents({name})" for name, kind in kinds.items() if kind is tuple]
    guards += [f"contents(keywords[{name!r}])" for name, each in keywords.items() if type(each) is tuple]
    if plan.for_complex is not None:
        guards += [f"{name}._value.dtype.kind == 'c'" for name, kind in kinds.items() if kind is Tensor]
    return guards


def _made(lines: Sequence[str], key: tuple[Any, ...], plan: Plan) -> Callable[..., Any]:
    """The function with these lines; its source is registered for tracebacks and debuggers."""
    text = "\n    ".join(lines) + "\n"
    file = f"<srcad call {primitive_name(plan.primitive)} {len(linecache.cache)}>"
    space: dict[str, Any] = {
        "LARGE": LARGE,
        "PrimitiveCall": PrimitiveCall,
        "Tensor": Tensor,
        "active": active,
        "apply": apply,
        "check_return": check_return,
        "compute": plan.compute,
        "contents": contents,
        "generic": np.generic,
        "ndarray": np.ndarray,
        "new": object.__new__,
        "next_identity": next_identity,
        "otherwise": lambda arguments, keywords: apply_by_plan(key, arguments, keywords),
        "plan": plan,
        "primitive": key[0],
        "recorded": recorded,
    }
    exec(compile(text, file, "exec"), space)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    return space["call"]  # type: ignore[no-any-return]
