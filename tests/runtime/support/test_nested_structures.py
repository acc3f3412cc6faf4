from collections import OrderedDict, defaultdict, namedtuple

from srcad.runtime.support.nested_structures import flatten, map_leaves, pack_as

Pair = namedtuple("Pair", "first second")


def test_dictionaries_are_taken_in_the_order_of_their_keys():
    assert flatten({"b": 1, "a": 2}) == [2, 1]


def test_a_leaf_alone_is_its_own_structure():
    assert flatten(3) == [3]
    assert pack_as(3, [4]) == 4


def test_none_is_a_leaf():
    assert flatten([None, (None,)]) == [None, None]


def test_empty_structures_keep_their_type():
    assert pack_as([(), {}, []], []) == [(), {}, []]


def test_named_tuples_and_dictionaries_keep_their_types():
    structure = [Pair(1, {"z": 2}), OrderedDict(b=3, a=4)]
    packed = map_leaves(lambda leaf: leaf * 10, structure)
    assert packed == [Pair(10, {"z": 20}), OrderedDict(b=30, a=40)]
    assert type(packed[0]) is Pair
    assert list(packed[1]) == ["b", "a"]


def test_dictionaries_with_defaults_keep_them():
    structure = defaultdict(int, a=1)
    assert pack_as(structure, [5])["missing"] == 0


def test_keys_without_an_order_are_taken_as_they_come():
    assert flatten({1: "x", "a": "y"}) == ["x", "y"]
