"""`srcad.source`: the text of what is generated, for reading and for keeping."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from numba import typeof

from srcad.api.argument_binding import bind, refuse_single
from srcad.api.derivative_object import Derivative
from srcad.api.pytree_specialisation import shaped
from srcad.api.wrt import among_arguments, positions, refuse_paths
from srcad.driver.compiled_routines import kind_of
from srcad.driver.options import Options, Without
from srcad.driver.pass_selection import chosen, row_before, row_named
from srcad.driver.version import Request, Version
from srcad.errors import BadArgument
from srcad.frontend.load_source import name_of, signature_of
from srcad.printing.highlight import Source
from srcad.refusals.types_and_results import UNTYPED
from srcad.runtime.jit.numba_inference import CannotType
from srcad.tools.type_signatures import parse_signature, untyped_parameters
from srcad.tools.type_signatures import signature_of as types_told
from srcad.transforms.ir.unit import Unit
from srcad.transforms.normalise.observed_types import Observation

if TYPE_CHECKING:
    from srcad.driver.pipeline import Generated


def source(
    f: Callable[..., Any],
    mode: str = "grad",
    wrt: int | str | tuple[int | str, ...] = 0,
    signature: str | Sequence[Any] | None = None,
    args: Sequence[Any] | None = None,
    after: str | None = None,
    arrays: bool = False,
    without: Without = (),
    debug: bool = False,
    boundscheck: bool | None = None,
) -> str:
    """The generated source: exactly what runs for arguments of these types; uncompiled, if Numba has no types for it.

    mode        "grad", "value_and_grad", "reverse" (the forward and reverse functions), "forward" (the tangent
                function), "hvp", or "core" (the function in the compiler's own terms)
    signature   the argument types as Numba writes them, "f8[:], f8"; or give `args`. By default annotations and
                defaults tell
    after       the name of a pass of the compiler: the function, or what was generated, as it is after that pass
    arrays      leave array statements as they are, as with jit=False, instead of loops
    without     passes of the compiler to be left out: "loop_order", ("zero_guards", "dead_code")
    debug       with the checks that run under `srcad.debug`
    boundscheck False leaves out the checks that indices are in range

    >>> print(source(lambda x: x * x, signature="f8"))  # doctest: +ELLIPSIS
    def anonymous_grad(x):
        ...
    """
    case = case_of(f, mode, wrt, signature, args, without, boundscheck)
    if debug:
        options = replace(case.request.options, debug=True)
        case = replace(case, request=replace(case.request, options=options))
    return Source(generated(case, after, arrays).text)


def generated(case: Case, after: str | None = None, arrays: bool = False, assumes: bool = True) -> Generated:
    """What is generated for a case: compiled code, or, where Numba has no types, what runs uncompiled.

    Unless it `assumes` that arrays fit without broadcasting, the code is for all shapes.
    """
    with refusing_untyped():
        try:
            return _derived(case, after, arrays, assumes=assumes)
        except CannotType:
            if case.values is None:
                raise
            along = [case.values[place] for place in case.request.wrt if case.request.mode in ("hvp", "tangent")]
            observed = Observation()
            observed.add((*case.values, *along))  # each moves along itself
            return _derived(case, after, arrays, observed, assumes)


def changes(f: Callable[..., Any], name: str, without: Without = (), **how: Any) -> str:
    """What a pass of the compiler changes, as a unified diff; of a choice within a stage, of what is generated with it.

    `how` is as for `source`. Empty where the pass changes nothing.

    >>> print(changes(lambda x: x * 1.0 + x * 1.0, "cse_and_licm", signature="f8"))  # doctest: +ELLIPSIS
    --- after ...
    +++ after cse_and_licm
    ...
    """
    row = row_named(name)
    if row.within:
        if not row.optional:
            raise BadArgument(f"'{name}' is a part of '{row.within}'", hint=f"ask for what '{row.within}' changes")
        titles = f"without {name}", f"with {name}"
        old, new = source(f, without=(*chosen(without), name), **how), source(f, without=without, **how)
    else:
        before = row_before(name).name
        titles = f"after {before}", f"after {name}"
        old, new = (source(f, after=each, without=without, **how) for each in (before, name))
    return "\n".join(difflib.unified_diff(old.splitlines(), new.splitlines(), *titles, lineterm="", n=2))


def _derived(
    case: Case, after: str | None, arrays: bool, observed: Observation | None = None, assumes: bool = True
) -> Generated:
    from srcad.driver import pipeline

    request, options = case.request, case.request.options
    return pipeline.derive(
        case.unit,
        request.mode,
        request.wrt,
        case.kinds,
        tuple_result=request.tuple_result,
        observed=observed,
        loops=not arrays,
        after=after,
        assumes=assumes,
        without=options.without,
        max_trace_bytes=options.max_trace_bytes,
        debug=options.debug,
        boundscheck=options.boundscheck,
    )


@contextmanager
def refusing_untyped() -> Iterator[None]:
    """Refuse what Numba has no types for, where only types are known."""
    try:
        yield
    except CannotType as problem:
        raise UNTYPED.at(problem.place, reason=problem.reason) from problem


@dataclass(frozen=True)
class Case:
    """A function for one set of argument types, and the derivative that is asked for; of structures, that of leaves.

    values      the arguments, captured ones included, if there are any
    """

    function: Callable[..., Any]
    unit: Unit
    request: Request
    kinds: tuple[Any, ...]
    values: tuple[Any, ...] | None = None


def case_of(
    f: Callable[..., Any],
    mode: str = "grad",
    wrt: int | str | tuple[int | str, ...] = 0,
    signature: str | Sequence[Any] | None = None,
    args: Sequence[Any] | None = None,
    without: Without = (),
    boundscheck: bool | None = None,
) -> Case:
    """What `source` and its relatives speak of, from what they are given."""
    from srcad.frontend.lower import prepare

    if args is not None:
        refuse_single(args, "args")
    if isinstance(f, Derivative):
        request = replace(f.request, options=Options.of(without, function=f.request, boundscheck=boundscheck))
        f = f.function
    else:
        mode = _known(mode)
        options = Options.of(without, function=f, boundscheck=boundscheck)
        if args is not None:
            f, wrt, args = among_arguments(f, wrt, args)
        where, many = positions(f, wrt) if mode != "core" else ((), True)
        request = Request(mode, where, many, options)
    if args is not None and (taken := shaped(f, bind(signature_of(f), tuple(args), {}))) is not None:
        shape, args = taken
        f, request = shape.flat, replace(request, wrt=shape.wrt(request.wrt), tuple_result=True)
    refuse_paths(f, request.wrt)
    unit = prepare(f)
    hidden = Version(f, request, unit).hidden()
    values = None if args is None else (*bind(signature_of(f), tuple(args), {}), *hidden)
    return Case(f, unit, request, _all_kinds(f, unit, hidden, signature, args), values)


def _all_kinds(f: Callable[..., Any], unit: Unit, hidden: Any, signature: Any, args: Any) -> tuple[Any, ...]:
    """The types of all parameters, hidden ones included."""
    kinds = (*_kinds(f, signature, args), *map(typeof, hidden))
    if len(kinds) != len(unit.parameters):
        own = len(unit.parameters) - len(hidden)
        raise BadArgument(
            f"{name_of(f)} has {own} parameters, the signature has {len(kinds) - len(hidden)}",
            hint="give one type for each parameter",
        )
    return kinds


def _known(mode: Any) -> str:
    if not isinstance(mode, str) or mode not in _MODES:
        known = ", ".join(_MODES)
        raise BadArgument(f"the mode {mode!r} is unknown", hint=f"it is one of {known}; arguments go into args=(...)")
    return _MODES[mode]


_MODES = {
    "grad": "grad",
    "value_and_grad": "value_and_grad",
    "reverse": "vjp",
    "vjp": "vjp",
    "forward": "tangent",
    "tangent": "tangent",
    "hvp": "hvp",
    "core": "core",
}


def _kinds(f: Callable[..., Any], signature: str | Sequence[Any] | None, args: Sequence[Any] | None) -> tuple[Any, ...]:
    if isinstance(signature, str):
        return parse_signature(signature)
    if signature is not None:
        refuse_single(signature, "signature")
        return tuple(signature)
    if args is not None:
        bound = bind(signature_of(f), tuple(args), {})
        return tuple(kind_of(name, each) for name, each in zip(signature_of(f).parameters, bound, strict=True))
    told = types_told(f)
    if told is None:
        names = ", ".join(untyped_parameters(f))
        raise BadArgument(f"the type of {names} is not known", hint='say it, as in signature="f8[:], f8", or give args')
    return told
