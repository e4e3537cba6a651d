"""`cupyx.scipy.sparse`: matrices whose arrays are on a simulated device; SciPy computes with them on the host."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from accel import xp
from accel.errors import CapabilityError
from accel.testing.cupy_simulation.host_calls import adopters, on_device, on_host, through_host
from accel.xp.arrays import Array

__all__ = ["sparse_members", "spmatrix"]

_PARTS = {
    "csr": ("data", "indices", "indptr"),
    "csc": ("data", "indices", "indptr"),
    "coo": ("data", "row", "col"),
    "dia": ("data", "offsets"),
}
_TYPES = "?fdFD"
_FUNCTIONS = """
    block_array block_diag bmat diags diags_array eye eye_array find hstack identity kron kronsum permute_dims rand
    random random_array spdiags swapaxes tril triu vstack
"""
_IN_PLACE = {"eliminate_zeros", "prune", "setdiag", "sort_indices", "sum_duplicates", "set_shape"}
_OPERATORS = """
    add radd sub rsub mul rmul matmul rmatmul truediv pow neg abs eq ne lt le gt ge
"""


class spmatrix:  # noqa: N801 - CuPy's name
    """Stands for `cupyx.scipy.sparse.spmatrix`, and is the class of all sparse matrices."""

    format: ClassVar[str] = ""
    name: ClassVar[str] = ""
    __array_priority__ = 101
    __array_ufunc__ = None
    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    _shape: tuple[int, ...]

    def __init__(self, arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False) -> None:
        self._take(self._constructor()(on_host(arg1, self.name), shape=shape, dtype=dtype, copy=copy))

    @classmethod
    def _constructor(cls) -> Any:
        return getattr(_scipy_sparse(), cls.name)

    def _take(self, native: Any) -> None:
        """Take the elements of a matrix of SciPy."""
        if native.dtype.char not in _TYPES:
            raise ValueError(
                f"Only bool, float32, float64, complex64 and complex128 are supported; found {native.dtype}: write "
                f"x.astype('float64')"
            )
        self._shape = tuple(native.shape)
        for part in _PARTS[self.format]:
            setattr(self, part, xp.asarray(np.asarray(getattr(native, part))))

    def __accel_host__(self, what: str) -> Any:
        """Return the matrix of SciPy."""
        parts = [on_host(getattr(self, part), what) for part in _PARTS[self.format]]
        given = (parts[0], tuple(parts[1:])) if self.format == "coo" else tuple(parts)
        return self._constructor()(given, shape=self._shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape."""
        return self._shape

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        data: Array = self.data
        return data.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._shape)

    @property
    def nnz(self) -> int:
        """How many elements are stored."""
        return int(self.getnnz())

    @property
    def size(self) -> int:
        """How many elements are stored."""
        return self.nnz

    @property
    def device(self) -> Any:
        """The device of the elements."""
        return self.data.device

    def get(self, stream: Any = None) -> Any:
        """Return the matrix of SciPy."""
        return self.__accel_host__(f"{self.name}.get")

    def getnnz(self, axis: Any = None) -> Any:
        """Return how many elements are stored, of all axes or along one."""
        if axis is None and self.format != "dia":
            return int(self.data.shape[0])
        native = self.__accel_host__(f"{self.name}.getnnz")
        return on_device(native.getnnz(axis=axis)) if axis is not None else int(native.nnz)

    def toarray(self, order: Any = None, out: Any = None) -> Any:
        """Return an array with all elements."""
        return through_host(lambda each: each.toarray(), f"{self.name}.toarray")(
            self, **({} if out is None else {"out": out})
        )

    todense = toarray

    def copy(self) -> Any:
        """Return a copy."""
        other = type(self).__new__(type(self))
        other._shape = self._shape
        for part in _PARTS[self.format]:
            setattr(other, part, getattr(self, part).copy())
        return other

    @property
    def T(self) -> Any:  # noqa: N802 - CuPy's name
        """The transpose."""
        return self.transpose()

    @property
    def H(self) -> Any:  # noqa: N802 - CuPy's name
        """The conjugate transpose."""
        return self.transpose().conj()

    @property
    def A(self) -> Any:  # noqa: N802 - CuPy's name
        """An array with all elements."""
        return self.toarray()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in _PARTS[self.format]:
            raise AttributeError(name)
        member = getattr(self._constructor(), name, None)
        if member is None:
            raise AttributeError(f"{self.name}.{name} is not there: SciPy's {self.name} has no such name")
        if not callable(member):
            return on_device(getattr(self.__accel_host__(f"{self.name}.{name}"), name))
        return self._changing(name) if name in _IN_PLACE else self._calling(name)

    def _calling(self, name: str) -> Callable[..., Any]:
        """Return a method of SciPy."""
        return lambda *arguments, **keywords: through_host(
            lambda native, *others, **rest: getattr(native, name)(*others, **rest), f"{self.name}.{name}"
        )(self, *arguments, **keywords)

    def _changing(self, name: str) -> Callable[..., None]:
        """Return a method of SciPy that changes the matrix."""

        def change(*arguments: Any, **keywords: Any) -> None:
            what = f"{self.name}.{name}"
            native = self.__accel_host__(what)
            getattr(native, name)(*on_host(arguments, what), **on_host(keywords, what))
            self._take(native)

        return change

    def __getitem__(self, key: Any) -> Any:
        return self._calling("__getitem__")(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._changing("__setitem__")(key, value)

    def __len__(self) -> int:
        raise TypeError("sparse matrix length is ambiguous; use getnnz() or shape[0]")

    def __bool__(self) -> bool:
        if self._shape == (1, 1):
            return self.nnz != 0
        raise ValueError("The truth value of an array with more than one element is ambiguous.")

    def __repr__(self) -> str:
        return f"<{self.name} of shape {self._shape}, {self.dtype}, on {self.device}>"


def _operator(name: str) -> Callable[..., Any]:
    def operate(self: spmatrix, *others: Any) -> Any:
        return self._calling(name)(*others)

    operate.__name__ = name
    return operate


for _name in _OPERATORS.split():
    setattr(spmatrix, f"__{_name}__", _operator(f"__{_name}__"))


def _class(name: str) -> type[spmatrix]:
    return type(name, (spmatrix,), {"name": name, "format": name[:3], "__doc__": f"Stands for ``{name}`` of CuPy."})


_CLASSES = {f"{form}_{kind}": _class(f"{form}_{kind}") for form in _PARTS for kind in ("matrix", "array")}


def _adopted(value: Any) -> spmatrix | None:
    """Return what stands for a matrix of SciPy; one of a format that CuPy does not have is in rows."""
    form = getattr(value, "format", None)
    if not isinstance(form, str) or not type(value).__module__.startswith("scipy.sparse"):
        return None
    kind = "array" if type(value).__name__.endswith("array") else "matrix"
    native = value if form in _PARTS else value.tocsr()
    cls = _CLASSES[f"{native.format}_{kind}"]
    matrix = cls.__new__(cls)
    matrix._take(native)
    return matrix


adopters.append(_adopted)


def _scipy_sparse() -> Any:
    try:
        from scipy import sparse
    except ImportError:
        raise CapabilityError("sparse matrices are SciPy's, of which there is none; pip install scipy") from None
    return sparse


def _is(form: str) -> Callable[[Any], bool]:
    return lambda x: isinstance(x, spmatrix) and form in ("", x.format)


def sparse_members() -> dict[str, Any]:
    """Return the members of `cupyx.scipy.sparse`."""
    functions = {name: through_host(_late(name), f"scipy.sparse.{name}") for name in _FUNCTIONS.split()}
    tests = {f"isspmatrix{suffix}": _is(suffix[1:]) for suffix in ("", *[f"_{form}" for form in _PARTS])}
    return {**_CLASSES, **functions, **tests, "issparse": _is(""), "spmatrix": spmatrix}


def _late(name: str) -> Callable[..., Any]:
    def call(*arguments: Any, **keywords: Any) -> Any:
        return getattr(_scipy_sparse(), name)(*arguments, **keywords)

    return call
