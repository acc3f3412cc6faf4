"""How many parts a loop is divided into; what the parts do together."""

import pytest

from srcad.runtime import kernels


@pytest.mark.parametrize("bounds", [(0, 17, 1), (16, -1, -1), (2, 40, 3), (5, 5, 1), (0, 1, 1), (9, -1, -2)])
@pytest.mark.parametrize("width", [0, 1, 3])
def test_parts_make_the_whole_loop_in_its_order(bounds, width):
    count = kernels.parts(*bounds, width, 0, 1)
    whole = []
    for part in range(count):
        first, last = kernels.part_of(part, count, *bounds)
        own = list(range(first, last, bounds[2]))
        assert count == 1 or len(own) > width, "parts that are not neighbours would meet"
        whole += own
    assert whole == list(range(*bounds))


def test_shared_elements_are_cleared_and_added_up_where_the_iterations_are_worth_it():
    assert kernels.parts(0, 100, 1, 0, 10**6, 1) == 1
    assert kernels.parts(0, 10**6, 1, 0, 10, 1) == 32
