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
from typing import Any, NamedTuple, NoReturn

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
        tensors = [tf.convert_to_tensor(leaf) if isinstance(leaf, tf.Variable) else leaf for leaf in leaves]
        values = [_array_of(leaf, calls.name) if is_tensor(leaf) else leaf for leaf in tensors]
        made = calls.at(tuple(values) if spec is None else spec.unflatten(values))
        return _recorded(made, [tensors[place] if is_tensor(tensors[place]) else None for place in made.places])

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
    record, held = _record(), []
    if record is not None and not record.could_possibly_record():
        value = made.value()
        return made.result(map_leaves(emptied, value), _tensors(value))
    places = [place for place, each in enumerate(given) if each is not None]

    def value_and_pullback(*tensors: Any) -> Any:
        plain = tuple([k for k, each in enumerate(given) if each is None or not _is_smooth(each)])
        found, pull = made.differentiated(plain)
        held.append(map_leaves(emptied, found))
        return _tensors(found), _Derivative(made, pull, held[0], len(given), places).pulled(tensors)

    leaves = _with_gradient(value_and_pullback, [given[place] for place in places])
    return made.result(held[0], leaves)


def _tensors(value: Any) -> list[Any]:
    """The leaves of a value as tensors."""
    import tensorflow as tf

    return [tf.convert_to_tensor(np.asarray(leaf)) for leaf in flatten(value)]


def _with_gradient(run: Callable[..., Any], tensors: Sequence[Any]) -> list[Any]:
    """The results of `run`, which returns a list of them and the function from their adjoints to those of `tensors`.

    `tf.custom_gradient` does the same, and takes 100 us to look at the signatures of what it is given; it serves where
    the functions by which it tells the tapes are not found.
    """
    import tensorflow as tf

    record = _record()
    if record is None:
        found = tf.custom_gradient(run)(*tensors)
        return list(found) if isinstance(found, (list, tuple)) else [found]
    results, pulled = run(*tensors)
    record.record_operation("srcad", results, list(tensors), pulled)
    return list(results)


@functools.cache
def _record() -> Any:
    """TensorFlow's module by which operations are recorded, None if it is not there: it is not part of its API."""
    try:
        from tensorflow.python.eager import record
    except ImportError:
        return None
    names = ("could_possibly_record", "record_operation")
    return record if all(hasattr(record, name) for name in names) else None


class _Derivative:
    """The pullback of one call, for TensorFlow."""

    def __init__(self, made: LeafCall, pull: Any, like: Any, count: int, places: Sequence[int]) -> None:
        self.made, self.pull, self.like, self.count, self.places = made, pull, like, count, places

    def pulled(self, tensors: Sequence[Any]) -> Callable[..., Any]:
        """A function from adjoints of the results to those of the tensors, which can be differentiated once."""

        def pulled(*bars: Any) -> Any:
            like = flatten(self.like)
            bars = tuple([_zeros(leaf) if bar is None else bar for bar, leaf in zip(bars, like, strict=True)])

            def adjoints(*given: Any) -> Any:
                return self._adjoints(given[: len(bars)], given[len(bars) :])

            return _with_gradient(adjoints, (*bars, *tensors))

        return pulled

    def _adjoints(self, bars: Sequence[Any], tensors: Sequence[Any]) -> Any:
        """The adjoints of the tensors, from those of the results, and the function that differentiates them."""
        bar = self.bar(bars)
        found = self.pull(bar)
        apart = owned(tuple([found[place] for place in self.places]), (bar, self.held()))
        made = [_adjoint(each, tensor) for each, tensor in zip(apart, tensors, strict=True)]
        return made, functools.partial(self.again, bar, (*bars, *tensors))

    def again(self, bar: Any, given: Sequence[Any], *directions: Any) -> Any:
        """The adjoints of the results' adjoints and of the tensors, from directions of what the pullback gives."""
        moved: list[Any] = [None] * len(self.pull.made.seen)
        for place, each in zip(self.places, directions, strict=True):
            moved[place] = None if each is None else _array_of(each, self.made.run.__name__)

        def last(*given: Any) -> Any:
            by_argument, by_bar = self.pull.again(bar, moved)
            mine = owned((*by_bar, *[by_argument[place] for place in self.places]), (bar, self.held()))
            found = [_adjoint(each, tensor) for each, tensor in zip(mine, given, strict=False)]
            return found, functools.partial(_refuse_third, self.made.run.__name__)

        # Directions are arguments as well, so that a derivative by what they depend on is refused and not lost.
        return _with_gradient(last, (*given, *[each for each in directions if each is not None]))

    def bar(self, bars: Sequence[Any]) -> Any:
        """The adjoint of the value, in its structure, from tensors."""
        return matching(pack_as(self.like, [each.numpy() for each in bars]), self.like, "the adjoint")

    def held(self) -> Any:
        """What the sweep keeps, which no result may share memory with."""
        return getattr(self.pull, "held", self.made.values)


def _refuse_third(name: str, *_: Any) -> NoReturn:
    raise third_derivative(name)


def _adjoint(value: Any, tensor: Any) -> Any:
    """A number or an array as a tensor of the shape and dtype of another one; zeros for None."""
    import tensorflow as tf

    return (
        tf.zeros_like(tensor) if value is None else tf.convert_to_tensor(np.asarray(value, _kind(tensor.dtype).numpy))
    )


def _zeros(leaf: Any) -> Any:
    import tensorflow as tf

    return tf.convert_to_tensor(np.zeros(np.shape(leaf), np.result_type(leaf)))


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


class _Kind(NamedTuple):
    """What there is to know of a dtype of TensorFlow's."""

    numpy: Any
    is_smooth: bool
    trouble: tuple[str, str] | None  # why it is refused, and the cure


@functools.cache
def _kind(dtype: Any) -> _Kind:
    import tensorflow as tf

    trouble = None
    if dtype in (tf.float16, tf.bfloat16):
        trouble = "of half precision", "compute in single or double precision: tf.cast(x, tf.float32)"
    if dtype == tf.string:
        trouble = "of texts", "give the text itself: x.numpy().decode()"
    return _Kind(dtype.as_numpy_dtype, bool(dtype.is_floating or dtype.is_complex), trouble)


def _is_smooth(tensor: Any) -> bool:
    return _kind(tensor.dtype).is_smooth


def _array_of(tensor: Any, name: str) -> Any:
    """The values of a tensor as an array; of a tensor without axes, a number."""
    if not hasattr(tensor, "numpy") or hasattr(tensor, "row_splits"):
        _refuse_form(tensor, name)
    trouble = _kind(tensor.dtype).trouble
    if trouble:
        _refuse(name, *trouble)
    found = tensor.numpy()  # a copy: TensorFlow's memory may not be written into
    if not isinstance(found, np.ndarray):
        found = np.asarray(found)
    if not found.ndim:
        return found.item() if found.dtype.char in "dD?lqihb" else found[()]
    return found if found.flags.owndata and found.flags.writeable else found.copy()


def _refuse_form(tensor: Any, name: str) -> NoReturn:
    import tensorflow as tf

    if isinstance(tensor, tf.SparseTensor):
        _refuse(name, "sparse", "give a dense tensor: tf.sparse.to_dense(x)")
    if isinstance(tensor, tf.RaggedTensor):
        _refuse(name, "ragged", "give a dense tensor: x.to_tensor()")
    _refuse(name, "a set of slices", "give a dense tensor: tf.convert_to_tensor(x)")


def _refuse(name: str, what: str, hint: str) -> NoReturn:
    raise BadType(f"a tensor given to `{name}` is {what}", hint=hint)
