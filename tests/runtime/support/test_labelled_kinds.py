"""Classes of labelled arrays are known by name."""

import pytest

from srcad.runtime.support.labelled_kinds import is_labelled


@pytest.mark.parametrize(
    ("module", "name", "expected"),
    [
        ("pandas", "Series", True),
        ("pandas.core.frame", "DataFrame", True),
        ("xarray.core.dataarray", "DataArray", True),
        ("xarray", "Series", False),
        ("pandasql", "Series", False),
        ("geopandas", "GeoSeries", False),
    ],
)
def test_a_class_is_known_by_its_name_and_the_package_that_it_is_in(module, name, expected):
    assert is_labelled(type(name, (), {"__module__": module})) is expected
