"""Classes are instantiated as Python does it: fields by position or by name, and what is handed to `__post_init__`."""

from dataclasses import InitVar, dataclass, field

from tests.checking import assert_gradient


@dataclass
class Mixed:
    rate: float = field(default=3.0, kw_only=True)
    bias: float = 1.0


@dataclass
class Scaled:
    scale: InitVar[float]
    value: float = 2.0
    power: InitVar[float] = 1.5

    def __post_init__(self, scale, power):
        self.value = self.value * scale**power


def test_fields_that_are_given_by_name_only_have_no_position():
    def used(x, y):
        one, other = Mixed(x), Mixed(y, rate=x)
        return one.rate * one.bias + other.rate * other.bias * x

    assert_gradient(used, 0.7, 1.3, modes=("loops",))


def test_what_is_no_field_is_handed_on():
    def used(x, y):
        return Scaled(x).value * Scaled(y, x, power=y).value + Scaled(x).power

    assert_gradient(used, 0.7, 1.3, modes=("loops",))
