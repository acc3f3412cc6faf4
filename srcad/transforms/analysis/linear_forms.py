"""Linear forms over integer symbols, and a proof that a system of linear inequalities has no solution.

The proof is Fourier-Motzkin elimination over the rationals (Schrijver, Theory of Linear and Integer Programming, 12.2):
a system without a rational solution has no integer solution. It is used to prove that two subscripts never refer to the
same element.

>>> i, n = Form.of("i"), Form.of("n")
>>> infeasible([i, n - i - 1, i - n])           # 0 <= i < n and i >= n
True
>>> infeasible([i, n - i - 1])
False
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from srcad.transforms.ir.cost_model import MOST_INEQUALITIES


@dataclass(frozen=True)
class Form:
    """`constant + sum of coefficient * symbol`."""

    terms: tuple[tuple[str, int], ...] = ()
    constant: int = 0

    @staticmethod
    def of(symbol: str) -> Form:
        """The symbol itself."""
        return Form(((symbol, 1),))

    @staticmethod
    def number(value: int) -> Form:
        """A constant."""
        return Form((), value)

    def __add__(self, other: Form | int) -> Form:
        if isinstance(other, int):
            return Form(self.terms, self.constant + other)
        total = dict(self.terms)
        for symbol, coefficient in other.terms:
            total[symbol] = total.get(symbol, 0) + coefficient
        kept = tuple(sorted((symbol, value) for symbol, value in total.items() if value))
        return Form(kept, self.constant + other.constant)

    def __sub__(self, other: Form | int) -> Form:
        return self + (-other if isinstance(other, int) else other.scaled(-1))

    def scaled(self, factor: int) -> Form:
        """This form times a number."""
        if factor == 0:
            return Form()
        return Form(tuple((symbol, value * factor) for symbol, value in self.terms), self.constant * factor)

    def renamed(self, change: dict[str, str]) -> Form:
        """The form with symbols renamed."""
        total = Form((), self.constant)
        for symbol, coefficient in self.terms:
            total = total + Form(((change.get(symbol, symbol), coefficient),))
        return total

    @property
    def symbols(self) -> frozenset[str]:
        """The symbols that the form depends on."""
        return frozenset(symbol for symbol, _ in self.terms)

    def coefficient(self, symbol: str) -> int:
        """The coefficient of a symbol."""
        return dict(self.terms).get(symbol, 0)


def infeasible(at_least_zero: list[Form]) -> bool:
    """Whether no values of the symbols make all forms non-negative; False if that is too expensive to decide."""
    return _infeasible(frozenset(at_least_zero))


@functools.lru_cache(4096)
def _infeasible(at_least_zero: frozenset[Form]) -> bool:
    system = {_reduced(form) for form in at_least_zero}
    while True:
        if any(not form.terms and form.constant < 0 for form in system):
            return True
        symbols = sorted({symbol for form in system for symbol, _ in form.terms})
        if not symbols or len(system) > MOST_INEQUALITIES:
            return False
        system = _eliminate(system, min(symbols, key=lambda symbol: (_growth(system, symbol), symbol)))


def _growth(system: set[Form], symbol: str) -> int:
    signs = [form.coefficient(symbol) for form in system]
    lower, upper = sum(value > 0 for value in signs), sum(value < 0 for value in signs)
    return lower * upper - lower - upper


def _eliminate(system: set[Form], symbol: str) -> set[Form]:
    result = {form for form in system if not form.coefficient(symbol)}
    lower = [form for form in system if form.coefficient(symbol) > 0]
    upper = [form for form in system if form.coefficient(symbol) < 0]
    for low in lower:
        for high in upper:
            factor = Fraction(-high.coefficient(symbol), low.coefficient(symbol))
            combined = low.scaled(factor.numerator) + high.scaled(factor.denominator)
            result.add(_reduced(combined))
    return result


def _reduced(form: Form) -> Form:
    """The form divided by its coefficients' greatest common divisor; over the integers the constant is rounded down."""
    if not form.terms:
        return form
    divisor = gcd(*(value for _, value in form.terms))
    return Form(tuple((symbol, value // divisor) for symbol, value in form.terms), form.constant // divisor)
