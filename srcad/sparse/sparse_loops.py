"""Loops over the rows and entries of sparse matrices, compiled and kept on disk as generated code is.

They run as they stand; `srcad.sparse.compiled_loops` has them compiled. That loads the text of this module as one that
was generated, so that it may import nothing of srcad.
"""

from __future__ import annotations

from typing import Any

import numpy as np

EXACT = 1e-6  # how near to an integer a ratio has to be
TOLERANCE = 1e-9  # of the test that a pattern is complete, relative to the size of the terms of a row
BITS = 62  # that a set in one integer has


def singles(columns: Any, first: Any, ratio: Any, probe: Any, rest: Any) -> None:
    """The column of each row's entry in a group, -1 where there is none; subtract it from the row's product."""
    width = probe.size
    for row in range(first.size):
        quotient = (ratio[row] / first[row]).real
        column = np.rint(quotient) - 1.0
        is_entry = (abs(quotient - column - 1.0) < EXACT) & (column >= 0.0) & (column < width)
        place = np.int32(column if is_entry else 0.0)
        columns[row] = place if is_entry else np.int32(-1)
        rest[row] -= first[row] * probe[place] if is_entry else first[row] * 0.0


def large(rest: Any, along: Any, noise: Any) -> Any:
    """The rows whose rest is not small, or is not a number."""
    count = 0
    for row in range(rest.size):
        count += not abs(rest[row]) <= noise * abs(along[row])
    rows, place = np.empty(count, np.int64), 0
    for row in range(rest.size if count else 0):
        if not abs(rest[row]) <= noise * abs(along[row]):
            rows[place] = row
            place += 1
    return rows


def settle(counts: Any, round_of: Any, turn: Any, rest: Any, columns: Any) -> int:
    """Mark the rows with a finite rest as known, by this turn; the number of rows that are unknown yet."""
    found, unknown = np.zeros(counts.size, np.int32), 0
    for group in range(columns.shape[0]):
        column = columns[group]
        for row in range(counts.size):
            found[row] += np.int32(column[row] >= 0)
    for row in range(counts.size):
        if counts[row] < 0:
            if abs(rest[row]) < np.inf:
                counts[row], round_of[row] = found[row], turn
            else:
                unknown += 1
    return unknown


def gather(indices: Any, starts: Any, counts: Any, round_of: Any, turn: Any, columns: Any) -> None:
    """Write the columns of the rows that are known by this turn, in order."""
    for row in range(counts.size):
        if counts[row] > 0 and round_of[row] == turn:
            place = starts[row]
            for group in range(columns.shape[0]):
                column = columns[group, row]
                if column >= 0:
                    k = place
                    while k > starts[row] and indices[k - 1] > column:
                        indices[k] = indices[k - 1]
                        k -= 1
                    indices[k] = column
                    place += 1


def least_period(row_starts: Any, row_columns: Any, width: int, low: int, high: int) -> int:
    """The least number from `low` on by which the columns of no row leave equal remainders; `high` if none is less."""
    remainders = np.empty(width, np.int32)
    for period in range(low, high):
        remainder = 0
        for column in range(width):
            remainders[column] = remainder
            remainder = 0 if remainder == period - 1 else remainder + 1
        if are_apart(row_starts, row_columns, remainders, period):
            return period
    return high


def are_apart(row_starts: Any, row_columns: Any, remainders: Any, period: Any) -> bool:
    """Whether the columns of no row have equal remainders."""
    if period <= BITS:
        for row in range(row_starts.size - 1):
            taken, clash = 0, 0
            for place in range(row_starts[row], row_starts[row + 1]):
                bit = 1 << remainders[row_columns[place]]
                clash |= taken & bit
                taken |= bit
            if clash:
                return False
        return True
    row_of = np.full(period, -1, np.int64)  # of each remainder, the row for which it was last found
    for row in range(row_starts.size - 1):
        for place in range(row_starts[row], row_starts[row + 1]):
            remainder = remainders[row_columns[place]]
            if row_of[remainder] == row:
                return False
            row_of[remainder] = row
    return True


def greedy_colours(order: Any, starts: Any, rows: Any, row_starts: Any, row_columns: Any) -> Any:
    """To each column in this order, the least colour that no column has with which it shares a row."""
    count = starts.size - 1
    colours = np.full(count, -1, np.int64)
    taken_for = np.full(count + 1, -1, np.int64)  # of each colour, the column for which it was last found taken
    for column in order:
        for place in range(starts[column], starts[column + 1]):
            row = rows[place]
            for other in range(row_starts[row], row_starts[row + 1]):
                colour = colours[row_columns[other]]
                if colour >= 0:
                    taken_for[colour] = column
        colour = 0
        while taken_for[colour] == column:
            colour += 1
        colours[column] = colour
    return colours


def star_colours(order: Any, starts: Any, neighbours: Any, hub: int) -> Any:
    """To each row of a symmetric pattern in this order, the least colour that makes no path of four in two colours.

    A row with at least `hub` entries keeps its colour for itself. No path in two colours leads through it then, so that
    its neighbours need not be compared with each other: that would take the square of their number.
    """
    count = starts.size - 1
    colours = np.full(count, -1, np.int64)
    taken_for = np.full(count + 1, -1, np.int64)  # of each colour, the row for which it was last found taken
    is_kept = np.zeros(count + 1, np.bool_)  # whether a colour is that of one hub
    for row in order:
        for first in neighbours[starts[row] : starts[row + 1]]:
            if first == row:
                continue
            if colours[first] >= 0:
                if is_kept[colours[first]]:
                    continue
                taken_for[colours[first]] = row
            for second in neighbours[starts[first] : starts[first + 1]]:
                is_new = second != row and colours[second] >= 0 and taken_for[colours[second]] != row
                if second == first or not is_new or is_kept[colours[second]]:
                    continue
                is_taken = colours[first] < 0  # it may get any colour later, also one that its neighbours share
                for third in neighbours[starts[second] : starts[second + 1]]:
                    if is_taken:
                        break
                    is_taken = third not in (first, second) and colours[third] == colours[first]
                if is_taken:
                    taken_for[colours[second]] = row
        colour = 0
        while taken_for[colour] == row or is_kept[colour]:
            colour += 1
        if starts[row + 1] - starts[row] >= hub:
            while (colours == colour).any():
                colour += 1
            is_kept[colour] = True
        colours[row] = colour
    return colours


def star_sources(starts: Any, columns: Any, colours: Any, count: int) -> Any:
    """For each entry of a symmetric matrix, whether it is read from its own row; empty if the colouring is none.

    An entry is read from the product of its column's colour in its row, if no other entry of the row has that colour;
    else from the product of its row's colour in the row of the entry across the diagonal.
    """
    is_own = np.zeros(columns.size, np.bool_)
    found, row_of = np.zeros(count, np.int64), np.full(count, -1, np.int64)  # in the row, by colour
    for row in range(starts.size - 1):
        for place in range(starts[row], starts[row + 1]):
            colour = colours[columns[place]]
            found[colour] = found[colour] + 1 if row_of[colour] == row else 1
            row_of[colour] = row
        for place in range(starts[row], starts[row + 1]):
            is_own[place] = found[colours[columns[place]]] == 1
    for row in range(starts.size - 1):
        for place in range(starts[row], starts[row + 1]):
            if not is_own[place]:
                column, is_read = columns[place], False
                for other in range(starts[column], starts[column + 1]):
                    is_read |= columns[other] == row and is_own[other]
                if not is_read:
                    return np.zeros(0, np.bool_)
    return is_own


def add_products(starts: Any, columns: Any, data: Any, vector: Any, total: Any, terms: Any) -> None:
    """Add the product of a matrix in CSR form with a vector, and the sizes of its terms."""
    for row in range(starts.size - 1):
        for place in range(starts[row], starts[row + 1]):
            term = data[place] * vector[columns[place]]
            total[row] += term
            terms[row] += abs(term)


def take_in_order(data: Any, products: Any, starts: Any, columns: Any, colour_of: Any, first: int) -> None:
    """The entries of some colours, from `first` on, from the products of these colours, one in each row."""
    count = products.shape[0]
    for row in range(starts.size - 1):
        for place in range(starts[row], starts[row + 1]):
            which = colour_of[columns[place]] - first
            if 0 <= which < count:
                data[place] = products[which, row]


def by_colour(indptr: Any, indices: Any, colour_of: Any, probe: Any, weights: Any) -> tuple[Any, Any, Any]:
    """The entries colour by colour: where each colour starts, their places in the CSR form, and their rows."""
    starts = np.zeros(weights.shape[0] + 1, np.int64)
    for column in indices:
        starts[colour_of[column] + 1] += 1
    starts = np.cumsum(starts)
    filled, places, rows = starts.copy(), np.empty(indices.size, np.int32), np.empty(indices.size, np.int32)
    for row in range(indptr.size - 1):
        for place in range(indptr[row], indptr[row + 1]):
            column = indices[place]
            colour = colour_of[column]
            k = filled[colour]
            filled[colour] += 1
            places[k], rows[k] = place, row
            weights[colour, row] = probe[column]
    return starts, places, rows


def take(data: Any, found: Any, places: Any, rows: Any, weights: Any, total: Any, terms: Any) -> None:
    """The entries of one colour from their product; add their part of the product of the matrix with the probe."""
    for k in range(places.size):
        data[places[k]] = found[rows[k]]
    for row in range(total.size):
        term = found[row] * weights[row] if weights[row] != 0.0 else 0.0 * weights[row]
        total[row] += term
        terms[row] += abs(term)


def most_in_a_row(starts: Any) -> int:
    """The most entries of a row."""
    most = 0
    for row in range(starts.size - 1):
        most = max(most, starts[row + 1] - starts[row])
    return most


def agrees(expected: Any, total: Any, terms: Any) -> bool:
    """Whether each row of a matrix has the product with the probe that is expected."""
    agrees = True
    for row in range(total.size):
        off = abs(expected[row] - total[row])
        is_close = off <= TOLERANCE * terms[row] and off < np.inf
        # Infinity, and NaN that the row has itself.
        agrees &= is_close or total[row] == expected[row] or total[row] != total[row]
    return agrees
