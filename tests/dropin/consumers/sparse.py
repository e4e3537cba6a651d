"""sparse (PyData): from and to our arrays."""

import numpy as np
import sparse

X = np.where(np.random.default_rng(11).uniform(size=(4, 5)) > 0.6, 1.5, 0.0)


RETURNS_VALUES = {
    "COO.from_numpy": lambda a: sparse.COO.from_numpy(np.asarray(a(X))).todense(),
    "COO(array)": lambda a: sparse.COO(a(X)).todense(),
    "asarray": lambda a: sparse.asarray(a(X)).todense(),
    "GCXS": lambda a: sparse.GCXS(a(X)).todense(),
    "COO of coordinates": lambda a: sparse.COO(a([[0, 1], [2, 3]]), a([1.0, 2.0]), shape=(4, 5)).todense(),
    "matmul": lambda a: sparse.matmul(sparse.COO(X), a(X.T)),
    "tensordot": lambda a: sparse.tensordot(sparse.COO(X), a(X), axes=([0], [0])),
    "einsum": lambda a: sparse.einsum("ij,ij->i", sparse.COO(a(X)), sparse.COO(X)).todense(),
}
