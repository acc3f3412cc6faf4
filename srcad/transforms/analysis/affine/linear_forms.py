"""Linear forms over integer symbols, and the proof that a form is never negative.

What is known is a list of forms that are not negative. The proof is Fourier-Motzkin elimination over the rationals
(Schrijver, Theory of Linear and Integer Programming, 12.2): a system without a rational solution has no integer
solution. Every question about subscripts ends here: two subscripts never refer to the same element where "both are in
range and equal" has no solution, and an index never counts from the end of an array where it is not negative.

>>> i, n = Form.of("i"), Form.of("n")
>>> infeasible([i, n - i - 1, i - n])           # 0 <= i < n and i >= n
True
>>> is_nonnegative(n - 1, [i, n - i - 1])       # n > 0, where 0 <= i < n
True
>>> is_nonnegative(Form.of("x.shape[0]"))       # an extent
True
>>> is_nonnegative(i - 1, [i])
False
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
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

    def renamed(self, change: Mapping[str, str]) -> Form:
        """The form with symbols renamed."""
        total = Form((), self.constant)
        for symbol, coefficient in self.terms:
            total = total + Form(((change.get(symbol, symbol), coefficient),))
        return total

    def replaced(self, symbol: str, value: Form) -> Form:
        """The form with a value in place of a symbol."""
        factor = self.coefficient(symbol)
        return self + (value - Form.of(symbol)).scaled(factor) if factor else self

    @property
    def symbols(self) -> frozenset[str]:
        """The symbols that the form depends on."""
        return frozenset(symbol for symbol, _ in self.terms)

    @functools.cached_property
    def names(self) -> frozenset[str]:
        """The names of the numbers and arrays that the form depends on."""
        return frozenset(name_of(symbol) for symbol, _ in self.terms)

    def coefficient(self, symbol: str) -> int:
        """The coefficient of a symbol."""
        return next((value for each, value in self.terms if each == symbol), 0)


def extent_symbol(array: str, axis: int) -> str:
    """The symbol of an array's extent: `x.shape[0]`. Such a symbol is never negative."""
    return f"{array}.shape[{axis}]"


def is_extent(symbol: str) -> bool:
    """Whether a symbol is an array's extent."""
    return ".shape[" in symbol


def name_of(symbol: str) -> str:
    """The name that a symbol refers to: of a number, or of the array that it is an extent of."""
    return symbol.partition(".")[0]


def is_nonnegative(form: Form, known: Collection[Form] = ()) -> bool:
    """Whether a form is never negative where the `known` forms are not; False where that is not proved."""
    return _is_plain(form, known) or infeasible([*known, form.scaled(-1) - 1])


def _is_plain(form: Form, known: Collection[Form]) -> bool:
    """Whether a form is not negative by the least values of its symbols alone, which is quick to see."""
    least: dict[str, int] = {}
    for each in known:
        if len(each.terms) == 1 and each.terms[0][1] == 1:
            symbol = each.terms[0][0]
            least[symbol] = max(-each.constant, least.get(symbol, -each.constant))
    total = form.constant
    for symbol, factor in form.terms:
        low = least.get(symbol, 0 if is_extent(symbol) else None)
        if factor < 0 or low is None:
            return False
        total += factor * low
    return total >= 0


def infeasible(at_least_zero: Iterable[Form]) -> bool:
    """Whether no values of the symbols make all forms non-negative; False if that is too expensive to decide.

    Extents of arrays are never negative in any case. Forms that share no symbols, even through others, are systems of
    their own: most of what is known at a point of a program has nothing to do with a question, and is not asked anew.
    """
    return any(_infeasible(frozenset(system)) for system in _independent(at_least_zero))


def _independent(forms: Iterable[Form]) -> Iterable[set[Form]]:
    """The forms by connected components, in which forms share symbols."""
    systems: dict[str, set[Form]] = {}  # by symbol; those of a component have one set
    for form in forms:
        found = {id(systems[symbol]): systems[symbol] for symbol, _ in form.terms if symbol in systems}
        parts = sorted(found.values(), key=len)
        whole = parts.pop() if parts else set()
        whole.add(form)
        symbols = [symbol for symbol, _ in form.terms]
        for part in parts:
            whole |= part
            symbols += [symbol for each in part for symbol, _ in each.terms]
        if not form.terms and form.constant < 0:
            yield {form}
        systems |= dict.fromkeys(symbols, whole)
    yield from {id(system): system for system in systems.values()}.values()


@functools.lru_cache(4096)
def _infeasible(at_least_zero: frozenset[Form]) -> bool:
    system = {_reduced(form) for form in at_least_zero}
    system |= {Form.of(symbol) for form in system for symbol, _ in form.terms if is_extent(symbol)}
    while True:
        if any(not form.terms and form.constant < 0 for form in system):
            return True
        growths = _growths(system)
        if not growths or len(system) > MOST_INEQUALITIES:
            return False
        system = _eliminate(system, min(growths, key=lambda symbol: (growths[symbol], symbol)))


def _growths(system: set[Form]) -> dict[str, int]:
    """By symbol, how many more forms there are once it is eliminated."""
    lower, upper = Counter[str](), Counter[str]()
    for form in system:
        for symbol, value in form.terms:
            (lower if value > 0 else upper)[symbol] += 1
    return {symbol: lower[symbol] * upper[symbol] - lower[symbol] - upper[symbol] for symbol in {**lower, **upper}}


def _eliminate(system: set[Form], symbol: str) -> set[Form]:
    result, lower, upper = set[Form](), list[tuple[Form, int]](), list[tuple[Form, int]]()
    for form in system:
        factor = form.coefficient(symbol)
        if factor:
            (lower if factor > 0 else upper).append((form, abs(factor)))
        else:
            result.add(form)
    for low, below in lower:
        for high, above in upper:
            common = gcd(below, above)
            result.add(_reduced(low.scaled(above // common) + high.scaled(below // common)))
    return result


def _reduced(form: Form) -> Form:
    """The form divided by its coefficients' greatest common divisor; over the integers the constant is rounded down."""
    if not form.terms:
        return form
    divisor = gcd(*(value for _, value in form.terms))
    return Form(tuple((symbol, value // divisor) for symbol, value in form.terms), form.constant // divisor)
