"""Which runs of statements are repeated for each case of what the chosen names are in them.

    for i in range(n):          uses `b`
        b[i] = x[i]
    s = b[0] * b[1]             so does this, and `b` is the same one: they are repeated together
    b = u                       stores `b`: ends the run

A view of a chosen name that is used behind the run in which it is taken is to be chosen as well.
"""

from __future__ import annotations

import gast

from srcad.transforms.build import Block, inner_blocks, reads, walk_statements, written
from srcad.transforms.choices import CannotFollow, Choices, Value, is_reference, statements_of, stored_in, uses_of
from srcad.transforms.cost_model import MOST_CASES

Case = dict[str, Value]


class Runs:
    """The runs of one function, by the number of their first statement."""

    def __init__(self, choices: Choices) -> None:
        self.choices, self.program = choices, choices.program
        self.chosen = set(choices.names)
        self.found: dict[int, Block] = {}
        self.statements = statements_of(self.program)
        self.places: dict[str, set[int]] = {}  # numbers of the statements that read or store a name
        body = self.program.unit.tree.body
        for statement in walk_statements(body):
            for name in {written(statement), *reads(statement)} - {None}:
                self.places.setdefault(str(name), set()).add(self.number(statement))
        self.find(body)

    def number(self, statement: gast.stmt) -> int:
        """Its number in source order."""
        return self.program.flow.spot(statement).number

    def find(self, block: Block) -> None:
        """Note the longest runs that use chosen names without storing any."""
        run: Block = []
        for statement in [*block, None]:
            if statement is not None and self.uses_chosen(statement):
                run.append(statement)
                continue
            if run and statement is not None and _is_plain(statement) and written(statement) not in self.chosen:
                run.append(statement)  # dropped again if nothing follows that uses a chosen name
                continue
            self.close(run)
            run = []
            for inner in inner_blocks(statement) if statement is not None else []:
                self.find(inner)

    def uses_chosen(self, statement: gast.stmt) -> bool:
        """Whether a statement uses chosen names and stores none."""
        if isinstance(statement, gast.Return) or stored_in(statement) & self.chosen:
            return False
        return bool(uses_of(statement) & self.chosen)

    def close(self, run: Block) -> None:
        """Note a run, from the first to the last statement that must be in it, or parts of it."""
        while run and not uses_of(run[0]) & self.chosen:
            run.pop(0)
        needed = set(self.chosen)
        for statement in run:
            needed |= {str(written(statement))} if uses_of(statement) & needed and self.makes(statement) else set()
        while run and not uses_of(run[-1]) & needed:
            run.pop()
        own = self.own_names(run)
        for k, statement in enumerate(run):
            if self.makes(statement) and not uses_of(statement) & self.chosen and written(statement) not in own:
                self.close(run[:k])  # it stays one array, made once
                self.close(run[k + 1 :])
                return
        if run and len(self.cases(run)) > MOST_CASES:
            for statement in run:
                if self.uses_chosen(statement):
                    self.found[self.number(statement)] = [statement]
        elif run:
            self.found[self.number(run[0])] = run

    def own_names(self, run: Block) -> set[str]:
        """Names that a run stores, and nothing outside of it uses."""
        numbers = set(map(self.number, walk_statements(run)))
        stored = {written(inner) for inner in walk_statements(run)} - {None}
        return {str(name) for name in stored if self.places[str(name)] <= numbers}

    def carried_names(self, run: Block) -> list[str]:
        """Names that a loop of a run that is repeated carries, and that are stored or read outside of the run as well.

        Raises CannotFollow where such a name is stored behind the run.
        """
        if len(self.cases(run)) < 2:
            return []
        flow, around = self.program.flow, len(self.program.flow.spot(run[0]).loops)
        inside = [inner for inner in walk_statements(run) if len(flow.spot(inner).loops) > around]
        names = {written(inner) for inner in inside} - {None} - self.own_names(run)
        if any(written(statement) in names for statement in self.behind(run)):
            raise CannotFollow
        return sorted(map(str, names))

    def behind(self, run: Block) -> list[gast.stmt]:
        """The statements that follow a run in source order."""
        last = self.program.flow.last_inside[self.number(run[-1])]
        return [statement for number, statement in self.statements.items() if number > last]

    def is_given(self, name: str, run: Block) -> bool:
        """Whether a name has a value where a run begins."""
        first = self.number(run[0])
        return any(self.number(store) < first for store in self.program.flow.stores[name])

    def makes(self, statement: gast.stmt) -> bool:
        """Whether the statement makes an array."""
        return self.program.types.is_array(str(written(statement)))

    def cases(self, run: Block) -> list[Case]:
        """What the chosen names that are used in a run of statements can be there."""
        used = sorted(set().union(*map(uses_of, run)) & self.chosen)
        found: dict[tuple[Value, ...], None] = {}
        for state in sorted(self.choices.before.get(self.number(run[0]), set()), key=str):
            values = tuple(self.choices.value(name, state) for name in used)
            found.update({values: None} if None not in values else {})  # type: ignore[dict-item]
        return [dict(zip(used, values, strict=True)) for values in found]

    def escaping_views(self) -> set[str]:
        """Views of chosen names that are used elsewhere than where they are taken."""
        home = {self.number(inner): first for first, run in self.found.items() for inner in walk_statements(run)}
        program, found = self.program, set[str]()
        for name, base in program.roots.views.items():
            if name in self.chosen or not program.types.is_array(name):
                continue
            if base in self.chosen or base in found:
                homes = {home.get(number, -1) for number in self.places[name]}
                if len(homes) > 1 or -1 in homes or self.is_handed(name):
                    found.add(name)
        for name in found:
            if any(not is_reference(program, store) for store in program.flow.stores[name]):
                raise CannotFollow
        return found

    def is_handed(self, name: str) -> bool:
        """Whether a chosen name is, at times, this one."""
        stores = [store for chosen in self.chosen for store in self.program.flow.stores[chosen]]
        return any(isinstance(store.value, gast.Name) and store.value.id == name for store in stores)


def _is_plain(statement: gast.stmt) -> bool:
    return not inner_blocks(statement) and not isinstance(statement, gast.Return)
