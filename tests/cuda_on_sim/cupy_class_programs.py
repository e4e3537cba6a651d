"""Programs with subclasses of `cupy.ndarray`, as `cupy_programs` has those with kernels."""

import copy
import pickle

import numpy as np
import pytest

from .cupy_programs import same

__all__ = ["CLASS_PROGRAMS"]


def classes(cp):
    """Return a subclass with an attribute that its views and results take over, and a subclass of that."""

    class Mesh(cp.ndarray):
        unit = "none"

        def __new__(cls, shape, dtype=float, unit="m"):
            made = cp.ndarray.__new__(cls, shape, dtype)
            made.unit = unit
            return made

        def __array_finalize__(self, obj):
            self.unit = getattr(obj, "unit", "none")

    class Fine(Mesh):
        pass

    return Mesh, Fine


def mesh_of(cp, values, unit="m"):
    """Return a mesh with some values."""
    values = np.asarray(values)
    made = classes(cp)[0](values.shape, values.dtype, unit)
    made[...] = cp.asarray(values)
    return made


def kind(cp, x):
    """Return the name of the class of an array, and its unit; it is an array of CuPy."""
    assert isinstance(x, cp.ndarray)
    assert issubclass(type(x), cp.ndarray)
    return type(x).__name__, getattr(x, "unit", None)


X = np.arange(6.0).reshape(2, 3)


def views_have_the_class_of_their_array(cp):
    m = mesh_of(cp, X)
    views = {
        "index": (m[1], X[1]),
        "element": (m[1, 2], X[1, 2]),
        "slice": (m[:, ::2], X[:, ::2]),
        "new axis": (m[None], X[None]),
        "transpose": (m.T, X.T),
        "reshape": (m.reshape(3, 2), X.reshape(3, 2)),
        "ravel": (m.ravel(), X.ravel()),
        "squeeze": (m[None].squeeze(), X),
        "swapaxes": (m.swapaxes(0, 1), X.T),
        "view": (m.view(), X),
        "bytes": (m.view(np.int64), X.view(np.int64)),
        "broadcast": (cp.broadcast_to(m, (2, 2, 3)), np.broadcast_to(X, (2, 2, 3))),
        "expand": (cp.expand_dims(m, 0), X[None]),
        "moveaxis": (cp.moveaxis(m, 0, 1), X.T),
        "row": (list(m)[1], X[1]),
        "half": (cp.split(m, 2)[1], X[1:]),
        "real": (m.real, X),
    }
    for name, (view, expected) in views.items():
        assert kind(cp, view) == ("Mesh", "m"), name
        same(cp, view, expected)
    m[1][...] = 7
    m.T[0, 0] = 8
    same(cp, m, [[8.0, 1, 2], [7, 7, 7]])


def elementwise_results_have_the_class_of_the_first_operand_with_one(cp):
    m, x = mesh_of(cp, X + 1), cp.asarray(X + 1)
    results = [
        *(m + 1, 1 - m, m + x, x + m, x / m, m**2, m // 2, -m, abs(m), m > 2, x < m, m == x),
        *(cp.add(x, m), cp.sqrt(m), cp.maximum(m, 0), cp.isnan(m), cp.where(x > 2, m, x), m.clip(0, 1), m.round()),
        *(np.sqrt(m), np.add(m, x), *divmod(m, 2), cp.diff(m), cp.flip(m)),
    ]
    assert {kind(cp, result) for result in results} == {("Mesh", "m")}
    same(cp, x / m, np.ones((2, 3)))
    same(cp, x - 2 * m, -X - 1)
    same(cp, np.add(m, x), 2 * X + 2)
    mesh, fine = (cls(3) for cls in classes(cp))
    assert [type(a + b).__name__ for a, b in [(mesh, fine), (fine, mesh)]] == ["Mesh", "Fine"]


def other_results_are_plain(cp):
    m = mesh_of(cp, X)
    results = [
        *(m.sum(), m.sum(axis=0), cp.sum(m), np.sum(m), m.max(), m.mean(0), m.std(), m.argmax(), m.cumsum(), m.all()),
        *(m.copy(), m.astype("f4"), m.flatten(), cp.array(m), copy.copy(m), copy.deepcopy(m), m[m > 1]),
        *(m[cp.asarray(np.array([0]))], m.take(0, axis=0), m.repeat(2), *m.nonzero(), cp.trace(m)),
        *(cp.concatenate([m, m]), cp.stack([m, m]), cp.zeros_like(m), cp.full_like(m, 2), cp.roll(m, 1), cp.pad(m, 1)),
        *(m.view(cp.ndarray), pickle.loads(pickle.dumps(m)), cp.linalg.norm(m), cp.add.reduce(m)),
    ]
    assert {kind(cp, result) for result in results} == {("ndarray", None)}
    same(cp, m.sum(axis=0), X.sum(axis=0))
    same(cp, m[m > 1], X[X > 1])
    same(cp, cp.concatenate([m, m]), np.concatenate([X, X]))
    assert isinstance(m.get(), np.ndarray)


def what_is_no_new_array_is_the_array_itself(cp):
    m, x = mesh_of(cp, X), cp.asarray(X)
    for call in (cp.asarray, cp.asanyarray, cp.ascontiguousarray, cp.atleast_2d):
        assert call(m) is m
    assert cp.add(x, x, out=m) is m
    assert cp.add(m, m, out=x) is x
    same(cp, x, 4 * X)
    before = m
    m += 1
    m *= 2
    assert m is before
    assert kind(cp, m) == ("Mesh", "m")
    same(cp, m, 4 * X + 2)
    m.fill(3)
    same(cp, m, np.full((2, 3), 3.0))


def views_change_the_class(cp):
    mesh, fine = classes(cp)
    x = cp.asarray(X)
    m = x.view(mesh)
    assert kind(cp, m) == ("Mesh", "none")
    m.unit = "km"
    assert kind(cp, m.view(fine)) == ("Fine", "km")
    assert kind(cp, x.view(np.int64, mesh)) == kind(cp, x.view(dtype=np.int64, type=mesh)) == ("Mesh", "none")
    m[0] = 9
    same(cp, x, [[9.0, 9, 9], [3, 4, 5]])
    assert type(x.view(cp.ndarray)) is type(x)


def arrays_are_finalised_with_what_they_are_made_of(cp):
    seen = []

    class Seen(cp.ndarray):
        def __array_finalize__(self, obj):
            seen.append(None if obj is None else type(obj).__name__)

    made = Seen((2, 3))
    assert seen == [None]
    seen.clear()
    made[0]
    assert seen == ["Seen"]
    seen.clear()
    cp.ones(3).view(Seen)
    assert seen == ["ndarray"]


def numpys_functions_of_a_class_with_its_own_ufuncs(cp):
    class Counted(cp.ndarray):
        calls = ()

        def __array_ufunc__(self, function, method, *inputs, **keywords):
            Counted.calls += (function.__name__,)
            inputs = [each.view(cp.ndarray) if isinstance(each, Counted) else each for each in inputs]
            return super().__array_ufunc__(function, method, *inputs, **keywords).view(Counted)

    x = Counted((3,))
    x[...] = cp.asarray(np.arange(3.0))
    y = cp.asarray(np.arange(3.0))
    asked = (x + 1, x > 1, x < 1, x // 2, np.add(x, 1), np.float64(2) * x)
    assert [type(result) for result in asked] == [Counted] * 6
    assert Counted.calls == ("add", "greater", "less", "floor_divide", "add", "multiply")
    others = (x + y, y + x, 1 + x, -x, abs(x), x < y, cp.add(x, 1))  # CuPy computes these itself
    assert [type(result) for result in others] == [Counted] * 7
    x += 0
    assert len(Counted.calls) == 6
    same(cp, np.float64(2) * x, [0.0, 2.0, 4.0])


def kernels_take_arrays_of_subclasses(cp):
    m = mesh_of(cp, X)
    doubled = cp.ElementwiseKernel("T x", "T y", "y = 2 * x", "doubled")
    total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
    assert kind(cp, doubled(m)) == kind(cp, total(m)) == ("ndarray", None)
    same(cp, doubled(m), 2 * X)
    same(cp, total(m), X.sum())
    assert doubled(cp.asarray(X), m) is m
    same(cp, m, 2 * X)
    raw = cp.RawKernel('extern "C" __global__ void add(double* x) { x[threadIdx.x] += 1; }', "add")
    raw((1,), (6,), (m,))
    same(cp, m, 2 * X + 1)


def what_subclasses_are_not_made_of(cp):
    with pytest.raises(NotImplementedError):
        cp.array(mesh_of(cp, X), subok=True)
    assert cp.ndarray.__module__ == "cupy"
    assert type(cp.ones(1)).__module__ == "cupy"
    assert type(cp.ones(1)).__name__ == "ndarray"


def arrays_are_shown_as_those_of_numpy(cp):
    for values in (X, X[0, 0], X[:, :0], X.astype(complex), X > 2):
        x = cp.asarray(values)
        assert (repr(x), str(x)) == (repr(np.asarray(values)), str(np.asarray(values)))
    assert f"{cp.asarray(1.25):.1f}" == "1.2"
    assert repr(mesh_of(cp, X)) == repr(X)


CLASS_PROGRAMS = {
    program.__name__: program
    for program in (
        views_have_the_class_of_their_array,
        elementwise_results_have_the_class_of_the_first_operand_with_one,
        other_results_are_plain,
        what_is_no_new_array_is_the_array_itself,
        views_change_the_class,
        arrays_are_finalised_with_what_they_are_made_of,
        numpys_functions_of_a_class_with_its_own_ufuncs,
        arrays_are_shown_as_those_of_numpy,
        kernels_take_arrays_of_subclasses,
        what_subclasses_are_not_made_of,
    )
}
"""The programs by their names."""
