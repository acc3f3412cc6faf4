"""Random numbers as arithmetic on numbers drawn without parameters (reparameterisation), for both of NumPy's sources.

    np.random.normal(loc, scale)    is    loc + scale * kernels.draw_standard_normal(None, ...)

A draw has no slope: its value is data. Draws of gamma's and Student's distribution have no rule, so a derivative by
their shape is refused.
"""

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import define, zero

zero(
    *(kernels.draw_standard_normal, kernels.draw_random, kernels.draw_standard_exponential, kernels.draw_laplace),
    *(np.random.default_rng, np.random.RandomState, kernels.draw_choice),
    *(kernels.draw_logistic, kernels.draw_gumbel, kernels.draw_integers, kernels.draw_permutation, kernels.draw_size),
)


@define(kernels.generator_normal)
def generator_normal(rng, loc=0.0, scale=1.0, size=None):
    return loc + scale * kernels.draw_standard_normal(rng, kernels.draw_size(size, loc, scale))


@define(kernels.generator_uniform)
def generator_uniform(rng, low=0.0, high=1.0, size=None):
    return low + (high - low) * kernels.draw_random(rng, kernels.draw_size(size, low, high))


@define(kernels.generator_standard_normal)
def generator_standard_normal(rng, size=None):
    return kernels.draw_standard_normal(rng, size)


@define(kernels.generator_random)
def generator_random(rng, size=None):
    return kernels.draw_random(rng, size)


@define(kernels.generator_standard_exponential)
def generator_standard_exponential(rng, size=None):
    return kernels.draw_standard_exponential(rng, size)


@define(kernels.generator_exponential)
def generator_exponential(rng, scale=1.0, size=None):
    return scale * kernels.draw_standard_exponential(rng, kernels.draw_size(size, scale))


@define(kernels.generator_laplace)
def generator_laplace(rng, loc=0.0, scale=1.0, size=None):
    return loc + scale * kernels.draw_laplace(rng, kernels.draw_size(size, loc, scale))


@define(kernels.generator_logistic)
def generator_logistic(rng, loc=0.0, scale=1.0, size=None):
    return loc + scale * kernels.draw_logistic(rng, kernels.draw_size(size, loc, scale))


@define(kernels.generator_gumbel)
def generator_gumbel(rng, loc=0.0, scale=1.0, size=None):
    return loc + scale * kernels.draw_gumbel(rng, kernels.draw_size(size, loc, scale))


@define(kernels.generator_lognormal)
def generator_lognormal(rng, mean=0.0, sigma=1.0, size=None):
    return np.exp(mean + sigma * kernels.draw_standard_normal(rng, kernels.draw_size(size, mean, sigma)))


@define(kernels.generator_gamma)
def generator_gamma(rng, shape, scale=1.0, size=None):
    return scale * kernels.draw_standard_gamma(rng, shape, kernels.draw_size(size, shape, scale))


@define(kernels.generator_standard_gamma)
def generator_standard_gamma(rng, shape, size=None):
    return kernels.draw_standard_gamma(rng, shape, size)


@define(kernels.generator_standard_t)
def generator_standard_t(rng, df, size=None):
    return kernels.draw_standard_t(rng, df, size)


@define(kernels.generator_integers)
def generator_integers(rng, low, high=None, size=None):
    return kernels.draw_integers(rng, low, high, size)


@define(np.random.normal)
def normal(loc=0.0, scale=1.0, size=None):
    return kernels.generator_normal(None, loc, scale, size)


@define(np.random.uniform)
def uniform(low=0.0, high=1.0, size=None):
    return kernels.generator_uniform(None, low, high, size)


@define(np.random.standard_normal)
def standard_normal(size=None):
    return kernels.draw_standard_normal(None, size)


@define(np.random.random, np.random.random_sample, np.random.ranf, np.random.sample)
def random(size=None):
    return kernels.draw_random(None, size)


@define(np.random.standard_exponential)
def standard_exponential(size=None):
    return kernels.draw_standard_exponential(None, size)


@define(np.random.exponential)
def exponential(scale=1.0, size=None):
    return kernels.generator_exponential(None, scale, size)


@define(np.random.laplace)
def laplace(loc=0.0, scale=1.0, size=None):
    return kernels.generator_laplace(None, loc, scale, size)


@define(np.random.logistic)
def logistic(loc=0.0, scale=1.0, size=None):
    return kernels.generator_logistic(None, loc, scale, size)


@define(np.random.gumbel)
def gumbel(loc=0.0, scale=1.0, size=None):
    return kernels.generator_gumbel(None, loc, scale, size)


@define(np.random.lognormal)
def lognormal(mean=0.0, sigma=1.0, size=None):
    return kernels.generator_lognormal(None, mean, sigma, size)


@define(np.random.gamma)
def gamma(shape, scale=1.0, size=None):
    return kernels.generator_gamma(None, shape, scale, size)


@define(np.random.standard_gamma)
def standard_gamma(shape, size=None):
    return kernels.draw_standard_gamma(None, shape, size)


@define(np.random.standard_t)
def standard_t(df, size=None):
    return kernels.draw_standard_t(None, df, size)


@define(np.random.randn)
def randn(*shape):
    if len(shape) == 0:
        return kernels.draw_standard_normal(None, None)
    return kernels.draw_standard_normal(None, shape)


@define(np.random.rand)
def rand(*shape):
    if len(shape) == 0:
        return kernels.draw_random(None, None)
    return kernels.draw_random(None, shape)


@define(kernels.generator_permutation)
def generator_permutation(rng, count):
    return kernels.draw_permutation(rng, count)


@define(np.random.permutation)
def permutation(count):
    return kernels.draw_permutation(None, count)


@define(kernels.generator_randint)
def generator_randint(rng, low, high=None, size=None):
    return kernels.draw_integers(rng, low, high, size)


@define(kernels.generator_random_sample)
def generator_random_sample(rng, size=None):
    return kernels.draw_random(rng, size)


@define(kernels.generator_choice)
def generator_choice(rng, a, size=None, replace=True, p=None):
    if np.ndim(a) == 0:
        return kernels.draw_choice(rng, a, replace, p, size)
    values = np.asarray(a)
    return values[kernels.draw_choice(rng, values.shape[0], replace, p, size)]


@define(np.random.choice)
def choice(a, size=None, replace=True, p=None):
    return kernels.generator_choice(None, a, size, replace, p)


@define(kernels.generator_randn)
def generator_randn(rng, *shape):
    if len(shape) == 0:
        return kernels.draw_standard_normal(rng, None)
    return kernels.draw_standard_normal(rng, shape)


@define(kernels.generator_rand)
def generator_rand(rng, *shape):
    if len(shape) == 0:
        return kernels.draw_random(rng, None)
    return kernels.draw_random(rng, shape)


@define(np.random.randint)
def randint(low, high=None, size=None):
    return kernels.draw_integers(None, low, high, size)
