"""What the module that stands for CuPy computes on the host: `cupyx.scipy`, random numbers, and what pools say."""

import numpy as np
import pytest
import scipy
import scipy.sparse

import accel
from accel import xp
from accel.testing import cupy_on_sim
from accel.testing.cupy_simulation.scipy_names import NAMES
from accel.testing.cupy_simulation.sparse import spmatrix
from accel.testing.simulation import drop


@pytest.fixture
def cp():
    """The module that stands for CuPy."""
    drop()
    with cupy_on_sim() as cupy:
        yield cupy
    drop()


@pytest.fixture
def sparse(cp):
    import cupyx.scipy.sparse

    return cupyx.scipy.sparse


@pytest.fixture
def matrix():
    """A sparse matrix of SciPy."""
    return scipy.sparse.random(5, 5, 0.5, "csr", random_state=3) + scipy.sparse.eye(5, format="csr")


def same(actual, expected):
    """Compare an array or a matrix of the device with that of SciPy."""
    if isinstance(actual, spmatrix):
        assert actual.format == expected.format
        actual, expected = actual.toarray(), expected.toarray()
    expected = np.asarray(expected)
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(np.asarray(actual.to_device("cpu")), expected)


def test_functions_of_scipy_take_and_return_arrays_of_the_device_and_copies_are_counted(cp):
    from cupyx.scipy import fft, linalg, ndimage, signal, special, stats

    x = np.random.default_rng(1).random(16)
    given = cp.asarray(x)
    before = xp.host_copies()
    same(ndimage.gaussian_filter(given, 1.0), scipy.ndimage.gaussian_filter(x, 1.0))
    same(signal.fftconvolve(given, given), scipy.signal.fftconvolve(x, x))
    same(signal.lfilter(*signal.butter(2, 0.2), given), scipy.signal.lfilter(*scipy.signal.butter(2, 0.2), x))
    same(fft.dct(given), scipy.fft.dct(x))
    same(linalg.toeplitz(given), scipy.linalg.toeplitz(x))
    same(stats.zscore(given), scipy.stats.zscore(x))
    assert (xp.host_copies() - before).copies >= 7
    assert all("test_cupy_on_host.py" in place for place in (xp.host_copies() - before).places)
    same(special.gammaln(given), scipy.special.gammaln(x))
    labels, count = ndimage.label(given > 0.5)
    same(labels, scipy.ndimage.label(x > 0.5)[0])
    assert count == scipy.ndimage.label(x > 0.5)[1]


def test_results_are_written_to_the_array_that_is_given(cp):
    from cupyx.scipy import ndimage

    x, out = cp.arange(8.0), cp.zeros(8, "f4")
    assert ndimage.uniform_filter(x, 3, output=out) is out
    same(out, scipy.ndimage.uniform_filter(np.arange(8.0), 3, output="f4"))


def test_names_are_those_of_cupy(cp):
    from cupyx.scipy import signal

    with pytest.raises(AttributeError, match=r"cupyx\.scipy\.signal\.no_such is not simulated; call that of SciPy"):
        _ = signal.no_such
    with pytest.raises(AttributeError, match="ShortTimeFFT"):
        _ = signal.ShortTimeFFT


def test_trees_and_operators_take_arrays_of_the_device(cp, sparse, matrix):
    from cupyx.scipy.sparse import linalg
    from cupyx.scipy.spatial import KDTree

    points = np.random.default_rng(2).random((9, 2))
    distances, places = KDTree(cp.asarray(points)).query(cp.asarray(points + 0.01))
    expected = scipy.spatial.KDTree(points).query(points + 0.01)
    same(distances, expected[0])
    same(places, expected[1])
    seen = []

    def twice(v):
        seen.append(isinstance(v, cp.ndarray))
        return 2 * v

    operator = linalg.LinearOperator((5, 5), matvec=twice, dtype=float)
    assert isinstance(operator, linalg.LinearOperator)
    same(operator @ cp.arange(5.0), np.arange(5.0) * 2)
    solution, info = linalg.cg(operator, cp.ones(5), tol=1e-9)
    same(solution, np.full(5, 0.5))
    assert (info, all(seen)) == (0, True)
    with pytest.raises(accel.errors.CapabilityError, match="pass functions"):
        type("Mine", (linalg.LinearOperator,), {})
    rows = sparse.csr_matrix(matrix)
    same(linalg.spsolve(rows, cp.ones(5)), scipy.sparse.linalg.spsolve(matrix, np.ones(5)))
    same(linalg.splu(rows.tocsc()).solve(cp.ones(5)), scipy.sparse.linalg.spsolve(matrix, np.ones(5)))


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "dia"])
def test_sparse_matrices_compute_as_those_of_scipy(cp, sparse, matrix, form):
    native = matrix.asformat(form)
    kind = getattr(sparse, f"{form}_matrix")
    x, dense = np.arange(5.0), np.arange(15.0).reshape(5, 3)
    for ours in (kind(native), kind(cp.asarray(native.toarray()))):
        assert isinstance(ours, kind)
        assert isinstance(ours, sparse.spmatrix)
        assert (sparse.issparse(ours), getattr(sparse, f"isspmatrix_{form}")(ours)) == (True, True)
        assert (ours.shape, ours.nnz, ours.dtype, ours.ndim) == (native.shape, native.nnz, native.dtype, 2)
        assert ours.data.device is accel.Device.SIM
        same(ours, native)
        same(ours @ cp.asarray(x), native @ x)
        same(cp.asarray(x) @ ours, x @ native)
        same(ours.dot(cp.asarray(dense)), native @ dense)
        same(ours @ ours.T, native @ native.T)
        same(ours * 2 - ours, native * 2 - native)
        same(-ours, -native)
        same(abs(ours), abs(native))
        same(ours.sum(axis=0), native.sum(axis=0))
        same(ours.sum(), native.sum())
        same(ours.diagonal(), native.diagonal())
        same(ours.astype("f4"), native.astype("f4"))
        for other in ("csr", "csc", "coo", "dia"):
            same(getattr(ours, f"to{other}")(), native.asformat(other))
        copy = ours.copy()
        copy.data *= 2
        same(copy, native * 2)
        same(ours, native)
        assert scipy.sparse.issparse(ours.get())
        with pytest.raises(TypeError, match="length is ambiguous"):
            len(ours)


def test_sparse_matrices_are_made_of_arrays_and_changed(cp, sparse, matrix):
    parts = [cp.asarray(part) for part in (matrix.data, matrix.indices, matrix.indptr)]
    ours = sparse.csr_matrix(tuple(parts), shape=matrix.shape)
    same(ours[1:3, ::2], matrix[1:3, ::2])
    same(ours[2, 3], matrix[2, 3])
    native = matrix.copy()
    for each in (ours, native):
        each.setdiag(7)
    same(ours, native)
    coordinates = sparse.coo_matrix((cp.ones(3), (cp.asarray([0, 0, 1]), cp.asarray([1, 1, 0]))), shape=(2, 2))
    coordinates.sum_duplicates()
    assert coordinates.nnz == 2
    same(coordinates, scipy.sparse.coo_matrix(np.array([[0, 2.0], [1, 0]])))
    same(sparse.hstack([ours, sparse.eye(5)], format="csr"), scipy.sparse.hstack([native, scipy.sparse.eye(5)], "csr"))
    for wrong in (cp.ones((2, 2), "i4"), scipy.sparse.eye(2, dtype="i8")):
        with pytest.raises(ValueError, match="Only bool, float32, float64, complex64 and complex128"):
            sparse.csr_matrix(wrong)
    with pytest.raises(AttributeError, match=r"csr_matrix\.nothing"):
        _ = ours.nothing


def test_all_names_of_scipy_that_this_version_has_are_found(cp):
    missing = []
    for module, names in NAMES.items():
        stands_for = __import__(f"cupyx.scipy.{module}", fromlist=["_"])
        native = __import__(f"scipy.{module}", fromlist=["_"])
        missing += [name for name in names.split() if hasattr(native, name) and not hasattr(stands_for, name)]
    assert missing == []


def test_random_functions_take_dtypes_and_arrays(cp):
    random = cp.random
    for numbers in (
        random.random((2, 3), np.float32),
        random.rand(2, 3, dtype="f4"),
        random.standard_normal((2, 3), np.float32),
        random.normal(cp.zeros((2, 3)), 1, dtype=np.float32),
        random.RandomState(3).uniform(0, 1, (2, 3), np.float32),
        random.default_rng(3).random((2, 3), dtype=np.float32),
    ):
        assert (numbers.shape, numbers.dtype, numbers.device) == ((2, 3), np.float32, accel.Device.SIM)
    assert random.rand().shape == ()
    integers = random.random_integers(2, size=100)
    assert {*integers.get().tolist()} == {1, 2}
    x = cp.arange(20)
    random.shuffle(x)
    assert sorted(x.get().tolist()) == list(range(20))
    assert sorted(random.permutation(x).get().tolist()) == list(range(20))
    state = random.RandomState(5)
    random.set_random_state(state)
    assert random.get_random_state() is state
    same(random.rand(3), np.random.RandomState(5).rand(3))
    with pytest.raises(TypeError, match="must be an instance of RandomState"):
        random.set_random_state(5)
    with pytest.raises(AttributeError, match="has no normal; there are beta"):
        random.default_rng(1).normal()
    for source in (random.XORWOW, random.MRG32k3a, random.Philox4x3210):
        same(random.Generator(source(4)).random(2), np.random.default_rng(4).random(2))


def test_allocators_and_limits_are_taken(cp):
    pool = cp.cuda.MemoryPool(cp.cuda.malloc_managed)
    cp.cuda.set_allocator(pool.malloc)
    with cp.cuda.using_allocator(pool.malloc):
        assert cp.cuda.alloc(16).ptr
    cp.get_default_pinned_memory_pool().free_all_blocks()
    pool.set_limit(size=1 << 20)
    assert pool.get_limit() == 1 << 20
    pool.set_limit(fraction=0.5)
    assert 0 < pool.get_limit() <= accel.config.current().sim_memory
    for wrong in ({"size": 1, "fraction": 0.5}, {"fraction": 2}, {"size": -1}):
        with pytest.raises(ValueError, match=r"size|fraction"):
            pool.set_limit(**wrong)
