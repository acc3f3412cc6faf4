"""The workloads in JAX, as one writes them there: whole arrays, and `scan` for steps. Needs jax."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy.special import erfc, logsumexp

jax.config.update("jax_enable_x64", True)


def mixture(weights, means, scales, points):
    """Minus the log-likelihood of points under a mixture of normal distributions."""
    off = (points[:, None, :] - means) * jnp.exp(-scales)
    terms = weights - 0.5 * jnp.sum(off * off, axis=2) - jnp.sum(scales, axis=1)
    return points.shape[0] * logsumexp(weights) - jnp.sum(logsumexp(terms, axis=1))


def projection(cameras, points, seen_by, seen, found):
    """The squared distances of projected points from where they were found, with radial distortion."""
    camera, point = cameras[seen_by], points[seen]
    cos, sin = jnp.cos(camera[:, 0]), jnp.sin(camera[:, 0])
    x = cos * point[:, 0] + sin * point[:, 2] + camera[:, 1]
    y = point[:, 1] + camera[:, 2]
    z = cos * point[:, 2] - sin * point[:, 0] + camera[:, 3]
    u, v = x / z, y / z
    bend = camera[:, 4] * (1.0 + camera[:, 5] * (u * u + v * v))
    return jnp.sum((bend * u - found[:, 0]) ** 2 + (bend * v - found[:, 1]) ** 2)


def recurrent(w, u, b, xs):
    """The squared last state of a gated recurrent cell that has read a sequence."""

    def step(carried, x):
        state, memory = carried
        keep, let, cell = b + w @ x + u @ state
        keep = jax.nn.sigmoid(keep)
        memory = keep * memory + (1.0 - keep) * jnp.tanh(cell)
        return (jnp.tanh(memory) * jax.nn.sigmoid(let), memory), None

    zero = jnp.zeros(b.shape[1])
    (state, _), _ = lax.scan(step, (zero, zero), xs)
    return jnp.sum(state * state)


def diffusion(start, rate, steps):
    """Heat on a grid whose conductivity falls with the temperature; the sum of squares at the end."""

    def step(a, _):
        own = a[1:-1, 1:-1]
        flow = a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] - 4.0 * own
        return a.at[1:-1, 1:-1].set(own + rate * flow / (1.0 + own * own)), None

    last, _ = lax.scan(step, start, None, length=steps)
    return jnp.sum(last * last)


def bodies(at, masses):
    """The potential energy of bodies that attract each other."""
    one, other = np.tril_indices(masses.shape[0], -1)
    off = at[one] - at[other]
    return -jnp.sum(masses[one] * masses[other] / jnp.sqrt(jnp.sum(off * off, axis=1) + 0.01))


def hunting(rates, prey, hunters, steps):
    """Hunters and prey in small steps, each a midpoint rule; the squared distance from where they began."""

    def step(carried, _):
        x, y = carried
        mx = x + 0.005 * x * (rates[0] - rates[1] * y)
        my = y + 0.005 * y * (rates[2] * x - rates[3])
        return (x + 0.01 * mx * (rates[0] - rates[1] * my), y + 0.01 * my * (rates[2] * mx - rates[3])), None

    (x, y), _ = lax.scan(step, (prey, hunters), None, length=steps)
    return (x - prey) ** 2 + (y - hunters) ** 2


def alignment(one, other, gap):
    """The least cost of aligning two sequences: by pairs, or with gaps."""

    def row(above, given):
        i, a = given

        def cell(left, near):
            b, corner, top = near
            cost = corner + (a - b) ** 2
            cost = jnp.where(top + gap < cost, top + gap, cost)
            cost = jnp.where(left + gap < cost, left + gap, cost)
            return cost, cost

        first = (i + 1) * gap
        _, costs = lax.scan(cell, first, (other, above[:-1], above[1:]))
        return jnp.concatenate([jnp.reshape(first, 1), costs]), None

    last, _ = lax.scan(row, jnp.arange(other.shape[0] + 1) * gap, (jnp.arange(one.shape[0]), one))
    return last[-1]


def option(spot, strike, spread, years):
    """A dozen operations on numbers: the price of an option."""
    root = jnp.sqrt(years)
    first = (jnp.log(spot / strike) + 0.5 * spread * spread * years) / (spread * root)
    second = first - spread * root
    return 0.5 * (spot * erfc(-first / 1.4142135623730951) - strike * erfc(-second / 1.4142135623730951))


STATIC = {"diffusion": (2,), "hunting": (3,)}  # numbers of steps
FUNCTIONS = {
    each.__name__: each for each in (mixture, projection, recurrent, diffusion, bodies, hunting, alignment, option)
}


def gradient(name, wrt):
    """The compiled gradient, which waits for its results."""
    run = jax.jit(jax.grad(FUNCTIONS[name], argnums=wrt), static_argnums=STATIC.get(name, ()))
    return lambda *args: jax.block_until_ready(run(*args))
