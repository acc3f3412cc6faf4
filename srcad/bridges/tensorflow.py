"""TensorFlow: a function of NumPy arrays as a function of tensors, which its tapes differentiate once or twice.

    from srcad.bridges.tensorflow import as_function
    layer = as_function(simulate)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(x, rate))
    tape.gradient(loss, rate)

Eager calls run the compiled sweeps. Inside a `tf.function`, the graph calls back into Python.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from srcad.api.argument_binding import Binding
from srcad.api.cotangent import matching
from srcad.bridges.leaf_calls import LeafCall, LeafCalls, leaves_of, owned, third_derivative
from srcad.errors import BadArgument, BadType
from srcad.frontend.load_source import signature_of
from srcad.runtime.support.array_snapshots import emptied
from srcad.runtime.support.nested_structures import flatten, map_leaves, pack_as


def as_function(f: Callable[..., Any], *, jit: bool = True) -> Callable[..., Any]:
    """A function of tensors that computes `f` and is differentiated by TensorFlow's tapes: backwards, and twice.

    f       a function of numbers, arrays and structures of these
    jit     False runs generated source as plain Python

    The returned function takes tensors and variables where `f` takes arrays; a tensor without axes reaches `f` as a
    number. What is neither is passed on as it is, and is a constant. Results are tensors, in the structure that `f`
    returns. Within a `tf.function` the result has to be one number or array, in the dtype of the arguments, and is
    differentiated once.

    Raises BadType, which names the cure, for tensors that are sparse, ragged or of half precision; BadArgument for a
    third derivative.

        >>> import tensorflow as tf                                                     # doctest: +SKIP
        >>> layer = as_function(lambda x, k: np.sum(np.sin(k * x)))                     # doctest: +SKIP
        >>> x = tf.Variable(np.zeros(3))                                                # doctest: +SKIP
        >>> with tf.GradientTape() as tape:                                             # doctest: +SKIP
        ...     y = layer(x, 2.0)                                                       # doctest: +SKIP
        >>> tape.gradient(y, x).numpy()                                                 # doctest: +SKIP
        array([2., 2., 2.])
    """
    import tensorflow as tf

    calls = LeafCalls(f, jit)
    signature = signature_of(calls.function)
    binding, names = Binding(signature), tuple(signature.parameters)
    kinds = (tf.Tensor, tf.Variable, tf.SparseTensor, tf.RaggedTensor, tf.IndexedSlices)

    def is_tensor(value: Any) -> bool:
        return isinstance(value, kinds)

    def eager(leaves: Sequence[Any], spec: Any) -> Any:
        values = [_array_of(leaf, calls.name) if is_tensor(leaf) else leaf for leaf in leaves]
        made = calls.at(tuple(values) if spec is None else spec.unflatten(values))
        return _recorded(made, [leaves[place] if is_tensor(leaves[place]) else None for place in made.places])

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) != len(names):
            args = binding(args, kwargs)
        leaves, spec = leaves_of(args, is_tensor)
        if tf.executing_eagerly():
            return eager(leaves, spec)
        return _in_graph(eager, leaves, spec, is_tensor, calls.name)

    unconverted: Callable[..., Any] = tf.autograph.experimental.do_not_convert(call)
    return unconverted


def _recorded(made: LeafCall, given: Sequence[Any]) -> Any:
    """The value of a call, in the user's structure, recorded by TensorFlow. `given` has None for constants."""
    import tensorflow as tf

    places = [place for place, each in enumerate(given) if each is not None]
    tensors = [tf.convert_to_tensor(given[place]) for place in places]
    held: list[Any] = []

    @tf.custom_gradient
    def value(*tensors: Any) -> Any:
        plain = tuple(place for place in range(len(given)) if place not in places or not _is_smooth(given[place]))
        found, pull = made.differentiated(plain)
        held.append(map_leaves(emptied, found))
        derivative = _Derivative(made, pull, held[0], len(given), places)
        return [tf.convert_to_tensor(np.asarray(leaf)) for leaf in flatten(found)], derivative.pulled(tensors)

    return made.result(*_split(value(*tensors), held))


def _split(found: Any, held: list[Any]) -> tuple[Any, Any]:
    """The empty value, whose structure is that of the result, and the leaves."""
    return held[0], found if isinstance(found, (list, tuple)) else [found]


class _Derivative:
    """The pullback of one call, for TensorFlow."""

    def __init__(self, made: LeafCall, pull: Any, like: Any, count: int, places: Sequence[int]) -> None:
        self.made, self.pull, self.like, self.count, self.places = made, pull, like, count, places

    def pulled(self, tensors: Sequence[Any]) -> Callable[..., Any]:
        """A function from adjoints of the results to those of the tensors, which can be differentiated once."""
        import tensorflow as tf

        def pulled(*bars: Any) -> Any:
            number = len(bars)

            @tf.custom_gradient
            def adjoints(*given: Any) -> Any:
                bar = self.bar(given[:number])
                found = self.pull(bar)
                apart = owned(tuple([found[place] for place in self.places]), (bar, self.held()))
                made = [_adjoint(each, tensor) for each, tensor in zip(apart, given[number:], strict=True)]
                return made, functools.partial(self.again, bar, given, number)

            found = adjoints(*bars, *tensors)
            return list(found) if isinstance(found, (list, tuple)) else [found]

        return pulled

    def again(self, bar: Any, given: Sequence[Any], number: int, *directions: Any) -> Any:
        """The adjoints of the results' adjoints and of the tensors, from directions of what the pullback gives."""
        import tensorflow as tf

        moved: list[Any] = [None] * len(self.pull.made.seen)
        for place, each in zip(self.places, directions, strict=True):
            moved[place] = None if each is None else _array_of(each, self.made.run.__name__)

        @tf.custom_gradient
        def last(*given: Any) -> Any:
            by_argument, by_bar = self.pull.again(bar, moved)
            mine = owned((*by_bar, *[by_argument[place] for place in self.places]), (bar, self.held()))
            found = [_adjoint(each, tensor) for each, tensor in zip(mine, given, strict=False)]
            return found, functools.partial(_refuse_third, self.made.run.__name__)

        # Directions are arguments as well, so that a derivative by what they depend on is refused and not lost.
        found = last(*given, *[each for each in directions if each is not None])
        return list(found) if isinstance(found, (list, tuple)) else [found]

    def bar(self, bars: Sequence[Any]) -> Any:
        """The adjoint of the value, in its structure, from tensors."""
        leaves = [
            np.zeros(np.shape(leaf), np.result_type(leaf)) if each is None else each.numpy()
            for each, leaf in zip(bars, flatten(self.like), strict=True)
        ]
        return matching(pack_as(self.like, leaves), self.like, "the adjoint")

    def held(self) -> Any:
        """What the sweep keeps, which no result may share memory with."""
        return getattr(self.pull, "held", self.made.values)


def _refuse_third(name: str, *_: Any) -> NoReturn:
    raise third_derivative(name)


def _adjoint(value: Any, tensor: Any) -> Any:
    """A number or an array as a tensor of the shape and dtype of another one; zeros for None."""
    import tensorflow as tf

    if value is None:
        return tf.zeros_like(tensor)
    return tf.convert_to_tensor(np.asarray(value, tensor.dtype.as_numpy_dtype))


def _in_graph(eager: Any, leaves: Sequence[Any], spec: Any, is_tensor: Any, name: str) -> Any:
    """A call within a `tf.function`: one result, in the dtype of the arguments."""
    import tensorflow as tf

    places = [place for place, leaf in enumerate(leaves) if is_tensor(leaf)]
    kinds = {leaves[place].dtype for place in places if _is_smooth(leaves[place])}
    if len(kinds) != 1:
        said = "no floating-point tensor" if not kinds else f"tensors of {len(kinds)} dtypes"
        hint = "give all tensors one dtype, by tf.cast, or call it outside of the tf.function"
        raise BadArgument(f"`{name}` is given {said} within a tf.function", hint=hint)

    def run(*tensors: Any) -> Any:
        given = list(leaves)
        for place, tensor in zip(places, tensors, strict=True):
            given[place] = tensor
        found = eager(given, spec)
        if not isinstance(found, tf.Tensor):
            hint = "return one array, np.concatenate(...), or call it outside of the tf.function"
            raise BadArgument(f"`{name}` returns a structure within a tf.function", hint=hint)
        return found

    return tf.py_function(run, [leaves[place] for place in places], kinds.pop())


def _is_smooth(tensor: Any) -> bool:
    return bool(tensor.dtype.is_floating or tensor.dtype.is_complex)


def _array_of(tensor: Any, name: str) -> Any:
    """The values of a tensor as an array; of a tensor without axes, a number."""
    import tensorflow as tf

    if isinstance(tensor, tf.SparseTensor):
        _refuse(name, "sparse", "give a dense tensor: tf.sparse.to_dense(x)")
    if isinstance(tensor, tf.RaggedTensor):
        _refuse(name, "ragged", "give a dense tensor: x.to_tensor()")
    if isinstance(tensor, tf.IndexedSlices):
        _refuse(name, "a set of slices", "give a dense tensor: tf.convert_to_tensor(x)")
    if tensor.dtype in (tf.float16, tf.bfloat16):
        _refuse(name, "of half precision", "compute in single or double precision: tf.cast(x, tf.float32)")
    if tensor.dtype == tf.string:
        _refuse(name, "of texts", "give the text itself: x.numpy().decode()")
    array = np.array(tensor.numpy())  # a copy: TensorFlow's memory may not be written into
    return array if array.ndim else (array.item() if array.dtype.char in "dD?lqihb" else array[()])


def _refuse(name: str, what: str, hint: str) -> NoReturn:
    raise BadType(f"a tensor given to `{name}` is {what}", hint=hint)
