"""Programs that nobody thought of, differentiated and compared with finite differences."""

import linecache

import numpy as np
from hypothesis import HealthCheck, assume, given, settings

from srcad.errors import MayOverlap, UnsupportedSyntax
from tests.checking import UNCOMPILED, assert_gradient
from tests.random_programs import programs

NUMBERS = 0.4, 0.8
VECTOR = np.array([0.3, -0.7, 0.9, 0.2])


def function_of(text):
    """The function `program` of a text, with a source that can be found."""
    name = f"<random {hash(text)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace = {}
    exec(compile(text, name, "exec"), namespace)
    return namespace["program"]


@settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow], max_examples=80)
@given(programs())
def test_random_program_is_right_or_refused(text):
    program = function_of(text)
    try:
        assert_gradient(program, *NUMBERS, VECTOR, modes=UNCOMPILED, rtol=1e-6)
    except (UnsupportedSyntax, MayOverlap):
        assume(False)
    except AssertionError as problem:
        assume("not to be trusted" not in str(problem))
        raise
