"""The cheapest set of values from which all that is needed can be computed."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from srcad.transforms.storage.min_cut import Network, cheapest_record


def test_one_value_is_recorded_instead_of_its_two_operands():
    assert cheapest_record(["t"], {"t": ["a", "b"]}, {"t": 4, "a": 4, "b": 4}, {"t": 1}) == {"t"}


def test_one_operand_is_recorded_instead_of_two_results():
    operands = {"t": ["a"], "u": ["a"]}
    assert cheapest_record(["t", "u"], operands, {"t": 4, "u": 4, "a": 4}, {"t": 1, "u": 1}) == {"a"}


def test_what_can_be_computed_from_nothing_is_not_recorded():
    assert cheapest_record(["t"], {"t": []}, {"t": 4}, {"t": 1}) == set()


def test_what_is_dearer_to_compute_than_to_record_is_recorded():
    assert cheapest_record(["t"], {"t": []}, {"t": 4}, {"t": 10}) == {"t"}


def test_nothing_is_recorded_where_nothing_is_needed():
    assert cheapest_record([], {"t": ["a"]}, {"t": 4, "a": 4}, {"t": 1}) == set()


def test_a_flow_passes_the_narrowest_edges():
    network = Network()
    for tail, head, capacity in [("s", "a", 3), ("s", "b", 2), ("a", "t", 1), ("b", "t", 5), ("a", "b", 1)]:
        network.edge(tail, head, capacity)
    assert network.source_side("s", "t") == {"s", "a"}


NAMES = ["a", "b", "c", "d", "e"]


@st.composite
def problems(draw):
    """A body of five values, each computed from earlier ones or from nothing, or not computable at all."""
    operands = {}
    for k, name in enumerate(NAMES):
        if draw(st.booleans()):
            operands[name] = draw(st.lists(st.sampled_from(NAMES[:k]), unique=True, max_size=2)) if k else []
    needed = draw(st.lists(st.sampled_from(NAMES), unique=True, min_size=1))
    costs = st.integers(1, 9)
    return needed, operands, {name: draw(costs) for name in NAMES}, {name: draw(costs) for name in operands}


def cost(recorded, needed, operands, record, compute):
    """What it costs to have all that is needed; None where that cannot be computed."""
    total, pending, seen = sum(record[name] for name in recorded), list(needed), set()
    while pending:
        name = pending.pop()
        if name in seen or name in recorded:
            continue
        seen.add(name)
        if name not in operands:
            return None
        total += compute[name]
        pending += operands[name]
    return total


@given(problems())
def test_no_other_choice_is_cheaper(problem):
    needed, operands, record, compute = problem
    found = cost(cheapest_record(*problem), *problem)
    others = (
        cost(set(choice), needed, operands, record, compute)
        for size in range(len(NAMES) + 1)
        for choice in itertools.combinations(NAMES, size)
    )
    assert found == min(other for other in others if other is not None)
