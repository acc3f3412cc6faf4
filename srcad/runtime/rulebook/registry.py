"""The registry of derivative rules: decorators that state how a primitive is differentiated, and lookups by primitive.

    partial      elementwise, each partial derivative stated once: `return 1.0 - y * y`
    adjoint      `d[b] = w`: one contribution to the adjoint of `b`; `d[y]` of the result is the incoming adjoint
    tangent      the same notation with tangents: `d[y] = np.cos(x) * d[x]`; a sum of terms with one `d[...]` each,
                 so that the terms of an input without tangent can be dropped
    linear       the tangent is the primitive itself, applied to the tangents
    view         the result is a view of the first input: its adjoint is the same view of that input's adjoint
    zero         discrete or constant: the derivative is zero wherever it exists
    definition   a primitive that is defined by a Python function of other primitives

A rule is a Python function of the result and then the inputs, with NumPy's names for them. It is never called: its
source is read when it is first needed, into a `Template` that the compiler splices into generated code and the tape
executes. This module contains no rules: they are in `srcad.runtime.rules`, which the first lookup imports.
"""

from __future__ import annotations

import importlib
import inspect
import sys
import threading
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import BuiltinMethodType, FunctionType
from typing import Any, TypeVar

import numpy as np

from srcad.runtime.rulebook.rule import Fit, Kind, Rule
from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.runtime.support import rule_changes

Function = TypeVar("Function", bound=Callable[..., Any])


class _Placeholder:
    """The `d` of the rules, which they import so that their text is valid Python. It has no content."""

    def __getitem__(self, name: object) -> Any:
        raise TypeError("a derivative rule is read, never called")

    __setitem__: Any = __getitem__


d: Any = _Placeholder()
refused: Any = _Placeholder()  # stated in place of a derivative that is not known: who asks for it gets MissingRule


_rules: dict[Hashable, dict[Fit, Rule]] = {}
_definitions: dict[Hashable, Callable[..., Any]] = {}
_restricted: dict[Hashable, tuple[frozenset[str], Callable[..., Any]]] = {}
_parts: dict[Hashable, Callable[..., Any]] = {}
_effects: dict[Hashable, Callable[..., Any]] = {}
_folding: set[Hashable] = set()
_users: set[Hashable] = set()
_met = {"", "__main__", "numpy", "numba", "srcad"}  # packages whose rules, if any, have been loaded
_called: dict[Hashable, Any] = {}
_texts: dict[Callable[..., Any], str] = {}
# library -> module of the rules of its functions
_libraries = {
    "scipy.fft": "srcad.runtime.rules.scipy.fft",
    "scipy.special": "srcad.runtime.rules.scipy.special",
    "scipy.linalg": "srcad.runtime.rules.scipy.linalg",
    "scipy.stats": "srcad.runtime.rules.scipy.stats",
    "scipy.signal": "srcad.runtime.rules.scipy.signal",
    "scipy.integrate": "srcad.runtime.rules.scipy.integrate",
    "scipy.sparse": "srcad.runtime.rules.scipy.sparse",
    "scipy.optimize": "srcad.runtime.rules.scipy.optimize",
    "scipy.spatial": "srcad.runtime.rules.scipy.spatial",
    "scipy.ndimage": "srcad.runtime.rules.scipy.ndimage",
    "scipy.interpolate": "srcad.runtime.rules.scipy.interpolate",
}
_PYTHONS = frozenset(sys.stdlib_module_names)
_loaded: list[str] = []
_complete: list[bool] = []
_loading = threading.RLock()


def _enter(rule: Rule) -> None:
    """Add a rule. It is merged with an earlier one for the same primitive and ranks."""
    variants = _rules.setdefault(rule.primitive, {})
    variants[rule.fit] = _merged(rule, variants[rule.fit]) if rule.fit in variants else rule


def _merged(first: Rule, second: Rule) -> Rule:
    """The first rule, with missing parts filled in from the second."""
    main = first if first.adjoint_source or first.partials_source or first.kind == "zero" else second
    return replace(
        main,
        fit=first.fit,
        is_linear=first.is_linear or second.is_linear,
        may_view=first.may_view or second.may_view,
        tangent_source=first.tangent_source or second.tangent_source,
    )


def has_own_rule(primitive: Any) -> bool:
    """Whether srcad itself has a rule or a definition for a function."""
    key = key_of(primitive)
    return key not in _users and any(_is_in(table, key) for table in (_rules, _definitions, _effects))


def enter_users(rule: Rule) -> None:
    """Add a rule of the user's own: it replaces what was stated before for the same calls, part by part."""
    _load()
    for each in (rule.partials_source, rule.adjoint_source, rule.tangent_source):
        if each is not None and each not in _texts:
            _texts[each] = inspect.getsource(each)  # as it is now: it may be gone later, or changed
    key = key_of(rule.primitive)
    if isinstance(key, _Identity):
        rule = replace(rule, primitive=_function_called(key, rule.primitive))
    variants = _rules.setdefault(key, {})
    before = variants.get(rule.fit)
    if before is not None and before.kind == rule.kind == "adjoint":
        rule = replace(
            rule,
            adjoint_source=rule.adjoint_source or before.adjoint_source,
            tangent_source=rule.tangent_source or (None if rule.is_linear else before.tangent_source),
            is_linear=rule.is_linear or (before.is_linear and rule.tangent_source is None),
        )
    variants[rule.fit] = rule
    _definitions.pop(key, None)
    _changed(key)


def enter_users_definition(primitive: Any, function: Callable[..., Any]) -> None:
    """Add a definition of the user's own."""
    _load()
    key = key_of(primitive)
    _rules.pop(key, None)
    _definitions[key] = function
    _changed(key)


def _changed(key: Hashable) -> None:
    _users.add(key)
    is_reversed_only.cache_clear()
    _cached_merge.cache_clear()
    rule_changes.tell()


def meet(function: Any, home: Any = None) -> None:
    """Load the rules that are shipped for the package of a function; `home` is the module that it was reached by."""
    module = getattr(function, "__module__", None) or getattr(home, "__name__", None)
    package = str(module or "").partition(".")[0]
    if package not in _met:
        _met.add(package)
        if package not in sys.stdlib_module_names:
            from srcad.runtime.rulebook.shipped_rules import load_for  # which few programs need

            load_for(package)


def called_by(primitive: Any) -> Any:
    """What core form calls for a function that the user has stated a rule for; None if there is none."""
    if not _users or (key := key_of(primitive)) not in _users or key in _definitions:
        return None
    if isinstance(primitive, FunctionType) or hasattr(primitive, "py_func") or not _is_hashable(primitive):
        return _function_called(key, primitive)
    return primitive


def _function_called(key: Hashable, function: Any) -> Any:
    from srcad.runtime.rulebook.ruled_function import RuledFunction  # which few programs need

    return _called.setdefault(key, RuledFunction(function))


def users_text(primitives: Collection[Any]) -> str:
    """The text of all rules of the user's own, if one of them is used; part of the key of generated code."""
    if not _users or not any(key_of(each) in _users for each in primitives):
        return ""
    texts = []
    for key in _users:
        for rule in _rules.get(key, {}).values():
            sources = (rule.partials_source, rule.adjoint_source, rule.tangent_source)
            texts.append(f"{primitive_name(rule.primitive)} {rule.kind} {rule.fit} {rule.is_linear} {rule.elementwise}")
            texts += [_texts[each] for each in sources if each is not None]
    return "\0".join(sorted(texts))


@dataclass(frozen=True)
class _Identity:
    """An object that cannot be hashed, such as a function of `ctypes`; while it has a rule, it is not forgotten."""

    number: int


def key_of(primitive: Any) -> Hashable:
    """The key under which the rules of a function are filed."""
    if hasattr(type(primitive), "__srcad_ruled__"):
        primitive = primitive.function
    return primitive if _is_hashable(primitive) else _Identity(id(primitive))


def _entering(primitives: tuple[Any, ...], kind: Kind, field: str, **facts: Any) -> Callable[[Function], Function]:
    def enter(function: Function) -> Function:
        for each in primitives:
            _enter(Rule(each, kind, **{**facts, field: function}))
        return function

    return enter


def partial(
    *primitives: Any,
    arity: int | None = None,
    literals: tuple[int, ...] = (),
    handles_complex: bool = True,
) -> Callable[[Function], Function]:
    """State the partial derivatives of an elementwise primitive: one expression, or a tuple with one per input.

    `None` stands for an input by which the derivative is zero, `refused` for one by which it is not known. `arity=1`
    restricts the rule to calls with one argument, `literals=(1,)` to calls whose second argument is a number other
    than 0 that is written in the source.

        @partial(np.tanh)
        def tanh(y, x):
            return 1.0 - y * y
    """
    fit = Fit(arity=arity, literals=literals)
    facts = {"elementwise": True, "fit": fit, "handles_complex": handles_complex}
    return _entering(primitives, "partial", "partials_source", **facts)


def adjoint(
    *primitives: Any,
    elementwise: bool = False,
    ndim: tuple[int, ...] = (),
    arity: int | None = None,
    may_view: bool = False,
    handles_complex: bool = True,
) -> Callable[[Function], Function]:
    """State how the adjoint of the result contributes to the adjoints of the inputs.

        @adjoint(np.outer)
        def outer(y, a, b):
            d[a] = np.dot(d[y], b)
            d[b] = np.dot(a, d[y])

    `ndim=(2, 1)` restricts the rule to leading inputs of these ranks, `arity` to calls with so many arguments.
    """
    facts = {"elementwise": elementwise, "may_view": may_view, "handles_complex": handles_complex}
    return _entering(primitives, "adjoint", "adjoint_source", fit=Fit(ndim, arity), **facts)


def tangent(*primitives: Any, ndim: tuple[int, ...] = (), arity: int | None = None) -> Callable[[Function], Function]:
    """State the tangent of the result, for a primitive that has an `adjoint` rule."""
    return _entering(primitives, "adjoint", "tangent_source", fit=Fit(ndim, arity))


def linear(*primitives: Any) -> None:
    """State that the tangent is the primitive itself, on the tangents of the inputs that its adjoint contributes to."""
    for each in primitives:
        _enter(Rule(each, "adjoint", is_linear=True))


def view(*primitives: Any) -> Callable[[Function], Function]:
    """State that the result is a view of the first input. The function is the adjoint where no view is possible."""
    return _entering(primitives, "view", "adjoint_source", is_linear=True)


def zero(*primitives: Any, elementwise: bool = False) -> None:
    """State that the derivative is zero wherever it exists."""
    for each in primitives:
        _enter(Rule(each, "zero", elementwise))


def define(*primitives: Any, given: Collection[str] = ()) -> Callable[[Function], Function]:
    """State the definition of a primitive in terms of others; the compiler inlines the function like a helper.

    `given` restricts it to calls that pass one of these parameters, which the rule of the primitive does not cover:

        @define(np.take, given=("mode",))
        def take_in_mode(a, indices, axis=None, mode="raise"): ...
    """

    def enter(function: Function) -> Function:
        for each in primitives:
            if given:
                _restricted[each] = frozenset(given), function
            else:
                _definitions[each] = function
        return function

    return enter


def inlined(part: Any) -> Any:
    """A part of definitions, a function or a class, which the compiler inlines where they call it."""
    if isinstance(part, type):
        part.__srcad_inlined__ = True  # type: ignore[attr-defined]
        for each in vars(part).values():
            function = each.fget if isinstance(each, property) else each
            if isinstance(function, FunctionType):
                _parts[function] = function
    else:
        _parts[part] = part
    return part


def effect(primitive: Any) -> Callable[[Function], Function]:
    """State what a function writes into its arguments; like `define`, for calls whose result is not used."""

    def enter(function: Function) -> Function:
        _effects[primitive] = function
        return function

    return enter


def folding(*primitives: Any) -> None:
    """State that `f(a, b, c)` means `f(f(a, b), c)`: rules have two inputs, calls with more are nested."""
    _folding.update(primitives)


def _load() -> None:
    """Import the rules; other threads block until all are imported."""
    if _complete:
        return
    with _loading:
        if not _loaded:
            _loaded.append("srcad.runtime.rules")
            importlib.import_module(_loaded[0])
            _complete.append(True)


def _is_in(table: Collection[Hashable], primitive: Any) -> bool:
    """Whether a table has a primitive. Rules of other libraries are imported when the program has imported these.

    They have none for functions of NumPy, of Python and of the program. Numba imports SciPy, so that every program
    would import its rules.
    """
    _load()
    if not _is_hashable(primitive):
        return False
    if primitive in table or _is_numpys(primitive) or _is_pythons(primitive):
        return primitive in table
    if any(each in sys.modules for each in tuple(_libraries)):
        with _loading:
            for each in [name for name in _libraries if name in sys.modules]:
                importlib.import_module(_libraries.pop(each))
    return primitive in table


def _is_numpys(primitive: Any) -> bool:
    """Whether this is a function of NumPy's that is found by its name, or a method of one.

    >>> _is_numpys(np.sum), _is_numpys(np.add.at), _is_numpys(np.linalg.inv), _is_numpys(len)
    (True, True, True, False)
    """
    primitive = getattr(primitive, "__self__", primitive) if isinstance(primitive, BuiltinMethodType) else primitive
    name = getattr(primitive, "__name__", "")
    return any(vars(module).get(name) is primitive for module in (np, np.linalg, np.fft))  # no warning of old names


def _is_pythons(primitive: Any) -> bool:
    """Whether this is a function of Python's library, of srcad, or of a program, as its module says.

    >>> import math
    >>> _is_pythons(len), _is_pythons(math.sin), _is_pythons(np.sum), _is_pythons(np.sin)
    (True, True, False, False)
    """
    module = getattr(primitive, "__module__", None)
    if isinstance(primitive, np.ufunc) or not isinstance(module, str):
        return False
    package = module.partition(".")[0]
    return package in _PYTHONS or (isinstance(primitive, FunctionType) and "scipy" not in module)


def _is_hashable(thing: Any) -> bool:
    try:
        hash(thing)
    except TypeError:
        return False
    return True


def find(primitive: Any, ndims: Sequence[int | None] = (), literals: Collection[int] = ()) -> Rule | None:
    """The rule of a primitive, or None if there is none.

    `ndims` are the ranks of the arguments (None: unknown), `literals` the positions of arguments that are numbers other
    than 0 written in the source. A rule that is restricted to certain calls is used only if the call is known to match.

    >>> import operator, numpy as np
    >>> find(np.add).kind, find(len).kind, find(print).kind, find(open)
    ('adjoint', 'zero', 'zero', None)
    """
    if hasattr(primitive, "__srcad_rule__"):
        return primitive.__srcad_rule__  # type: ignore[no-any-return]
    key = key_of(primitive)
    if not _is_in(_rules, key):
        return None
    variants = _rules[key]
    general = variants.get(Fit())
    for fit, rule in variants.items():
        if fit != Fit() and fit.accepts(ndims, literals):
            return _cached_merge(rule, general)
    return general


@cache
def _cached_merge(rule: Rule, general: Rule | None) -> Rule:
    return rule if general is None else _merged(rule, general)


def definition(primitive: Any) -> Callable[..., Any] | None:
    """The Python function that defines a primitive, or that defines what a call of it writes; None if there is none.

    >>> import numpy as np
    >>> definition(np.var).__name__
    'var'
    """
    if _is_in(_definitions, key := key_of(primitive)):
        return _definitions[key]
    if _is_in(_effects, primitive):
        return _effects[primitive]
    return _parts.get(key)


def defined() -> list[Any]:
    """The functions that have a definition."""
    return [*_definitions]


def meaning_of_call(primitive: Any, count: int, keywords: Collection[str | None]) -> Callable[..., Any] | None:
    """The definition for a call with so many arguments by position and these keywords.

    >>> import numpy as np
    >>> meaning_of_call(np.take, 2, ["mode"]).__name__, meaning_of_call(np.take, 2, ["axis"])
    ('take_in_mode', None)
    """
    return restricted_definition(primitive, count, keywords) or definition(primitive)


def restricted_to(primitive: Any) -> Callable[..., Any] | None:
    """The definition of a primitive for certain calls only, if there is one.

    >>> import numpy as np
    >>> restricted_to(np.take).__name__, restricted_to(np.sin)
    ('take_in_mode', None)
    """
    return _restricted[primitive][1] if _is_in(_restricted, primitive) else None


def is_restricted(primitive: Any) -> bool:
    """Whether a primitive has a definition for certain calls only.

    >>> import numpy as np
    >>> is_restricted(np.take), is_restricted(np.sin)
    (True, False)
    """
    return _is_in(_restricted, primitive)


def restricted_definition(primitive: Any, count: int, keywords: Collection[str | None]) -> Callable[..., Any] | None:
    """The definition that is restricted to calls like this one, if the primitive has one.

    >>> import numpy as np
    >>> restricted_definition(np.take, 4, ()).__name__, restricted_definition(np.take, 3, ())
    ('take_in_mode', None)
    """
    if not _is_in(_restricted, primitive):
        return None
    given, function = _restricted[primitive]
    code = function.__code__
    passed = {*keywords, *code.co_varnames[: min(count, code.co_argcount)]}
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return None if given.isdisjoint(passed) or not passed <= {*known, None} else function


@cache
def is_reversed_only(primitive: Any) -> bool:
    """Whether a primitive has adjoint rules but no tangent, and a definition from which tangents are computed.

    >>> import numpy as np
    >>> is_reversed_only(np.linalg.lstsq), is_reversed_only(np.sum)
    (True, False)
    """
    rules = variants(primitive)
    has_tangent = any(each.is_linear or each.tangent_source or each.partials_source for each in rules)
    return bool(rules) and not has_tangent and rules[0].kind != "zero" and definition(primitive) is not None


def is_effect(primitive: Any) -> bool:
    """Whether a primitive is known by what it writes into its arguments.

    >>> import numpy as np
    >>> is_effect(np.add.at), is_effect(np.var)
    (True, False)
    """
    return _is_in(_effects, primitive)


def folds(primitive: Any) -> bool:
    """Whether a call with more than two arguments means a nest of calls with two.

    >>> folds(max)
    True
    """
    return _is_in(_folding, primitive)


def primitives() -> tuple[Any, ...]:
    """All primitives with a rule or a definition of ours, in the order of registration; of imported libraries only."""
    _is_in(_rules, None)
    return tuple(each for each in dict.fromkeys((*_rules, *_definitions, *_restricted)) if each not in _users)


def variants(primitive: Any) -> tuple[Rule, ...]:
    """All rules of a primitive, including those restricted to certain calls."""
    if hasattr(primitive, "__srcad_rule__"):
        return (primitive.__srcad_rule__,)
    key = key_of(primitive)
    return tuple(_rules[key].values()) if _is_in(_rules, key) else ()


__all__ = [
    "Fit",
    "Rule",
    "adjoint",
    "d",
    "define",
    "defined",
    "definition",
    "effect",
    "find",
    "folding",
    "folds",
    "inlined",
    "is_effect",
    "is_restricted",
    "is_reversed_only",
    "linear",
    "meaning_of_call",
    "partial",
    "primitives",
    "refused",
    "restricted_definition",
    "restricted_to",
    "tangent",
    "variants",
    "view",
    "zero",
]
