"""Refusals about rules of the user's own: `custom_vjp`, `custom_jvp`, `srcad.extend`."""

from __future__ import annotations

from srcad.errors import MissingRule, UnsupportedSyntax, WrongRule
from srcad.refusals.refusal import Refusal

RULE_MISSING = Refusal(
    MissingRule,
    "Functions whose rule has not been given yet",
    "`{function}` is a {decorator}, but its rule has not been given",
    "give it after the definition: {call}",
    """
    @srcad.custom_vjp
    def cube(x):
        return x**3


    def f(x):
        return cube(x)
    """,
)

RULE_READS_ACTIVE = Refusal(
    WrongRule,
    "Rules that read variables which are differentiated",
    "the rule of `{function}` reads `{name}`, which is differentiated and no argument of the function ({rule})",
    "pass it as an argument of the function, so that the rule can say what the derivative by it is",
    unshown="it takes a variable of a tape",
)

FORWARD_NO_PAIR = Refusal(
    WrongRule,
    "Forward functions of rules that return no pair",
    "{rule} returns {found}, not a pair of the value and what the backward function needs",
    "return `value, saved`, where `saved` may be None or a tuple",
    """
    def cube_fwd(x):
        return x**3


    @srcad.custom_vjp
    def cube(x):
        return x**3


    cube.defvjp(cube_fwd, lambda saved, y_bar: (3.0 * saved**2 * y_bar,))


    def f(x):
        return cube(x)
    """,
)

TANGENT_NO_PAIR = Refusal(
    WrongRule,
    "Tangent functions of rules that return no pair",
    "{rule} returns {found}, not a pair of the value and its tangent",
    "return `value, tangent`",
    """
    @srcad.custom_jvp
    def cube(x):
        return x**3


    cube.defjvp(lambda primals, tangents: (primals[0] ** 3, 3.0 * primals[0] ** 2, tangents[0]))


    def f(x):
        return cube(x)
    """,
)

RULE_COUNT = Refusal(
    WrongRule,
    "Rules that return another number of derivatives",
    "{rule} returns {found}, where {count} {what} needed",
    "{way}",
    """
    def cube_fwd(x):
        return x**3, x


    @srcad.custom_vjp
    def cube(x):
        return x**3


    cube.defvjp(cube_fwd, lambda x, y_bar: (3.0 * x**2 * y_bar, 0.0))


    def f(x):
        return cube(x)
    """,
)

RULE_FORM = Refusal(
    WrongRule,
    "Rules that return another structure than that of the argument",
    "{rule} returns {found} for `{name}`, which is {what}",
    "return a derivative for each of its parts, in the same structure, or None where there is none",
    """
    def norm_fwd(p):
        return p["a"] * p["a"], p


    @srcad.custom_vjp
    def norm(p):
        return p["a"] * p["a"]


    norm.defvjp(norm_fwd, lambda p, y_bar: (2.0 * p["a"] * y_bar,))


    def f(x):
        return norm({"a": x})
    """,
)

RULE_OF_VARIADIC = Refusal(
    UnsupportedSyntax,
    "Rules of functions with `*args` or `**kwargs`",
    "`{function}` has a rule of its own and takes `*args` or `**kwargs`",
    "give it named parameters, or one that is a tuple",
    """
    @srcad.custom_vjp
    def total(*terms):
        return sum(terms)


    total.defvjp(lambda *terms: (sum(terms), None), lambda saved, y_bar: (y_bar, y_bar))


    def f(x):
        return total(x, x)
    """,
)

RULE_WRITES = Refusal(
    WrongRule,
    "Rules whose functions write into an argument",
    "a function of the rule of `{function}` writes into an array that is an argument ({rule})",
    "copy the array first: what a function with a rule changes would have no derivative",
    """
    def first_fwd(x):
        x[0] = 1.0
        return np.sum(x), None


    @srcad.custom_vjp
    def first(x):
        return np.sum(x)


    first.defvjp(first_fwd, lambda saved, y_bar: (y_bar * np.ones(3),))


    def f(x):
        return first(x)
    """,
    "srcad.grad(f)(np.ones(3))",
)

SHARED_RESULT = Refusal(
    WrongRule,
    "Functions with a rule that return an argument, which is written to",
    "`{function}`, which has a rule, returns an array that it got, and that array is written to",
    "return a copy: `return x.copy()`",
    """
    @srcad.custom_vjp
    def same(x):
        return x


    same.defvjp(lambda x: (x, None), lambda saved, y_bar: (y_bar,))


    def f(x):
        y = same(x)
        y[0] = 1.0
        return np.sum(x * y)
    """,
    "srcad.grad(f)(np.ones(3))",
)

RULE_OF_TUPLE = Refusal(
    UnsupportedSyntax,
    "Rules of `srcad.extend` for functions that return a tuple",
    "`{function}` has a rule and returns a tuple: rules of srcad.extend are for functions with one result",
    "wrap it in a function with srcad.custom_vjp, whose rule gets the adjoints of all results",
    """
    from srcad.extend import adjoint, d


    def powers(x):
        return x**2, x**3


    @adjoint(powers)
    def powers_rule(y, x):
        d[x] = 2.0 * x * d[y]


    def f(x):
        return powers(x)[0]
    """,
)
