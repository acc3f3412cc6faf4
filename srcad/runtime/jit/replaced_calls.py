"""Functions of NumPy for which generated code and kernels call functions of srcad's, which run or compile faster.

    @in_place_of(np.sort, 1, when=are_vectors)
    def sorted_values(a): ...

Calls of `np.sort(a)` become calls of `sorted_values(a)` where the types of the arguments satisfy `when`; others are
left to Numba. The text of a generated function still says `np.sort`. `operator.matmul` stands for the operator `@`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.extending import intrinsic

Condition = Callable[..., bool]
_known: dict[tuple[str, str, int], Any] = {}  # by module and name of the function, number of arguments


def in_place_of(
    replaced: Callable[..., Any], *counts: int, when: Condition
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let a function, which Numba has an implementation of, stand for one of NumPy's.

    `counts` are the numbers of arguments of calls; keyword arguments are left to Numba.
    """

    def noted(function: Callable[..., Any]) -> Callable[..., Any]:
        def chosen(typing: Any, *args: Any) -> Any:
            if not when(*args):
                return numbas(typing, replaced, args)
            kind = typing.resolve_value_type(function)
            return kind.get_call_type(typing, args, {}), _called(kind)

        forms: dict[int, Callable[..., Any]] = {
            1: lambda typing, a: chosen(typing, a),  # noqa: PLW0108 - Numba reads the parameters
            2: lambda typing, a, b: chosen(typing, a, b),  # noqa: PLW0108
            3: lambda typing, a, b, c: chosen(typing, a, b, c),  # noqa: PLW0108
        }
        _known.update({(replaced.__module__, replaced.__name__, count): intrinsic(forms[count]) for count in counts})
        return function

    return noted


def replacement(module: str, name: str, count: int) -> Any:
    """The intrinsic that replaces a call of a function; None if there is none."""
    return _known.get((module, name, count))


def numbas(typing: Any, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """The signature of a call of a function, and its code, as Numba has them."""
    plain = typing.resolve_function_type(typing.resolve_value_type(function), args, {})
    # Numba compiles these, so they have to be Python functions.
    calls = {1: lambda a: function(a), 2: lambda a, b: function(a, b), 3: lambda a, b, c: function(a, b, c)}  # noqa: PLW0108

    def call(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return context.compile_internal(builder, calls[len(args)], signature, values)

    return plain.return_type(*args), call


def _called(kind: Any) -> Callable[..., Any]:
    def call(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind.get_call_type(context.typing_context, signature.args, {})  # compiles it, where it was only typed before
        implementation = context.get_function(kind, signature)
        context.add_linking_libs(getattr(implementation, "libs", ()))
        return implementation(builder, values)

    return call
