"""Facts about one function: what is active, and which loop carries a name."""

from tests.transforms.core_text import at_line, program_of

TEXT = """
def f(x, y, n):
    s = 0.0
    for i in range(0, n, 1):
        a = x[i]
        b = y[i]
        c = a * 2.0
        d = s + c
        s = d
    r = s
    return r
"""


def test_only_what_lies_between_input_and_result_is_active():
    program = program_of(TEXT, "f8[:], f8[:], i8", wrt=(0,))
    assert {name for name in "xyabcdsrin" if program.is_active(name)} == set("xacdsr")


def test_a_loop_carries_the_names_that_it_stores_again():
    program = program_of(TEXT, "f8[:], f8[:], i8")
    loop = at_line(program.unit, 3)
    assert program.carrier("s") is loop
    assert program.carrier("a") is None
    assert program.carrier("r") is None
    assert program.carrier("i") is None


def test_a_parameter_is_carried_by_no_loop():
    program = program_of(TEXT, "f8[:], f8[:], i8")
    assert program.carrier("x") is None


def test_a_name_of_the_body_has_the_loop_around_its_home():
    program = program_of(TEXT, "f8[:], f8[:], i8")
    assert program.loops_at_home("a") == 1
    assert program.loops_at_home("s") == 0


def test_a_view_is_active_with_its_base():
    program = program_of(
        """
def f(x, a):
    y = np.zeros(3)
    v = y[1:]
    v[0] = a
    r = y[1]
    return r
""",
        "f8[:], f8",
        wrt=(1,),
    )
    assert program.is_active("v")
    assert program.is_active("y")
    assert not program.is_active("x")
