"""Functions whose compiled form stores into an array that the code which calls them allocates.

    stored_by(times, store_times, type_of_product, extents)

A function that Numba compiles counts a reference to each of its arrays, which takes as long as the arithmetic on a
small matrix. The functions that store allocate nothing and count nothing; the array for the result is allocated by
instructions in the code that calls them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_new_ref
from numba.extending import lower_builtin, type_callable
from numba.np import arrayobj

Extents = Callable[..., tuple[Any, ...]]


def stored_by(
    function: Any,
    store: Any,
    kind_of: Callable[..., Any],
    extents: Extents,
    flags: tuple[bool, ...] = (),
    otherwise: Any = None,
    may_refuse: Callable[..., bool] = lambda *kinds: True,
) -> None:
    """Let calls of `function` allocate the result, and call `store` with it, the arguments and `flags`.

    `kind_of` gives the type of the result for those of the arguments, or None where there is another implementation;
    `extents` the extents of the result for a builder and those of the arguments, () for a number. Where `store` returns
    False, which it does only for types that `may_refuse` holds for, `otherwise` is called as well, which may allocate.
    """
    count = len(inspect.signature(kind_of).parameters)
    type_callable(function)(lambda context: kind_of)

    def lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        shapes = [_shape(context, builder, *each) for each in zip(signature.args, values, strict=True)]
        kind = signature.return_type
        out = arrayobj._empty_nd_impl(context, builder, kind, extents(builder, *shapes))._getvalue()
        kinds = (kind, *signature.args, *(types.boolean for _ in flags))
        given = (out, *values, *(cgutils.bool_t(each) for each in flags))
        is_done = called(store, kinds, context, builder, given)
        if otherwise is not None and may_refuse(*signature.args):
            with builder.if_then(builder.not_(is_done), likely=False):
                called(otherwise, kinds, context, builder, given)
        return impl_ret_new_ref(context, builder, kind, out)

    lower_builtin(function, *(types.Any,) * count)(lower)


def _shape(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if not isinstance(kind, types.Array):
        return ()
    return cgutils.unpack_tuple(builder, arrayobj.make_array(kind)(context, builder, value).shape)


def called(function: Any, kinds: tuple[Any, ...], context: Any, builder: Any, values: Any) -> Any:
    """Instructions that call a function with an overload; the value that it returns."""
    typing = context.typing_context
    kind = typing.resolve_value_type(function)
    signature = kind.get_call_type(typing, kinds, {})
    implementation = context.get_function(kind, signature)
    context.add_linking_libs(getattr(implementation, "libs", ()))
    return implementation(builder, values)
