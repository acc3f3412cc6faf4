"""Alias versioning: where a name may refer to different arrays, code versions for each case are selected at run time.

    if c:                              if c:
        b = u                              which_b = 0
    else:                              else:
        b = v                 ->           which_b = 1
    for i in range(n):                 if which_b == 0:
        b[i] = x[i]                        for i in range(n):
                                               u[i] = x[i]
                                       else:
                                           for i in range(n):
                                               v[i] = x[i]

The adjoints of an array that is written through two names cannot be kept apart. After this rewrite every name refers to
one array, and only a number is recorded. Only functions that would be refused otherwise are rewritten: `alias_cases`
finds them, the possible arrays of each name, and the statements to repeat. A swap that a loop makes in every iteration
is left as it is. Does not apply where the arrays are unknown or too many; then the function is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast
from numba import types as nb

from srcad.errors import Place
from srcad.names import Names
from srcad.transforms.analysis.dataflow import closure
from srcad.transforms.analysis.program_facts import Program, analyse_forward
from srcad.transforms.ir.build import (
    Block,
    assign,
    branch,
    call,
    clone,
    const,
    inner_blocks,
    is_exit,
    load,
    place_of,
    rewrite_names,
    walk_statements,
    written,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.cost_model import MOST_CASES, MOST_CHOICE_ROUNDS
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.side_effects import reads
from srcad.transforms.ir.unit import Unit
from srcad.transforms.normalise.alias_cases import (
    CannotFollow,
    Case,
    Choices,
    Runs,
    Taken,
    Value,
    chosen_groups,
    follow,
    is_reference,
    statements_of,
    view_of,
)
from srcad.transforms.normalise.in_place_resolution import blank


def choose(code: Code) -> Code:
    """Version the code on names that may refer to different arrays, if one of these is written.

    Where the arrays cannot be determined, for instance because each iteration allocates one, names are left as they
    are. With the setting `insist`, names that look harmless are versioned as well, since later stages know more.
    """
    unit, types = code.unit, code.types
    if not any(_is_copy(statement, types) or _is_branch(statement) for statement in walk_statements(code.body)):
        return code
    failed: set[str] = set()
    for _ in range(MOST_CHOICE_ROUNDS):
        groups = [each for each in chosen_groups(_program(unit, types), code.settings.insist) if not each & failed]
        everything = [set().union(*groups)] if len(groups) > 1 else []
        for names in [*everything, *groups]:
            try:
                unit, types = _chosen(_program(unit, types), names)
                break
            except CannotFollow:
                failed |= names if names in groups else set()
        else:
            break
    return code.with_unit(unit, types)


def _program(unit: Unit, types: Types) -> Program:
    """The analyses of a copy of a unit, which may be changed."""
    return analyse_forward(unit.with_tree(unit.copy_tree(), names=unit.names.copy()), types, ())


def _chosen(program: Program, names: set[str]) -> tuple[Unit, Types]:
    """The unit with these names, and their views that are used elsewhere, versioned. Raises CannotFollow."""
    chooser = _Chooser(program, names)
    escaped = chooser.runs.escaping_views()
    return _chosen(program, names | escaped) if escaped else chooser.rewritten()


def _is_copy(statement: gast.stmt, types: Types) -> bool:
    name = written(statement)
    return name is not None and types.is_array(name) and isinstance(getattr(statement, "value", None), gast.Name)


def _is_branch(statement: gast.stmt) -> bool:
    return isinstance(statement, gast.If) and not is_exit(statement)


class _Chooser:
    """Rewrites one function."""

    def __init__(self, program: Program, chosen: set[str]) -> None:
        self.program, self.chosen = program, chosen
        self.names: Names = program.unit.names
        self.known: dict[str, Any] = dict(program.types.of)
        self.statements = statements_of(program)
        own = {
            number: self.named(str(written(store)), self.known[str(written(store))])
            for number, store in self.statements.items()
            if written(store) in chosen and not (is_reference(program, store) or notes_of(store).is_stand_in)
        }
        self.choices: Choices = follow(program, tuple(sorted(chosen)), own)
        self.values = self.choices.values
        every = dict.fromkeys(value for values in self.values.values() for value in values)
        self.numbers: dict[Value, int] = {value: k for k, value in enumerate(every)}
        self.runs = Runs(self.choices)
        told = {name for name, found in self.values.items() if len(found) > 1}
        if self.runs.partial():
            told |= self.unset_names()
        self.which = {name: self.named(f"which_{name}", nb.int64) for name in self.values if name in told}

    def unset_names(self) -> set[str]:
        """The tracked names that have no value on some path, and those that such names are copied to."""
        stores = [each for each in self.statements.values() if written(each) in self.chosen]
        starts = [str(written(each)) for each in stores if notes_of(each).is_stand_in]
        copies = [each for each in stores if isinstance(getattr(each, "value", None), gast.Name)]
        return set(closure(starts, lambda name: [str(written(each)) for each in copies if each.value.id == name]))

    def named(self, wish: str, kind: nb.Type) -> str:
        name = self.names.fresh(wish)
        self.known[name] = kind
        return name

    def rewritten(self) -> tuple[Unit, Types]:
        """The rewritten unit, and the types of its new names."""
        tree = self.program.unit.tree
        self.complete()
        last = tree.body[-1]
        result: Block = []
        if isinstance(last, gast.Return) and set(reads(last)) & self.chosen:
            result = self.returned(last)
        tree.body = [*self.block(tree.body[:-1]), *result, last]
        return self.program.unit.with_tree(tree, names=self.names), Types(self.known, self.program.types.result)

    def block(self, block: Block) -> Block:
        result: Block = []
        skipped = 0
        for statement in block:
            if skipped:
                skipped -= 1
                continue
            spot = self.program.flow.spots.get(id(statement))
            number = -1 if spot is None else spot.number
            if number in self.runs.found:
                run = self.runs.found[number]
                skipped = len(run) - 1
                result += self.told_apart(run, self.runs.cases(run), self.repeated(run))
            elif written(statement) in self.chosen:
                result += self.definition(statement, number)
            else:
                blocks = inner_blocks(statement)
                for inner in blocks:
                    inner[:] = self.block(inner)
                if blocks and not blocks[0] and not is_exit(statement):
                    blocks[0].append(gast.Pass())
                result.append(statement)
        return result

    def told_apart(self, run: Block, cases: list[Case], make: Callable[[Case], Block]) -> Block:
        """One version of the code for each case, selected by tests."""
        if not cases or len(cases) > MOST_CASES:
            raise CannotFollow
        for name in cases[0]:
            values = list(dict.fromkeys(case[name] for case in cases))
            if len(values) > 1:
                first = [case for case in cases if case[name] == values[0]]
                others = [case for case in cases if case[name] != values[0]]
                place = place_of(run[0])
                test = self.named(f"is_{self.which[name].removeprefix('which_')}", nb.boolean)
                which, number = load(self.which[name]), const(self.number(values[0]))
                compare = gast.Compare(left=which, ops=[gast.Eq()], comparators=[number])
                arms = self.told_apart(run, first, make), self.told_apart(run, others, make)
                return [assign(test, compare, place), branch(load(test), *arms, place)]
        return make(cases[0])

    def number(self, value: Value | None) -> int:
        """The number that stands for a value, or for none."""
        return -1 if value is None else self.numbers[value]

    def repeated(self, run: Block) -> Callable[[Case], Block]:
        """Makes a copy of a run for a case, with its own names for whatever is used nowhere else.

        Loop-carried names get their own copies too, since each must be stored by one loop only. After the versions, the
        last value of such a name is in a name that all versions store.
        """
        inside, place = sorted(self.runs.own_names(run)), place_of(run[0])
        carried = self.runs.carried_names(run)
        behind = self.runs.behind(run) if carried else []
        read = {name for statement in behind for name in reads(statement)}
        last = {name: self.named(name, self.known[name]) for name in carried if name in read}
        for statement in behind:
            rewrite_names(statement, lambda name: last.get(name, name))
        made: list[Case] = []

        def make(case: Case) -> Block:
            again = {name: self.named(name, self.known[name]) for name in [*carried, *(inside if made else [])]}
            made.append(case)
            heads: Block = []
            renamed = {name: self.given(name, value, heads, place) for name, value in case.items()} | again
            heads += [assign(again[name], load(name), place) for name in carried if self.runs.is_given(name, run)]
            copies = [clone(statement) for statement in run]
            for copy in copies:
                rewrite_names(copy, lambda name: renamed.get(name, name))
            return [*heads, *copies, *(assign(last[name], load(again[name]), place) for name in last)]

        return make

    def given(self, name: str, value: Value | None, heads: Block, place: Place | None) -> str:
        """A name for the value of a tracked name; an array without elements where that has none, and is not used."""
        if value is not None:
            return self.taken(value, heads, place)
        unused = self.named(name, self.known[name])
        heads.append(assign(unused, blank(self.known[name]), place))
        return unused

    def taken(self, value: Value, heads: Block, place: Place | None) -> str:
        """A name for a value; a view is taken again, valid within an iteration as its index names are unchanged."""
        if isinstance(value, str):
            return value
        base = self.taken(value.base, heads, place)
        statement: Any = self.statements[value.number]
        source, old = clone(statement.value), view_of(self.program, statement)
        rewrite_names(source, lambda each: base if each == old else each)
        view = self.named(str(written(statement)), self.known[str(written(statement))])
        heads.append(assign(view, source, place))
        return view

    def definition(self, statement: Any, number: int) -> Block:
        """The statements that record which array a tracked name refers to from here on."""
        name, place = str(written(statement)), place_of(statement)
        note = self.which.get(name)
        if notes_of(statement).is_stand_in:
            return [assign(note, const(self.number(None)), place)] if note else []
        if isinstance(statement.value, gast.Name) and statement.value.id in self.which and note:
            return [assign(note, load(self.which[statement.value.id]), place)]

        def make(case: Case) -> Block:
            state = tuple(case.get(each) or self.only(each) for each in self.choices.names)
            value = self.choices.stored(statement, state)
            assert value is not None
            made = [assign(note, const(self.numbers[value]), place)] if note else []
            if number not in self.choices.own:
                return made
            heads: Block = []
            renamed = {each: self.given(each, value, heads, place) for each, value in case.items()}
            renamed[name] = self.choices.own[number]
            copy = clone(statement)
            rewrite_names(copy, lambda each: renamed.get(each, each))
            return [*heads, copy, *made]

        return self.told_apart([statement], self.runs.cases_of(statement), make)

    def only(self, name: str) -> Value | None:
        """The value of a name, if it always has the same."""
        return self.values[name][0] if len(self.values[name]) == 1 else None

    def returned(self, last: gast.Return) -> Block:
        """Copies of tracked names that are returned; the return statement is changed to return the copies."""
        names = {name: self.named(name, self.known[name]) for name in sorted(set(reads(last)) & self.chosen)}

        def make(case: Case) -> Block:
            made: Block = []
            for name, result in names.items():
                source = self.given(name, case[name], made, place_of(last))
                made.append(assign(result, call("np.copy", load(source)), place_of(last)))
            return made

        block = self.told_apart([last], self.runs.cases_of(last), make)
        rewrite_names(last, lambda name: names.get(name, name))
        return block

    def complete(self) -> None:
        """Initialise arrays on paths that do not make them: every array must be defined where a version may use it."""
        flow, done = self.program.flow, set[tuple[str, int]]()
        stores = {own: number for number, own in self.choices.own.items()}
        for name, values in self.values.items():
            for root in map(root_of, values):
                way = flow.spot(self.statements[stores[root]]).way if root in stores else flow.home(root)
                for number, arm in way[len(flow.home(name)) :]:
                    if (root, number) not in done:
                        done.add((root, number))
                        other: Any = inner_blocks(self.statements[number])[1 - arm]
                        other[:0] = [assign(root, blank(self.known[root]), place_of(self.statements[number]))]


def root_of(value: Value) -> str:
    """The array that a value is, or is a view of."""
    while isinstance(value, Taken):
        value = value.base
    return value
