"""Which expressions of a source file may hold a value that is computed from given expressions.

    a = np.asarray(v)           with this call given: `a`, `b` and `self.scale` hold what is computed from it,
    b = [2.0 * a, 1.0]          `n`, which is no floating-point number, and `c`, a comparison, do not
    self.scale = b[0]
    n, c = len(a), a > 0.0

A forward data-flow analysis on Python's syntax tree. It does not look at the order of statements, follows names by
their scope and attributes by the name of the field, of whatever object. What is stored into an array is also in those
that may share its memory: `w` after `z = w[1:]` and `z[0] = a`. What a function that is called stores in its arguments
is followed by the caller of this analysis, except for functions of NumPy and methods of containers that are known to
write.
"""

from __future__ import annotations

import ast
import functools
import linecache
import sys
import types
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from srcad.parsing import python_tree

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Module
_FACTS = frozenset(("shape", "ndim", "size", "dtype"))
# Functions and methods that say that the value is wanted without a derivative.
EXPLICIT = frozenset(("numpy", "float", "complex", "stop_gradient"))
# Their results have no derivative: texts, truth values, integers.
_DISCRETE = frozenset(
    (
        *("allclose", "argmax", "argmin", "argsort", "array_equal", "bool", "format", "int", "isclose", "isfinite"),
        *("isinf", "isinstance", "isnan", "len", "print", "range", "repr", "searchsorted", "shape", "str", "type"),
    )
)
_MUTATORS = frozenset(("add", "append", "appendleft", "extend", "fill", "fit", "insert", "put", "setdefault", "update"))
_WRITERS = frozenset(("copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"))
# Calls whose results may share the memory of what they are given, or hold it.
_SHARING = frozenset(
    (
        *("array_split", "asanyarray", "asarray", "ascontiguousarray", "asfortranarray", "as_strided", "atleast_1d"),
        *("atleast_2d", "atleast_3d", "broadcast_arrays", "broadcast_to", "dict", "diagonal", "dsplit", "enumerate"),
        *("expand_dims", "flip", "fliplr", "flipud", "get", "hsplit", "items", "iter", "list", "moveaxis", "nditer"),
        *(
            "next",
            "pop",
            "ravel",
            "require",
            "reshape",
            "reversed",
            "rollaxis",
            "rot90",
            "setdefault",
            "sliding_window_view",
        ),
        *("split", "squeeze", "swapaxes", "transpose", "tuple", "values", "view", "vsplit", "zip"),
    )
)
_VIEWS = frozenset(("T", "flat", "imag", "mT", "real"))


def called_name(node: ast.AST) -> str | None:
    """The last part of the name of the function that a node calls; None if it is no such call.

    >>> called_name(ast.parse("np.linalg.norm(x)").body[0].value)
    'norm'
    """
    function = node.func if isinstance(node, ast.Call) else None
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else None


class Source:
    """The syntax tree of a file, with the parents of nodes and their positions."""

    def __init__(self, text: str) -> None:
        self.tree: ast.Module = python_tree(text)
        self.lines = text.splitlines()
        self.parents: dict[ast.AST, ast.AST] = {}
        self.imported: set[str] = set()
        self._spans: dict[tuple[int | None, ...], ast.AST] = {}
        self._call_ends: dict[tuple[int | None, ...], ast.AST] = {}
        self._edges: dict[_Scope, list[tuple[ast.AST, ast.AST | None, bool]]] = {}
        self._bound: dict[_Scope, frozenset[str]] = {}
        self._returned: dict[_Scope, list[ast.AST]] = {}
        for node in ast.walk(self.tree):
            self.parents.update(dict.fromkeys(ast.iter_child_nodes(node), node))
            if isinstance(node, (ast.expr, ast.stmt)):
                self._spans[node.lineno, node.end_lineno, node.col_offset, node.end_col_offset] = node
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self.imported.update(each.asname or each.name.partition(".")[0] for each in node.names)
            if isinstance(node, ast.Call):
                self._call_ends.setdefault((node.end_lineno, node.end_col_offset), node)

    def at(self, code: types.CodeType, instruction: int, line: int) -> list[ast.AST]:
        """The expression that an instruction evaluates; where that is not known, all that its statement evaluates."""
        span = _span(code, instruction, line)
        found = self._spans.get(span) or self._call_ends.get((span[1], span[3]))
        if found is not None:
            return [found]
        statement = self._statement(line)
        return [] if statement is None else [*_evaluated(statement)]

    def _statement(self, line: int) -> ast.stmt | None:
        """The innermost statement that has this line."""
        found: ast.stmt | None = None
        for node in self.parents:
            if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno):
                inner = found is None or node.lineno > found.lineno
                found = node if inner or self.parents[node] is found else found
        return found

    @functools.cached_property
    def scopes(self) -> list[_Scope]:
        """The module and all functions, those around others first."""
        return [self.tree, *[each for each in ast.walk(self.tree) if isinstance(each, _Function)]]

    def edges(self, scope: _Scope) -> list[tuple[ast.AST, ast.AST | None, bool]]:
        """What is stored in a scope, see `_edges`."""
        if scope not in self._edges:
            self._edges[scope] = list(_edges(scope))
        return self._edges[scope]

    def bound(self, scope: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
        """The names that are local to a function."""
        if scope not in self._bound:
            self._bound[scope] = frozenset(_bound(scope))
        return self._bound[scope]

    def returned(self, scope: _Scope) -> list[ast.AST]:
        """The expressions that a function returns or yields."""
        if scope not in self._returned:
            kinds = (ast.Return, ast.Yield, ast.YieldFrom)
            found = [each.value for each in _inside(scope) if isinstance(each, kinds)]
            self._returned[scope] = [each for each in found if each is not None]
        return self._returned[scope]

    def scope(self, node: ast.AST) -> _Scope:
        """The function whose body has the node, or the module; lambdas and comprehensions belong to what is around."""
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, _Function):
                return node
        return self.tree


def _span(code: types.CodeType, instruction: int, line: int) -> tuple[int | None, ...]:
    """The first and last line and column of what an instruction evaluates; four times None where that is not known."""
    if sys.version_info >= (3, 11):
        return next(position for place, position in enumerate(code.co_positions()) if place == instruction // 2)
    import executing  # which finds out what Python does not tell in these versions

    frame = types.SimpleNamespace(f_code=code, f_lasti=instruction, f_lineno=line, f_globals={})
    node = executing.Source.executing(frame).node
    places = ("lineno", "end_lineno", "col_offset", "end_col_offset")
    return tuple(getattr(node, place, None) for place in places)


def _evaluated(statement: ast.stmt) -> Iterator[ast.AST]:
    """The operations of a statement, without those of statements in it, and the statement itself if it is one."""
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        is_place = isinstance(node, ast.Subscript) or _is_view(node)
        is_store = is_place and isinstance(node.ctx, ast.Store)  # type: ignore[attr-defined]
        if is_store or (isinstance(node, (ast.Call, ast.BinOp, ast.AugAssign)) and called_name(node) not in EXPLICIT):
            yield node
        pending.extend(each for each in ast.iter_child_nodes(node) if not isinstance(each, ast.stmt))


def source_of(code: types.CodeType, names: Mapping[str, object]) -> Source | None:
    """The source of the file that code comes from; None if it cannot be read."""
    lines = linecache.getlines(code.co_filename, dict(names))
    return _parsed("".join(lines)) if lines else None


@functools.lru_cache(maxsize=64)
def _parsed(text: str) -> Source | None:
    try:
        return Source(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


class ValueFlow:
    r"""What may be computed from the expressions `seeds` of one source.

    `fields` are the names of attributes that hold what is computed from such expressions, of this and other sources;
    those that are found are added. `name()` among them stands for what a function of that name returns. Into the arrays
    `written`, expressions as well, a function that they are passed to stores what is computed from the seeds.

    >>> source = Source("a = np.asarray(v)\nb = 2.0 * a\nn = len(b)")
    >>> flow = ValueFlow(source, [source.tree.body[0].value], set())
    >>> sorted(flow.names(source.tree))
    ['a', 'b']
    """

    def __init__(
        self, source: Source, seeds: Collection[ast.AST], fields: set[str], written: Collection[ast.AST] = ()
    ) -> None:
        self.source, self.seeds, self.fields = source, frozenset(seeds), fields
        self.written = tuple(written)

    def names(self, scope: _Scope, parameters: Iterable[str] = ()) -> set[str]:
        """The names that may hold what is computed from the seeds, or from these parameters, in a scope."""
        return self._names(scope, parameters)[0]

    def changed(self, scope: _Scope, parameters: Iterable[str] = ()) -> set[str]:
        """Those among the names whose arrays may be written into, and hold this in every other place as well."""
        return self._names(scope, parameters)[1]

    def _names(self, scope: _Scope, parameters: Iterable[str] = ()) -> tuple[set[str], set[str]]:
        everywhere, changed_everywhere = self._everywhere
        found, changed = {*everywhere[scope], *parameters}, {*changed_everywhere[scope]}
        before = -1
        while before < (before := len(found) + len(self.fields) + len(changed)):
            self._follow(scope, found, changed, self.seeds)
        return found, changed

    @functools.cached_property
    def _everywhere(self) -> tuple[dict[_Scope, set[str]], dict[_Scope, set[str]]]:
        """The names of each scope, and those whose arrays may be written into.

        What a function stores in names that are not its own belongs to the functions around it. A function that returns
        what is in fields, or in names that are not its own, is noted among the fields, whoever calls it.
        """
        scopes = self.source.scopes
        found, held, changed = ({scope: set[str]() for scope in scopes} for _ in range(3))
        for node in self.written:
            self._change(node, found[self.source.scope(node)], changed[self.source.scope(node)])
        size = -1
        while size < (size := len(self.fields) + sum(map(len, (*found.values(), *held.values(), *changed.values())))):
            for scope in scopes:
                around = self.source.scope(scope)
                own = self.source.bound(scope) if isinstance(scope, _Function) else frozenset[str]()
                found[scope] |= found[around] - own
                held[scope] |= found[around] - own
                if isinstance(scope, _Function):
                    found[scope] |= {name for name, each in _defaults(scope) if self.reaches(each, found[around])}
                self._follow(scope, found[scope], changed[scope], self.seeds)
                self._follow(scope, held[scope], set(), frozenset())
                found[around] |= found[scope] - own
                changed[around] |= changed[scope] - own
                self._note_returned(scope, held[scope])
        return found, changed

    def _follow(self, scope: _Scope, found: set[str], changed: set[str], seeds: Collection[ast.AST]) -> None:
        """Add to the names of a scope what is stored there, statement by statement."""
        for target, value, in_place in self.source.edges(scope):
            if target in seeds or (value is not None and self.reaches(value, found, seeds)):
                self._store(target, found)
                if in_place or isinstance(target, ast.Subscript) or _is_view(target):
                    self._change(target, found, changed)
            if value is not None and changed and changed.intersection(_holders(target)):
                self._change(value, found, changed)

    def _note_returned(self, scope: _Scope, names: Collection[str]) -> None:
        if not isinstance(scope, _Function) or f"{scope.name}()" in self.fields:
            return
        if any(self.reaches(each, names, ()) for each in self.source.returned(scope)):
            self.fields.add(f"{scope.name}()")
            if any(ast.unparse(each).endswith("property") for each in scope.decorator_list):
                self.fields.add(scope.name)

    def _change(self, node: ast.AST, found: set[str], changed: set[str]) -> None:
        """Note that what comes from the seeds is stored into an array whose memory an expression may share."""
        holders = {each for each in _holders(node) if each not in self.source.imported}
        changed |= holders
        found |= {each for each in holders if not each.startswith(".")}
        self.fields |= {each[1:] for each in holders if each.startswith(".")}

    def _store(self, target: ast.AST, found: set[str]) -> None:
        while isinstance(target, (ast.Subscript, ast.Starred)) or _is_view(target):
            target = target.value  # type: ignore[attr-defined]
        if isinstance(target, ast.Name):
            found.update({target.id} - self.source.imported)
        elif isinstance(target, ast.Attribute):
            self.fields.add(target.attr)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for each in target.elts:
                self._store(each, found)

    def reaches(self, node: ast.AST, names: Collection[str], seeds: Collection[ast.AST] | None = None) -> bool:
        """Whether the value of an expression may be computed from the seeds, if these names are."""
        seeds = self.seeds if seeds is None else seeds
        if isinstance(node, ast.Call):
            return self._reaches_call(node, names, seeds)
        if node in seeds:
            return True
        if isinstance(node, ast.Name):
            return node.id in names
        if isinstance(node, ast.Attribute):
            return node.attr not in _FACTS and (node.attr in self.fields or self.reaches(node.value, names, seeds))
        if isinstance(node, (ast.Subscript, ast.NamedExpr, ast.Starred)):
            return self.reaches(node.value, names, seeds)
        if isinstance(node, ast.IfExp):
            return self.reaches(node.body, names, seeds) or self.reaches(node.orelse, names, seeds)
        if isinstance(node, (ast.Compare, ast.Lambda, ast.JoinedStr)):
            return False
        return any(self.reaches(each, names, seeds) for each in parts(node))

    def _reaches_call(self, node: ast.Call, names: Collection[str], seeds: Collection[ast.AST]) -> bool:
        name = called_name(node)
        if name in EXPLICIT or name in _DISCRETE:
            return False
        if node in seeds or f"{name}()" in self.fields:
            return True
        return any(self.reaches(each, names, seeds) for each in parts(node))

    def is_returned(self, scope: _Scope, parameters: Iterable[str] = ()) -> bool:
        """Whether a function may return, or yield, what is computed from the seeds."""
        names = self.names(scope, parameters)
        return any(self.reaches(each, names) for each in self.source.returned(scope))


def _inside(scope: _Scope) -> Iterator[ast.AST]:
    """The nodes of a scope, without those of functions in it."""
    pending: list[ast.AST] = list(scope.body)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, _Function):
            pending.extend(ast.iter_child_nodes(node))


def _is_view(node: ast.AST) -> bool:
    """Whether a node is an attribute that is a view: to assign to it is to write into the array."""
    return isinstance(node, ast.Attribute) and node.attr in _VIEWS


def _defaults(scope: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[str, ast.AST]]:
    """The parameters of a function that have defaults, with these."""
    given = scope.args
    places = [*given.posonlyargs, *given.args]
    pairs = [*zip(places[len(places) - len(given.defaults) :], given.defaults, strict=True)]
    pairs += [(name, each) for name, each in zip(given.kwonlyargs, given.kw_defaults, strict=True) if each is not None]
    yield from ((name.arg, each) for name, each in pairs)


def _holders(node: ast.AST) -> Iterator[str]:
    """The names, and attributes as `.name`, of arrays whose memory the value of an expression may share."""
    match node:
        case ast.Name(id=name):
            yield name
        case ast.Attribute(value=value, attr=name):
            yield from _holders(value) if name in _VIEWS else (f".{name}",)
        case ast.NamedExpr(target=target, value=value):
            yield from (*_holders(target), *_holders(value))
        case ast.Subscript(value=value) | ast.Starred(value=value):
            yield from _holders(value)
        case ast.IfExp(body=body, orelse=orelse):
            yield from (*_holders(body), *_holders(orelse))
        case ast.Call() if called_name(node) not in _SHARING:
            pass
        case ast.Call() | ast.Tuple() | ast.List() | ast.Dict() | ast.BoolOp() | ast.ListComp() | ast.GeneratorExp():
            for each in parts(node):
                yield from _holders(each)


def _edges(scope: _Scope) -> Iterator[tuple[ast.AST, ast.AST | None, bool]]:
    """What is stored to, what is stored there, and whether this is in place, where the target may be an array."""
    for node in _inside(scope):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from ((*each, False) for each in _pairs(target, node.value))
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
            yield node.target, node.value, False
        elif isinstance(node, ast.AugAssign):
            yield node.target, node.value, True
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            yield node.target, node.iter, False
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            yield node.optional_vars, node.context_expr, False
        elif isinstance(node, ast.Call):
            yield from ((*each, True) for each in _written(node))
            if called_name(node) == "setattr" and len(node.args) == 3 and isinstance(node.args[1], ast.Constant):
                yield ast.Attribute(node.args[0], str(node.args[1].value), ast.Store()), node.args[2], False


def _pairs(target: ast.AST, value: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    several = (ast.Tuple, ast.List)
    if isinstance(target, several) and isinstance(value, several) and len(target.elts) == len(value.elts):
        for each, part in zip(target.elts, value.elts, strict=True):
            yield from _pairs(each, part)
    else:
        yield target, value


def _written(node: ast.Call) -> Iterator[tuple[ast.AST, ast.AST]]:
    """What a call writes to: the receiver of a method of containers, `out=`, the first argument of `np.copyto`."""
    name = called_name(node)
    targets = [each.value for each in node.keywords if each.arg == "out"]
    if name in _WRITERS and node.args:
        targets.append(node.args[0])
    if name in _MUTATORS and isinstance(node.func, ast.Attribute):
        targets.append(node.func.value)
    yield from ((target, node) for target in targets)


def _bound(scope: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The names that are local to a function."""
    kept = parameter_names(scope) | {
        each.id for each in _inside(scope) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    for each in _inside(scope):
        if isinstance(each, (ast.Global, ast.Nonlocal)):
            kept -= set(each.names)
    return kept


def parameter_names(scope: _Scope) -> set[str]:
    """The names of a function's parameters; none for a module."""
    return {each.arg for each in ast.walk(scope.args) if isinstance(each, ast.arg)} if hasattr(scope, "args") else set()


def parts(node: ast.AST) -> Sequence[ast.AST]:
    """The expressions that an operation is applied to.

    >>> [ast.unparse(each) for each in parts(ast.parse("v.dot(a, out=b)").body[0].value)]
    ['v', 'a', 'b']
    """
    if isinstance(node, ast.Call):
        # What is called may hold values itself, as a functools.partial does.
        receiver = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        return [receiver, *node.args, *(each.value for each in node.keywords)]
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
        return [node.elt]
    return [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)]


def is_operation(node: ast.AST, name: str | None) -> bool:
    """Whether a node may be a call of a function of this name, or its operator.

    >>> node = ast.parse("a * b").body[0].value
    >>> is_operation(node, "multiply"), is_operation(node, "imul"), is_operation(node, "add")
    (True, True, False)
    """
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        return name is not None and name.removeprefix("i") in _OPERATORS.get(type(node.op), ())
    return called_name(node) == name


_OPERATORS = {
    ast.Add: ("add",),
    ast.Sub: ("sub", "subtract"),
    ast.Mult: ("mul", "multiply"),
    ast.Div: ("truediv", "divide", "true_divide"),
    ast.FloorDiv: ("floordiv", "floor_divide"),
    ast.Mod: ("mod", "remainder"),
    ast.Pow: ("pow", "power"),
    ast.MatMult: ("matmul",),
}


def operands(node: ast.AST, count: int) -> Sequence[ast.AST] | None:
    """The expressions of the `count` arguments of an operation; None if it cannot be told which is which.

    >>> [ast.unparse(each) for each in operands(ast.parse("v.dot(a + 1.0)").body[0].value, 2)]
    ['v', 'a + 1.0']
    """
    if isinstance(node, ast.BinOp):
        return (node.left, node.right) if count == 2 else None
    if isinstance(node, ast.AugAssign):
        return (node.target, node.value) if count == 2 else None
    if not isinstance(node, ast.Call) or any(isinstance(each, ast.Starred) for each in node.args):
        return None
    if len(node.args) == count:
        return node.args
    if isinstance(node.func, ast.Attribute) and len(node.args) + 1 == count and not node.keywords:
        return (node.func.value, *node.args)
    return None


def passed(node: ast.AST, code: types.CodeType) -> Iterator[tuple[ast.AST, str]]:
    """The arguments of a call of a function with this code, and the parameters that they are bound to."""
    if not isinstance(node, ast.Call):
        return
    count = code.co_argcount + code.co_kwonlyargcount
    names, rest = code.co_varnames[:count], code.co_varnames[count:]
    skip = int(isinstance(node.func, ast.Attribute) and names[:1] in (("self",), ("cls",)))
    for place, each in enumerate(node.args, skip):
        if isinstance(each, ast.Starred):
            yield from ((each, name) for name in names[place:])
        elif place < code.co_argcount:
            yield each, names[place]
        elif rest:
            yield each, rest[0]
    for keyword in node.keywords:
        if keyword.arg in names:
            yield keyword.value, str(keyword.arg)
        else:
            yield from ((keyword.value, name) for name in (*names, *rest[:2]))


def is_handed(node: ast.AST, code: types.CodeType) -> bool:
    """Whether a node is a call to which a function with this code is given, as in `functools.reduce(f, values)`."""
    if not isinstance(node, ast.Call):
        return False
    given = [*node.args, *(each.value for each in node.keywords)]
    if code.co_name == "<lambda>":
        return any(isinstance(each, ast.Lambda) for each in given)
    return code.co_name in [getattr(each, "id", getattr(each, "attr", None)) for each in given]
