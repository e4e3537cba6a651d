"""What layers of neural networks are made of."""

import numpy as np

from .cases import program


def normal(gpu, *shape):
    return gpu.random.standard_normal(shape, "f4")


def softmax_of(x):
    powers = np.exp(x - x.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


@program
def softmax(gpu):
    x, out = normal(gpu, 3, 100), gpu.empty((3, 100), "f4")
    gpu.launch("softmax", 3, 64, gpu.array(x), out, 100)
    gpu.expect(out, softmax_of(x), rtol=1e-4)


@program
def softmax_in_warp(gpu):
    x, out = normal(gpu, 5, 70), gpu.empty((5, 70), "f4")
    gpu.launch("softmax_in_warp", 5, 128, gpu.array(x), out, 5, 70)
    gpu.expect(out, softmax_of(x), rtol=1e-4)


@program
def online_softmax(gpu):
    x, out = normal(gpu, 2, 300), gpu.empty((2, 300), "f4")
    gpu.launch("online_softmax", 2, 128, gpu.array(x), out, 300)
    gpu.expect(out, softmax_of(x), rtol=1e-4)


@program
def layer_norm(gpu):
    x, scale, shift, out = normal(gpu, 3, 200), normal(gpu, 200), normal(gpu, 200), gpu.empty((3, 200), "f4")
    gpu.launch("layer_norm", 3, 128, gpu.array(x), gpu.array(scale), gpu.array(shift), out, 200, 1e-5)
    expected = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * scale + shift
    gpu.expect(out, expected, rtol=1e-3, atol=1e-4)


@program
def bias_relu(gpu):
    x, bias = normal(gpu, 7, 30), normal(gpu, 30)
    there = gpu.array(x)
    gpu.launch("bias_relu", 4, 64, there, gpu.array(bias), 7, 30)
    gpu.expect(there, np.maximum(0, x + bias))


@program
def embedding(gpu):
    table, tokens = normal(gpu, 12, 40), gpu.random.integers(0, 12, 6, "i4")
    out, gradient, there = gpu.empty((6, 40), "f4"), gpu.zeros((12, 40), "f4"), gpu.array(tokens)
    gpu.launch("embedding", 6, 32, gpu.array(table), there, out, 40)
    gpu.expect(out, table[tokens])
    gpu.launch("embedding_gradient", 6, 32, gradient, there, out, 40)
    expected = np.zeros_like(table)
    np.add.at(expected, tokens, table[tokens])
    gpu.expect(gradient, expected, rtol=1e-5, atol=1e-5)


@program
def max_pool(gpu):
    x = normal(gpu, 10, 24)
    out, places = gpu.empty((5, 12), "f4"), gpu.empty((5, 12), "i4")
    gpu.launch("max_pool", (2, 2), (8, 4), gpu.array(x), out, places, 24, 10)
    gpu.expect(out, x.reshape(5, 2, 12, 2).max((1, 3)))
    gpu.expect(x.ravel()[gpu.numpy(places)], gpu.numpy(out))


@program
def adam(gpu):
    weights, gradient = normal(gpu, 100), normal(gpu, 100)
    there, m, v = gpu.array(weights), gpu.zeros(100, "f4"), gpu.zeros(100, "f4")
    gpu.launch("adam", 2, 64, there, gpu.array(gradient), m, v, 0.01, 1, 100)
    gpu.expect(there, weights - 0.01 * np.sign(gradient), rtol=1e-3, atol=1e-4)


@program
def attention(gpu):
    queries, keys, values = normal(gpu, 3, 16), normal(gpu, 50, 16), normal(gpu, 50, 16)
    out = gpu.empty((3, 16), "f4")
    gpu.launch(
        "attention", 3, 32, gpu.array(queries), gpu.array(keys), gpu.array(values), out, 50, 16, shared=4 * (16 + 50)
    )
    gpu.expect(out, softmax_of(queries @ keys.T / 4) @ values, rtol=1e-3, atol=1e-4)
