"""Islands: calls that Numba cannot compile run as Python, and the functions around them run compiled.

    for i in range(n):                                  for i in range(n):
        s += np.sin(s)                      becomes         s += np.sin(s)
        x = np.roll(x, 1, axis=0)                           x = island_3(x)

where `island_3` calls NumPy in Numba's object mode. Its result has the type that it had when the functions ran as
Python; a result of another type raises `OtherType`, and is never read as what it is not. A result that is a view stays
one. `Island` runs functions as Python until they turn out to loop enough for compiling to be worth its time.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numba
import numpy as np
from numba import objmode, typeof
from numba.core import errors, types
from numba.core.registry import CPUDispatcher

from srcad.parsing import python_tree
from srcad.runtime.jit import disk_cache
from srcad.runtime.jit.disk_cache import Stored
from srcad.runtime.jit.dispatchers import compiled, load
from srcad.runtime.jit.gc_pause import nothing_collected
from srcad.runtime.jit.numba_inference import CannotType, infer
from srcad.runtime.support.random_states import kept_states

# Turns of loops, over all calls, after which compiling is tried: it takes seconds, and saves microseconds a turn.
WORTHWHILE = 20_000
_MOST_TRIES = 4
_NO_SITE = ("kernels.Unobserved", "kernels.expect")


class OtherType(Exception):
    """A call has a result of another type than it had when its function was compiled."""


@dataclass
class Site:
    """A call in generated code: its text as a function of what is not constant in it, and what runs have shown."""

    text: str
    count: int
    function: Callable[..., Any] | None = None
    arguments: set[tuple[types.Type, ...]] = field(default_factory=set)
    results: set[types.Type] = field(default_factory=set)
    shares: bool = False
    seen: set[Any] = field(default_factory=set)


def _key(value: Any) -> Any:
    """What the type of a value depends on, where that is cheap to tell; for others, an object of its own."""
    kind = type(value)
    if kind is tuple:
        return tuple(map(_key, value))
    if kind is np.ndarray:
        return value.dtype, value.ndim, value.flags.num, value.base is None
    return kind if kind in (float, int, bool, complex, str, type(None)) or issubclass(kind, np.generic) else object()


class Observed:
    """Generated functions as Python that notes types of calls, and counts the turns of loops."""

    def __init__(self, text: str, given: Mapping[str, Any]) -> None:
        self.sites: dict[int, Site] = {}
        self.turns, self.calls = 0, 1
        self.is_typed = True
        tree = _Sites(self.sites, python_tree(text), given, observing=True).tree
        self.namespace: dict[str, Any] = {**given, "observed_call": self.call, "observed_turn": self.turn}
        exec(compile(tree, "<srcad observed>", "exec", dont_inherit=True), self.namespace)

    def turn(self) -> None:
        """A loop begins a turn."""
        self.turns += 1

    def call(self, number: int, function: Callable[..., Any], *args: Any) -> Any:
        """A call, of which the types are noted."""
        result, site = function(*args), self.sites[number]
        key = (*map(_key, args), _key(result))
        if key in site.seen:
            return result
        site.seen.add(key)
        site.function = function
        try:
            site.arguments.add(tuple([typeof(each) for each in args]))
            site.results.add(typeof(result))
        except (ValueError, errors.NumbaError):
            self.is_typed = False
        site.shares = site.shares or shares_memory(result, args)
        return result


def shares_memory(value: Any, others: tuple[Any, ...]) -> bool:
    """Whether an array may share memory with one of the others."""
    arrays = [each for each in others if isinstance(each, np.ndarray)]
    return isinstance(value, np.ndarray) and any(np.may_share_memory(value, each) for each in arrays)


class _Sites(ast.NodeTransformer):
    """Numbers the calls of a module. Observing, they are noted; else those in `islands` become calls of islands."""

    def __init__(
        self,
        sites: dict[int, Site],
        tree: ast.Module,
        given: Mapping[str, Any],
        observing: bool,
        islands: frozenset[int] = frozenset(),
    ) -> None:
        self.sites, self.given, self.observing, self.islands = sites, given, observing, islands
        self.count = 0
        self.local: set[str] = set()
        self.lines: dict[int, set[int]] = {}
        self.tree = ast.fix_missing_locations(self.visit(tree))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        stored = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
        self.local = stored | {each.arg for each in node.args.args}
        return self.generic_visit(node)

    def visit_For(self, node: ast.For) -> ast.AST:
        return self.loop(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        return self.loop(node)

    def loop(self, node: ast.For | ast.While) -> ast.AST:
        """A loop that counts its turns while it is observed."""
        self.generic_visit(node)
        if self.observing:
            node.body.insert(0, ast.Expr(ast.Call(ast.Name("observed_turn", ast.Load()), [], [])))
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if not self.observing and isinstance(node.value, ast.Call) and _path(node.value.func) == "kernels.expect":
            return ast.Pass()  # types are fixed where it is compiled
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        path = _path(node.func)
        root = (path or "").partition(".")[0]
        is_known = path is not None and root not in self.local and path not in _NO_SITE
        is_site = is_known and ("." in str(path) or root in self.given)
        if not is_site or any(isinstance(each, ast.Starred) for each in node.args):
            return self.generic_visit(node)
        number = self.count = self.count + 1
        given = [*node.args, *(each.value for each in node.keywords)]
        dynamic = [each for each in given if not self.is_constant(each)]
        self.lines.setdefault(node.lineno, set()).add(number)
        names = {id(each): f"a{k}" for k, each in enumerate(dynamic)}
        outer = [self.visit(each) for each in dynamic]
        inner = ast.Call(
            node.func,
            [_named(each, names) for each in node.args],
            [ast.keyword(each.arg, _named(each.value, names)) for each in node.keywords],
        )
        if self.observing:
            self.sites[number] = Site(ast.unparse(inner), len(dynamic))
            function = ast.Lambda(_parameters(list(names.values())), inner)
            return ast.Call(ast.Name("observed_call", ast.Load()), [ast.Constant(number), function, *outer], [])
        if number in self.islands:
            return ast.Call(ast.Name(f"island_{number}", ast.Load()), outer, [])
        return ast.Call(
            node.func,
            [outer[dynamic.index(each)] if each in dynamic else each for each in node.args],
            [
                ast.keyword(each.arg, outer[dynamic.index(each.value)] if each.value in dynamic else each.value)
                for each in node.keywords
            ],
        )

    def is_constant(self, node: ast.expr) -> bool:
        """Whether an argument is a literal, or something of a module."""
        match node:
            case ast.Constant():
                return True
            case ast.UnaryOp(operand=operand):
                return isinstance(operand, ast.Constant)
            case ast.Tuple(elts=elements):
                return all(map(self.is_constant, elements))
            case ast.Name(id=name):
                return name not in self.local
            case ast.Attribute():
                path = _path(node)
                return path is not None and path.partition(".")[0] not in self.local
        return False


def _path(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    inner = _path(node.value) if isinstance(node, ast.Attribute) else None
    return None if inner is None or not isinstance(node, ast.Attribute) else f"{inner}.{node.attr}"


def _named(node: ast.expr, names: Mapping[int, str]) -> ast.expr:
    return ast.Name(names[id(node)], ast.Load()) if id(node) in names else node


def _parameters(names: list[str]) -> ast.arguments:
    return ast.arguments([], [ast.arg(each) for each in names], None, [], [], None, [])


class Islands:
    """Generated functions that run as Python at first, then compiled with islands where that is worthwhile."""

    def __init__(
        self,
        text: str,
        functions: tuple[str, ...],
        given: Mapping[str, Any],
        options: Mapping[str, Any],
        rounded: Callable[[Any, Any], Any],
        differs: Callable[[Any, tuple[types.Type, ...]], bool],
        writes: bool = False,
    ) -> None:
        """`options` are Numba's; `rounded` converts numbers that Numba returns to their precision, given the type.

        `differs` says of a function and types whether Numba gives what it computes another meaning than Python.
        `writes` says that the functions may write into their arguments, which have to be put back before a second run.
        """
        self.differs = differs
        self.rounded, self.draws = rounded, "random" in text or ".draw_" in text
        self.writes, self.has_effects = writes, writes and has_effects(text)
        self.text, self.functions, self.given, self.options = text, functions, dict(given), dict(options)
        stored = Stored(text, functions, tuple(sorted(given)))
        self.plain = load(disk_cache.key("observed", text), stored, given)

    def routines(self) -> tuple[Routine, ...]:
        """The public functions."""
        return tuple(Routine(self, name) for name in self.functions)

    def compiled(self, name: str, observed: Observed, kinds: tuple[types.Type, ...]) -> CPUDispatcher | None:
        """A function with islands for these types of its arguments; None if it does not compile."""
        islands = frozenset(number for number, site in observed.sites.items() if self.is_island(site, observed))
        for _ in range(_MOST_TRIES):
            if any(_type_of(observed.sites[number]) is None for number in islands):
                break
            rewritten = _Sites({}, python_tree(self.text), self.given, observing=False, islands=islands)
            function, lines = self.built(name, rewritten, islands, observed)
            try:
                with nothing_collected():
                    function.compile(kinds)
            except (errors.NumbaError, errors.UnsupportedBytecodeError, NotImplementedError, AssertionError) as error:
                more = _named_in(str(error), lines, observed, islands)
                if not more:
                    return None
                islands |= more
            else:
                return None if self.is_other(function) else function
        return None

    def is_other(self, function: CPUDispatcher) -> bool:
        """Whether a compiled function, or one of the same text that it calls, means something else than as Python."""
        text = function.py_func.__code__.co_filename
        made = [each for each in function.py_func.__globals__.values() if isinstance(each, CPUDispatcher)]
        own = [each for each in made if each.py_func.__code__.co_filename == text]
        return any(self.differs(each.py_func, kinds) for each in own for kinds in each.overloads)

    def is_island(self, site: Site, observed: Observed) -> bool:
        """Whether Numba has no types for a call that has run, or another type of the result."""
        if not site.results:
            return False
        if site.text.startswith("np.random."):
            return True  # Numba has random numbers of its own
        names = ", ".join(f"a{k}" for k in range(site.count))
        namespace = dict(observed.namespace)
        exec(f"def probe({names}):\n    return {site.text}\n", namespace)
        try:
            found = {_element(infer(namespace["probe"], kinds).result) for kinds in site.arguments}
        except CannotType:
            return True
        return not found <= set(map(_element, site.results))

    def built(
        self, name: str, rewritten: _Sites, islands: frozenset[int], observed: Observed
    ) -> tuple[CPUDispatcher, dict[int, set[int]]]:
        """The function of this name, to be compiled; and the calls on each line of its module."""
        made: dict[str, Any] = dict(self.given)
        for number in islands:
            made |= {f"island_{number}": _island(number, observed.sites[number])}
        text = ast.unparse(rewritten.tree)
        again = _Sites({}, python_tree(text), self.given, observing=False)
        stored = Stored(text, (name,), tuple(sorted(made)))
        module = load(disk_cache.key("islands", text, repr(id(observed))), stored, made)
        numbers = _numbers_by_line(text, rewritten, again)
        return compiled(module, (name,), self.options)[0], numbers


def _numbers_by_line(text: str, rewritten: _Sites, again: _Sites) -> dict[int, set[int]]:
    """The numbers of calls that are no islands, by their lines in a text; they are in the same order there."""
    left = [number for number in range(1, rewritten.count + 1) if number not in rewritten.islands]
    return {line: {left[each - 1] for each in found} for line, found in again.lines.items()}


def _named_in(
    problem: str, lines: Mapping[int, set[int]], observed: Observed, islands: frozenset[int]
) -> frozenset[int]:
    """The calls on the last line that an error names which are no islands yet, and have run."""
    import re

    for line in reversed([int(each) for each in re.findall(r"<srcad [^>]*>\W+(?:line )?(\d+)", problem)]):
        found = {each for each in lines.get(line, ()) if each not in islands and observed.sites[each].results}
        if found:
            return frozenset(found)
    return frozenset()


def _element(kind: types.Type) -> types.Type:
    """The type of a number, or of the elements of an array."""
    return kind.dtype if isinstance(kind, types.Array) else kind


def _type_of(site: Site) -> types.Type | None:
    """The type of an island's result; None if it differs from run to run, or cannot leave an island."""
    kinds = {_with_layout(kind, "A" if site.shares else "C") for kind in site.results}
    (kind, *others) = kinds
    fit = isinstance(
        kind,
        (types.Array, types.Number, types.Boolean, types.NoneType, types.BaseTuple, types.NumPyRandomGeneratorType),
    )
    return kind if fit and not others else None


def _with_layout(kind: types.Type, layout: str) -> types.Type:
    if not isinstance(kind, types.Array):
        return kind
    return types.Array(kind.dtype, kind.ndim, layout, readonly=not kind.mutable, aligned=kind.aligned)


def _island(number: int, site: Site) -> CPUDispatcher:
    """The function that runs a call in object mode."""
    kind, names = _type_of(site), ", ".join(f"a{k}" for k in range(site.count))
    result = "" if isinstance(kind, types.NoneType) else "y=kind"
    text = f"def island_{number}({names}):\n    with objmode({result}):\n        y = run({names})\n    return y\n"
    if not result:
        text = f"def island_{number}({names}):\n    with objmode():\n        run({names})\n"
    namespace: dict[str, Any] = {"objmode": objmode, "kind": kind, "run": _checked(site, kind)}
    exec(text, namespace)
    return numba.njit(namespace[f"island_{number}"])


def _checked(site: Site, kind: types.Type | None) -> Callable[..., Any]:
    """The call as Python, with a result of this type or an exception."""
    function = site.function
    assert function is not None
    is_array = isinstance(kind, types.Array)
    layout = getattr(kind, "layout", "")

    def run(*args: Any) -> Any:
        value = function(*args)
        if is_array and layout == "C" and isinstance(value, np.ndarray) and not value.flags.c_contiguous:
            if shares_memory(value, args):
                raise OtherType
            value = np.ascontiguousarray(value)
        if _with_layout(typeof(value), layout) != kind:
            raise OtherType
        return value

    return run


def _nothing() -> None:
    """There is no state to be put back."""


def has_effects(text: str) -> bool:
    r"""Whether generated functions do what cannot be undone: print, log, change objects of the user's.

    >>> has_effects("def f(x):\n    x[0] = 1.0\n    kernels.add_to(x, x)"), has_effects("def f(x):\n    print(x)")
    (False, True)
    """
    calls = [each.value for each in ast.walk(python_tree(text)) if isinstance(each, ast.Expr)]
    paths = [_path(each.func) or "" for each in calls if isinstance(each, ast.Call)]
    return any(path == "kernels.effect" or not path.startswith(("kernels.", "np.")) for path in paths)


_RESTORED = (np.ndarray, np.number, np.bool_, float, int, complex, np.random.Generator, np.random.RandomState)


def kept_arguments(arguments: tuple[Any, ...]) -> Callable[[], None]:
    """A function that puts arrays among the arguments back to what they are now.

    >>> x = np.ones(2)
    >>> put_back = kept_arguments((x, 2.0))
    >>> x[:] = 3.0
    >>> put_back()
    >>> x
    array([1., 1.])
    """
    arrays = [each for each in arguments if isinstance(each, np.ndarray) and each.flags.writeable]
    contents = [each.copy() for each in arrays]

    def put_back() -> None:
        for array, content in zip(arrays, contents, strict=True):
            array[...] = content

    return put_back


class Routine:
    """One generated function."""

    def __init__(self, islands: Islands, name: str) -> None:
        self.islands, self.name = islands, name
        self.plain: Callable[..., Any] = getattr(islands.plain, name)
        self.observed: dict[tuple[types.Type, ...], Observed] = {}
        self.compiled: dict[tuple[types.Type, ...], CPUDispatcher | None] = {}

    def __call__(self, *args: Any) -> Any:
        """The function's value."""
        if self.islands.has_effects or (self.islands.writes and not all(isinstance(each, _RESTORED) for each in args)):
            return self.plain(*args)
        try:
            kinds = tuple([typeof(each) for each in args])
        except (ValueError, errors.NumbaError):
            return self.plain(*args)
        if kinds not in self.observed:
            self.observed[kinds] = Observed(self.islands.text, self.islands.given)
            return self.observed[kinds].namespace[self.name](*args)
        if kinds not in self.compiled:
            observed = self.observed[kinds]
            observed.calls += 1
            if not observed.is_typed or observed.turns * observed.calls < WORTHWHILE:
                return self.plain(*args)
            self.compiled[kinds] = self.islands.compiled(self.name, observed, kinds)
        function = self.compiled[kinds]
        if function is not None:
            draws = kept_states(args) if self.islands.draws else _nothing
            written = kept_arguments(args) if self.islands.writes else _nothing
            try:
                return self.islands.rounded(function(*args), function.overloads[kinds].signature.return_type)
            except OtherType:
                self.compiled[kinds] = None
                draws()
                written()
        return self.plain(*args)
