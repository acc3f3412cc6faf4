"""`srcad.explain`: line by line, what the reverse sweep has of the primal, why, and what that costs in bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gast

from srcad.errors import BadArgument, Place
from srcad.options import Without
from srcad.reasons import Accountant, Cost, Reason, names_alive
from srcad.show import Case, case_of, refusing_untyped
from srcad.spoken import Speaker, leaf_paths
from srcad.transforms.assemble import Assembler
from srcad.transforms.build import attribute, load, place_of, walk_statements, written
from srcad.transforms.checkpoint import Checkpointed
from srcad.transforms.cleanup import without_dead_code
from srcad.transforms.made import Made
from srcad.transforms.pair import trace_fields
from srcad.transforms.plan import spot_of
from srcad.transforms.sites import Loop
from srcad.transforms.subroutine import Specialised

Line = tuple[tuple[str, int], ...]  # from the outermost call to the line itself


def explain(
    f: Callable[..., Any],
    mode: str = "grad",
    wrt: int | str | tuple[int | str, ...] = 0,
    signature: str | Sequence[Any] | None = None,
    args: Sequence[Any] | None = None,
    without: Without = (),
) -> str:
    """Line by line what is recorded, computed again or put back, for which line's sake, in how many bytes.

    mode        "grad", the gradient in one function, "value_and_grad", or "reverse", the pair with a trace in between
    signature   the argument types as Numba writes them, "f8[:], f8"; or give `args`. By default annotations and
                defaults tell
    without     passes of the compiler to be left out

    Bytes are a formula of the user's names. Refused are other modes, which keep nothing.

    >>> print(explain(lambda x: x * x, signature="f8"))  # doctest: +ELLIPSIS
    the gradient of anonymous with respect to x
    ...
    nothing is recorded
    """
    return Explanation(case_of(f, mode, wrt, signature, args, without)).text()


class Explanation:
    """The explanation of one derivative, as text, and its costs."""

    def __init__(self, case: Case) -> None:
        from srcad import pipeline

        request = case.request
        if request.mode not in ("grad", "value_and_grad", "vjp"):
            raise BadArgument(f"there is nothing to explain of mode '{request.mode}'", hint="it is grad or reverse")
        options = request.options
        how: dict[str, Any] = {"tuple_result": request.tuple_result, "without": options.without}
        how["max_trace_bytes"] = options.max_trace_bytes
        derive = pipeline.derive
        with refusing_untyped():
            given = case.unit, request.mode, request.wrt, case.kinds
            made = derive(*given, assumes=True, after="differentiate", **how).made
        assert made.sweeps is not None
        self.case, self.by = case, made.sweeps.by
        self.paths = _paths(case)
        handed = _handed(made) if request.mode == "vjp" else ()
        self.accountant = Accountant(self.by, _alive(made), handed, self.paths)
        self.speaker = self.accountant.speaker
        self.reasons = self.accountant.reasons()
        self.spot = spot_of(self.by.plan)

    @property
    def costs(self) -> list[Cost]:
        """What is kept for the reverse sweep."""
        return [each.cost for each in self.reasons if each.cost is not None]

    def text(self) -> str:
        """The explanation."""
        notes = self._notes()
        lines = [self._title(), ""]
        for line in sorted(notes):
            place, said = notes[line]
            indent = "    " * (len(line) - 1)
            lines.append(f"{indent}{place.line:4d} | {place.text.strip()}")
            lines += [f"{indent}     | {'  ' if note.startswith(' ') else '- '}{note.strip()}" for note in said]
        return "\n".join([*lines, "", *self._total()])

    def _title(self) -> str:
        case = self.case
        names = [case.unit.parameters[place] for place in case.request.wrt]
        of = ", ".join(self.paths.get(name, name) for name in names)
        what = "the forward and reverse function" if case.request.mode == "vjp" else "the gradient"
        return f"{what} of {case.unit.name} with respect to {of}"

    def _total(self) -> list[str]:
        """The sum of all costs; equal ones are added up."""
        costs = self.costs
        widths: dict[str, int] = {}
        for each in costs:
            widths[each.factors] = widths.get(each.factors, 0) + each.width
        total = " + ".join(f"{total} * {factors}" if factors else str(total) for factors, total in widths.items())
        callees = _recording(self.by) if self.by.adjoints.calls.forward else []
        more = [f"besides, {name}" for name in callees]
        bound = "at most " if any(each.most for each in costs) else ""
        return [f"in all: {bound}{total} bytes" if costs else "nothing is recorded", *more]

    def _notes(self) -> dict[Line, tuple[Place, list[str]]]:
        """What is said of each line that has a statement, or a call of a helper that has one."""
        notes: dict[Line, tuple[Place, list[str]]] = {}
        statements = [(each, place_of(each)) for each in walk_statements(self.by.program.unit.tree.body)]
        for _, place in statements:
            while place is not None:
                notes.setdefault(_line(place), (place, []))
                place = place.inside
        for statement, place in statements:
            if place is not None and isinstance(statement, (gast.For, gast.While)):
                notes[_line(place)][1].append(self._loop(statement))
        for reason in self.reasons:
            if reason.place is not None:
                notes[_line(reason.place)][1].extend(self._said(reason))
        quiet = {line for line, (_, said) in notes.items() if not said}
        for line in quiet:
            here = [each for each, place in statements if place is not None and _line(place) == line]
            stored = [name for each in here if (name := written(each)) is not None]
            if stored:
                notes[line][1].append(_IDLE[any(map(self.by.program.is_active, stored))])
        return notes

    def _loop(self, loop: Loop) -> str:
        if loop is self.spot:
            return "reversed on the spot: each turn runs and is reversed at once, so that nothing is kept of it"
        counted = "; its turns are counted" if id(loop) in self.by.counts else ""
        return f"reversed from its last turn to its first{counted}"

    def _said(self, reason: Reason) -> list[str]:
        name = reason.name if reason.what == "put back" else self._name(reason.name)
        if reason.what == "recorded" and self.accountant.is_hollow(reason.name):
            name = self.speaker.text(attribute(load(reason.name), "shape"))
        if reason.what == "recomputed":
            return self._computed(reason, name)
        what = {
            "recorded": f"{name}: recorded, {self._why(reason)}",
            "put back": f"{name}: what is overwritten is kept, and put back",
            "handed": f"{name}: handed to the reverse function",
            "there": f"{name}: still there",
        }[reason.what]
        cost = [f"  {_costing(reason.cost, self.speaker)}"] if reason.cost is not None else []
        return [what + _for(reason), *cost]

    def _name(self, name: str) -> str:
        return "the number of turns" if name in self.by.counts.values() else self.speaker.name(name)

    def _why(self, reason: Reason) -> str:
        """Why a value is recorded, and not computed again."""
        if self.by.program.carrier(reason.name) is not None:
            return "as each turn overwrites it"
        recipe = self.accountant.recipe(reason.name)
        if recipe is None:
            return "as it cannot be computed again"
        if isinstance(recipe, gast.Subscript):
            return "as the memory that it is read from changes"
        is_dear = self.accountant.is_dear(reason.name)
        return "as it is dear to compute" if is_dear else "as what it is computed from is not there any more"

    def _computed(self, reason: Reason, name: str) -> list[str]:
        """What is computed again; arithmetic of indices is not worth a word."""
        kind = str(self.by.program.types.get(reason.name))
        if kind.startswith(("int", "uint")) or isinstance(reason.recipe, (gast.Name, gast.Constant)):
            return []
        assert reason.recipe is not None
        if isinstance(reason.recipe, gast.Subscript):
            return [f"{name}: read again{_for(reason)}"]
        recipe = self.speaker.text(reason.recipe)
        said = f"{name}: computed again" if recipe == name else f"{name}: computed again, as {recipe}"
        return [f"{said}: cheaper than recording it{_for(reason)}"]


def _for(reason: Reason) -> str:
    """What a value is needed for: all lines whose reversal reads it, and an example of what is computed from it."""
    users = list(dict.fromkeys(each if isinstance(each, str) else f"line {each.line}" for each in reason.users))
    lines = [each.removeprefix("line ") for each in users if each.startswith("line ")]
    parts = [f"the reversal of {'lines' if len(lines) > 1 else 'line'} {', '.join(lines)}"] if lines else []
    parts += [each for each in users if not each.startswith("line ")][:1]
    return f", for {' and '.join(parts)}" if parts else ""


def _costing(cost: Cost, speaker: Speaker) -> str:
    """`8 * n bytes (one float64 for each turn of the loop over i (line 3))`."""
    of = cost.what
    if cost.loops:
        of += f" for each turn of the loop{'s' if len(cost.loops) > 1 else ''} "
        of += ", ".join(_turns(each, speaker) for each in cost.loops)
    bound = "grows: at most " if cost.grows else "at most " if cost.most else ""
    return f"{bound}{cost.formula} bytes ({of})"


def _turns(loop: Loop, speaker: Speaker) -> str:
    place = place_of(loop)
    at = f"line {place.line}" if place is not None else "made up"
    if isinstance(loop, gast.While):
        return f"while ({at})"
    name = loop.target.id
    return f"over {speaker.plain(name)} ({at})" if speaker.is_own(name) else f"over elements ({at})"


def _recording(by: Assembler) -> list[str]:
    """What the functions keep, of which each call has a record for its own reversal."""
    callees = [each for each in by.program.unit.bindings.values() if isinstance(each, Specialised)]
    loops = {each.subroutine.wish for each in callees if isinstance(each, Checkpointed)}
    others = {each.subroutine.wish for each in callees if not isinstance(each, Checkpointed)}
    return [
        *(f"the checkpointed {name} keeps snapshots of what it carries" for name in sorted(loops)),
        *(f"each call of {name} keeps a record of its own" for name in sorted(others)),
    ]


_IDLE = {
    True: "linear, or needs only what is there: nothing is kept",
    False: "no derivative passes here",
}


def _line(place: Place) -> Line:
    own = ((place.file, place.line),)
    return own if place.inside is None else (*_line(place.inside), *own)


def _alive(made: Made) -> frozenset[str]:
    """Names in the functions, once what nothing reads is dropped."""
    kept = [without_dead_code(each.body, made.outputs.get(each.name, ())) for each in made.functions]
    return names_alive([statement for body in kept for statement in body])


def _paths(case: Case) -> dict[str, str]:
    """Where the parameters of a function of leaves come from, in the user's structures."""
    forms = getattr(case.function, "forms", None) or {}
    found = [path for name, part in forms.items() for path in leaf_paths(part, name)]
    return dict(zip(case.unit.parameters, found, strict=False)) if found else {}


def _handed(made: Made) -> tuple[str, ...]:
    """What the trace holds besides traces."""
    assert made.sweeps is not None
    by = made.sweeps.by
    fields = trace_fields(by.program, made.sweeps, by.adjoints.calls.used)
    return tuple(name for name in fields if name in by.program.flow.stores)
