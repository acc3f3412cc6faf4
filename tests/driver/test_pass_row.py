"""A row finds its function when it is first asked for."""

import pytest

from srcad.driver.pass_row import Pass
from srcad.transforms.postoptimise.forward_substitution import substitute


def test_the_function_of_a_row_is_imported_from_srcad():
    row = Pass("forward_substitution", "transforms.postoptimise.forward_substitution:substitute", "moves values")
    assert row.load() is substitute


def test_a_row_without_such_a_function_says_so():
    with pytest.raises(AttributeError, match="no_such_pass"):
        Pass("none", "transforms.postoptimise.forward_substitution:no_such_pass", "nothing").load()
