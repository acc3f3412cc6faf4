"""Bad inputs of tapes, tensors and variables, by theme."""

from __future__ import annotations

from srcad.errors import (
    BadArgument,
    BadIndex,
    BadType,
    BadValue,
    GradientCut,
    MissingRule,
    NotATensor,
    NotDifferentiable,
    TapeMisuse,
)
from tests.refusals.bad_row import Bad

_TAPE = "tape, x, y = record(square, two)\n"
_ARRAY = "tape, x, y = record(square, three)\n"
_SUM = "tape, x, y = record(total, three)\n"

TAPES = (
    Bad("srcad.GradientTape().gradient(two, two)", TapeMisuse, "can only be used to compute one set of gradients"),
    Bad("srcad.GradientTape().watch(two)", TapeMisuse, "can only be used to compute one set of gradients"),
    Bad(_TAPE + "tape.gradient(y, x)\ntape.gradient(y, x)", TapeMisuse, "can only be used to compute one set"),
    Bad("srcad.GradientTape(persistant=True)", TypeError, "unexpected keyword argument 'persistant'", own=True),
    Bad("srcad.GradientTape(True, True, True)", TypeError, "positional arguments", own=True),
    Bad("with srcad.GradientTape() as tape:\n    tape.watch(2.0)", BadArgument, "Passed in object 2.0 of type 'float'"),
    Bad("with srcad.GradientTape() as tape:\n    tape.watch(ones)", BadArgument, "of type 'ndarray'"),
    Bad("with srcad.GradientTape() as tape:\n    tape.watch('x')", BadArgument, "of type 'str'"),
    Bad("with srcad.GradientTape() as tape:\n    tape.watch(None)", BadArgument, "of type 'NoneType'"),
    Bad("with srcad.GradientTape() as tape:\n    with tape:\n        pass", BadArgument, "still recording", line=2),
    Bad(
        "with srcad.GradientTape() as tape:\n    with tape.stop_recording():\n        with tape.stop_recording():\n"
        "            pass",
        BadArgument,
        "Tape is not recording",
        line=3,
    ),
    Bad(
        "with srcad.GradientTape().stop_recording():\n    pass",
        TapeMisuse,
        "Trying to stop recording a tape which is not recording",
        line=1,
    ),
    Bad(_TAPE + "tape.gradient(y.numpy(), x)", NotATensor, "a target must be a srcad.Tensor or srcad.Variable"),
    Bad(_TAPE + "tape.gradient(float(y), x)", NotATensor, "a target must be a srcad.Tensor or srcad.Variable"),
    Bad(_TAPE + "tape.gradient(None, x)", NotDifferentiable, "but received None"),
    Bad(_TAPE + "tape.gradient(y, None)", NotATensor, "a source must be"),
    Bad(_TAPE + "tape.gradient(y, 'x')", NotATensor, "a source must be"),
    Bad(_TAPE + "tape.gradient(y, 2.0)", NotATensor, "a source must be"),
    Bad(_TAPE + "tape.gradient(y)", TypeError, "missing 1 required positional argument: 'sources'", own=True),
    Bad(_TAPE + "tape.gradient(y, x, output_gradients=ones)", BadArgument, "an output gradient of shape (3,)"),
    Bad(_TAPE + "tape.gradient(y, x, output_gradients=[1.0, 2.0])", BadArgument, "2 output gradients for 1 targets"),
    Bad(_TAPE + "tape.gradient(y, x, output_gradients='a')", BadArgument, "an output gradient of dtype"),
    Bad(_TAPE + "tape.gradient([y, y], x, output_gradients=[1.0, None])", BadArgument, "an output gradient is None"),
    Bad(_TAPE + "tape.gradient(y, x, unconnected_gradients='no')", BadArgument, "Unknown value for unconnected"),
    Bad(_TAPE + "tape.jacobian([y], x)", NotATensor, "a target must be"),
    Bad(_TAPE + "tape.jacobian(y, x, parallel_iterations=-1)", BadArgument, "parallel_iterations=-1"),
    Bad(
        "tape, x, y = record(square, two, persistent=True)\n"
        "tape.jacobian(y, x, parallel_iterations=0, experimental_use_pfor=False)",
        BadValue,
        "must be a positive integer",
    ),
    Bad(_TAPE + "tape.jacobian(y, x, experimental_use_pfor=False)", TapeMisuse, "created with persistent=True"),
    Bad(_ARRAY + "tape.batch_jacobian(y, x)", BadArgument, "must have rank at least 2"),
    Bad(
        "tape, x, y = record(np.transpose, srcad.constant(np.ones((2, 3))))\ntape.batch_jacobian(y, x)",
        BadArgument,
        "Need first dimension of target",
    ),
    Bad(_ARRAY + "tape.hessian(y, x)", BadArgument, "a Hessian is that of one number"),
    Bad(_SUM + "tape.hvp(y, x, np.ones(4))", BadArgument, "a vector of shape (4,)"),
    Bad(_SUM + "tape.hvp(y, x, None)", BadArgument, "Attempt to convert a value (None)"),
    Bad(_SUM + "tape.hvp(y, [x, x], [ones])", BadArgument, "does not have the structure of 2 parts"),
    Bad(_TAPE + "tape.explain(y)", TypeError, "missing 1 required positional argument: 'source'", own=True),
)

_INSIDE = "with srcad.GradientTape() as tape:\n    tape.watch(three)\n    "

LEAVING = (
    Bad(_INSIDE + "np.asarray(three) * three", GradientCut, "made a plain array", "np.asarray(three) * three"),
    Bad(_INSIDE + "a = 2.0 * np.asarray(three)\n    np.dot(a, three)", GradientCut, "made a plain", "np.dot(a, three)"),
    Bad(_INSIDE + "a = np.array([three[0], three[1]])\n    a * three[0]", GradientCut, "made a plain", "a * three[0]"),
    Bad(_INSIDE + "math.sin(three[0]) * three", GradientCut, "made a plain", "math.sin(three[0]) * three"),
    Bad(_INSIDE + "np.sum([three, three])", MissingRule, "np.sum is given a list that holds tensors"),
)

TENSORS = (
    Bad("srcad.constant(None)", BadArgument, "Attempt to convert a value (None)"),
    Bad("srcad.constant([1.0, [2.0]])", BadValue, "does not become an array"),
    Bad("srcad.constant(np.ma.ones(3))", BadType, "a masked array is no array of numbers"),
    Bad("srcad.constant([1.0, 2.0], shape=3)", NotDifferentiable, "cannot be a constant of shape (3,)"),
    Bad("srcad.constant(2.0, dtype='nosuch')", BadValue, "data type 'nosuch' not understood"),
    Bad("srcad.constant('a', dtype=float)", BadValue, "does not become an array"),
    Bad("srcad.constant({'a': 1.0})", BadArgument, "is no array of numbers"),
    Bad("srcad.convert_to_tensor(None)", BadArgument, "Attempt to convert a value (None)"),
    Bad("srcad.convert_to_tensor(two, dtype=np.float32)", BadArgument, "Tensor conversion requested dtype float32"),
    Bad("srcad.Tensor(2.0)", TypeError, "positional argument", own=True),
    Bad("srcad.is_tensor()", TypeError, "missing 1 required positional argument", own=True),
    Bad("srcad.set_default_dtype(int)", BadArgument, "the default dtype is a floating one"),
    Bad("srcad.set_default_dtype('nosuch')", BadValue, "data type 'nosuch' not understood"),
    Bad("srcad.UnconnectedGradients('no')", ValueError, "is not a valid UnconnectedGradients", own=True),
    Bad("srcad.stop_gradient()", TypeError, "missing 1 required positional argument", own=True),
    Bad("np.asarray(srcad.IndexedSlices(three, [0, 1, 2]))", BadArgument, "the length of the array"),
    Bad("three[0] = 2.0", TypeError, "does not support item assignment", own=True),
    Bad("three[5]", IndexError, "index 5 is out of bounds", own=True),
    Bad("three[0.5]", BadIndex, "only integers"),
    Bad("three['a']", BadIndex, "only integers"),
    Bad("three @ np.ones(4)", ValueError, "matmul", own=True),
    Bad("three + np.ones(4)", ValueError, "could not be broadcast together", own=True),
    Bad("three + 'a'", TypeError, "ufunc 'add'", own=True),
    Bad("three + None", BadValue, "Attempt to convert a value (None)"),
    Bad("math.sin(three)", TypeError, "can be converted to Python scalars", own=True),
    Bad("np.add.at(three, [0], 1.0)", BadArgument, "cannot write to a tensor"),
    Bad("np.copyto(three, ones)", ValueError, "read-only", own=True),
    Bad("if three: pass", ValueError, "is ambiguous", own=True),
    Bad("len(two)", TypeError, "Scalar tensor has no `len()`", own=True),
    Bad("list(two)", TypeError, "Cannot iterate over a scalar tensor", own=True),
    Bad("{two: 1}", TypeError, "unhashable type", own=True),
    Bad("two.nosuch", AttributeError, "has no attribute 'nosuch'", own=True),
)

VARIABLES = (
    Bad("srcad.Variable()", BadArgument, "the initial_value of a Variable must be given"),
    Bad("srcad.Variable(None)", BadArgument, "the initial_value of a Variable must be given"),
    Bad("srcad.Variable([1.0, [2.0]])", BadValue, "does not become an array"),
    Bad("srcad.Variable(ones, shape=(4,))", BadArgument, "is not the given shape (4,)"),
    Bad("srcad.Variable(2.0, dtype='nosuch')", BadValue, "data type 'nosuch' not understood"),
    Bad("srcad.Variable(ones).assign(np.ones(4))", BadArgument, "Cannot assign value to variable"),
    Bad("srcad.Variable(ones).assign_add(np.ones(4))", BadArgument, "Cannot assign value to variable"),
    Bad("srcad.Variable(ones).assign('a')", BadValue, "cannot be assigned to a float64 variable"),
    Bad("srcad.Variable(ones).assign(None)", BadArgument, "Attempt to convert a value (None)"),
    Bad("srcad.Variable(ones).assign(1j * ones)", BadValue, "cannot be assigned to a float64 variable"),
    Bad("srcad.Variable(3).assign(2.5)", BadValue, "cannot be assigned to a int64 variable"),
    Bad("v = srcad.Variable(ones)\nv[0] = 1j", BadArgument, "cannot be stored in a float64 variable"),
    Bad("v = srcad.Variable(ones)\nv += 1.0", TapeMisuse, "are not supported"),
)

FORWARD = (
    Bad("srcad.ForwardAccumulator(2.0, 1.0)", NotATensor, "a primal must be"),
    Bad("srcad.ForwardAccumulator(two, three)", BadArgument, "a tangent of shape (3,)"),
    Bad("srcad.ForwardAccumulator(two, None)", BadArgument, "Attempt to convert a value (None)"),
    Bad("srcad.ForwardAccumulator([two], [])", BadArgument, "does not have the structure of 1 parts"),
    Bad("srcad.ForwardAccumulator([two, two], [two, two])", BadArgument, "specified as a primal multiple times"),
    Bad(
        "with srcad.ForwardAccumulator(two, two) as moving:\n    with moving:\n        pass",
        BadArgument,
        "already recording",
        line=2,
    ),
    Bad("srcad.ForwardAccumulator(two, two).jvp('y')", NotATensor, "must be a srcad.Tensor or srcad.Variable"),
)

CUSTOM = (
    Bad("srcad.custom_gradient(square)(two)", BadType, "returns no pair of a result and a gradient function"),
    Bad("srcad.custom_gradient(lambda x: (x, 3.0))(two)", BadType, "returns no pair"),
    Bad("srcad.custom_gradient(lambda x: (x, x, square))(two)", BadType, "returns no pair"),
    *(
        Bad(
            f"tape, x, y = record(srcad.custom_gradient(lambda x: (x * x, {gradient})), two)\ntape.gradient(y, x)", *is_
        )
        for gradient, is_ in {
            "lambda bar: ones": (BadArgument, "a custom gradient has the shape (3,)"),
            "lambda bar: (bar, bar)": (BadArgument, "expected to return 1 gradients, but returned 2"),
            "lambda bar: 'a'": (BadArgument, "a custom gradient is of dtype <U1"),
            "lambda: 1.0": (TypeError, "takes 0 positional arguments but 1 was given", "", True),
        }.items()
    ),
)

THEMES = {
    "Tapes": TAPES,
    "Values that leave a tape": LEAVING,
    "Tensors": TENSORS,
    "Variables": VARIABLES,
    "Forward accumulators": FORWARD,
    "Custom gradients": CUSTOM,
}
