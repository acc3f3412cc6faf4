"""Models of biology: epidemics, neurons, kinetics, populations of trees."""

import math

import numpy as np
from numba import njit
from scipy.integrate import odeint, solve_ivp
from scipy.special import gammaln

from tests.programs.users.program import UserProgram


def seir(y, t, N, beta, sigma, gamma):
    S, E, I, R = y
    dSdt = -beta * S * I / N
    dEdt = beta * S * I / N - sigma * E
    dIdt = sigma * E - gamma * I
    dRdt = gamma * I
    return dSdt, dEdt, dIdt, dRdt


def epidemic_fit(theta, days, cases, N=1000.0):
    """Poisson likelihood of daily cases under a model of susceptible, exposed, infectious and recovered.

    Origin: Hill's blog "Learning Scientific Programming with Python", SIR model; Kermack and McKendrick.
    """
    beta, sigma, gamma = np.exp(theta)
    y0 = N - 1.0, 0.0, 1.0, 0.0
    solution = odeint(seir, y0, days, args=(N, beta, sigma, gamma))
    S, E, I, R = solution.T
    expected = np.maximum(-np.diff(S), 1e-6)
    return -np.sum(cases * np.log(expected) - expected - gammaln(cases + 1))


class HodgkinHuxley:
    C_m = 1.0
    E_Na, E_K, E_L = 50.0, -77.0, -54.387

    def __init__(self, g_Na=120.0, g_K=36.0, g_L=0.3):
        self.g_Na, self.g_K, self.g_L = g_Na, g_K, g_L

    @staticmethod
    def alpha_m(V):
        return 0.1 * (V + 40.0) / (1.0 - np.exp(-(V + 40.0) / 10.0))

    @staticmethod
    def beta_m(V):
        return 4.0 * np.exp(-(V + 65.0) / 18.0)

    @staticmethod
    def alpha_h(V):
        return 0.07 * np.exp(-(V + 65.0) / 20.0)

    @staticmethod
    def beta_h(V):
        return 1.0 / (1.0 + np.exp(-(V + 35.0) / 10.0))

    @staticmethod
    def alpha_n(V):
        return 0.01 * (V + 55.0) / (1.0 - np.exp(-(V + 55.0) / 10.0))

    @staticmethod
    def beta_n(V):
        return 0.125 * np.exp(-(V + 65) / 80.0)

    def currents(self, V, m, h, n):
        I_Na = self.g_Na * m**3 * h * (V - self.E_Na)
        I_K = self.g_K * n**4 * (V - self.E_K)
        I_L = self.g_L * (V - self.E_L)
        return I_Na + I_K + I_L

    def run(self, current, dt=0.02):
        V, m, h, n = -65.0, 0.05, 0.6, 0.32
        voltages = [V]
        for I in current:
            V += dt * (I - self.currents(V, m, h, n)) / self.C_m
            m += dt * (self.alpha_m(V) * (1 - m) - self.beta_m(V) * m)
            h += dt * (self.alpha_h(V) * (1 - h) - self.beta_h(V) * h)
            n += dt * (self.alpha_n(V) * (1 - n) - self.beta_n(V) * n)
            voltages.append(V)
        return np.array(voltages)


def neuron_misfit(conductances, current, recorded):
    """Misfit of a membrane potential to a recording.

    Origin: Hodgkin and Huxley 1952, in the form of tutorials of computational neuroscience.
    """
    neuron = HodgkinHuxley(**conductances)
    voltage = neuron.run(current)
    return np.sqrt(np.mean((voltage - recorded) ** 2))


@njit
def michaelis_menten(s, vmax, km):
    return vmax * s / (km + s)


def enzyme_cascade(k, t_eval):
    """Two enzymes in a row, integrated stiffly, with the products in the end.

    Origin: SciPy's `solve_ivp`, Michaelis and Menten 1913.
    """

    def rhs(t, y):
        v1 = michaelis_menten(y[0], k["vmax1"], k["km1"])
        v2 = michaelis_menten(y[1], k["vmax2"], k["km2"])
        return [-v1, v1 - v2, v2]

    sol = solve_ivp(rhs, (0.0, t_eval[-1]), [k["s0"], 0.0, 0.0], t_eval=t_eval, rtol=1e-9, atol=1e-10)
    if not sol.success:
        raise RuntimeError(sol.message)
    return sol.y[2, -1] + 0.1 * np.trapezoid(sol.y[1], t_eval)


class Node:
    def __init__(self, name, length, children=()):
        self.name = name
        self.length = length
        self.children = children

    @property
    def is_leaf(self):
        return not self.children


def jukes_cantor(t):
    e = math.exp(-4.0 * t / 3.0)
    P = np.full((4, 4), 0.25 - 0.25 * e)
    np.fill_diagonal(P, 0.25 + 0.75 * e)
    return P


def partial_likelihood(node, sequences):
    if node.is_leaf:
        return sequences[node.name]
    result = 1.0
    for child in node.children:
        result = result * (partial_likelihood(child, sequences) @ jukes_cantor(child.length).T)
    return result


def tree_log_likelihood(tree, sequences):
    """Likelihood of sequences on a tree by Felsenstein's pruning, a recursion over nodes.

    Origin: Felsenstein 1981; Yang, "Computational Molecular Evolution", chapter 4.
    """
    site = partial_likelihood(tree, sequences) @ np.full(4, 0.25)
    return np.sum(np.log(site))


def encode(text):
    return np.eye(4)[["ACGT".index(c) for c in text]]


def tree():
    inner = Node(None, 0.15, (Node("human", 0.1), Node("chimp", 0.12)))
    return Node(None, 0.0, (inner, Node("mouse", 0.4), Node("rat", 0.35)))


SEQUENCES = {"human": "ACGTACGTAC", "chimp": "ACGTACGTAA", "mouse": "ACGAACTTAC", "rat": "AGGAACTTCC"}


def epidemic_arguments():
    rng = np.random.default_rng(0)
    days = np.linspace(0, 20, 21)
    return np.log([0.9, 0.4, 0.3]), days, rng.poisson(5, 20).astype(float)


def neuron_arguments():
    current = np.where(np.arange(120) > 20, 10.0, 0.0)
    return {"g_Na": 118.0, "g_K": 35.0, "g_L": 0.31}, current, -65.0 + np.linspace(0, 10, 121)


KINETICS = {"vmax1": 1.2, "km1": 0.5, "vmax2": 0.8, "km2": 0.3, "s0": 2.0}

PROGRAMS = [
    UserProgram(epidemic_fit, epidemic_arguments, "theta", rtol=1e-4),
    UserProgram(neuron_misfit, neuron_arguments, "conductances"),
    UserProgram(enzyme_cascade, lambda: (dict(KINETICS), np.linspace(0, 3, 7)), "k", rtol=1e-4),
    UserProgram(tree_log_likelihood, lambda: (tree(), {k: encode(v) for k, v in SEQUENCES.items()}), "tree"),
]
