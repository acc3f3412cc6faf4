"""Refusals of tapes: operations that a tape cannot record or differentiate."""

from __future__ import annotations

from srcad.errors import GradientCut, MissingRule, NotDifferentiable
from srcad.refusals.refusal import Refusal

_CUSTOM = "state its gradient with srcad.custom_gradient, or use functions that have a rule"

VARIABLES_KEYWORD = Refusal(
    NotDifferentiable,
    "Custom gradients that use variables",
    "the gradient function of a custom_gradient must accept the keyword argument 'variables', since the "
    "function uses variables: {variables}",
    "add the parameter `variables=None` and return their gradients as a second result",
    """
    v = srcad.Variable(3.0)


    @srcad.custom_gradient
    def g(x):
        def gradient(bar):
            return bar * v

        return x * v, gradient


    def f(x):
        with srcad.GradientTape() as tape:
            y = g(x)
        return tape.gradient(y, v)
    """,
    "f(srcad.constant(2.0))",
)

TARGET_NONE = Refusal(
    NotDifferentiable,
    "Gradients of None by a tape",
    "`target` should be a nested structure of tensors or variables, but received None",
    "pass the value whose gradient you want",
    """
    def f(x):
        with srcad.GradientTape() as tape:
            tape.watch(x)
        return tape.gradient(None, x)
    """,
    "f(srcad.constant(2.0))",
)

COMPOSED_CALL = Refusal(
    MissingRule,
    "Calls that no definition covers",
    "this call of {function} has no derivative rule",
    "write it with other functions",
    unshown="no call of NumPy is known to meet it: it guards against definitions that differ from NumPy",
)

TAPE_NO_RULE = Refusal(
    MissingRule,
    "Functions without a rule on a tape",
    "{function} has no derivative rule, and a tape follows one of its arguments",
    "call it on the tensor's `.numpy()` to leave it out of the derivative, or in a srcad.custom_gradient",
    """
    def f(x):
        with srcad.GradientTape() as tape:
            tape.watch(x)
            y = np.nextafter(x, 9.0)[0]
        return tape.gradient(y, x)
    """,
    "f(srcad.constant([1.0, 2.0]))",
)

TAPE_EINSUM_LISTS = Refusal(
    MissingRule,
    "`np.einsum` with lists of axes on a tape",
    "np.einsum with lists of axes has no derivative rule",
    'write the axes as letters, "ij,jk"',
    """
    def f(x):
        with srcad.GradientTape() as tape:
            tape.watch(x)
            y = np.einsum(x, [0], x, [0])
        return tape.gradient(y, x)
    """,
    "f(srcad.constant([1.0, 2.0]))",
)

NO_RULE_FOR_RANKS = Refusal(
    MissingRule,
    "Functions without a rule for these ranks",
    "{function} has no derivative rule for {count} arguments of these ranks: {ranks}",
    _CUSTOM,
    unshown="every rule of srcad's own covers the ranks that NumPy accepts",
)

CALL_NOT_COVERED = Refusal(
    MissingRule,
    "Calls that a definition does not cover",
    "the definition of {function} does not cover this call: {problem}",
    "leave the argument out, or state the gradient with srcad.custom_gradient",
    unshown="NumPy itself raises for most calls of this kind",
)

EMPTY_STACK = Refusal(
    MissingRule,
    "Stacks of no matrices",
    "{function} of a stack of no matrices has no derivative rule",
    "check the number of matrices before the call",
    """
    def f(x):
        with srcad.GradientTape() as tape:
            tape.watch(x)
            y = np.sum(np.linalg.cholesky(x))
        return tape.gradient(y, x)
    """,
    "f(srcad.constant(np.ones((0, 2, 2))))",
)

EAGER_NO_RULE = Refusal(
    MissingRule,
    "Operations without a rule",
    "{function} has no derivative rule{where}",
    _CUSTOM,
    unshown="a tape refuses such a function when it records it, before the rule is looked up",
)

EAGER_NO_COMPLEX_RULE = Refusal(
    MissingRule,
    "Functions whose rule does not cover complex tensors",
    "the derivative rule of {function} does not cover complex numbers",
    "compute with the real and the imaginary part (np.real, np.imag)",
    unshown="only the rules of a few functions do not cover complex numbers, and tapes replace these by others",
)

NO_ADJOINT = Refusal(
    MissingRule,
    "Rules without an adjoint",
    "{function} has a tangent rule but no adjoint rule",
    "use a srcad.ForwardAccumulator, or state the gradient with srcad.custom_gradient",
    unshown="every rule of srcad's own has an adjoint; only a rule that you state with a tangent alone lacks one",
)

NO_TANGENT = Refusal(
    MissingRule,
    "Rules without a tangent",
    "{function} has no tangent rule",
    "use a srcad.GradientTape, or state the tangent in the rule",
    unshown="every rule of srcad's own has a tangent; only a rule that you state with an adjoint alone lacks one",
)

PART_WITHOUT_RULE = Refusal(
    MissingRule,
    "Second derivatives of functions whose derivative has no rule",
    "{function}, part of a derivative, has no derivative rule of its own",
    "use srcad.hvp or srcad.hessian of the function",
    unshown="the functions concerned differ from version to version",
)

SECOND_BY_TAPE = Refusal(
    NotDifferentiable,
    "Second derivatives of compiled functions by a tape",
    "a tape cannot compute the second derivative of {function}: {problem}",
    "use srcad.hvp or srcad.hessian, which differentiate writes into arrays as well",
    unshown="most functions that write into arrays have a second derivative by a tape",
)

DECOMPOSITION_ON_TAPE = Refusal(
    MissingRule,
    "Parts of decompositions of matrices on a tape",
    "{what} has no derivative on a tape",
    "{way}",
    """
    def f(x):
        with srcad.GradientTape() as tape:
            tape.watch(x)
            y = np.sum(np.linalg.qr(x)[1])
        return tape.gradient(y, x)
    """,
    "f(srcad.constant(np.ones((2, 3))))",
)

TENSORS_IN_LIST = Refusal(
    MissingRule,
    "Lists of tensors as arguments of NumPy",
    "{function} is given a list that holds tensors which a tape follows, and would cut the gradient",
    "pack the list with np.stack or srcad.convert_to_tensor",
    """
    def f(x):
        with srcad.GradientTape() as tape:
            tape.watch(x)
            y = np.fft.fft([x, x])
        return tape.gradient(y, x)
    """,
    "f(srcad.constant(2.0))",
)

COMES_BACK = Refusal(
    GradientCut,
    "Values that leave the tape and come back",
    "an argument comes from a tensor that was made a plain array or number at {origin}, which cuts the gradient",
    "apply functions of NumPy to the tensor itself, and pack tensors with np.stack; if the value is to be constant, "
    "take it with `.numpy()` or srcad.stop_gradient",
    """
    def f(x):
        with srcad.GradientTape() as tape:
            tape.watch(x)
            weights = 2.0 * np.asarray(x)
            y = np.sum(weights * x)
        return tape.gradient(y, x)
    """,
    "f(srcad.constant([1.0, 2.0]))",
)

LEAVES_TAPE = Refusal(
    NotDifferentiable,
    "Tensors that become plain numbers during a second derivative",
    "a value that the derivative depends on is made a plain number or array by {how}",
    "keep it a tensor: use functions of NumPy or srcad in place of this call",
    unshown="it is tried only where the compiled derivative of a derivative fails, and another error is then raised",
)

CONSTANT_SIZE = Refusal(
    NotDifferentiable,
    "Constants of another size",
    "a value with {size} elements cannot be a constant of shape {shape}",
    "pass as many elements as the shape has, or one element",
    """
    def f(x):
        return srcad.constant([1.0, 2.0], shape=(3,)) * x
    """,
    "f(2.0)",
)
