"""Lists whose length is known only when the program runs: in `while` loops, as stacks and queues, of tuples."""

import numpy as np

from tests.programs.program import Program, numbers, vector


class History:
    def __init__(self, x):
        self.values = [x]
        self.rate = x

    def run(self):
        t = 0.0
        while t < 1.0:
            self.values.append(self.values[-1] * 0.9 + t * self.rate)
            t += 0.25


def appended_in_a_while(x):
    values = []
    t, y = 0.0, x[0]
    while t < 1.0:
        values.append(y * y)
        y = y + 0.1 * np.sin(y) * values[-1]
        t = t + 0.1
    s = 0.0
    for v in values:
        s += v * v
    return s + len(values) * values[2]


def dense_output_of_an_adaptive_solver(x):
    times, states = [0.0], [x[:2] * 1.0]
    h, t, y = 0.1, 0.0, states[0]
    while t < 1.0:
        y = y + h * np.array([y[1], -y[0] * x[2]])
        t += h
        h *= 1.1 if abs(y[0]) < 2.0 else 0.9
        times.append(t)
        states.append(y)
    all_states, all_times = np.array(states), np.array(times)
    return np.sum(all_states * all_states) + all_times @ all_states[:, 0] + states[-1][1] * states[3][0]


def tree_walked_with_a_stack(x):
    left, right = np.array([1, 3, -1, -1, -1]), np.array([2, 4, -1, -1, -1])
    todo, done, s = [0], [], 0.0
    while todo:
        node = todo.pop()
        s = s * 1.1 + x[node] ** 2
        if left[node] >= 0:
            todo.append(left[node])
        if right[node] >= 0:
            todo.append(right[node])
        done.append(node)
    return s * x[done[-1]]


def graph_walked_with_a_queue(x):
    queue, seen, s = [0], np.zeros(x.shape[0]), 0.0
    while len(queue) > 0 and len(queue) < 100:
        i = queue.pop(0)
        if seen[i] > 0:
            continue
        seen[i] = 1.0
        s = s * 0.9 + x[i] * np.exp(s * 0.1)
        queue.append((i + 1) % x.shape[0])
        queue.append((2 * i) % x.shape[0])
    return s


def events_as_tuples(x):
    events, t = [], 0.0
    while True:
        t += 0.3
        if t > 3:
            break
        if np.sin(t) * x[0] < 0:
            continue
        events.append((t * x[1], x[0] * t))
    s = 0.0
    for a, b in events:
        s += a * b
    return s + events[0][0] + events[-1][1]


def list_of_one_value_written_by_index(x):
    n = x.shape[0]
    values, places = [0] * n, [1] * (n + 1)
    for i in range(n):
        values[i] = x[i] * x[i]
        places[i] = i
    for i in range(1, n):
        values[i] = values[i] + values[i - 1] * x[places[i]]
    return sum(values) + values[-1] * places[n]


def rows_of_unknown_lengths(x):
    total = 0.0
    for i in range(x.shape[0]):
        row, v = [], x[i]
        while abs(v) > 0.1:
            v = v * 0.6
            row.append(v)
        for k in range(len(row)):
            total += row[k] * row[-1]
        more = row[1:]
        if len(more) > 0:
            total += more[0] ** 2
    return total


def extended_copied_and_changed(x):
    values = [x[0]]
    while len(values) < 10:
        values.extend([values[-1] * 0.9, values[0] + 0.1])
        if len(values) > 5:
            values[2] = values[2] * x[1]
    others = list(values)
    others.append(1.0)
    others[0] = 5.0
    others += values[-2:]
    return sum(values) * max(others) + np.mean(values) + others[-1]


def grown_on_one_path_only(x):
    values = [x[0], x[1]]
    if x[2] > -100.0:
        v = x[2]
        while abs(v) > 0.1:
            v *= 0.5
            values.append(v)
    else:
        values[0] = 3.0
    return np.sum(np.array(values) ** 2)


def attribute_that_grows(x):
    history = History(x[0])
    history.run()
    return history.values[-1] * len(history.values)


def two_lists_in_nested_loops(x):
    small, large = [], []
    for i in range(x.shape[0]):
        t = x[i]
        while t < 2.0:
            if t < 1.0:
                small.append(t * x[0])
            else:
                large.append((t, i))
            t += 0.37
    s = 0.0
    for (t, i), u in zip(large, small):
        s += t * u * x[i]
    return s + max(small) - min(small)


def long_list_of_one_value(x):
    values = [0.0] * 200
    for i in range(200):
        values[i] = x[i % 2] * i
    return values[int(x[0] * 10)] + values[-1]


def steps_as_tuples_read_before_they_are_appended(x):
    path = []
    path.append((0.0, x[0]))
    while path[-1][0] < 1.0:
        t, y = path[-1]
        path.append((t + 0.3, y + 0.1 * y * y))
    times, values = [p[0] for p in path], [p[1] for p in path]
    return np.trapezoid(np.array(values), np.array(times)) + path[1][1]


def lists_against_arrays(x):
    values, places = [], []
    while len(values) < 4:
        values.append(x[0] * (len(values) + 1))
        places.append(len(values))
    a = np.ones(4) * x[1]
    a += values
    kind = 2.0 if isinstance(values, list) else 1.0
    values.reverse()
    back = [2 * e for e in values if e > 0] + values
    s = kind * a[3] + np.arange(5.0)[places] @ np.array(values) + len(back) * back[4] + sorted(back)[2]
    for i, (p, q) in enumerate(zip(values, reversed(back))):
        s += p * q * i
    return s


def longer_on_one_path(x):
    values, rows = [], [x * x]
    if x[1] > 0.0:
        values.append(x[1] * x[0])
        rows.append(np.sin(x))
    elif x[0] > 3.0:
        values.append(x[0])
    for i in range(3):
        if x[i % 2] > 0.5:
            values.append(x[0] * i)
    return sum(values) + len(values) * x[1] + np.sum(np.array(rows) ** 2) + (1.0 if values else x[0])


def sums_of_some_in_a_while(x):
    a = np.outer(x, x)
    turns = 0
    while sum(a[i, j] ** 2 for i in range(2) for j in range(2) if i != j) > 0.01:
        a = a * 0.5
        turns += 1
    return np.sum(a) * turns


def steps_in_a_history(x):
    """A bounce, first come to when the traces of the loop are full."""
    y, v, t, events = x[0], 0.0, 0.0, []
    while t < 2.0 and len(events) < 3:
        later, faster = y + v * 0.005 - 4.905 * 0.005**2, v - 9.81 * 0.005
        if later < 0:
            tau = (-v - np.sqrt(v * v + 2 * 9.81 * y)) / -9.81
            v = -(v - 9.81 * tau) * x[1]
            y = 0.0
            t += tau
            events.append((t, v))
            continue
        y, v = later, faster
        t += 0.005
    return sum(each[0] * each[1] for each in events)


def mean_of_a_chain(x):
    state, level, chain = 0.1, -0.5 * (0.1 - x[0]) ** 2, []
    for i in range(12):
        other = state + 0.5 * np.sin(7.0 * i) * np.exp(x[1])
        there = -0.5 * (other - x[0]) ** 2
        if np.log(0.5 + 0.4 * np.cos(3.0 * i)) < there - level:
            state, level = other, there
        if i >= 3:
            chain.append(state)
    return np.mean(chain) + np.var(chain)


def inserted_in_order_and_taken_out(x):
    """Events stand by their time; positions beyond an end are at that end."""
    events, values, total = [], [], 0.0
    for i in range(int(5 * x[0] + 3)):
        time, k = x[i % 3] * np.cos(i), 0
        while k < len(events) and events[k][0] < time:
            k += 1
        events.insert(k, (time, i))
        values.insert(i // 2 if i % 2 else -1, time * x[1])
    values.insert(99, x[2])
    values.insert(-99, x[0])
    del events[-2], values[1]
    for k, (time, i) in enumerate(events):
        total += time * time * k * i
    for k, value in enumerate(values):
        total += value * value * k
    return total


def made_of_arrays_and_taken_apart(x):
    """A list of an array's elements, tuples sorted into lists, as many values as are wanted."""
    values, pairs = list(x), []
    for k in range(2):
        for i in range(len(values)):
            values[i] = values[i] * 0.5 + values[i - 1] ** 2
        while len(pairs) < 3 * (k + 1) * x[0]:
            pairs.append((values[0] * x[1], len(pairs) * x[0]))
    values.append(values[0] * x[2])
    first, second = zip(*pairs)
    a, b, c = (v * v for v in x)
    return sum(v**2 for v in values) / len(values) + sum(first) * np.mean(second) + a * b * first[-1] + c


def between(size):
    return lambda rng: (rng.uniform(0.3, 1.0, size),)


PROGRAMS = [
    Program(appended_in_a_while, between(1), compiled=True),
    Program(dense_output_of_an_adaptive_solver, between(3), compiled=True),
    Program(tree_walked_with_a_stack, vector(5), compiled=True),
    Program(graph_walked_with_a_queue, vector(6)),
    Program(events_as_tuples, between(2)),
    Program(list_of_one_value_written_by_index, vector(4)),
    Program(rows_of_unknown_lengths, between(4)),
    Program(extended_copied_and_changed, between(2)),
    Program(grown_on_one_path_only, between(3)),
    Program(attribute_that_grows, between(1)),
    Program(two_lists_in_nested_loops, between(3)),
    Program(steps_as_tuples_read_before_they_are_appended, between(1)),
    Program(lists_against_arrays, between(2)),
    Program(longer_on_one_path, between(2)),
    Program(sums_of_some_in_a_while, between(2)),
    Program(steps_in_a_history, between(2), rtol=1e-6),
    Program(mean_of_a_chain, between(2)),
    Program(long_list_of_one_value, between(2)),
    Program(made_of_arrays_and_taken_apart, numbers(np.array([0.55, 0.8, 0.4]))),
    Program(inserted_in_order_and_taken_out, numbers(np.array([0.55, 0.8, 0.4]))),
]
