"""Models of machine learning written from scratch in NumPy."""

from abc import ABC, abstractmethod

import numpy as np

from tests.programs.users.program import UserProgram


def relu(z):
    return np.maximum(0, z)


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


ACTIVATIONS = {"relu": relu, "tanh": np.tanh, "sigmoid": sigmoid, "linear": lambda z: z}


def forward(parameters, X, activations):
    caches = []
    A = X
    L = len(parameters) // 2
    for l in range(1, L + 1):
        A_prev = A
        Z = parameters["W" + str(l)] @ A_prev + parameters[f"b{l}"]
        A = ACTIVATIONS[activations[l - 1]](Z)
        caches.append((A_prev, Z))
    return A, caches


def deep_network_cost(parameters, X, Y, lambd=0.01, activations=("tanh", "relu", "sigmoid")):
    """Cross-entropy of a network of dense layers whose parameters are W1, b1, W2, ..., with a penalty.

    Origin: the course "Neural Networks and Deep Learning" by Ng, programming exercise of week 4.
    """
    m = Y.shape[1]
    AL, caches = forward(parameters, X, activations)
    assert AL.shape == Y.shape, f"shapes {AL.shape} and {Y.shape} differ"
    cost = -1 / m * np.sum(Y * np.log(AL) + (1 - Y) * np.log(1 - AL))
    for name, value in parameters.items():
        if name.startswith("W"):
            cost += lambd / (2 * m) * np.sum(np.square(value))
    return np.squeeze(cost) + 1e-3 * sum(np.mean(Z**2) for _, Z in caches)


class Layer(ABC):
    @abstractmethod
    def __call__(self, x): ...


class Dense(Layer):
    def __init__(self, n_in, n_out, rng):
        limit = np.sqrt(6 / (n_in + n_out))
        self.W = rng.uniform(-limit, limit, size=(n_in, n_out))
        self.b = np.zeros(n_out)

    def __call__(self, x):
        return x @ self.W + self.b


class LayerNorm(Layer):
    def __init__(self, size, eps=1e-5):
        self.gain = np.ones(size)
        self.bias = np.zeros(size)
        self.eps = eps

    def __call__(self, x):
        mu = x.mean(axis=-1, keepdims=True)
        var = x.var(axis=-1, keepdims=True)
        return self.gain * (x - mu) / np.sqrt(var + self.eps) + self.bias


class Gelu(Layer):
    def __call__(self, x):
        return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


class Sequential:
    def __init__(self, *layers):
        self.layers = list(layers)

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def softmax_cross_entropy(logits, labels):
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_probs = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return -log_probs[np.arange(len(labels)), labels].mean()


def sequential_model_loss(model, x, labels):
    """Softmax cross-entropy of a model of layers as objects.

    Origin: J. Grus, "Data Science from Scratch", second edition, chapter 19; layer norm by Ba, Kiros and Hinton.
    """
    return softmax_cross_entropy(model(x), labels)


def attention(q, k, v, mask=None):
    scores = np.matmul(q, np.swapaxes(k, -1, -2)) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    e = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return (e / e.sum(axis=-1, keepdims=True)) @ v


def transformer_block(p, x, n_heads=2, causal=True):
    """One causal block of multi-head attention and a perceptron, and its loss of predicting the next vector.

    Origin: Vaswani et al., "Attention Is All You Need"; the structure of Karpathy's minGPT.
    """
    T, D = x.shape
    mask = np.tril(np.ones((T, T), dtype=bool)) if causal else None
    qkv = x @ p["attn"]["w_qkv"]
    heads = [np.split(part, n_heads, axis=-1) for part in np.split(qkv, 3, axis=-1)]
    out = [attention(q, k, v, mask) for q, k, v in zip(*heads)]
    x = x + np.hstack(out) @ p["attn"]["w_out"]
    hidden = np.maximum(x @ p["mlp"]["w1"] + p["mlp"]["b1"], 0)
    x = x + hidden @ p["mlp"]["w2"]
    return np.mean((x[:-1] - x[1:]) ** 2)


class LSTMCell:
    def __init__(self, params):
        self.params = params

    def initial_state(self):
        n = self.params["b"].size // 4
        return np.zeros(n), np.zeros(n)

    def step(self, x, state):
        h, c = state
        z = np.concatenate([x, h]) @ self.params["W"] + self.params["b"]
        i, f, o, g = np.split(z, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        return h, (h, c)


def lstm_sequence_loss(params, inputs, targets, clip=None):
    """An LSTM read out linearly at each step.

    Origin: Hochreiter and Schmidhuber 1997; the layout of Karpathy's NumPy gist of a recurrent network.
    """
    cell = LSTMCell(params)
    state = cell.initial_state()
    losses = []
    for x, target in zip(inputs, targets):
        h, state = cell.step(x, state)
        prediction = h @ params["V"]
        err = prediction - target
        if clip is not None:
            err = np.clip(err, -clip, clip)
        losses.append(np.sum(err**2))
    return np.mean(losses)


def network_arguments():
    rng = np.random.default_rng(0)
    sizes = [3, 4, 4, 1]
    parameters = {}
    for l in range(1, len(sizes)):
        parameters[f"W{l}"] = rng.normal(size=(sizes[l], sizes[l - 1])) * 0.7
        parameters[f"b{l}"] = rng.normal(size=(sizes[l], 1)) * 0.1
    return parameters, rng.normal(size=(3, 8)), (rng.random((1, 8)) > 0.5).astype(float)


def sequential_arguments():
    rng = np.random.default_rng(1)
    model = Sequential(Dense(4, 6, rng), LayerNorm(6), Gelu(), Dense(6, 3, rng))
    return model, rng.normal(size=(7, 4)), rng.integers(0, 3, 7)


def transformer_arguments():
    rng = np.random.default_rng(2)
    attn = {"w_qkv": rng.normal(size=(4, 12)) * 0.5, "w_out": rng.normal(size=(4, 4)) * 0.5}
    mlp = {"w1": rng.normal(size=(4, 6)), "b1": rng.normal(size=6), "w2": rng.normal(size=(6, 4)) * 0.3}
    return {"attn": attn, "mlp": mlp}, rng.normal(size=(5, 4))


def lstm_arguments():
    rng = np.random.default_rng(3)
    params = {"W": rng.normal(size=(5, 12)) * 0.5, "b": rng.normal(size=12) * 0.1, "V": rng.normal(size=(3, 2))}
    return params, rng.normal(size=(6, 2)), rng.normal(size=(6, 2))


PROGRAMS = [
    UserProgram(deep_network_cost, network_arguments, "parameters"),
    UserProgram(sequential_model_loss, sequential_arguments, "model"),
    UserProgram(transformer_block, transformer_arguments, ("p", "x")),
    UserProgram(lstm_sequence_loss, lstm_arguments, "params"),
]
