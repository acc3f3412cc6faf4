"""Loops over the rows and entries of sparse matrices, compiled and kept on disk as generated code is.

They run as they stand; `srcad.sparse.compiled_loops` has them compiled. That loads the text of this module as one that
was generated, so that it may import nothing of srcad.
"""

from __future__ import annotations

from typing import Any

import numpy as np

EXACT = 1e-6  # how near to an integer a ratio has to be
TOLERANCE = 1e-9  # of the test that a pattern is complete, relative to the size of the terms of a row
SUBTRACTED = 1e5  # times an entry may be subtracted before it is read; as many roundings are an error of 1e-10
UNSEEN = 0.1  # of the square root of two entries of the diagonal: what is small beside it needs fewer digits
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
        take_least_colour(row, starts[row + 1] - starts[row] >= hub, colours, taken_for, is_kept)
    return colours


def take_least_colour(row: int, is_hub: bool, colours: Any, taken_for: Any, is_kept: Any) -> None:
    """Give a row the least colour that is not taken for it; that of a hub is new, and kept from all others."""
    colour = 0
    while taken_for[colour] == row or is_kept[colour]:
        colour += 1
    if is_hub:
        while (colours == colour).any():
            colour += 1
        is_kept[colour] = True
    colours[row] = colour


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


def mirrors(starts: Any, columns: Any) -> Any:
    """For each entry of a symmetric pattern in CSR form, the place of the one across the diagonal."""
    across, reached = np.empty(columns.size, np.int64), starts.astype(np.int64)
    for row in range(starts.size - 1):
        for place in range(starts[row], starts[row + 1]):
            across[place] = reached[columns[place]]
            reached[columns[place]] += 1
    return across


def tree_of(trees: Any, edge: int) -> int:
    """The representative of a tree of edges, with the way to it made shorter (Tarjan's disjoint sets)."""
    while trees[edge] != edge:
        trees[edge] = trees[trees[edge]]
        edge = trees[edge]
    return edge


def acyclic_colours(order: Any, starts: Any, neighbours: Any, across: Any, hub: int) -> Any:
    """To each row of a symmetric pattern in this order, the least colour that makes no cycle in two colours.

    The edges between two colours form trees, which are kept as disjoint sets. A colour is taken for a row if one of its
    trees meets two neighbours of one colour. Rows with at least `hub` entries are treated as in `star_colours`.
    """
    count = starts.size - 1
    colours, trees = np.full(count, -1, np.int64), np.minimum(np.arange(across.size), across)
    taken_for = np.full(count + 1, -1, np.int64)  # of each colour, the row for which it was last found taken
    is_kept = np.zeros(count + 1, np.bool_)  # whether a colour is that of one hub
    met_for, met_at = np.full(across.size, -1, np.int64), np.full(across.size, -1, np.int64)  # of each tree
    joined_for, joined = np.full(count + 1, -1, np.int64), np.full(count + 1, -1, np.int64)  # of each colour, an edge
    for row in order:
        for near in neighbours[starts[row] : starts[row + 1]]:
            if colours[near] >= 0:
                taken_for[colours[near]] = row
        for near in neighbours[starts[row] : starts[row + 1]]:
            if colours[near] >= 0 and not is_kept[colours[near]]:
                take_cycles(row, near, starts, neighbours, colours, trees, taken_for, met_for, met_at)
        take_least_colour(row, starts[row + 1] - starts[row] >= hub, colours, taken_for, is_kept)
        for edge in range(starts[row], starts[row + 1]):
            near = neighbours[edge]
            if near == row or colours[near] < 0:
                continue
            if joined_for[colours[near]] == row:
                trees[tree_of(trees, edge)] = tree_of(trees, joined[colours[near]])
            joined_for[colours[near]], joined[colours[near]] = row, edge
            if not is_kept[colours[near]] and not is_kept[colours[row]]:
                join_same_colour(trees, edge, row, starts, neighbours, colours)
    return colours


def take_cycles(
    row: int, near: int, starts: Any, neighbours: Any, colours: Any, trees: Any, taken: Any, met_for: Any, met_at: Any
) -> None:
    """Mark the colours as taken whose trees meet this neighbour of a row, and have met another one of its colour."""
    for place in range(starts[near], starts[near + 1]):
        colour = colours[neighbours[place]]
        if neighbours[place] != near and colour >= 0 and taken[colour] != row:
            tree = tree_of(trees, place)
            if met_for[tree] == row and met_at[tree] != near:
                taken[colour] = row
            met_for[tree], met_at[tree] = row, near


def join_same_colour(trees: Any, edge: int, row: int, starts: Any, neighbours: Any, colours: Any) -> None:
    """Unite the tree of an edge of this row with that of an edge to another row of its colour, if there is one."""
    near = neighbours[edge]
    for place in range(starts[near], starts[near + 1]):
        if neighbours[place] != row and neighbours[place] != near and colours[neighbours[place]] == colours[row]:
            trees[tree_of(trees, edge)] = tree_of(trees, place)
            return


def differs_from_neighbours(starts: Any, columns: Any, colours: Any) -> bool:
    """Whether no two neighbours have one colour."""
    for row in range(starts.size - 1):
        for place in range(starts[row], starts[row + 1]):
            if columns[place] != row and colours[columns[place]] == colours[row]:
                return False
    return True


def ends_of_edges(starts: Any, columns: Any, colours: Any, count: int) -> tuple[Any, Any, Any]:
    """For each row with each colour, how many entries it has off the diagonal, and the exclusive or of their places.

    The last result is the row of each place. When one entry is left, the exclusive or is its place.
    """
    rows = starts.size - 1
    degrees, edges = np.zeros(rows * count, np.int32), np.zeros(rows * count, np.int64)
    row_of = np.empty(columns.size, np.int64)
    for row in range(rows):
        for place in range(starts[row], starts[row + 1]):
            row_of[place] = row
            if columns[place] != row:
                end = colours[columns[place]] * rows + row
                degrees[end] += 1
                edges[end] ^= place
    return degrees, edges, row_of


def substitution_order(
    starts: Any, columns: Any, across: Any, colours: Any, count: int, longest: int
) -> tuple[Any, int]:
    """The edges of all trees in two colours, leaves first: leaf, other end, places; and the longest chain.

    An end of an edge is a row with the colour of the other end, as `colour * rows + row`. It is a leaf if the row has
    one entry in that colour that is not known yet. Edges on cycles are left out. With `longest`, rows on which chains
    of substitutions reach that length get one of the two colours from `count` on, in `colours`, after which the order
    is another one.
    """
    rows, old = starts.size - 1, colours.copy()
    degrees, edges, row_of = ends_of_edges(starts, columns, old, count)
    heights, sizes, taken = np.zeros(rows * count, np.int32), np.bincount(old), np.zeros((2, rows), np.bool_)
    waiting = np.concatenate((np.flatnonzero(degrees == 1), np.empty(columns.size, np.int64)))
    filled, listed, most = waiting.size - columns.size, 0, 0
    found = np.empty((4, columns.size // 2), np.int64)
    for reached in range(waiting.size):
        if reached == filled:
            break
        end = waiting[reached]
        if degrees[end] != 1:  # the other end of the last edge of its tree
            continue
        place = edges[end]
        row, other = row_of[place], old[row_of[place]] * rows + columns[place]
        found[0, listed], found[1, listed] = end, other
        found[2, listed], found[3, listed] = place, across[place]
        listed += 1
        degrees[end] = 0
        degrees[other] -= 1
        edges[other] ^= across[place]
        if longest and heights[end] >= longest:
            extra = 0 if not taken[0, row] or heights[end] < 2 * longest else 1
            cut_at(row, starts, columns, colours, old, sizes, count + extra, taken[extra])
        if colours[row] < count:
            heights[other] = max(heights[other], heights[end] + 1)
            most = max(most, heights[other])
        if degrees[other] == 1:
            waiting[filled] = other
            filled += 1
    return found[:, :listed].copy(), most


def trees_of_edges(order: Any, ends: int) -> Any:
    """For each edge of a `substitution_order`, the number of its tree: that of the end which is reached last."""
    tree_of_end, trees = np.full(ends, -1, np.int64), np.empty(order.shape[1], np.int64)
    for k in range(order.shape[1] - 1, -1, -1):
        if tree_of_end[order[1, k]] < 0:
            tree_of_end[order[1, k]] = order[3, k]
        trees[k] = tree_of_end[order[0, k]] = tree_of_end[order[1, k]]
    return trees


def cut_at(row: int, starts: Any, columns: Any, colours: Any, old: Any, sizes: Any, extra: int, taken: Any) -> None:
    """Give a row an extra colour, if all rows of that colour then have different neighbours.

    A neighbour that is alone in its colour may be common to them: paths in two colours end there.
    """
    if colours[row] != old[row] or taken[row]:
        return
    colours[row] = extra
    taken[row] = True
    for near in columns[starts[row] : starts[row + 1]]:
        taken[near] = True
        if sizes[old[near]] > 1:
            for far in columns[starts[near] : starts[near + 1]]:
                taken[far] = True


def substitute(data: Any, products: Any, order: Any, scales: Any, errors: Any) -> bool:
    """Read the entries off the diagonal in the order of `substitution_order`; whether all of them are accurate.

    `errors` is zero at first. At each end it gathers the sizes of what is subtracted, which rounding errors are in
    proportion to. They are compared with the entry, and with the product of the scales of its row and column.
    """
    is_accurate, rows = True, scales.size
    for k in range(order.shape[1]):
        leaf, other = order[0, k], order[1, k]
        value, error = products[leaf], errors[leaf]
        data[order[2, k]] = value
        data[order[3, k]] = value
        if not error <= SUBTRACTED * abs(value):
            is_accurate &= error <= SUBTRACTED * UNSEEN * scales[leaf % rows] * scales[other % rows]
        products[other] -= value
        errors[other] += error + abs(value)
    return is_accurate


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


def members(nodes: Any, width: int, wanted: Any, most: int) -> tuple[Any, Any]:
    """The members of each set that is wanted, in order, as the columns of a matrix in CSR form, counted from zero.

    Nothing is returned, two empty arrays, if that takes more than `most` steps.
    """
    seen, stack = np.full(nodes.shape[1], -1, np.int64), np.empty(nodes.shape[1] + 1, np.int64)
    starts, found, filled, steps = np.zeros(wanted.size + 1, np.int64), np.empty(4 * wanted.size + 16, np.int32), 0, 0
    for row in range(wanted.size):
        top, first = 0, filled
        if wanted[row] > 0:
            stack[0], top = wanted[row], 1
            seen[wanted[row]] = row
        while top > 0:
            top -= 1
            steps += 1
            here = stack[top]
            if here > width:
                for part in nodes[:, here]:
                    if part > 0 and seen[part] != row:
                        seen[part] = row
                        stack[top] = part
                        top += 1
            else:
                if filled == found.size:
                    found = np.concatenate((found, np.empty_like(found)))
                found[filled] = here - 1
                filled += 1
        if steps > most:
            return np.zeros(0, np.int64), np.zeros(0, np.int32)
        found[first:filled] = np.sort(found[first:filled])
        starts[row + 1] = filled
    return starts, found[:filled].copy()


def pairs_of_members(starts: Any, columns: Any, one: Any, other: Any, most: int) -> tuple[Any, Any]:
    """The pairs of members of sets that meet, given the rows of both sets; more than `most` are not listed."""
    count = 0
    for k in range(one.size):
        count += (starts[one[k] + 1] - starts[one[k]]) * (starts[other[k] + 1] - starts[other[k]])
        if count > most:
            return np.zeros(0, np.int32), np.zeros(0, np.int32)
    rows, across, filled = np.empty(count, np.int32), np.empty(count, np.int32), 0
    for k in range(one.size):
        for a in columns[starts[one[k]] : starts[one[k] + 1]]:
            for b in columns[starts[other[k]] : starts[other[k] + 1]]:
                rows[filled], across[filled] = a, b
                filled += 1
    return rows, across
