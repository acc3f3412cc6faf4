"""Adjoints of the workloads as a person writes them for Numba: forward once, then backward with what is needed.

They use algebra where it helps: softmax weights, `1 - t * t` for tanh, one reciprocal for several divisions.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit


def mixture(weights, means, scales, points):
    """Responsibilities weigh what each component contributes."""
    n, d = points.shape
    k = weights.size
    weights_bar, means_bar, scales_bar = np.zeros(k), np.zeros((k, d)), np.zeros((k, d))
    inverse = np.exp(-scales)
    logs = np.zeros(k)
    for j in range(k):
        for a in range(d):
            logs[j] += scales[j, a]
    terms = np.empty(k)
    for i in range(n):
        top = -1e300
        for j in range(k):
            square = 0.0
            for a in range(d):
                off = (points[i, a] - means[j, a]) * inverse[j, a]
                square += off * off
            terms[j] = weights[j] - 0.5 * square - logs[j]
            top = max(top, terms[j])
        mass = 0.0
        for j in range(k):
            terms[j] = math.exp(terms[j] - top)
            mass += terms[j]
        for j in range(k):
            share = terms[j] / mass
            weights_bar[j] -= share
            for a in range(d):
                off = (points[i, a] - means[j, a]) * inverse[j, a]
                means_bar[j, a] -= share * off * inverse[j, a]
                scales_bar[j, a] -= share * (off * off - 1.0)
    mass = 0.0
    for j in range(k):
        mass += math.exp(weights[j])
    for j in range(k):
        weights_bar[j] += n * math.exp(weights[j]) / mass
    return weights_bar, means_bar, scales_bar


def projection(cameras, points, seen_by, seen, found):
    """Each observation forwards and at once backwards."""
    cameras_bar, points_bar = np.zeros_like(cameras), np.zeros_like(points)
    for o in range(seen.size):
        c, p = seen_by[o], seen[o]
        cos, sin = math.cos(cameras[c, 0]), math.sin(cameras[c, 0])
        turned = cos * points[p, 0] + sin * points[p, 2]
        ahead = cos * points[p, 2] - sin * points[p, 0]
        inverse = 1.0 / (ahead + cameras[c, 3])
        u, v = (turned + cameras[c, 1]) * inverse, (points[p, 1] + cameras[c, 2]) * inverse
        r = u * u + v * v
        around = 1.0 + cameras[c, 5] * r
        bend = cameras[c, 4] * around
        du, dv = 2.0 * (bend * u - found[o, 0]), 2.0 * (bend * v - found[o, 1])
        bend_bar = du * u + dv * v
        cameras_bar[c, 4] += bend_bar * around
        cameras_bar[c, 5] += bend_bar * cameras[c, 4] * r
        r_bar = 2.0 * bend_bar * cameras[c, 4] * cameras[c, 5]
        x_bar, y_bar = (du * bend + r_bar * u) * inverse, (dv * bend + r_bar * v) * inverse
        z_bar = -(x_bar * u + y_bar * v)
        cameras_bar[c, 0] += x_bar * ahead - z_bar * turned
        cameras_bar[c, 1] += x_bar
        cameras_bar[c, 2] += y_bar
        cameras_bar[c, 3] += z_bar
        points_bar[p, 0] += cos * x_bar - sin * z_bar
        points_bar[p, 1] += y_bar
        points_bar[p, 2] += sin * x_bar + cos * z_bar
    return cameras_bar, points_bar


def recurrent(w, u, b, xs):
    """Gates and states of all steps are kept."""
    steps, d = xs.shape
    h = b.shape[1]
    states, memories = np.zeros((steps + 1, h)), np.zeros((steps + 1, h))
    keeps, lets, cells, outs = np.empty((steps, h)), np.empty((steps, h)), np.empty((steps, h)), np.empty((steps, h))
    for t in range(steps):
        for i in range(h):
            keep, let, cell = b[0, i], b[1, i], b[2, i]
            for j in range(d):
                keep += w[0, i, j] * xs[t, j]
                let += w[1, i, j] * xs[t, j]
                cell += w[2, i, j] * xs[t, j]
            for j in range(h):
                keep += u[0, i, j] * states[t, j]
                let += u[1, i, j] * states[t, j]
                cell += u[2, i, j] * states[t, j]
            keeps[t, i] = 1.0 / (1.0 + math.exp(-keep))
            lets[t, i] = 1.0 / (1.0 + math.exp(-let))
            cells[t, i] = math.tanh(cell)
            memories[t + 1, i] = keeps[t, i] * memories[t, i] + (1.0 - keeps[t, i]) * cells[t, i]
            outs[t, i] = math.tanh(memories[t + 1, i])
            states[t + 1, i] = outs[t, i] * lets[t, i]
    w_bar, u_bar, b_bar = np.zeros_like(w), np.zeros_like(u), np.zeros_like(b)
    state_bar, memory_bar, before = 2.0 * states[steps], np.zeros(h), np.empty(h)
    for t in range(steps - 1, -1, -1):
        before[:] = 0.0
        for i in range(h):
            keep, let, cell, out = keeps[t, i], lets[t, i], cells[t, i], outs[t, i]
            let_bar = state_bar[i] * out * let * (1.0 - let)
            bar = memory_bar[i] + state_bar[i] * let * (1.0 - out * out)
            keep_bar = bar * (memories[t, i] - cell) * keep * (1.0 - keep)
            cell_bar = bar * (1.0 - keep) * (1.0 - cell * cell)
            memory_bar[i] = bar * keep
            b_bar[0, i] += keep_bar
            b_bar[1, i] += let_bar
            b_bar[2, i] += cell_bar
            for j in range(d):
                w_bar[0, i, j] += keep_bar * xs[t, j]
                w_bar[1, i, j] += let_bar * xs[t, j]
                w_bar[2, i, j] += cell_bar * xs[t, j]
            for j in range(h):
                u_bar[0, i, j] += keep_bar * states[t, j]
                u_bar[1, i, j] += let_bar * states[t, j]
                u_bar[2, i, j] += cell_bar * states[t, j]
                before[j] += keep_bar * u[0, i, j] + let_bar * u[1, i, j] + cell_bar * u[2, i, j]
        state_bar, before = before, state_bar
    return w_bar, u_bar, b_bar


def diffusion(start, rate, steps):
    """All grids are kept; what a cell hands on is gathered from its neighbours."""
    n, m = start.shape
    grids = np.empty((steps + 1, n, m))
    for i in range(n):
        for j in range(m):
            grids[0, i, j] = start[i, j]
    for t in range(steps):
        a, b = grids[t], grids[t + 1]
        for j in range(m):
            b[0, j], b[n - 1, j] = start[0, j], start[n - 1, j]
        for i in range(1, n - 1):
            b[i, 0], b[i, m - 1] = start[i, 0], start[i, m - 1]
            for j in range(1, m - 1):
                flow = a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1] - 4.0 * a[i, j]
                b[i, j] = a[i, j] + rate * flow / (1.0 + a[i, j] * a[i, j])
    bar, before, flow_bar = 2.0 * grids[steps], np.zeros((n, m)), np.zeros((n, m))
    rate_bar = 0.0
    edges = np.zeros((n, m))
    for t in range(steps - 1, -1, -1):
        a = grids[t]
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                flow = a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1] - 4.0 * a[i, j]
                inverse = 1.0 / (1.0 + a[i, j] * a[i, j])
                part = bar[i, j] * inverse
                rate_bar += part * flow
                flow_bar[i, j] = rate * part
                before[i, j] = bar[i, j] - 2.0 * rate * part * flow * inverse * a[i, j] - 4.0 * flow_bar[i, j]
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                before[i, j] += flow_bar[i - 1, j] + flow_bar[i + 1, j] + flow_bar[i, j - 1] + flow_bar[i, j + 1]
        for j in range(1, m - 1):
            edges[0, j] += flow_bar[1, j]
            edges[n - 1, j] += flow_bar[n - 2, j]
        for i in range(1, n - 1):
            edges[i, 0] += flow_bar[i, 1]
            edges[i, m - 1] += flow_bar[i, m - 2]
        bar, before = before, bar
    last = grids[steps]
    for j in range(m):
        bar[0, j] = edges[0, j] + 2.0 * last[0, j]
        bar[n - 1, j] = edges[n - 1, j] + 2.0 * last[n - 1, j]
    for i in range(1, n - 1):
        bar[i, 0] = edges[i, 0] + 2.0 * last[i, 0]
        bar[i, m - 1] = edges[i, m - 1] + 2.0 * last[i, m - 1]
    return bar, rate_bar


def bodies(at, masses):
    """Each pair once, forwards and backwards."""
    n = masses.size
    at_bar, masses_bar = np.zeros((n, 3)), np.zeros(n)
    for i in range(n):
        fx = fy = fz = weight = 0.0
        for j in range(i):
            dx, dy, dz = at[i, 0] - at[j, 0], at[i, 1] - at[j, 1], at[i, 2] - at[j, 2]
            inverse = 1.0 / math.sqrt(dx * dx + dy * dy + dz * dz + 0.01)
            weight -= masses[j] * inverse
            masses_bar[j] -= masses[i] * inverse
            pull = masses[i] * masses[j] * inverse * inverse * inverse
            fx += pull * dx
            fy += pull * dy
            fz += pull * dz
            at_bar[j, 0] -= pull * dx
            at_bar[j, 1] -= pull * dy
            at_bar[j, 2] -= pull * dz
        at_bar[i, 0] += fx
        at_bar[i, 1] += fy
        at_bar[i, 2] += fz
        masses_bar[i] += weight
    return at_bar, masses_bar


def hunting(rates, prey, hunters, steps):
    """The two numbers of each step are kept."""
    xs, ys = np.empty(steps), np.empty(steps)
    x, y = prey, hunters
    r0, r1, r2, r3 = rates[0], rates[1], rates[2], rates[3]
    for t in range(steps):
        xs[t], ys[t] = x, y
        mx = x + 0.005 * x * (r0 - r1 * y)
        my = y + 0.005 * y * (r2 * x - r3)
        x += 0.01 * mx * (r0 - r1 * my)
        y += 0.01 * my * (r2 * mx - r3)
    x_bar, y_bar = 2.0 * (x - prey), 2.0 * (y - hunters)
    prey_bar, hunters_bar = -x_bar, -y_bar
    b0 = b1 = b2 = b3 = 0.0
    for t in range(steps - 1, -1, -1):
        x, y = xs[t], ys[t]
        up, down = r0 - r1 * y, r2 * x - r3
        mx, my = x + 0.005 * x * up, y + 0.005 * y * down
        gx, gy = 0.01 * x_bar, 0.01 * y_bar
        mx_bar = gx * (r0 - r1 * my) + gy * my * r2
        my_bar = gy * (r2 * mx - r3) - gx * mx * r1
        hx, hy = 0.005 * mx_bar, 0.005 * my_bar
        b0 += gx * mx + hx * x
        b1 -= gx * mx * my + hx * x * y
        b2 += gy * my * mx + hy * y * x
        b3 -= gy * my + hy * y
        x_bar += mx_bar + hx * up + hy * y * r2
        y_bar += my_bar + hy * down - hx * x * r1
    return np.array([b0, b1, b2, b3]), prey_bar + x_bar, hunters_bar + y_bar


def alignment(one, other, gap):
    """The way of least cost is walked back: all other cells have no part in it."""
    n, m = one.size, other.size
    best = np.empty((n + 1, m + 1))
    came = np.empty((n + 1, m + 1), np.int8)
    for j in range(m + 1):
        best[0, j] = j * gap
    for i in range(n):
        best[i + 1, 0] = (i + 1) * gap
        for j in range(m):
            off = one[i] - other[j]
            cost, way = best[i, j] + off * off, 0
            if best[i, j + 1] + gap < cost:
                cost, way = best[i, j + 1] + gap, 1
            if best[i + 1, j] + gap < cost:
                cost, way = best[i + 1, j] + gap, 2
            best[i + 1, j + 1], came[i + 1, j + 1] = cost, way
    one_bar, other_bar, gap_bar = np.zeros(n), np.zeros(m), 0.0
    i, j = n, m
    while i > 0 and j > 0:
        if came[i, j] == 0:
            slope = 2.0 * (one[i - 1] - other[j - 1])
            one_bar[i - 1] += slope
            other_bar[j - 1] -= slope
            i -= 1
            j -= 1
        else:
            gap_bar += 1.0
            if came[i, j] == 1:
                i -= 1
            else:
                j -= 1
    return one_bar, other_bar, gap_bar + i + j


def option(spot, strike, spread, years):
    """By the textbook, where the derivatives of the two error functions cancel but for one density."""
    root = math.sqrt(years)
    first = (math.log(spot / strike) + 0.5 * spread * spread * years) / (spread * root)
    second = first - spread * root
    near, far = 0.5 * math.erfc(-first / 1.4142135623730951), 0.5 * math.erfc(-second / 1.4142135623730951)
    density = spot * math.exp(-0.5 * first * first) * 0.3989422804014327
    return near, -far, density * root, 0.5 * density * spread / root


ADJOINTS = {
    each.__name__: njit(each)
    for each in (mixture, projection, recurrent, diffusion, bodies, hunting, alignment, option)
}
