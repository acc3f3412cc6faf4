"""Resolve `wrt`: parameters by position or name, and parts of them ("params.w", "layers[0]['b']", "self.rate")."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from srcad.errors import BadArgument, BadType
from srcad.frontend.load_source import load, name_of, signature_of, unwrap
from srcad.parsing import python_tree
from srcad.refusals.constructs import STARRED_PARAMETERS
from srcad.transforms.lowering.structures.list_packing import Long


@dataclass(frozen=True)
class Path:
    """A part of a parameter: the parameter's position, and the attributes and keys that lead to the part.

    >>> Path(0, (("attribute", "layers"), ("key", 1))).text("model")
    'model.layers[1]'
    """

    parameter: int
    steps: tuple[tuple[str, Any], ...]

    def text(self, name: str) -> str:
        """The path as a user writes it, for a parameter of this name."""
        return name + "".join(f".{key}" if kind == "attribute" else f"[{key!r}]" for kind, key in self.steps)

    def inside(self, spec: Any, name: str) -> tuple[Any, int]:
        """The part's optree specification, from that of the parameter, and the number of leaves before the part.

        Raises BadArgument if the parameter has no such part.
        """
        before = 0
        for count, (kind, key) in enumerate(self.steps):
            keys = [] if spec is None or spec.is_leaf() else _keys(spec, kind)
            backwards = type(key) is int and key < 0 and keys == _counted(keys)
            place = key + len(keys) if backwards else key
            if place not in keys:
                here, missing = Path(0, self.steps[:count]).text(name), Path(0, self.steps[: count + 1]).text(name)
                named = ", ".join(Path(0, ((kind, each),)).text("") for each in keys)
                holds = f"it has {named}" if keys else f"`{here}` is no structure that has parts of this kind"
                raise BadArgument(f"`wrt` names {missing}, which is not among the arguments", hint=holds)
            children = spec.children()
            before += sum(each.num_leaves for each in children[: keys.index(place)])
            spec = children[keys.index(place)]
        return spec, before


Place = int | Path
Wrt = int | str | tuple[int | str, ...]


def positions(function: Callable[..., Any], wrt: Any) -> tuple[tuple[Any, ...], bool]:
    """Resolve `wrt` to positions of parameters, or paths that start from them, and say whether it was a tuple.

    Raises BadArgument if it is empty, names a parameter twice, or names none of the function's.

    >>> positions(lambda x, y: x * y, "y"), positions(lambda x, y: x * y, (0, "y"))
    (((1,), False), ((0, 1), True))
    >>> positions(lambda p, x: p["w"] * x, "p['w']")
    ((Path(parameter=0, steps=(('key', 'w'),)),), False)
    """
    names = list(signature_of(function).parameters)
    many = isinstance(wrt, (tuple, list))
    found = tuple(_place(names, each, function) for each in (wrt if many else (wrt,)))
    if not found:
        raise BadArgument("`wrt` is empty", hint=f"the parameters are {', '.join(names)}")
    if len(set(found)) < len(found):
        raise BadArgument(f"`wrt` names a parameter twice: {wrt!r}", hint="name each parameter once")
    return found, many


def chosen(wrt: Any, argnums: Any) -> Any:
    """What to differentiate by, of which `argnums` is another name. Raises BadArgument if both are given.

    >>> chosen(0, None), chosen(0, (0, 1))
    (0, (0, 1))
    """
    if argnums is None:
        return wrt
    if wrt != 0 or isinstance(wrt, bool):
        raise BadArgument("both `wrt` and `argnums` are given", hint="they are two names of one argument: give `wrt`")
    return argnums


def refuse_starred(function: Callable[..., Any], options: bool = True) -> None:
    """Raise UnsupportedSyntax for `*args`, of which the number is not known; with `options` for `**kwargs` too."""
    kinds = {each.kind for each in signature_of(function).parameters.values()}
    if inspect.Parameter.VAR_POSITIONAL in kinds or (options and inspect.Parameter.VAR_KEYWORD in kinds):
        source = load(function)
        raise STARRED_PARAMETERS.at(source.place(source.tree))


def text_of(names: Sequence[str], place: Place) -> str:
    """A parameter, or a part of one, as a user writes it."""
    return place.text(names[place.parameter]) if isinstance(place, Path) else names[place]


def refuse_paths(function: Callable[..., Any], where: Sequence[Place]) -> None:
    """Raise BadArgument if `where` holds a path: called where the arguments are not structures."""
    names = list(signature_of(function).parameters)
    for place in where:
        if isinstance(place, Path):
            name = names[place.parameter]
            raise BadArgument(
                f"`wrt` names {place.text(name)}, but the argument '{name}' of {name_of(function)} is no structure",
                hint=f"differentiate by '{name}', and take the part of the gradient that is needed",
            )


def with_receiver(function: Any, wrt: Any) -> tuple[Any, Any, Any] | None:
    """For a method and a `wrt` with parts of its object: the plain function, `wrt` for it, the object; else None.

    >>> class Model:
    ...     def loss(self, x):
    ...         return self.w * x
    >>> with_receiver(Model().loss, ("self.w", 0))[1]
    ('self.w', 1)
    """
    many = isinstance(wrt, (tuple, list))
    texts = [each for each in (wrt if many else (wrt,)) if isinstance(each, str)]
    if not texts or hasattr(type(function), "__srcad_keeps__") or hasattr(function, "__srcad_primitive__"):
        return None
    plain, _, receiver = unwrap(function)
    if receiver is None:
        return None
    own = next(iter(inspect.signature(plain, follow_wrapped=False).parameters), "")
    if not any(_root(each) == own for each in texts) or own in signature_of(function).parameters:
        return None
    moved = [each + 1 if type(each) is int and each >= 0 else each for each in (wrt if many else (wrt,))]
    return plain, tuple(moved) if many else moved[0], receiver


def among_arguments(function: Any, wrt: Any, arguments: Sequence[Any]) -> tuple[Any, Any, Sequence[Any]]:
    """The function, `wrt` and arguments; a method's object comes first if `wrt` names a part of it."""
    method = None if wrt is None else with_receiver(function, wrt)
    if method is None:
        return function, wrt, arguments
    plain, where, receiver = method
    return plain, where, (receiver, *arguments)


def _root(text: str) -> str:
    return text.partition(".")[0].partition("[")[0].strip()


def _place(names: list[str], each: Any, function: Callable[..., Any]) -> Place:
    kinds = [each.kind for each in signature_of(function).parameters.values()]
    gathers, options = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    if type(each) is int and gathers in kinds and each >= kinds.index(gathers):
        return Path(kinds.index(gathers), (("key", each - kinds.index(gathers)),))
    if isinstance(each, str) and each in names:
        return names.index(each)
    if isinstance(each, str) and options in kinds and each.isidentifier():
        return Path(kinds.index(options), (("key", each),))
    if isinstance(each, str) and _root(each) in names:
        return Path(names.index(_root(each)), _steps(each))
    if isinstance(each, int) and not isinstance(each, bool) and -len(names) <= each < len(names):
        return each % len(names)
    if not isinstance(each, (int, str)) or isinstance(each, bool):
        hint = "give an index, a name, a path such as 'p.w', or a tuple of them"
        if isinstance(each, float) or hasattr(each, "__array__"):
            hint = f"{hint}; arguments belong to the call of what is returned: srcad.grad(f)(x)"
        raise BadType(f"`wrt` is {each!r}", hint=hint)
    has = f"its parameters are {', '.join(names) or 'none'}"
    raise BadArgument(f"{name_of(function)} has no parameter {each!r}", hint=has)


def _steps(text: str) -> tuple[tuple[str, Any], ...]:
    """The attributes and keys that follow the name in a path."""
    problem = BadArgument(
        f"`wrt` is {text!r}, which is no path", hint="write attributes and constant keys, such as params.layers[0]['w']"
    )
    steps: list[tuple[str, Any]] = []
    try:
        node: ast.expr = python_tree(text.strip(), mode="eval").body
        while not isinstance(node, ast.Name):
            if isinstance(node, ast.Attribute):
                steps.insert(0, ("attribute", node.attr))
            elif isinstance(node, ast.Subscript):
                steps.insert(0, ("key", ast.literal_eval(node.slice)))
            else:
                raise problem
            node = node.value
        hash(tuple(steps))
    except (SyntaxError, ValueError, TypeError):
        raise problem from None
    return tuple(steps)


def _keys(spec: Any, kind: str) -> list[Any]:
    """The keys, or the attribute names, of a structure that optree has taken apart."""
    if spec.type is Long:
        raise BadArgument(
            "`wrt` names an element of a list of more than 64",
            hint="differentiate by the list, and take the element of that",
        )
    fields = getattr(spec.type, "_fields", None)
    if fields is not None:
        return list(fields) if kind == "attribute" else _counted(fields)
    return list(spec.entries()) if (kind == "key") is issubclass(spec.type, (tuple, list, dict)) else []


def _counted(values: Sequence[Any]) -> list[int]:
    return list(range(len(values)))
