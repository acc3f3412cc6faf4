"""`srcad.explain`: a report, line by line, of the values that the reverse sweep needs and how it gets them.

Each value of the primal that the reverse sweep reads has a `Reason`:

    recorded    saved in a trace, with a `Cost` in bytes
    put back    overwritten by a store, saved before that and restored in reverse, with a `Cost`
    recomputed  computed again from values that are available
    there       still available when the reverse sweep needs it
    handed      still available at the end of the forward function, and passed to the reverse function

`Accountant` finds these from the assembled sweeps, without values that turned out to be unused. `Speaker` expresses
names of the core form in the user's names, or as expressions of these:

    t3 = x.shape[0]; t4 = np.sin(v_2); a_2 = t4 * k           t4: np.sin(v)     a_2: a     t3: x.shape[0]

`Explanation` puts the report into words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gast
from numba import types as nb

from srcad.driver.options import Without
from srcad.errors import BadArgument, Place
from srcad.printing.highlight import Lines
from srcad.printing.printer import print_function
from srcad.tools.source_text import Case, case_of, refusing_untyped
from srcad.transforms.adjoint.reverse_plan import Fork, Plan, Replay, Step, inner_plans, spot_of
from srcad.transforms.analysis.affine.linear_forms import Form as Linear
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.checkpointing.loop_outlining import Checkpointed
from srcad.transforms.inference.subroutine_types import Specialised
from srcad.transforms.ir.build import (
    attribute,
    binary,
    clone,
    const,
    load,
    names_in,
    place_of,
    stores_into,
    walk,
    walk_statements,
    written,
)
from srcad.transforms.ir.cost_model import FIRST_TRACE_ENTRIES
from srcad.transforms.ir.generated_functions import Made
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.pass_names import PREALLOCATED_TRACES
from srcad.transforms.ir.pytree_form import LEAF, Form, Part
from srcad.transforms.normalise.prepare_for_differentiation import element_type
from srcad.transforms.postoptimise.dead_code import without_dead_code
from srcad.transforms.storage.placement import Loop
from srcad.transforms.storage.recomputation import Recipes
from srcad.transforms.storage.tbr import own_reads
from srcad.transforms.storage.traces import is_grid
from srcad.transforms.storage.trip_counts import extent
from srcad.transforms.sweeps.forward_reverse_pair import trace_fields
from srcad.transforms.sweeps.sweep_construction import Assembler

DEEPEST = 8  # the deepest nesting of temporaries that are written out


class Speaker:
    """Expresses names of a program in the user's names."""

    def __init__(self, program: Program, paths: Mapping[str, str] | None = None) -> None:
        """`paths` maps parameters to their place in structured arguments, such as `cells[0].w`."""
        self.program, self.paths = program, paths or {}
        own = {word for text in program.unit.sources for word in re.findall(r"[A-Za-z_]\w*", text)}
        self.known = {*own, *program.unit.parameters}

    def name(self, name: str) -> str:
        """The user's name for a value, else the expression that computes it."""
        return self.text(gast.Name(id=name, ctx=gast.Load(), annotation=None, type_comment=None))

    def is_own(self, name: str) -> bool:
        """Whether the user has named the value."""
        return self.plain(name) in self.known

    @staticmethod
    def plain(name: str) -> str:
        """A name without the number that distinguishes it from others of the same name."""
        return re.sub(r"_\d+$", "", name)

    def text(self, node: gast.expr) -> str:
        """An expression in the user's names."""
        return print_function(_Unfolder(self).visit(clone(node))).strip()

    def place(self, name: str) -> Place | None:
        """Where a name is first stored."""
        stores = self.program.flow.stores.get(name, [])
        return next((place for each in stores if (place := place_of(each)) is not None), None)

    def size(self, array: str) -> str | None:
        """The number of elements of an array, as text; None if its rank is not known."""
        rank = self.program.types.rank(array)
        if rank is None:
            return None
        forms = [self.program.meeting.size(array, axis) for axis in range(rank)]
        return " * ".join(self.form(form, len(forms) > 1) for form in forms) or "1"

    def form(self, form: Linear, inside: bool = False) -> str:
        """The text of a linear form of sizes."""
        text = ""
        for symbol, factor in form.terms:
            said = self._symbol(symbol)
            part = said if abs(factor) == 1 else f"{abs(factor)} * {said}"
            text = f"{text} {'-' if factor < 0 else '+'} {part}" if text else f"{'-' if factor < 0 else ''}{part}"
        if form.constant or not text:
            sign = "-" if form.constant < 0 else "+"
            text = f"{text} {sign} {abs(form.constant)}" if text else str(form.constant)
        return f"({text})" if inside and " " in text else text

    def _symbol(self, symbol: str) -> str:
        array, dot, rest = symbol.partition(".")
        return self.name(array) + dot + rest if array.isidentifier() else symbol


class _Unfolder(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    def __init__(self, speaker: Speaker, depth: int = 0) -> None:
        self.speaker, self.depth = speaker, depth

    def visit_BinOp(self, node: gast.BinOp) -> gast.expr:
        self.generic_visit(node)
        match node:  # n - 1 - 1
            case gast.BinOp(
                left=gast.BinOp(
                    left=left, op=gast.Add() | gast.Sub() as first, right=gast.Constant(value=int() as one)
                ),
                op=gast.Add() | gast.Sub() as second,
                right=gast.Constant(value=int() as other),
            ):
                total = (one if isinstance(first, gast.Add) else -one) + (
                    other if isinstance(second, gast.Add) else -other
                )
                return binary(left, gast.Add if total > 0 else gast.Sub, const(abs(total))) if total else left
        return node

    def visit_Subscript(self, node: gast.Subscript) -> gast.expr:
        """Write the call itself for one of the results of a call that is not inlined."""
        self.generic_visit(node)
        is_call = isinstance(node.value, gast.Call) and notes_of(node.value).calls_own_function
        return node.value if is_call else node

    def visit_Call(self, node: gast.Call) -> gast.expr:
        self.generic_visit(node)
        callee = self.speaker.program.unit.bindings.get(getattr(node.func, "id", ""))
        if isinstance(callee, Specialised):
            node.func.id = callee.wish
            note(node, calls_own_function=True)
            node.args = [] if isinstance(callee, Checkpointed) else node.args  # bounds and the loop's variables
        return node

    def visit_Name(self, node: gast.Name) -> gast.expr:
        speaker = self.speaker
        if node.id in speaker.program.unit.bindings:
            return node
        if node.id in speaker.paths:
            node.id = speaker.paths[node.id]
            return node
        value = speaker.program.flow.definition(node.id)
        if value is None and re.fullmatch(r"t\d+_sum(_\d+)?", node.id):
            node.id = "sum(...)"  # the sum of a loop that was generated for an array statement
            return node
        if speaker.is_own(node.id) or value is None or self.depth >= DEEPEST:
            node.id = speaker.plain(node.id)
            return node
        return _Unfolder(speaker, self.depth + 1).visit(clone(value))


def leaf_paths(part: Part | Any, path: str) -> list[str]:
    """The paths of the leaves of a structure, as the user writes them.

    >>> leaf_paths(Form(dict, ("w", "b"), (LEAF, Form(list, (0, 1), (LEAF, LEAF)))), "p")
    ["p['w']", "p['b'][0]", "p['b'][1]"]
    """
    if not isinstance(part, Form):
        return [path] if part is LEAF else []
    is_indexed = issubclass(part.type, (tuple, list, dict))
    inner = [f"{path}[{key!r}]" if is_indexed else f"{path}.{key}" for key in part.keys]
    return [found for below, at in zip(part.parts, inner, strict=True) for found in leaf_paths(below, at)]


@dataclass(frozen=True)
class Cost:
    """A number of bytes, as an expression of the user's names: the width of an entry, times `factors`.

    In `factors`, `iterations` is the number of iterations of loops for which it is not known.

    what        the kind of an entry
    loops       the loops for which there is an entry per iteration
    most        whether the number is an upper bound; memory that is allocated and never written does not count
    grows       whether it depends on `iterations`
    """

    width: int
    factors: str
    what: str
    loops: tuple[Loop, ...] = ()
    most: bool = False
    grows: bool = False

    @property
    def formula(self) -> str:
        """The number of bytes, as an expression."""
        return f"{self.width} * {self.factors}" if self.factors else str(self.width)


@dataclass(frozen=True)
class Reason:
    """One value: how the reverse sweep gets it, the statements whose reversal reads it, and its cost."""

    name: str
    place: Place | None
    what: str
    users: tuple[Place | str, ...] = ()
    cost: Cost | None = None
    recipe: gast.expr | None = None


class Accountant:
    """Finds the reasons from the assembled sweeps."""

    def __init__(
        self, by: Assembler, alive: frozenset[str], handed: tuple[str, ...], paths: Mapping[str, str] | None = None
    ) -> None:
        """`alive` are the names in the sweeps' code, `handed` the names in the trace of a pair.

        `paths` maps parameters to their place in structured arguments.
        """
        self.by, self.alive, self.handed = by, alive, handed
        self.program, self.sites = by.program, by.sites
        self.speaker, self.recipes = Speaker(by.program, paths), Recipes(by.program, by.spot)
        self.users: dict[str, dict[Place | str, None]] = {}
        self._collect(by.plan)
        for name, recipe in by.decisions.recomputed.items():
            for read in names_in(recipe):
                if self.is_alive(name):
                    self._note(read, f"computing {self.speaker.name(name)} again")

    def reasons(self) -> list[Reason]:
        """All reasons, in the order of the primal's statements."""
        found = list(self._values())
        order = {name: k for k, name in enumerate(self.program.flow.stores)}
        return sorted(found, key=lambda each: order.get(each.name, -1))

    def is_dear(self, name: str) -> bool:
        """Whether computing a value is more expensive than a multiplication."""
        return self.recipes.compute_cost(name) >= 1.0

    def is_hollow(self, name: str) -> bool:
        """Whether only the shape of an array is recorded."""
        return name in self.by.traces and self.by.traces[name].is_hollow

    def recipe(self, name: str) -> gast.expr | None:
        """The expression that would recompute a value."""
        return self.recipes.recipe(name)

    def is_alive(self, name: str) -> bool:
        """Whether the code of the sweeps still contains a name, or its trace."""
        trace = self.by.traces.get(name)
        return (trace.make[0].targets[0].id if trace is not None else name) in self.alive

    def _values(self) -> Iterator[Reason]:
        decisions = self.by.decisions
        for name in self.program.flow.stores:
            users = tuple(self.users.get(name, ()))
            place = self.speaker.place(name)
            if name in decisions.recorded:
                if self.is_alive(name):
                    yield Reason(name, place, "recorded", users, self.cost(name))
            elif name in decisions.recomputed and users and self.is_alive(name):
                yield Reason(name, place, "recomputed", users, recipe=decisions.recomputed[name])
            elif name in self.handed:
                yield Reason(name, place, "handed", users, self.plain_cost(name, self.program.types.get(name)))
            elif isinstance(self.program.types.get(name), nb.BaseTuple):
                continue  # its parts are reported
            elif users and self.sites.is_there(name) and not self.program.flow.is_index(name):
                yield Reason(name, place, "there", users)
        for store in decisions.undone:
            name = self.by.old[id(store)]
            if name in self.alive or self.is_alive(name):
                yield self.undone(store, name)

    def undone(self, store: gast.stmt, name: str) -> Reason:
        """The reason for a store whose overwritten value is restored."""
        target = stores_into(store)
        assert target is not None
        kind = element_type(target, dict(self.program.types.of))
        trace = self.by.traces.get(name)
        cost = (
            self.plain_cost(None, kind) if trace is None else self.traced(name, kind, self.program.flow.spot(store).way)
        )
        users = self.users.get(target.value.id, {})
        return Reason(self.speaker.text(target), place_of(store), "put back", tuple(users), cost)

    def cost(self, name: str) -> Cost:
        """The cost of the trace of a name."""
        return self.traced(name, self.program.types.get(name), self.sites.site(name))

    def plain_cost(self, name: str | None, kind: nb.Type | None) -> Cost:
        """The cost of one value."""
        if not isinstance(kind, nb.Array):
            return Cost(width(kind), "", f"one {kind}")
        size = self.speaker.size(name) if name is not None else None
        return Cost(width(kind.dtype), size or "size", f"an array of {kind.dtype}", most=size is None)

    def traced(self, name: str, kind: nb.Type | None, site: tuple[tuple[int, int], ...]) -> Cost:
        """The cost of a trace with entries of this type, one per iteration of the loops around a site."""
        loops = self.sites.loops_around(site)
        extents = [extent(self.sites, loop) for loop in loops]
        sizes = [self._factor(each.size) for each in extents if each is not None]
        known, exact = len(sizes) == len(loops), is_grid(self.sites, loops)
        turns = " * ".join(sizes) if known else "iterations"
        if isinstance(kind, nb.Array) and self.is_hollow(name):
            return Cost(8 * kind.ndim, turns, "a shape", loops, not exact, not known)
        if isinstance(kind, nb.Array):  # a list of references, one per iteration
            size = self.speaker.size(name) if name in self.program.flow.stores else None
            what = f"an array of {kind.dtype}"
            return Cost(
                width(kind.dtype), f"{turns} * {size or 'size'}", what, loops, not exact or size is None, not known
            )
        if known and self.program.unit.does(PREALLOCATED_TRACES):
            return Cost(width(kind), " * ".join(sizes), f"one {kind}", loops, not exact)
        return Cost(width(kind), f"max({FIRST_TRACE_ENTRIES}, 2 * iterations)", f"one {kind}", loops, True, True)

    def _factor(self, size: gast.expr) -> str:
        text = self.speaker.text(size)
        return f"({text})" if isinstance(size, gast.BinOp) else text

    def _collect(self, plan: Plan) -> None:
        for node in plan.nodes:
            user: Place | str | None = None
            match node:
                case Step(statement=statement) if statement is not None:
                    user = place_of(statement)
                case Fork(statement=statement):
                    user = place_of(statement)
                case Replay(statement=statement):
                    user = place_of(statement)
            for name in own_reads(node):
                if user is not None:
                    self._note(name, user)
            for inner in inner_plans(node):
                self._collect(inner)

    def _note(self, name: str, user: Place | str) -> None:
        if self.sites.is_primal(name):
            self.users.setdefault(name, {})[user] = None


def width(kind: nb.Type | None) -> int:
    """The bytes of one element."""
    if isinstance(kind, nb.Boolean):
        return 1
    return int(kind.bitwidth) // 8 if isinstance(kind, (nb.Float, nb.Integer, nb.Complex)) else 8


def names_alive(code: list[gast.stmt]) -> frozenset[str]:
    """All names in statements."""
    return frozenset(node.id for each in code for node in walk(each) if isinstance(node, gast.Name))


Line = tuple[tuple[str, int], ...]  # from the outermost call to the line itself


def explain(
    f: Callable[..., Any],
    mode: str = "grad",
    wrt: int | str | tuple[int | str, ...] = 0,
    signature: str | Sequence[Any] | None = None,
    args: Sequence[Any] | None = None,
    without: Without = (),
    boundscheck: bool | None = None,
) -> str:
    """Report line by line which values are recorded, recomputed or restored, for which line, and in how many bytes.

    mode        "grad", the gradient in one function, "value_and_grad", or "reverse", a forward and a reverse function
    signature   the argument types in Numba's notation, "f8[:], f8"; or give `args`. By default they come from
                annotations and default values
    without     compiler passes to leave out
    boundscheck False leaves out the checks that indices are in range

    Bytes are a formula in the user's names. Raises BadArgument for other modes, which record nothing.

    >>> print(explain(lambda x: x * x, signature="f8"))  # doctest: +ELLIPSIS
    the gradient of anonymous with respect to x
    ...
    nothing is recorded
    """
    return Lines(Explanation(case_of(f, mode, wrt, signature, args, without, boundscheck)).text())


class Explanation:
    """The explanation of one derivative, as text, and its costs."""

    def __init__(self, case: Case) -> None:
        from srcad.driver import pipeline

        request = case.request
        if request.mode not in ("grad", "value_and_grad", "vjp"):
            raise BadArgument(f"there is nothing to explain of mode '{request.mode}'", hint="it is grad or reverse")
        options = request.options
        how: dict[str, Any] = {"tuple_result": request.tuple_result, "without": options.without}
        how["max_trace_bytes"], how["boundscheck"] = options.max_trace_bytes, options.boundscheck
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
        """The costs of all values that are kept for the reverse sweep."""
        return [each.cost for each in self.reasons if each.cost is not None]

    def text(self) -> str:
        """The explanation."""
        notes = self.notes()
        lines = [self._title(), ""]
        for line in sorted(notes):
            place, said = notes[line]
            indent = "    " * (len(line) - 1)
            lines.append(f"{indent}{place.line:4d} | {place.text.strip()}")
            lines += [f"{indent}     | {'  ' if note.startswith(' ') else '- '}{note.strip()}" for note in said]
        return "\n".join([*lines, "", *self.total()])

    def _title(self) -> str:
        case = self.case
        names = [case.unit.parameters[place] for place in case.request.wrt]
        of = ", ".join(self.paths.get(name, name) for name in names)
        what = "the forward and reverse function" if case.request.mode == "vjp" else "the gradient"
        return f"{what} of {case.unit.name} with respect to {of}"

    def total(self) -> list[str]:
        """The sum of all costs, with equal factors combined."""
        costs = self.costs
        widths: dict[str, int] = {}
        for each in costs:
            widths[each.factors] = widths.get(each.factors, 0) + each.width
        total = " + ".join(f"{total} * {factors}" if factors else str(total) for factors, total in widths.items())
        callees = _recording(self.by) if self.by.adjoints.calls.forward else []
        more = [f"besides, {name}" for name in callees]
        bound = "at most " if any(each.most for each in costs) else ""
        return [f"in all: {bound}{total} bytes" if costs else "nothing is recorded", *more]

    def notes(self) -> dict[Line, tuple[Place, list[str]]]:
        """The notes for each line that has a statement, or a call of a helper that has one."""
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
            return "reversed on the spot: each iteration runs and is reversed at once, so nothing is kept of it"
        counted = "; its iterations are counted" if id(loop) in self.by.counts else ""
        return f"reversed from its last iteration to its first{counted}"

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
        return "the number of iterations" if name in self.by.counts.values() else self.speaker.name(name)

    def _why(self, reason: Reason) -> str:
        """Why a value is recorded and not recomputed."""
        if self.by.program.carrier(reason.name) is not None:
            return "as each iteration overwrites it"
        recipe = self.accountant.recipe(reason.name)
        if recipe is None:
            return "as it cannot be computed again"
        if isinstance(recipe, gast.Subscript):
            return "as the memory that it is read from changes"
        is_dear = self.accountant.is_dear(reason.name)
        return "as it is dear to compute" if is_dear else "as what it is computed from is not there any more"

    def _computed(self, reason: Reason, name: str) -> list[str]:
        """The notes for recomputed values; index arithmetic is not reported."""
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
    """What a value is needed for: all lines whose reversal reads it, and one value that is computed from it."""
    users = list(dict.fromkeys(each if isinstance(each, str) else f"line {each.line}" for each in reason.users))
    lines = [each.removeprefix("line ") for each in users if each.startswith("line ")]
    parts = [f"the reversal of {'lines' if len(lines) > 1 else 'line'} {', '.join(lines)}"] if lines else []
    parts += [each for each in users if not each.startswith("line ")][:1]
    return f", for {' and '.join(parts)}" if parts else ""


def _costing(cost: Cost, speaker: Speaker) -> str:
    """`8 * n bytes (one float64 for each iteration of the loop over i (line 3))`."""
    of = cost.what
    if cost.loops:
        of += f" for each iteration of the loop{'s' if len(cost.loops) > 1 else ''} "
        of += ", ".join(_iterations(each, speaker) for each in cost.loops)
    bound = "grows: at most " if cost.grows else "at most " if cost.most else ""
    return f"{bound}{cost.formula} bytes ({of})"


def _iterations(loop: Loop, speaker: Speaker) -> str:
    place = place_of(loop)
    at = f"line {place.line}" if place is not None else "made up"
    if isinstance(loop, gast.While):
        return f"while ({at})"
    name = loop.target.id
    return f"over {speaker.plain(name)} ({at})" if speaker.is_own(name) else f"over elements ({at})"


def _recording(by: Assembler) -> list[str]:
    """Notes on called functions that keep records of their own."""
    callees = [each for each in by.program.unit.bindings.values() if isinstance(each, Specialised)]
    loops = {each.wish for each in callees if isinstance(each, Checkpointed)}
    others = {each.wish for each in callees if not isinstance(each, Checkpointed)}
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
    """The names in the functions after dead code elimination."""
    return names_alive([statement for body in map(without_dead_code, made.codes()) for statement in body])


def _paths(case: Case) -> dict[str, str]:
    """For a function of leaves, the places of its parameters in the user's structures."""
    forms = getattr(case.function, "forms", None) or {}
    found = [path for name, part in forms.items() for path in leaf_paths(part, name)]
    return dict(zip(case.unit.parameters, found, strict=False)) if found else {}


def _handed(made: Made) -> tuple[str, ...]:
    """The values in the trace that are not traces of loops."""
    assert made.sweeps is not None
    by = made.sweeps.by
    fields = trace_fields(by.program, made.sweeps, by.adjoints.calls.used)
    return tuple(name for name in fields if name in by.program.flow.stores)
