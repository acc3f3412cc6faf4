"""Flatten a function of structured arguments (pytrees) into a function of their leaves, for arguments of one form.

    def f(p, x): ... p["w"] ... p["b"]        becomes, for a dictionary with two arrays,        f(p_w, p_b, x)

The rest of srcad treats it like any other function: its parameters are the leaves, and lowering rebuilds the structures
from them. It returns numbers, arrays, and tuples of these.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from srcad.api.pytree import take_apart
from srcad.names import Names
from srcad.runtime.support.record_fields import is_records, records_of
from srcad.runtime.support.structured_arguments import is_object
from srcad.transforms.ir.pytree_form import LEAF, Form, Part, built


class Flat:
    """A function of leaves. `forms` maps each parameter of the user's function to the form of its argument.

    >>> from srcad.transforms.ir.pytree_form import LEAF
    >>> f = Flat(lambda p, x: p["w"] * x, {"p": Form(dict, ("w",), (LEAF,)), "x": LEAF})
    >>> f(2.0, 3.0), list(f.__signature__.parameters)
    (6.0, ['p_w', 'x'])
    """

    __srcad_keeps__ = True

    def __init__(self, function: Callable[..., Any], forms: dict[str, Part]) -> None:
        from srcad.transforms.ir.canonical_names import RESERVED  # late import: it loads all kernels

        self.__wrapped_primal__ = function
        self.forms = forms
        self.extents: tuple[tuple[int, ...] | None, ...] = ()  # the shapes of the leaves, if they are constants
        names = Names({*RESERVED, *forms})
        found: list[str] = []
        for name, part in forms.items():
            found += part.names(name, names.fresh) if isinstance(part, Form) else [name] if part is LEAF else []
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in found])

    def __call__(self, *leaves: Any) -> Any:
        """The value, computed by the user's function with the structures rebuilt from the leaves."""
        from srcad.frontend.load_source import signature_of

        each = iter(leaves)
        arguments = {name: built(part, each) for name, part in self.forms.items()}
        bound = inspect.BoundArguments(signature_of(self.__wrapped_primal__), arguments)
        return plain(self.__wrapped_primal__(*bound.args, **bound.kwargs))


def plain(value: Any) -> Any:
    """A result converted to numbers, arrays and nested tuples of these.

    >>> plain({"a": [1.0, 2.0], "b": 3.0})
    ((1.0, 2.0), 3.0)
    """
    if is_records(value):
        found = records_of(value)
        assert found is not None
        return found.parts
    if isinstance(value, dict):
        return tuple(plain(each) for each in value.values())
    if isinstance(value, (list, tuple)):
        return tuple(plain(each) for each in value)
    if is_object(type(value)):
        _, spec = take_apart(value)
        return tuple(plain(getattr(value, name)) for name in spec.entries())
    return 0 if value is None or isinstance(value, str) else value  # a compile-time constant, so not computed
