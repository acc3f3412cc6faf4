"""Derivatives that a function makes or calls: `srcad.grad(u)` inside a function, as a constant of the code.

    def loss(p, x):
        slope = srcad.grad(u, 1)            # known while compiling, as `u` is
        return (slope(p, x) - 1.0) ** 2

Objects of srcad that were made outside say by `__srcad_derived__` what they are derivatives of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import gast
import numpy as np

from srcad.errors import Place
from srcad.frontend.load_source import load as load_source
from srcad.frontend.scope import Meaning, Method, Procedure, call_of, procedure_of
from srcad.frontend.wrappers import MADE_HERE, wrapper_of
from srcad.names import Names
from srcad.refusals.derivatives import INNER_OPTION, UNKNOWN_INNER_FUNCTION
from srcad.runtime import kernels
from srcad.transforms.ir.build import place_of

EVERY: tuple[Any, ...] = (...,)  # `wrt` of a `vjp` by all arguments that may have a derivative


class Described(NamedTuple):
    """What a derivative is: a transform, its function, its parameters.

    A transform is the name of a function of srcad, "value" or "pullback".
    """

    transform: str
    function: Any
    wrt: tuple[Any, ...]
    many: bool


@dataclass(frozen=True, eq=False)
class DerivedFunction:
    """A derivative made inside a function; `function` is a `Procedure`, a `Method`, or any callable."""

    __srcad_derived__: Described

    @property
    def __name__(self) -> str:
        """The name to show to the user."""
        described = self.__srcad_derived__
        name = getattr(described.function, "name", None) or getattr(described.function, "__name__", "function")
        return f"{name}_{described.transform}"

    def __call__(self, *args: Any) -> Any:
        """It stands for calls in the code, and is never called itself."""
        raise TypeError(f"{self.__name__} is known to the compiler only")


def described(value: Any) -> Described | None:
    """What an object is a derivative of; None if it is none."""
    found: Described | None = getattr(value, "__srcad_derived__", None)
    return found


def made_by(transform: Any, node: gast.Call, meaning: Callable[[gast.expr], Meaning | None]) -> Meaning | None:
    """The derivative that a call makes, such as `srcad.grad(f, 1)`; None for other calls.

    `transform` is the function that is called, `meaning` resolves expressions.
    """
    name = getattr(transform, "__srcad_transform__", None)
    if name is None or name in ("jvp", "vjp"):
        return None
    place = place_of(node)
    given: dict[Any, gast.expr] = dict(enumerate(node.args)) | {each.arg: each.value for each in node.keywords}
    function = given.pop(0, None) or given.pop("f", None)
    wrt = given.pop(1, None) or given.pop("wrt", None) or given.pop("argnums", None)
    given.pop("jit", None)
    given.pop("mode", None)
    for option in given:
        raise INNER_OPTION.at(place, transform=name, option=option if isinstance(option, str) else "a third argument")
    places = (0,) if wrt is None else _constant(wrt, name, meaning)
    return Meaning(DerivedFunction(Described(name, _function(function, name, meaning, place), places, _is_tuple(wrt))))


def along(transform: Any, node: gast.Call, meaning: Callable[[gast.expr], Meaning | None]) -> gast.Call | None:
    """A call of `srcad.jvp` as one of a derivative along the tangents, which come first, and one of `srcad.vjp`.

    None for other calls.
    """
    name = getattr(transform, "__srcad_transform__", None)
    if name == "vjp":
        return _pulled_back(node, meaning)
    if name != "jvp":
        return None
    place = place_of(node)
    given = dict(zip(("f", "primals", "tangents"), node.args, strict=False))
    given |= {each.arg: each.value for each in node.keywords if each.arg != "jit"}
    primals, tangents = given.get("primals"), given.get("tangents")
    if len(given) != 3 or not _is_written_out(primals) or not _is_written_out(tangents):
        raise INNER_OPTION.at(place, transform=name, option="primals and tangents that are not tuples written out here")
    assert primals is not None
    assert tangents is not None
    function = _function(given["f"], name, meaning, place)
    moving = tuple(k for k, each in enumerate(tangents.elts) if not _is_none(each))
    derived = DerivedFunction(Described(name, function, moving, True))
    directions = [tangents.elts[k] for k in moving]
    return gast.Call(func=derived, args=[*directions, *primals.elts], keywords=[])


def _pulled_back(node: gast.Call, meaning: Callable[[gast.expr], Meaning | None]) -> gast.Call:
    """A call of `srcad.vjp` as a call with the arguments at which the function is to be differentiated."""
    place = place_of(node)
    function, *primals = node.args or [None]
    given = {each.arg: each.value for each in node.keywords if each.arg != "jit"}
    wrt = given.pop("wrt", None)
    for option in given:
        raise INNER_OPTION.at(place, transform="vjp", option=option or "a dictionary of arguments")
    if any(isinstance(each, gast.Starred) for each in node.args):
        raise INNER_OPTION.at(place, transform="vjp", option="arguments that are not written out one by one")
    places = EVERY if wrt is None else _constant(wrt, "vjp", meaning)
    derived = DerivedFunction(Described("vjp", _function(function, "vjp", meaning, place), places, _is_tuple(wrt)))
    return gast.Call(func=derived, args=primals, keywords=[])


def procedure_for(function: Any, read: Callable[[Procedure], Procedure], inner: Callable[[Any], Any]) -> Procedure:
    """The procedure of a function that is differentiated; `inner` gives that of a function with a source, or None."""
    if described(function) is not None and not isinstance(function, Procedure):
        return read(procedure_of(load_source(derivative_source(function))))
    if hasattr(type(function), "__srcad_custom__"):
        by_rule = wrapper_of(function, function.__name__, list(function.__signature__.parameters))
        return read(procedure_of(load_source(by_rule)))
    found: Procedure | None = inner(function)
    if found is not None:
        return found
    call = call_of(function)
    if call is not None:
        return read(procedure_of(load_source(call), Meaning(function)))
    from srcad.frontend.wrappers import of_primitive  # late import: few functions need one

    wrapper = of_primitive(function)
    return read(procedure_of(load_source(function if wrapper is None else wrapper)))


def reads_enclosing(function: Any) -> bool:
    """Whether a function may read variables of the functions around it."""
    if isinstance(function, DerivedFunction):
        return reads_enclosing(function.__srcad_derived__.function)
    if isinstance(function, Procedure):
        return function.scope is not None
    held = getattr(function, "__globals__", {})
    return held.get("__name__") == MADE_HERE and any(
        reads_enclosing(each) for each in held.values() if each is not function
    )


def derivative_source(derivative: Any) -> Callable[..., Any]:
    """A function with a source that calls a derivative."""
    from srcad.frontend.wrappers import of_derivative, wrapper_of

    if isinstance(derivative, DerivedFunction):
        return wrapper_of(derivative, derivative.__name__, parameters_of(derivative.__srcad_derived__))
    return of_derivative(derivative)


def parameters_of(derived: Described) -> list[str]:
    """The parameters of a derivative: the function's, after its directions."""
    names = [*own_parameters(derived.function)]
    if derived.transform not in ("hvp", "tangent", "jvp"):
        return names
    fresh = Names(names)
    added = [fresh.fresh(f"{names[place]}_dot") for place in positions(derived, names)]
    return [*names, *added] if derived.transform == "hvp" else [*added, *names]


def own_parameters(function: Any) -> list[str]:
    """The names of a function's parameters."""
    if isinstance(function, Procedure):
        return [*function.parameters, *function.keyword_only]
    if isinstance(function, Method):
        return procedure_of(load_source(function.function), function.receiver).parameters
    inner = described(function)
    if isinstance(function, DerivedFunction) and inner is not None:
        return parameters_of(inner)
    if inner is not None:
        return list(function.__signature__.parameters)
    from srcad.frontend.wrappers import of_primitive

    source = procedure_for(function, lambda each: each, lambda each: None if of_primitive(each) else _loaded(each))
    return [*source.parameters, *source.keyword_only]


def _loaded(function: Any) -> Procedure | None:
    return None if call_of(function) is not None else procedure_of(load_source(function))


def positions(derived: Described, names: Sequence[str]) -> tuple[int, ...]:
    """The positions of the parameters that a derivative is by. Raises LookupError."""
    found = []
    for each in derived.wrt:
        if isinstance(each, str):
            found.append(list(names).index(each) if each in names else _missing(each))
        elif isinstance(each, int) and -len(names) <= each < len(names):
            found.append(each % len(names))
        else:
            _missing(each)
    return tuple(found)


def _missing(each: Any) -> int:
    raise LookupError(each)


def assembled(derived: Described, names: Sequence[str], places: Sequence[int]) -> Callable[..., Any]:
    """A function that puts a Jacobian together from derivatives along unit directions, one for each element.

    A Hessian is the Jacobian of the gradient.
    """
    from srcad.frontend.wrappers import written

    inner = derived.function
    if derived.transform == "hessian":
        inner = DerivedFunction(Described("grad", inner, tuple(places), derived.many))
    own = Names([*names, "np", "kernels"])
    function, value, size, columns, k = (own.fresh(each) for each in ("function", "value", "size", "columns", "k"))
    meanings: dict[str, Any] = {function: DerivedFunction(Described("value", inner, (), False))}
    meanings |= {"np": np, "kernels": kernels}
    given = ", ".join(names)
    lines = [f"def {derived.transform}({given}):", f"    {value} = {function}({given})"]
    found = []
    several = derived.transform == "hessian" and derived.many
    for place in places:
        along, x = own.fresh(f"along_{names[place]}"), names[place]
        meanings[along] = DerivedFunction(Described("tangent", inner, (place,), False))
        rows = [f"{value}[{j}]" for j in range(len(places))] if several else [value]
        dots = [own.fresh("dot") for _ in rows]
        lines += [f"    {size} = kernels.element_count({x})"]
        held = [own.fresh(columns) for _ in rows]
        lines += [
            f"    {each} = np.empty(({size}, kernels.element_count({row})))"
            for each, row in zip(held, rows, strict=True)
        ]
        lines += [
            f"    for {k} in range({size}):",
            f"        {', '.join(dots)} = {along}(kernels.unit_direction({x}, {k}), {given})",
            *(f"        {each}[{k}] = kernels.as_row({dot})" for each, dot in zip(held, dots, strict=True)),
        ]
        blocks = [f"kernels.from_columns({each}, {row}, {x})" for each, row in zip(held, rows, strict=True)]
        found.append(blocks)
    block = [[column[j] for column in found] for j in range(len(found[0]))]
    lines.append(f"    return {_tuples(block, several, derived.many)}")
    return written("\n".join(lines) + "\n", derived.transform, meanings)


def weighted(function: Any, names: Sequence[str], length: int | None) -> Callable[..., Any]:
    """The sum of a function's results times cotangents, the last argument; a function of `length` results, or of one.

    Its gradient is what the pullback gives.
    """
    from srcad.frontend.wrappers import written

    own = Names([*names, "np"])
    called, value, bar = (own.fresh(each) for each in ("function", "value", "value_bar"))
    given = ", ".join(names)
    parts = [f"np.sum({value} * {bar})"] if length is None else []
    parts += [f"np.sum({value}[{k}] * {bar}[{k}])" for k in range(length or 0)]
    text = f"def pullback({given}, {bar}):\n    {value} = {called}({given})\n    return {' + '.join(parts) or '0.0'}\n"
    return written(text, "pullback", {called: function, "np": np})


def _tuples(blocks: list[list[str]], several: bool, many: bool) -> str:
    rows = [f"({', '.join(row)},)" if many else row[0] for row in blocks]
    return f"({', '.join(rows)},)" if several else rows[0]


def _function(
    node: gast.expr | None, transform: str, meaning: Callable[[gast.expr], Meaning | None], place: Place | None
) -> Any:
    found = None if node is None else meaning(node)
    if found is None or not (callable(found.value) or isinstance(found.value, (Procedure, Method))):
        raise UNKNOWN_INNER_FUNCTION.at(place, transform=transform)
    return found.value


def _constant(wrt: gast.expr, transform: str, meaning: Callable[[gast.expr], Meaning | None]) -> tuple[Any, ...]:
    elements = wrt.elts if isinstance(wrt, (gast.Tuple, gast.List)) else [wrt]
    found = []
    for each in elements:
        value = each.value if isinstance(each, gast.Constant) else None
        if isinstance(each, gast.UnaryOp) and isinstance(each.operand, gast.Constant):
            value = -each.operand.value
        known = meaning(each) if isinstance(each, (gast.Name, gast.Attribute)) else None
        value = known.value if known is not None else value
        if not isinstance(value, (int, str)):
            raise INNER_OPTION.at(place_of(wrt), transform=transform, option="`wrt`, which is computed")
        found.append(value)
    return tuple(found)


def _is_tuple(wrt: gast.expr | None) -> bool:
    return isinstance(wrt, (gast.Tuple, gast.List))


def _is_written_out(node: gast.expr | None) -> bool:
    return isinstance(node, (gast.Tuple, gast.List))


def _is_none(node: gast.expr) -> bool:
    return isinstance(node, gast.Constant) and node.value is None
