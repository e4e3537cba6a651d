"""Programs that were written for NumPy only."""

import io

import numpy as np

rng = np.random.default_rng(15)
X = rng.normal(size=(5, 4))
V = rng.normal(size=8)
S = X.T @ X
N = rng.integers(0, 5, 12)


def game_of_life(a):
    """Count neighbours by rolling, as tutorials do."""
    board = a((X > 0).astype(int))
    for _ in range(3):
        neighbours = sum(
            np.roll(np.roll(board, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)
        )
        board = np.where((neighbours == 3) | ((board == 1) & (neighbours == 2)), 1, 0)
    return board


def gradient_descent(a):
    """Fit a line, with updates in place."""
    inputs, targets = a(X), a(X @ np.asarray([1.0, -2.0, 0.5, 3.0]))
    weights = np.zeros_like(inputs[0])
    for _ in range(20):
        errors = np.dot(inputs, weights) - targets
        weights -= 0.05 * np.dot(inputs.T, errors)
    return weights, np.mean(errors**2)


def power_iteration(a):
    vector = np.ones_like(a(S)[0])
    for _ in range(30):
        vector = a(S) @ vector
        vector = vector / np.linalg.norm(vector)
    return vector, vector @ a(S) @ vector


def heat(a):
    """Step the heat equation with slices and ``out=``."""
    field = a(X)
    for _ in range(5):
        lap = field[:-2, 1:-1] + field[2:, 1:-1] + field[1:-1, :-2] + field[1:-1, 2:] - 4 * field[1:-1, 1:-1]
        np.add(field[1:-1, 1:-1], 0.1 * lap, out=field[1:-1, 1:-1])
    return field


def loop(a):
    """Fill an array of NumPy element by element."""
    total = np.zeros(len(a(V)))
    for index, value in enumerate(a(V)):
        total[index] = value * 2
    return total


def k_means(a):
    points, centers = a(X), a(X[:2])
    for _ in range(3):
        distances = np.linalg.norm(points[:, None, :] - centers[None, :, :], axis=-1)
        nearest = np.argmin(distances, axis=1)
        centers = np.stack([points[nearest == k].mean(axis=0) for k in range(2)])
    return centers, nearest


def softmax(a):
    shifted = np.exp(a(X) - np.max(a(X), axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)


def polynomial(a):
    """Evaluate a polynomial by Horner's rule, starting from a number of NumPy."""
    result = np.float64(0.0)
    for coefficient in (2.0, -1.0, 0.5):
        result = result * a(V) + coefficient
    return result


def moving_average(a):
    sums = np.cumsum(a(V))
    return (sums[3:] - sums[:-3]) / 3.0


def saved(a):
    file = io.BytesIO()
    np.save(file, a(X))
    file.seek(0)
    return np.load(file)


def assigned(a):
    target = np.zeros((5, 4))
    target[...] = a(X)
    return target


def agree(a):
    np.testing.assert_allclose(a(X), X)
    np.testing.assert_array_equal(a(N), N)
    np.testing.assert_array_less(a(X), X + 1)
    return True


RETURNS_OURS = {
    "game of life": game_of_life,
    "gradient descent": gradient_descent,
    "power iteration": power_iteration,
    "heat equation": heat,
    "k-means": k_means,
    "softmax": softmax,
    "polynomial": polynomial,
    "moving average": moving_average,
    "np.concatenate, np.stack, np.vstack": lambda a: [f([a(X), a(X)]) for f in (np.concatenate, np.stack, np.vstack)],
    "np.einsum": lambda a: np.einsum("ij,kj->ik", a(X), a(X)),
    "np.linalg": lambda a: [
        np.linalg.inv(a(S)),
        np.linalg.det(a(S)),
        np.linalg.eigvalsh(a(S)),
        np.linalg.solve(a(S), a(S)),
    ],
    "np.fft": lambda a: np.abs(np.fft.rfft(a(V))),
    "np.pad": lambda a: np.pad(a(X), 1, mode="edge"),
    "np.histogram": lambda a: np.histogram(a(V), bins=3),
    "np.percentile, np.median": lambda a: [np.percentile(a(V), [25, 75]), np.median(a(X), axis=0)],
    "np.unique": lambda a: np.unique(a(N), return_counts=True),
    "np.bincount": lambda a: np.bincount(a(N)),
    "np.interp": lambda a: np.interp(a(V), a(np.arange(3.0)), a(np.arange(3.0) ** 2)),
    "np.gradient": lambda a: np.gradient(a(V)),
    "np.argsort, np.take": lambda a: np.take(a(V), np.argsort(a(V))),
    "np.where": lambda a: np.where(a(X) > 0, a(X), 0.0),
    "np.clip": lambda a: np.clip(a(X), -0.5, 0.5),
    "np.add.reduce, np.multiply.outer": lambda a: [np.add.reduce(a(X)), np.multiply.outer(a(V), a(V))],
    "np.modf": lambda a: np.modf(a(V)),
    "a number of NumPy times an array": lambda a: [np.float64(2.0) * a(X), a(X) * np.float64(2.0)],
    "methods": lambda a: [a(X).mean(axis=0), a(X).sum(), a(X).reshape(4, 5).T, a(X).std(ddof=1), a(X).argmax(axis=1)],
    "index arrays, masks": lambda a: [a(X)[[0, 2]], a(X)[a(X) > 0], a(X)[:, None, 1], a(X)[..., ::-1]],
}
RETURNS_VALUES = {
    "loop": loop,
    "np.save, np.load": saved,
    "np.testing": agree,
    "np.allclose": lambda a: bool(np.allclose(a(X), X)) and bool(np.array_equal(a(X), X)),
    "np.asarray, np.array": lambda a: [np.asarray(a(X)), np.array(a(X), dtype="float32"), np.array([a(V), a(V)])],
    "np.array of numbers": lambda a: np.array([float(v) for v in a(V)]),
    "assignment into an array of NumPy": assigned,
    "np.polyfit": lambda a: np.polyfit(a(V), a(V**2), 2),
    "np.shape, np.ndim, np.size": lambda a: [np.shape(a(X)), np.ndim(a(X)), np.size(a(X))],
    "len, range, list index": lambda a: [len(a(X)), list(range(a(N)[0])), [10, 20, 30, 40, 50][a(N)[1]]],
    "float, int, bool, format": lambda a: [float(a(V)[0]), int(a(N)[0]), bool(a(V)[0] > 0), f"{a(V)[0]:.3f}"],
    "tolist, item": lambda a: [a(X).tolist(), a(V)[2].item()],
    "max, min, sum, sorted of Python": lambda a: [float(f(a(V))) for f in (max, min, sum)],
}
