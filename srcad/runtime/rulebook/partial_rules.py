"""Convert the partial derivatives of an elementwise rule to the equivalent adjoint or tangent rule."""

from __future__ import annotations

import functools

import gast

from srcad.runtime.rulebook.rule_template import Template


def partials_as_adjoint(template: Template) -> list[gast.stmt]:
    """`d[x] = d[y] * (...)` for each partial derivative of an elementwise rule."""
    y, *inputs = template.parameters
    return _leading(template) + [
        _assign_d(name, gast.BinOp(left=d_of(y), op=gast.Mult(), right=value))
        for name, value in zip(inputs, partial_values(template), strict=False)
        if value is not None
    ]


def partials_as_tangent(template: Template) -> list[gast.stmt]:
    """`d[y] = (...) * d[x] + ...` from the partial derivatives of an elementwise rule."""
    y, *inputs = template.parameters
    terms = [
        gast.BinOp(left=value, op=gast.Mult(), right=d_of(name))
        for name, value in zip(inputs, partial_values(template), strict=False)
        if value is not None
    ]
    total = functools.reduce(lambda a, b: gast.BinOp(left=a, op=gast.Add(), right=b), terms)
    return [*_leading(template), _assign_d(y, total)]


def partial_values(template: Template) -> list[gast.expr | None]:
    """The expression of each input's partial derivative; None for an input that has none."""
    value = template.body[-1].value
    values = value.elts if isinstance(value, gast.Tuple) else [value]
    return [None if isinstance(each, gast.Constant) and each.value is None else each for each in values]


def d_of(name: str) -> gast.Subscript:
    """The expression `d[name]`."""
    return gast.Subscript(value=_name("d", gast.Load()), slice=_name(name, gast.Load()), ctx=gast.Load())


def _name(text: str, ctx: gast.expr_context) -> gast.Name:
    return gast.Name(id=text, ctx=ctx, annotation=None, type_comment=None)


def _assign_d(name: str, value: gast.expr) -> gast.Assign:
    target = gast.Subscript(value=_name("d", gast.Load()), slice=_name(name, gast.Load()), ctx=gast.Store())
    return gast.Assign(targets=[target], value=value, type_comment=None)


def _leading(template: Template) -> list[gast.stmt]:
    return list(template.body[:-1])
