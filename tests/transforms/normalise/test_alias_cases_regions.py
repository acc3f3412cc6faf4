"""Statements that use a name of several arrays are repeated together, up to where it becomes another."""

from srcad.transforms.analysis.program_facts import analyse_forward
from srcad.transforms.normalise.alias_cases import Runs, follow
from tests.transforms.core_text import block_text, lines, settled

TEXT = """
def f(x, c):
    u = np.copy(x)
    v = x * 2.0
    if c:
        b = u
    else:
        b = v
    w = b[1:]
    w[0] = 2.0
    y = x * x
    b[0] = 1.0
    z = b * x
    p = np.sum(z)
    if c:
        q = y[0]
    else:
        q = 1.0
    s = p + q
    return s
"""


NAME = "b_3"  # as it is named where the branches meet


def runs(text):
    program = analyse_forward(*settled(text, "f8[:], b1"), ())
    return Runs(follow(program, (NAME,), {}))


def test_a_run_ends_before_an_array_that_is_made_once_and_includes_what_only_it_needs():
    found = runs(TEXT)
    texts = [block_text(run) for run in found.found.values()]
    assert texts == [
        lines("""
        w = b_3[1:]
        w[0] = 2.0
        """),
        lines("""
        b_3[0] = 1.0
        z = b_3 * x
        p = np.sum(z)
        """),
    ]
    assert [found.own_names(run) for run in found.found.values()] == [{"w"}, {"z"}]
    assert [case[NAME] for case in found.cases(next(iter(found.found.values())))] == ["u", "v"]
    assert found.escaping_views() == set()


def test_a_view_that_is_used_behind_its_run_is_to_be_chosen_too():
    assert runs(TEXT.replace("q = y[0]", "q = w[0]")).escaping_views() == {"w"}
