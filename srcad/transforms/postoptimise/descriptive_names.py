"""Descriptive names: a temporary that is left in the generated text says what it holds.

    t1 = np.exp(k)                          exp_k = np.exp(k)
    t4 = dist < best            becomes     dist_below_best = dist < best
    t5_bar = -t4_bar                        v_part_bar = -v_part_2_bar

A name is made of the value that the temporary is given, where that is short: a function of a name, an element, an
extent, a comparison. Any other temporary is a part of what its line of the user's source computes (`v_part`). What is
made from the name of a temporary (`t1_bar`, `t1_trace`) follows it. Names of the user's own stay, `t1` included.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import gast
from numba import types as nb

from srcad.names import Names
from srcad.transforms.ir.build import assign, dotted_path, place_of, rewrite_names, walk, walk_statements
from srcad.transforms.ir.comments import is_line
from srcad.transforms.ir.generated_functions import Made
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.side_effects import all_written

_TEMPORARY = re.compile(r"(t\d+)((?:_\w+)?)")
_WITHIN = re.compile(r"(?<=_)t\d+(?=_|$)")  # `x_t4` is an element of x at the temporary `t4`
_NUMBERED = re.compile(r"(\w+?)_\d+")
_COMPUTED = {
    "return": "result",
    "yield": "result",
    "for": "extent",
    **dict.fromkeys(["if", "elif", "while", "assert"], "condition"),
}  # by what a line begins with
_WHOLE = ("condition", "extent")  # words that say enough of a part
_OPERATOR = r"(?:[-+*/@%&|^]|//|\*\*|<<|>>)?=(?!=)"
_KEYWORD = "|".join(_COMPUTED)
_TARGET = re.compile(rf"\s*(?:([A-Za-z_]\w*)[\w.\[\], :+*-]*?{_OPERATOR}|({_KEYWORD})\b)")
_PLAIN_ENDING = re.compile(r"(_bar|_trace|_old|_inverse|_\d+|$)")
_MOST_LETTERS = 24  # of a name; what would be longer is a part of its line

_COMPARED = {
    gast.Lt: "below",
    gast.Gt: "above",
    gast.LtE: "at_most",
    gast.GtE: "at_least",
    gast.Eq: "equals",
    gast.NotEq: "differs_from",
}
_COMBINED = {
    gast.Add: "plus",
    gast.Sub: "minus",
    gast.Mult: "times",
    gast.Div: "over",
    gast.FloorDiv: "over",
    gast.Mod: "modulo",
    gast.Pow: "to_power",
    gast.MatMult: "at",
}
_MAKERS = {"empty", "zeros", "ones", "full", "copy", "array", "empty_like", "zeros_like", "ones_like", "full_like"}
_EXTENTS = {0: "rows", 1: "columns"}


def with_descriptive_names(made: Made) -> Made:
    """The functions of a module, with names in place of numbers for what the compiler has named."""
    outputs = dict(made.outputs)
    for tree in made.functions:
        change = Naming(made, tree).change()
        if not change:
            continue
        _rename(tree, change)
        _rename_in_checks(tree, change)
        if (kinds := notes_of(tree).kinds) is not None:
            note(tree, kinds={change.get(name, name): kind for name, kind in kinds.items()})
        if tree.name in outputs:
            outputs[tree.name] = tuple(change.get(name, name) for name in outputs[tree.name])
    return replace(made, outputs=outputs)


class Naming:
    """Names for the temporaries of one function."""

    def __init__(self, made: Made, tree: gast.FunctionDef) -> None:
        self.tree = tree
        self.statements = list(walk_statements(tree.body))
        self.kinds: Mapping[str, nb.Type] = notes_of(tree).kinds or {}
        self.used = list(dict.fromkeys(node.id for node in walk(tree) if isinstance(node, gast.Name)))
        lines = {place.text for each in self.statements if (place := place_of(each)) is not None}
        self.of_user = {word for line in lines for word in re.findall(r"\w+", line)}
        if made.functions and tree.name in made.names:
            self.of_user |= {argument.id for argument in tree.args.args}
        self.definitions: dict[str, Any] = {}
        for each in self.statements:
            if isinstance(each, gast.Assign) and isinstance(each.targets[0], gast.Name):
                self.definitions.setdefault(each.targets[0].id, each)
        for each in self.statements:
            if isinstance(each, gast.Expr) and (value := notes_of(each).stored_value) is not None:
                name = each.value.args[0].id
                self.definitions[name] = assign(name, value)
        self.flow = made.sweeps.by.program.flow if made.sweeps is not None else None
        self.names: dict[str, str] = {}

    def change(self) -> dict[str, str]:
        """The new name of each temporary, and of each name that is made from one."""
        variants: dict[str, list[tuple[str, str]]] = {}
        for name in self.used:
            found = _TEMPORARY.fullmatch(name)
            if found is not None and found[1] not in self.of_user and name not in self.of_user:
                variants.setdefault(found[1], []).append((name, found[2]))
        places = self.places() if variants else {}
        taken = Names({*self.used, *dir(builtins)})
        changed: dict[str, str] = {}
        for stem, made in variants.items():
            made.sort(key=lambda pair: pair[1] != "")  # the line of the temporary itself first
            wish = self.wish(stem, made, [places[name] for name, _ in made if name in places])
            endings = _without_repeated({ending for _, ending in made}, wish)
            self.names[stem] = taken.family(wish, endings.values())
            changed.update((name, self.names[stem] + endings[ending]) for name, ending in made)
        for name in self.used:
            within = _WITHIN.sub(lambda found: self.names.get(found[0], found[0]), name)
            if name not in changed and within != name and not self.is_of_user(name):
                changed[name] = taken.fresh(within)
        return changed

    def is_of_user(self, name: str) -> bool:
        """Whether a name is the user's, or made from one."""
        parts = name.split("_")
        return any("_".join(parts[:count]) in self.of_user for count in range(2, len(parts) + 1))

    def places(self) -> dict[str, str]:
        """The line of the user's source that stores a name first, or reverses what does."""
        found: dict[str, str] = {}
        for each in self.statements:
            place, comment = place_of(each), notes_of(each).comment or ""
            line = place.text if place is not None else comment.partition(": ")[2] if is_line(comment) else None
            if line is not None:
                for name in all_written(each):
                    found.setdefault(name, line)
        return found

    def wish(self, stem: str, made: list[tuple[str, str]], lines: list[str]) -> str:
        """The name that a temporary should have, if nothing else has it."""
        target = next((what for line in lines if (what := _target_of(line))), "value")
        value = self.value_of(stem)
        if value is None and not any(_PLAIN_ENDING.match(ending) for _, ending in made):
            return target  # `t4_sum_bar` is `result_sum_bar`
        found = self.described(value, target) if value is not None else None
        part = target if target in _WHOLE else f"{target}_part"
        return found if found is not None and _is_short(found) else part

    def value_of(self, stem: str) -> gast.expr | None:
        """The value that a temporary is given here, or was given in the primal."""
        if stem in self.definitions:
            return self.definitions[stem].value
        value = self.flow.definition(stem) if self.flow is not None else None
        return value if isinstance(value, gast.Call) else None  # of others, the operands are temporaries

    def described(self, value: gast.expr, target: str) -> str | None:
        """A name for a value; None for one that has no short description."""
        match value:
            case gast.Attribute(value=gast.Name() as base, attr=attr):
                return self.suffixed(base, f"_{attr}")
            case gast.Subscript(value=base, slice=index):
                return self.element(base, index)
            case gast.Call(func=func, args=args):
                return self.called(dotted_path(func), args, target)
            case gast.Compare(left=left, ops=[op], comparators=[right]):
                return self.joined(left, _COMPARED.get(type(op)), right)
            case gast.BinOp(left=gast.Name(id=one) as left, op=gast.Mult(), right=gast.Name(id=other)) if one == other:
                return self.suffixed(left, "_squared")
            case gast.BinOp(left=gast.Constant(value=1), op=gast.Div(), right=gast.Name() as right):
                return self.suffixed(right, "_inverse")
            case gast.BinOp(left=left, op=gast.Pow(), right=gast.Constant(value=2)):
                return self.suffixed(left, "_squared")
            case gast.BinOp(left=left, op=op, right=right):
                return self.joined(left, _COMBINED.get(type(op)), right)
            case gast.UnaryOp(op=gast.USub(), operand=gast.Name() as operand) if name := self.operand(operand):
                return f"minus_{name}"
        return None

    def called(self, path: str | None, arguments: list[Any], target: str) -> str | None:
        """`exp_x` for a function of one name, `v_exp` for one in the line that computes `v`; None for new memory."""
        if path is None:
            return None
        function = path.rpartition(".")[2].strip("_").removeprefix("strong_")
        if function in _MAKERS:
            return None
        if function == "len" and arguments and (name := self.operand(arguments[0])) is not None:
            return f"{name}_size"
        if len(arguments) == 1 and isinstance(arguments[0], gast.Name):
            name = self.operand(arguments[0])
            if name is not None and "_part" not in name:
                return f"{function}_{name}"
        return f"{target}_{function}"

    def element(self, base: gast.expr, index: gast.expr) -> str | None:
        """`x_rows` for `x.shape[0]`, `x_ij` for `x[i, j]`, `x_part` for a slice."""
        array = self.shape_owner(base)
        if array is not None and isinstance(index, gast.Constant) and isinstance(index.value, int):
            rank = getattr(self.kinds.get(array), "ndim", None)
            extent = "size" if rank == 1 else _EXTENTS.get(index.value, f"extent_{index.value}")
            return f"{self.plain(array)}_{extent}"
        if not isinstance(base, gast.Name) or not self.is_told(base.id):
            return None
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        if any(isinstance(part, gast.Slice) for part in parts):
            return f"{self.plain(base.id)}_part"
        words = [self.operand(part) for part in parts]
        if None in words:
            return f"{self.plain(base.id)}_element"
        single = all(len(str(word)) == 1 for word in words)
        name = f"{self.plain(base.id)}_{('' if single else '_').join(map(str, words))}"
        return name if len(name) <= _MOST_LETTERS else f"{self.plain(base.id)}_element"

    def shape_owner(self, node: gast.expr) -> str | None:
        """The array whose shape an expression is."""
        if isinstance(node, gast.Name) and node.id in self.definitions:
            node = self.definitions[node.id].value
        if isinstance(node, gast.Attribute) and node.attr == "shape" and isinstance(node.value, gast.Name):
            return str(node.value.id)
        return None

    def joined(self, left: gast.expr, word: str | None, right: gast.expr) -> str | None:
        """`a_below_b`, with the word for an operator."""
        one, other = self.operand(left), self.operand(right)
        return None if word is None or one is None or other is None else f"{one}_{word}_{other}"

    def suffixed(self, node: gast.expr, suffix: str) -> str | None:
        """An operand with what is done to it."""
        return None if (name := self.operand(node)) is None else name + suffix

    def operand(self, node: gast.expr) -> str | None:
        """A name or a small number as it stands in a longer name; None for anything else."""
        if isinstance(node, gast.Constant) and type(node.value) is int and 0 <= node.value < 100:
            return str(node.value)
        return self.plain(node.id) if isinstance(node, gast.Name) and self.is_told(node.id) else None

    def is_told(self, name: str) -> bool:
        """Whether a name says something: it is not a temporary, or one that has been named."""
        found = _TEMPORARY.fullmatch(name)
        return found is None or found[1] in self.of_user or found[1] in self.names

    def plain(self, name: str) -> str:
        """A name without the number that tells its assignments apart; of a temporary, its new name."""
        found = _TEMPORARY.fullmatch(name)
        if found is not None and found[1] in self.names:
            name = self.names[found[1]] + found[2]
        numbered = _NUMBERED.fullmatch(name)
        return numbered[1] if numbered is not None and found is None else name


def _rename(tree: gast.FunctionDef, change: Mapping[str, str]) -> None:
    rewrite_names(tree, lambda name: change.get(name, name))


def _rename_in_checks(tree: gast.FunctionDef, change: Mapping[str, str]) -> None:
    """What checks of `srcad.debug` say of generated statements; the line of the user's, the last one, stays."""
    for node in walk(tree):
        if isinstance(node, gast.Call) and (dotted_path(node.func) or "").endswith(".check_finite"):
            said = node.args[-1]
            generated, end, line = said.value.rpartition("\n")
            said.value = re.sub(r"\bt\d+\w*", lambda found: change.get(found[0], found[0]), generated) + end + line


def _is_short(name: str) -> bool:
    return len(name) <= _MOST_LETTERS and name.isidentifier()


def _without_repeated(endings: Collection[str], wish: str) -> dict[str, str]:
    """What each ending becomes: `y_sum` is not the beginning of `y_sum_sum_bar`."""
    last = "_" + wish.rpartition("_")[2]
    short = {ending: ending.removeprefix(last) if re.match(last + r"(_|$)", ending) else ending for ending in endings}
    return short if len(set(short.values())) == len(short) else {ending: ending for ending in endings}


def _target_of(line: str) -> str | None:
    """What a line of the user's source computes: the name that it assigns, the result, a condition."""
    found = _TARGET.match(line)
    if found is None:
        return None
    name, keyword = found.groups()
    return str(name) if name is not None else _COMPUTED[keyword]
