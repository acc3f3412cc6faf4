"""`Rule`, one derivative rule of a primitive: its kind, the calls it covers, and its templates."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeVar

from srcad.refusals.names_and_functions import ARGUMENT_WITHOUT_RULE
from srcad.runtime.rulebook.rule_template import Template, primitive_name, read_template, signature_names

Kind = Literal["partial", "adjoint", "view", "zero"]
Source = Callable[..., Any] | None
Value = TypeVar("Value")


@dataclass(frozen=True)
class Fit:
    """The calls that a rule covers: ranks of leading inputs, number of inputs, inputs that are nonzero literals."""

    ndim: tuple[int, ...] = ()
    arity: int | None = None
    literals: tuple[int, ...] = ()

    def accepts(self, ndims: Sequence[int | None], literals: Collection[int]) -> bool:
        """Whether the rule covers a call with inputs of these ranks and with number literals at these positions."""
        return (
            tuple(ndims[: len(self.ndim)]) == self.ndim
            and self.arity in (None, len(ndims))
            and set(self.literals) <= set(literals)
        )


@dataclass(frozen=True)
class Rule:
    """How one primitive is differentiated. Templates are read from source at their first use.

    primitive     the object that the rule belongs to
    kind          'partial' | 'adjoint' | 'view' | 'zero'
    elementwise   the result and the inputs broadcast against each other, element by element
    fit           the calls that the rule covers
    is_linear     the tangent is the primitive, applied to the tangents of the inputs in `linear_in`
    may_view      the result is sometimes a view of the first input, sometimes a copy (reshape, ravel, asarray)
    varies_with    the only inputs by which the result may vary; None: all of them
    closed         inputs that must not carry derivatives: the rule reads them beside the arguments
    needs_all_tangents  the tangent rule is no sum of terms: inputs without a tangent have the tangent 0
    handles_complex  whether complex inputs are covered: rules state unconjugated derivatives, the compiler conjugates

    >>> import numpy as np
    >>> from srcad.runtime.rulebook.registry import find
    >>> rule = find(np.tanh)
    >>> rule.kind, rule.elementwise, rule.partials.parameters
    ('partial', True, ('y', 'x'))
    """

    primitive: Any
    kind: Kind
    elementwise: bool = False
    fit: Fit = Fit()
    is_linear: bool = False
    may_view: bool = False
    handles_complex: bool = True
    varies_with: tuple[str, ...] | None = None
    closed: tuple[str, ...] = ()
    needs_all_tangents: bool = False
    partials_source: Source = None
    adjoint_source: Source = None
    tangent_source: Source = None

    @cached_property
    def partials(self) -> Template | None:
        """The partial derivatives of an elementwise primitive; the body ends with a return."""
        return read_template(self.partials_source)

    @cached_property
    def adjoint(self) -> Template | None:
        """The contributions to the adjoints of the inputs, from the adjoint of the result."""
        return read_template(self.adjoint_source)

    @cached_property
    def tangent(self) -> Template | None:
        """The tangent of the result from those of the inputs, for rules without `partials`."""
        return read_template(self.tangent_source)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the result and of the covered inputs; empty for the kind 'zero'."""
        template = self.partials or self.adjoint or self.tangent
        return template.parameters if template else ()

    @property
    def linear_in(self) -> tuple[str, ...]:
        """The inputs that a linear rule replaces by their tangents."""
        if not self.is_linear or self.adjoint is None:
            return ()
        return self.adjoint.contributes_to

    @cached_property
    def varying_inputs(self) -> frozenset[str] | None:
        """The only inputs by which the result varies smoothly; None: all of them.

        A rule that states an adjoint, and a tangent, says nothing of the others: their derivatives are zero.
        """
        if self.varies_with is not None:
            return frozenset((*self.varies_with, *self.closed))
        if self.kind != "adjoint" or self.adjoint is None:
            return None
        tangents = self.tangent.derivatives_read if self.tangent else frozenset()
        return self.adjoint.refuses | tangents | set(self.adjoint.contributes_to)

    def bind(self, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> dict[str, Value]:
        """The arguments of a call by the rule's names of the inputs. Arguments may be values, types or nodes.

        Raises MissingRule for an argument that the rule does not cover, such as `out=`.

        >>> import numpy as np
        >>> from srcad.runtime.rulebook.registry import find
        >>> find(np.sum).bind(["x", "1"], {"keepdims": "True"})
        {'a': 'x', 'axis': '1', 'keepdims': 'True'}
        """
        inputs = self.parameters[1:]
        given = signature_names(self.primitive, inputs)[: len(arguments)]
        bound = dict(zip(given, arguments, strict=False)) | dict(keywords)
        unknown = [name for name in bound if name not in inputs]
        if unknown or len(arguments) > len(given):
            which = f"the argument {unknown[0]!r}" if unknown else f"{len(arguments)} arguments"
            raise ARGUMENT_WITHOUT_RULE.error(
                function=primitive_name(self.primitive), argument=which, covered=", ".join(inputs)
            )
        return bound
