"""Simulations and models as users write them: mechanics, fields, filters, chance with given draws."""

import math

import numpy as np

from tests.programs.program import Program, numbers


def n_body(position, velocity, mass, steps):
    p, v = position.copy(), velocity.copy()
    n = p.shape[0]
    for _ in range(steps):
        a = np.zeros_like(p)
        for i in range(n):
            for j in range(i + 1, n):
                d = p[j] - p[i]
                r2 = np.sum(d * d) + 0.05
                f = d / (r2 * math.sqrt(r2))
                a[i] += mass[j] * f
                a[j] -= mass[i] * f
        v += 0.1 * a
        p += 0.1 * v
    return 0.5 * np.sum(mass * np.sum(v * v, axis=1)) + np.sum(p[0])


def van_der_pol(x, v, mu):
    return v, mu * (1.0 - x * x) * v - x


def rk4_step(x, v, mu, h):
    k1x, k1v = van_der_pol(x, v, mu)
    k2x, k2v = van_der_pol(x + 0.5 * h * k1x, v + 0.5 * h * k1v, mu)
    k3x, k3v = van_der_pol(x + 0.5 * h * k2x, v + 0.5 * h * k2v, mu)
    k4x, k4v = van_der_pol(x + h * k3x, v + h * k3v, mu)
    return x + h * (k1x + 2 * k2x + 2 * k3x + k4x) / 6, v + h * (k1v + 2 * k2v + 2 * k3v + k4v) / 6


def rk4_with_adaptive_step(x, v, mu, end):
    t, h = 0.0, 0.3
    while t < end:
        if t + h > end:
            h = end - t
        x1, v1 = rk4_step(x, v, mu, h)
        xh, vh = rk4_step(x, v, mu, 0.5 * h)
        x2, v2 = rk4_step(xh, vh, mu, 0.5 * h)
        error = abs(x2 - x1) + abs(v2 - v1)
        if error > 1e-3:
            h *= 0.5
            continue
        t += h
        x, v = x2, v2
        if error < 1e-4:
            h *= 1.5
    return x * v


def bouncing_ball(height, speed, restitution, steps):
    y, v, t = height, speed, 0.0
    bounces = 0
    dt = 0.05
    for _ in range(steps):
        new = y + v * dt - 0.5 * 9.81 * dt * dt
        if new < 0.0:
            root = math.sqrt(v * v + 2.0 * 9.81 * y)
            hit = (v + root) / 9.81
            v = restitution * root
            y = v * (dt - hit) - 0.5 * 9.81 * (dt - hit) ** 2
            v -= 9.81 * (dt - hit)
            bounces += 1
            if bounces == 3:
                break
        else:
            y = new
            v -= 9.81 * dt
        t += dt
    return y + 0.1 * v


def scene(x, y, z, radius):
    ball = math.sqrt(x * x + y * y + z * z) - radius
    floor = y + 1.0
    return min(ball, floor)


def sdf_ray_marching(origin, direction, radius):
    d = direction / np.sqrt(np.sum(direction**2))
    t = 0.0
    for _ in range(60):
        p = origin + t * d
        s = scene(p[0], p[1], p[2], radius)
        if s < 1e-9:
            break
        t += s
        if t > 50.0:
            return 0.0
    return t


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def lstm_by_loops(xs, w, b):
    hidden = w.shape[0] // 4
    h, c = np.zeros(hidden), np.zeros(hidden)
    loss = 0.0
    for t in range(xs.shape[0]):
        z = b.copy()
        for i in range(4 * hidden):
            for j in range(hidden):
                z[i] += w[i, j] * h[j]
            for j in range(xs.shape[1]):
                z[i] += w[i, hidden + j] * xs[t, j]
        for i in range(hidden):
            f = sigmoid(z[i])
            u = sigmoid(z[hidden + i])
            o = sigmoid(z[2 * hidden + i])
            g = np.tanh(z[3 * hidden + i])
            c[i] = f * c[i] + u * g
            h[i] = o * np.tanh(c[i])
        loss += np.sum(h * h)
    return loss


def kalman_filter(seen, transition, noise, start):
    x, p = start.copy(), np.eye(2)
    likelihood = 0.0
    for y in seen:
        x = transition @ x
        p = transition @ p @ transition.T + noise * np.eye(2)
        s = p[0, 0] + 0.3
        r = y - x[0]
        k = p[:, 0] / s
        x = x + k * r
        p = p - np.outer(k, p[0])
        likelihood += 0.5 * (np.log(s) + r * r / s)
    return likelihood


def normal_cdf(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


def black_scholes(spot, strike, rate, sigma, time, is_call):
    d1 = (math.log(spot / strike) + (rate + 0.5 * sigma**2) * time) / (sigma * math.sqrt(time))
    d2 = d1 - sigma * math.sqrt(time)
    if is_call:
        return spot * normal_cdf(d1) - strike * math.exp(-rate * time) * normal_cdf(d2)
    return strike * math.exp(-rate * time) * normal_cdf(-d2) - spot * normal_cdf(-d1)


def american_put_on_a_tree(spot, strike, rate, sigma, n):
    dt = 1.0 / n
    up = math.exp(sigma * math.sqrt(dt))
    q = (math.exp(rate * dt) - 1.0 / up) / (up - 1.0 / up)
    values = np.empty(n + 1)
    for i in range(n + 1):
        values[i] = max(strike - spot * up ** (2 * i - n), 0.0)
    for step in range(n - 1, -1, -1):
        for i in range(step + 1):
            hold = math.exp(-rate * dt) * (q * values[i + 1] + (1.0 - q) * values[i])
            values[i] = max(hold, strike - spot * up ** (2 * i - step))
    return values[0]


def heat_with_swapped_buffers(u, k, steps):
    old, new = u.copy(), np.empty_like(u)
    for _ in range(steps):
        new[0], new[-1] = 0.0, old[-1]
        for i in range(1, u.shape[0] - 1):
            new[i] = old[i] + k * (old[i - 1] - 2.0 * old[i] + old[i + 1])
        old, new = new, old
    return np.sum(old**2)


def heat_by_slices_with_swapped_buffers(u, k, steps):
    a, b = u.copy(), np.zeros_like(u)
    for _ in range(steps):
        b[1:-1, 1:-1] = a[1:-1, 1:-1] + k * (
            a[2:, 1:-1] + a[:-2, 1:-1] + a[1:-1, 2:] + a[1:-1, :-2] - 4.0 * a[1:-1, 1:-1]
        )
        a, b = b, a
    return np.sum(a * a * u)


def wave_equation_with_three_buffers(u, c, steps):
    before, now, after = u.copy(), u.copy(), np.zeros_like(u)
    energy = 0.0
    for _ in range(steps):
        after[1:-1] = 2.0 * now[1:-1] - before[1:-1] + c * c * (now[2:] - 2.0 * now[1:-1] + now[:-2])
        before, now, after = now, after, before
        energy += np.sum(now * now)
    return energy


def life_with_energies(alive, energy, steps):
    """Cells live by rules of whole numbers; what lives grows, what dies leaves a part to its neighbours."""
    n, m = alive.shape
    e = energy.copy()
    for _ in range(steps):
        count = np.zeros((n, m), dtype=np.int64)
        for i in range(n):
            for j in range(m):
                for di in range(-1, 2):
                    for dj in range(-1, 2):
                        if di != 0 or dj != 0:
                            count[i, j] += alive[(i + di) % n, (j + dj) % m]
        born = (count == 3) & (alive == 0)
        dies = (alive == 1) & ((count < 2) | (count > 3))
        e = np.where(dies, 0.5 * e, np.where(born, e + 0.1 * np.sum(e), e * 1.01))
        alive = np.where(born, 1, np.where(dies, 0, alive))
    return np.sum(e * alive) + np.sum(e * e)


def gillespie(rates, uniforms, end):
    """Birth and death with given draws: the time depends on the rates, the events on comparisons."""
    a, t, total = 5, 0.0, 0.0
    for k in range(0, len(uniforms) - 1, 2):
        birth, death = rates[0], rates[1] * a
        wait = -math.log(uniforms[k]) / (birth + death)
        if t + wait > end:
            total += (end - t) * a
            break
        total += wait * a
        t += wait
        if uniforms[k + 1] * (birth + death) < birth:
            a += 1
        else:
            a -= 1
        if a == 0:
            return total
    return total / end + t


def metropolis(start, width, normals, uniforms):
    x = start
    total, accepted = 0.0, 0
    for k in range(len(uniforms)):
        new = x + width * normals[k]
        ratio = np.exp(-(new**4 - x**4) + 0.5 * (new - x))
        if uniforms[k] < ratio:
            x = new
            accepted += 1
        total += x * x
    return total / len(uniforms) + accepted


def leapfrog_monte_carlo(q, p, steps, eps):
    def slope(q):
        return q + 0.3 * np.sin(q)

    p = p - 0.5 * eps * slope(q)
    for k in range(steps):
        q = q + eps * p
        if k < steps - 1:
            p = p - eps * slope(q)
    p = p - 0.5 * eps * slope(q)
    return 0.5 * np.sum(p * p) + 0.5 * np.sum(q * q) - 0.3 * np.sum(np.cos(q))


def neural_network_trained_inside(x, y, w, rate):
    """Gradient descent written by hand, differentiated by its start and its rate."""
    for _ in range(5):
        z = np.tanh(x @ w)
        r = z - y
        w = w - rate * (x.T @ (r * (1.0 - z * z)))
    return np.sum((np.tanh(x @ w) - y) ** 2)


def attention_by_loops(q, k, v):
    n, d = q.shape
    out = np.zeros((n, v.shape[1]))
    for i in range(n):
        s = np.empty(i + 1)
        for j in range(i + 1):
            s[j] = np.dot(q[i], k[j]) / math.sqrt(d)
        s = np.exp(s - s.max())
        s /= s.sum()
        for j in range(i + 1):
            out[i] += s[j] * v[j]
    return out


def pendulum_with_friction_events(theta, omega, friction, steps):
    turns = 0
    for _ in range(steps):
        before = omega
        omega = omega - 0.1 * (np.sin(theta) + friction * np.sign(omega) * omega * omega)
        theta = theta + 0.1 * omega
        if before * omega < 0.0:
            turns += 1
            omega *= 0.9
        if turns > 2:
            break
    return theta * theta + omega


def logistic_map_until_repeat(r, x, limit):
    seen = np.zeros(limit)
    for n in range(limit):
        seen[n] = x
        x = r * x * (1.0 - x)
        repeated = False
        for k in range(n):
            if abs(seen[k] - x) < 1e-3:
                repeated = True
                break
        if repeated:
            break
    return x + np.sum(seen)


def image_convolution(image, kernel):
    n, m = image.shape
    r = kernel.shape[0] // 2
    out = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            for a in range(-r, r + 1):
                for b in range(-r, r + 1):
                    if 0 <= i + a < n and 0 <= j + b < m:
                        out[i, j] += image[i + a, j + b] * kernel[a + r, b + r]
    return np.sum(np.maximum(out, 0.0) ** 2)


ORIGIN, RAY = np.array([0.1, 0.2, -3.0]), np.array([0.05, -0.02, 1.0])
CELLS = np.array([[0, 1, 0, 0], [0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 1]])

PROGRAMS = [
    Program(
        n_body,
        lambda rng: (rng.normal(size=(3, 2)), rng.normal(size=(3, 2)), rng.uniform(0.5, 1.5, size=3), 3),
        (0, 1, 2),
        compiled=True,
    ),
    Program(rk4_with_adaptive_step, numbers(1.2, -0.5, 1.5, 1.7), (0, 1, 2), compiled=True),
    Program(bouncing_ball, numbers(0.8, 0.3, 0.8, 80), (0, 1, 2), compiled=True),
    Program(bouncing_ball, numbers(0.8, 0.3, 0.8, 12), (0, 1, 2)),
    Program(sdf_ray_marching, numbers(ORIGIN, RAY, 0.9), (0, 1, 2), compiled=True),
    Program(sdf_ray_marching, numbers(ORIGIN, np.array([0.0, 1.0, -1.0]), 0.9), (0, 1, 2)),
    Program(
        lstm_by_loops, lambda rng: (rng.normal(size=(3, 2)), rng.normal(size=(8, 4)), rng.normal(size=8)), (0, 1, 2)
    ),
    Program(
        kalman_filter,
        lambda rng: (rng.normal(size=5), np.array([[1.0, 0.1], [-0.1, 0.95]]), 0.2, rng.normal(size=2)),
        (0, 1, 2, 3),
        compiled=True,
    ),
    Program(black_scholes, numbers(100.0, 95.0, 0.02, 0.3, 0.7, True), (0, 1, 2, 3, 4), compiled=True, rtol=1e-6),
    Program(black_scholes, numbers(100.0, 95.0, 0.02, 0.3, 0.7, False), (0, 1, 2, 3, 4), rtol=1e-6),
    Program(american_put_on_a_tree, numbers(1.0, 1.05, 0.03, 0.3, 6), (0, 1, 2, 3), compiled=True),
    Program(heat_with_swapped_buffers, lambda rng: (rng.normal(size=6), 0.2, 4), (0, 1), compiled=True),
    Program(heat_with_swapped_buffers, lambda rng: (rng.normal(size=6), 0.2, 3), (0, 1)),
    Program(heat_by_slices_with_swapped_buffers, lambda rng: (rng.normal(size=(4, 5)), 0.2, 3), (0, 1), compiled=True),
    Program(wave_equation_with_three_buffers, lambda rng: (rng.normal(size=6), 0.7, 4), (0, 1)),
    Program(life_with_energies, lambda rng: (CELLS.copy(), rng.normal(size=(4, 4)), 3), (1,)),
    Program(gillespie, lambda rng: (np.array([2.0, 0.7]), rng.uniform(0.05, 0.95, size=40), 2.0), (0,)),
    Program(gillespie, lambda rng: (np.array([0.1, 5.0]), rng.uniform(0.05, 0.95, size=40), 9.0), (0,)),
    Program(
        metropolis,
        lambda rng: (0.3, 0.8, rng.normal(size=12), rng.uniform(size=12)),
        (0, 1),
        compiled=True,
    ),
    Program(leapfrog_monte_carlo, lambda rng: (rng.normal(size=3), rng.normal(size=3), 4, 0.2), (0, 1)),
    Program(
        neural_network_trained_inside,
        lambda rng: (rng.normal(size=(4, 3)), rng.normal(size=(4, 2)), rng.normal(size=(3, 2)), 0.1),
        (0, 1, 2, 3),
    ),
    Program(
        attention_by_loops,
        lambda rng: (rng.normal(size=(3, 2)), rng.normal(size=(3, 2)), rng.normal(size=(3, 2))),
        (0, 1, 2),
    ),
    Program(pendulum_with_friction_events, numbers(1.2, 0.3, 0.2, 90), (0, 1, 2), compiled=True),
    Program(logistic_map_until_repeat, numbers(3.2, 0.3, 40), (0, 1)),
    Program(image_convolution, lambda rng: (rng.normal(size=(4, 4)), rng.normal(size=(3, 3))), (0, 1)),
]
