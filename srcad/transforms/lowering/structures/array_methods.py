"""Array methods: methods and properties of arrays become function calls.

    x.sum(axis=0)      becomes    np.sum(x, axis=0)
    x.reshape(2, -1)              np.reshape(x, (2, -1))
    x.T.copy()                    kernels.copy_in_c_order(np.transpose(x))

Only arrays and numbers have attributes in core form; attributes of structures are resolved earlier
(`structure_expressions`). An attribute that arrays do not have is refused.
"""

from __future__ import annotations

import gast

from srcad.errors import AssignsVariable, Place
from srcad.refusals.numpy_calls import ATTRIBUTE, FLAT, METHOD, VARIABLE_ASSIGNED
from srcad.transforms.ir.build import at, attribute, dotted, place_of

KEPT = frozenset({"shape", "size", "ndim", "dtype"})
PROPERTIES = {"T": "np.transpose", "mT": "np.matrix_transpose", "real": "np.real", "imag": "np.imag"}
METHODS = {
    name: f"np.{name}"
    for name in (
        *("all", "any", "argmax", "argmin", "argpartition", "argsort", "astype", "choose", "clip", "compress", "conj"),
        *(
            "copy",
            "cumprod",
            "cumsum",
            "diagonal",
            "dot",
            "max",
            "mean",
            "min",
            "nonzero",
            "prod",
            "ravel",
            "repeat",
            "reshape",
            "round",
        ),
        *("searchsorted", "squeeze", "std", "sum", "swapaxes", "take", "trace", "transpose", "var"),
    )
}
METHODS |= {"conjugate": "np.conj", "flatten": "np.ravel"}
_SHAPED = frozenset({"reshape", "transpose"})
# Methods of random generators, which no array has.
OF_GENERATORS = frozenset(
    (
        *("normal", "laplace", "logistic", "gumbel", "uniform", "lognormal", "exponential", "gamma", "standard_normal"),
        *("standard_exponential", "random", "standard_gamma", "standard_t", "integers", "permutation"),
        *("choice", "rand", "randn", "randint", "random_sample"),
    )
)
# Methods of variables that change them.
ASSIGNING = frozenset({"assign", "assign_add", "assign_sub", "scatter_add", "scatter_sub", "scatter_update"})


def spell_attribute(receiver: gast.expr, name: str, place: Place | None) -> gast.expr:
    """An attribute of an array, as a NumPy function unless core form has it.

    >>> gast.unparse(spell_attribute(gast.parse("x").body[0].value, "T", None)).strip()
    'np.transpose(x)'
    """
    if name in KEPT:
        return attribute(receiver, name)
    if name in PROPERTIES:
        return _call(PROPERTIES[name], [receiver], [], place)
    if name == "flat":
        raise FLAT.at(place)
    raise ATTRIBUTE.at(place, name=name, known=", ".join(sorted([*KEPT, *PROPERTIES])))


def spell_method(receiver: gast.expr, name: str, node: gast.Call, place: Place | None) -> gast.Call:
    """A call of an array's method as a call of a NumPy function.

    >>> node = gast.parse("x.reshape(2, -1)").body[0].value
    >>> gast.unparse(spell_method(node.func.value, "reshape", node, None)).strip()
    'np.reshape(x, (2, -1))'
    """
    if name in OF_GENERATORS:
        return _call(f"kernels.generator_{name}", [receiver, *node.args], node.keywords, place_of(node))
    is_plain_view = name == "view" and not node.args and not node.keywords
    if name not in METHODS and not is_plain_view:
        if name in ASSIGNING:
            raise assigns(name, place)
        raise METHOD.at(place, name=name)
    arguments, keywords = node.args, node.keywords
    has_star = any(isinstance(each, gast.Starred) for each in arguments)
    if name in _SHAPED and (len(arguments) > 1 or has_star or _is_number(arguments)):
        arguments = [gast.Tuple(elts=arguments, ctx=gast.Load())]
    if name == "compress":
        return _call("np.compress", [*arguments[:1], receiver, *arguments[1:]], keywords, place_of(node))
    if name == "clip":  # its bounds have other names as a method
        arguments, keywords = _bounds(arguments, keywords)
    if name == "copy" and not arguments and not keywords:  # np.copy keeps the order of the array
        return _call("kernels.copy_in_c_order", [receiver], [], place_of(node))
    if is_plain_view:  # the array by another name
        return _call("np.asarray", [receiver], [], place_of(node))
    spelled = _call(METHODS[name], [receiver, *arguments], keywords, place_of(node))
    return _call("np.copy", [spelled], [], place_of(node)) if name == "flatten" else spelled


def assigns(name: str, place: Place | None) -> AssignsVariable:
    """The error for a call of a method that changes a variable.

    >>> assigns("assign_add", None).hint.partition(",")[0]
    'assign in the caller'
    """
    return VARIABLE_ASSIGNED.at(place, method=name)


def _bounds(arguments: list[gast.expr], keywords: list[gast.keyword]) -> tuple[list[gast.expr], list[gast.keyword]]:
    """Both bounds of `clip` by position, None for one that is omitted; the rest by keyword."""
    given = dict(zip(("min", "max", "out"), arguments, strict=False)) | {each.arg: each.value for each in keywords}
    low, high = (given.pop(name, gast.Constant(value=None, kind=None)) for name in ("min", "max"))
    return [low, high], [gast.keyword(arg=name, value=value) for name, value in given.items()]


def _is_number(arguments: list[gast.expr]) -> bool:
    match arguments:
        case [gast.Constant()] | [gast.UnaryOp(operand=gast.Constant())]:
            return True
    return False


def _call(path: str, arguments: list[gast.expr], keywords: list[gast.keyword], place: Place | None) -> gast.Call:
    call = gast.Call(func=dotted(path), args=arguments, keywords=keywords)
    at(call, place)
    return call
