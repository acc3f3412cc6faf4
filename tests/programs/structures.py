"""Local tuples, lists, dictionaries and objects: built, changed, looped over, carried through loops and branches."""

from collections import namedtuple
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tests.programs.program import Program, numbers, vector

State = namedtuple("State", "position velocity")


class Layer(NamedTuple):
    weight: object
    bias: object = 0.5

    def apply(self, x):
        return np.tanh(x * self.weight + self.bias)


@dataclass
class Ball:
    height: float
    speed: float = 1.0
    bounces: int = 0

    def energy(self):
        return 9.81 * self.height + 0.5 * self.speed**2

    @property
    def momentum(self):
        return 0.3 * self.speed


class Account:
    RATE = 1.05

    def __init__(self, balance, fees=None):
        self.balance = balance
        self.fees = [] if fees is None else fees

    def pay(self, amount):
        self.balance = self.balance - amount
        self.fees.append(0.01 * amount * amount)
        return self

    def __call__(self, x):
        return self.balance * x

    @staticmethod
    def interest(x):
        return np.log1p(x * x)


def pair_by_index(x):
    pair = (x * x, np.sin(x))
    total = 0.0
    for i in range(2):
        total += np.sum(pair[i])
    return total


def nested_tuple(x):
    t = (x[0], (x[1], (x[2], 2.0)))
    a, (b, (c, d)) = t
    return a * b + c * d * t[1][0] - t[-1][-1][0]


def tuple_carried_by_a_loop(x):
    state = (x[0], x[1])
    for i in range(x.shape[0]):
        state = (state[1], np.sin(state[0]) + x[i] * state[1])
    return state[0] * state[1]


def tuple_swapped_by_a_while(x):
    state, n = (x[0], x[1], 1.0), 0
    while state[2] < 20.0 and n < 30:
        state = (state[1], state[0] * 1.5, state[2] + state[0] ** 2 + 1.0)
        n += 1
    return state[0] * state[2]


def namedtuple_stepped(x):
    state = State(x[0], velocity=x[1])
    for i in range(5):
        state = State(state.position + 0.1 * state.velocity, state.velocity - 0.1 * np.sin(state.position))
    p, v = state
    return p * v + state._replace(position=v).position


def namedtuple_with_methods(x):
    layers = [Layer(x[0], x[1]), Layer(bias=x[2], weight=1.5), Layer(x[1])]
    h = x[3]
    for layer in layers:
        h = layer.apply(h)
    return h + layers[2].bias * x[0]


def either_pair(x):
    if x[0] > 0.0:
        pair = (x[0], x[1] ** 2)
    else:
        pair = (x[2], x[1])
    return pair[0] * pair[1]


def helper_gives_a_pair(x):
    def polar(a, b):
        return np.hypot(a, b), np.arctan2(a, b)

    r, angle = polar(x[0], x[1])
    both = polar(x[1], x[2])
    return r * angle + both[0] / both[1]


def network_of_layers(x):
    rng = np.array([0.3, -0.2, 0.5])
    layers = [(np.outer(rng, x), x[:3]), (np.outer(x[:2], rng), x[1:3]), (np.outer(x[1:2], x[:2]), x[:1])]
    h = np.cos(x)
    for i, (w, b) in enumerate(layers):
        h = w @ h + b
        if i < len(layers) - 1:
            h = np.tanh(h)
    return h[0]


def list_of_floats_appended(x):
    values = []
    for i in range(4):
        values.append(x[i] * x[i])
        values.append(np.sin(x[i]))
    a = np.array(values)
    return np.sum(a * a[::-1]) + values[-1] * len(values)


def list_comprehensions(x):
    squares = [v * v for v in (x[0], x[1], x[2])]
    pairs = [(a, b) for a in squares for b in (1.0, 2.0) if b > 1.0 or len(squares) == 3]
    return sum([a * b for a, b in pairs]) + sum(s**2 for s in squares) * max(squares)


def list_changed_in_place(x):
    values = [x[0], x[1], x[2]]
    values[1] = values[0] * values[2]
    values[-1] += x[3]
    values.insert(0, x[3] * 2.0)
    values.reverse()
    last = values.pop()
    values.extend([last * last, 3.0])
    values += [x[1]]
    return values[0] * values[1] + values[2] * values[3] - values[-3] * values[-1]


def list_seen_through_two_names(x):
    values = [x[0], x[1]]
    other = values
    other[0] = x[2] * x[2]
    copy = values.copy()
    values.append(x[3])
    copy[1] = 0.0
    return other[0] * other[2] + len(other) * values[1] + copy[1] + copy[0]


def list_changed_by_a_helper(x):
    def collect(target, v):
        target.append(np.exp(v))
        target[0] = target[0] + v

    terms = [x[0]]
    collect(terms, x[1])
    collect(terms, x[2])
    return terms[0] * terms[1] * terms[2]


def list_slots_in_a_loop(x):
    s = [x[0], x[1], 0.0]
    for i in range(x.shape[0]):
        s[2] = s[2] + s[0] * s[1]
        s[0], s[1] = s[1], 0.5 * s[0] + x[i]
    return s[2] + s[0]


def list_index_known_at_run_time(x):
    parts = [x[0], x[1] * x[1], np.sin(x[2])]
    total = 0.0
    for i in range(x.shape[0]):
        k = (i * 2) % 3
        total += parts[k] * x[i]
        parts[k - 1] = parts[k] * 1.1
    return total + parts[-1]


def list_of_arrays_with_writes(x):
    buffers = [x.copy(), np.zeros(3), np.ones((2, 2))]
    buffers[1][0] = x[0] * x[1]
    buffers[0][1:] *= 2.0
    for b in buffers:
        b += x[2]
    for b in buffers:
        b[0] = b[0] * 1.5
    return np.sum(buffers[0] ** 2) + np.sum(buffers[1] ** 3) + np.sum(buffers[2] ** 2)


def list_stacked(x):
    rows = [x * (k + 1.0) for k in range(3)]
    rows.append(np.sin(x))
    a = np.stack(rows)
    b = np.concatenate([rows[0], rows[3]])
    return np.sum(a * a) + np.sum(b[::2] ** 3)


def dictionary_of_parameters(x):
    p = {"w": x[:2], "b": x[2]}
    p["scale"] = p["b"] ** 2
    for name in ("w", "b"):
        p[name] = p[name] * p["scale"]
    p["b"] += 1.0
    total = 0.0
    for value in p.values():
        total = total + np.sum(value) ** 2
    for k, v in p.items():
        if k != "w":
            total += v * v
    return total + p.get("missing", 0.25) * len(p) + (1.0 if "b" in p else x[0])


def dictionary_carried_by_a_loop(x):
    state = {"x": x[0], "v": x[1], "n": 0}
    for i in range(x.shape[0]):
        new = dict(state, v=state["v"] - 0.1 * np.sin(state["x"]))
        new["x"] = state["x"] + 0.1 * new["v"] * x[i]
        new["n"] = state["n"] + 1
        state = new
    return state["x"] * state["v"] * state["n"]


def dictionary_of_dictionaries(x):
    p = {"a": {"u": x[0], "v": [x[1], x[2]]}, **{"b": x[3]}}
    q = {k: 2.0 for k in ("s", "t")}
    p["a"]["v"][1] = p["a"]["u"] * p["b"]
    return p["a"]["v"][0] * p["a"]["v"][1] * q["s"] + sum([w for w in q.values()]) * p["b"]


def sorted_and_zipped(x):
    p = {"z": x[0], "a": x[1] * 2.0, "m": x[2]}
    out = 1.0
    for k in sorted(p):
        out = out * 1.5 + p[k]
    for a, b in zip(p.values(), [x[3], 2.0]):
        out += a * b
    for i, v in reversed(list(enumerate(p.values(), 1))):
        out = out * 0.9 + i * v
    return out


def sorted_items(x):
    p = {"z": x, "a": x[1] * 2.0, "m": x[2]}
    out = 1.0
    for i, (_, v) in enumerate(sorted(p.items())):
        out = out * x[3] + np.sum(v) * (i + 1)
    rows = [[2, x[0]], [1, x[1]]]
    sorted(rows)[0][1] = out * x[2]
    return rows[0][1] * rows[1][1]


def dataclass_in_a_loop(x):
    ball = Ball(x[0] ** 2 + 1.0, bounces=2)
    for i in range(6):
        ball.speed -= 0.2 * x[1]
        ball.height += 0.1 * ball.speed
        if ball.height < 0.9:
            ball.speed = -ball.speed * 0.9
            ball.bounces += 1
    return ball.energy() * ball.momentum + ball.bounces * ball.height


def object_with_methods(x):
    account = Account(x[0] * 10.0)
    account.pay(x[1]).pay(x[2])
    other = Account(account.balance, [x[3]])
    other.pay(x[0])
    return account(x[1]) * Account.RATE + sum(account.fees) * other.fees[0] + other.interest(other.balance)


def functions_in_a_table(x):
    steps = [(np.sin, 1.5), (np.tanh, x[1]), (lambda v: v * v, 0.5)]
    table = {"last": np.exp, "first": np.cos}
    h = x[0]
    for f, k in steps:
        h = f(h * k)
    return table["last"](h) + table["first"](x[2])


def unrolled_with_breaks(x):
    total = 0.0
    for k, v in enumerate((x[0], x[1] * 2.0, x[2])):
        if v > 1.2:
            break
        if k == 1:
            continue
        total += v * v
    else:
        total += x[3]
    return total * x[0]


def nested_static_loops(x):
    table = [[x[0], x[1]], [x[2], 0.5]]
    total = 0.0
    for i in range(2):
        for j in range(2):
            total += table[i][j] * table[j][i] * (i + 1)
            table[i][j] = total
    for row in table:
        total *= sum(row)
    return total


def matrix_of_lists(x):
    a = np.array([[x[0], 1.0], [x[1], x[2]]])
    rows = [[x[0] * x[1], x[2]], [0.0, x[0]]]
    return np.sum(a @ np.array(rows))


def tuple_arithmetic(x):
    t = (x[0], x[1]) + (x[2],)
    u = [x[0]] * 3
    u[1] = x[1]
    head, tail = t[:2], t[1:]
    return t[2] * u[0] * u[1] * u[2] + head[1] * tail[-1] if t and not () else 0.0


def shape_and_tuple(x):
    s = x.shape + (1,)
    t = (2,) + x.shape[:-1] + s
    return np.sum(np.reshape(x, s) * np.ones(t)) * len(s) * x[0] * (t[-2] if s != (3,) and t == (2, 3, 1) else 0.5)


def shape_grown_in_place(x):
    s = x.shape
    s += (2,)
    total = 0.0
    for n in s:
        total = 2.0 * total + n * x[0]
    return np.sum(np.zeros(s) + x[1]) * total


def broadcast_by_a_shape(x):
    s = (x[:1] - np.zeros((4, 2, 3)).shape) * x[0]
    return np.sum(s * s) + np.sum(np.maximum(x[1:2] * 5.0, 2 * x.shape)) + len(x.shape * 3) * x[2]


def early_return_of_pairs(x):
    def pick(a, b):
        if a > b:
            return {"big": a, "small": b}
        return {"big": b, "small": a}

    p, q = pick(x[0], x[1]), pick(x[2], x[3])
    return p["big"] ** 2 * q["small"] + p["small"] * q["big"]


def optional_structure(x):
    bias = None
    pair = (x[0], x[1])
    total = x[2] if bias is None else x[2] + bias
    if pair is not None and isinstance(pair, tuple):
        total += pair[0] * pair[1]
    return total


def element_of_a_list_in_a_branch(x):
    s = [x[0], x[1]]
    for i in range(x.shape[0]):
        if x[i] > 0.5:
            s[0] = s[0] * x[i]
        elif x[i] < -0.5:
            s[1] = s[0] + s[1]
    return s[0] * s[1]


def zero_turns(x):
    s = {"a": x[0]}
    for i in range(0):
        s["b"] = x[1]
    for j in range(x.shape[0] - 4):
        s["a"] = s["a"] * x[1]
    return s["a"] * len(s)


def list_grown_in_a_loop(x):
    values = [x[0]]
    for i in range(1, x.shape[0]):
        values.append(np.sin(values[-1]) * x[i] + values[i - 1])
        values[0] = values[0] * 1.1
    total = 0.0
    for v in values:
        total += v * v
    return total + values[-2] * len(values) + np.sum(np.array(values)[::2])


def list_grown_now_and_then(x):
    small, large = [], [1.0, 2.0]
    for i, v in enumerate(x):
        if v > 0.5:
            large.append(v * v)
            if i > 2:
                break
        else:
            small.append(np.exp(v))
            small.append(v)
    both = np.concatenate([np.array(small), np.array(large)])
    return np.sum(both * np.arange(both.shape[0])) + max(large)


def comprehensions_of_unknown_length(x):
    squares = [v * v for v in x]
    some = np.array([s + v for s, v in zip(squares, x) if v > 0.0])
    return np.sum(some) * sum(squares) + sum(np.sin(v) for v in x[1:]) + sum([v for v in x[:0]])


def rows_grown_in_nested_loops(x):
    total = 0.0
    for i in range(x.shape[0]):
        row = []
        for j in range(i, 0, -1):
            row.append(x[j] * x[i] + total)
        for r in row:
            total += r * 0.1
    return total


def many_turns(x):
    path = [x[0]]
    for i in range(70):
        path.append(path[i] * 0.99 + x[i % 3] * 0.01)
    return path[70] * path[35]


PROGRAMS = [
    Program(pair_by_index, vector(3), compiled=True),
    Program(nested_tuple, vector(3)),
    Program(tuple_carried_by_a_loop, vector(4), compiled=True),
    Program(tuple_swapped_by_a_while, vector(3)),
    Program(namedtuple_stepped, vector(2), compiled=True),
    Program(namedtuple_with_methods, vector(4)),
    Program(either_pair, vector(3)),
    Program(helper_gives_a_pair, vector(3)),
    Program(network_of_layers, vector(4), compiled=True),
    Program(list_of_floats_appended, vector(4), compiled=True),
    Program(list_comprehensions, vector(3)),
    Program(list_changed_in_place, vector(4)),
    Program(list_seen_through_two_names, vector(4)),
    Program(list_changed_by_a_helper, vector(3)),
    Program(list_slots_in_a_loop, vector(4)),
    Program(list_index_known_at_run_time, vector(4)),
    Program(list_of_arrays_with_writes, vector(3), compiled=True),
    Program(list_stacked, vector(3)),
    Program(dictionary_of_parameters, vector(3), compiled=True),
    Program(dictionary_carried_by_a_loop, vector(4), compiled=True),
    Program(dictionary_of_dictionaries, vector(4)),
    Program(sorted_and_zipped, vector(4)),
    Program(sorted_items, vector(4)),
    Program(dataclass_in_a_loop, numbers(np.array([0.7, 1.3])), compiled=True),
    Program(object_with_methods, vector(4)),
    Program(functions_in_a_table, vector(3)),
    Program(unrolled_with_breaks, numbers(np.array([0.7, 0.4, 1.1, 0.9]))),
    Program(unrolled_with_breaks, numbers(np.array([0.7, 0.7, 1.1, 0.9]))),
    Program(nested_static_loops, vector(3)),
    Program(matrix_of_lists, vector(3)),
    Program(tuple_arithmetic, vector(3)),
    Program(shape_and_tuple, vector(3), compiled=True),
    Program(shape_grown_in_place, vector(3), interpreted=True),
    Program(broadcast_by_a_shape, numbers(np.array([0.7, 1.1, 0.9])), interpreted=True),
    Program(early_return_of_pairs, vector(4)),
    Program(optional_structure, vector(3)),
    Program(element_of_a_list_in_a_branch, numbers(np.array([0.7, -0.8, 0.2, 1.4]))),
    Program(zero_turns, vector(4)),
    Program(list_grown_in_a_loop, vector(5), compiled=True),
    Program(list_grown_now_and_then, numbers(np.array([0.7, -0.8, 0.2, 1.4, 0.9])), compiled=True),
    Program(comprehensions_of_unknown_length, vector(5)),
    Program(rows_grown_in_nested_loops, vector(4)),
    Program(many_turns, vector(3)),
]
