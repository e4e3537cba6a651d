"""Names that NumPy, CuPy, PyTorch and JAX have and accel lacks or calls otherwise: what to write for each."""

from collections.abc import Container, Mapping
from types import MappingProxyType

__all__ = ["MEMBERS", "of_array", "of_container", "of_function"]

_FUNCTIONS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("as_tensor", "asanyarray", "ascontiguousarray", "from_numpy", "tensor"), "asarray(values)"),
        "cat": "concat(arrays)",
        "clamp": "clip(x, low, high)",
        "default_rng": "random.default_rng()",
        "device_put": "asarray(values, device='sim')",
        "double": "float64",
        "float": "float64",
        "float_": "float64",
        "half": "float16",
        "int": "int64",
        "int_": "int64",
        "long": "int64",
        "permute": "permute_dims(x, axes)",
        "rand": "random.default_rng().random(3)",
        "randn": "random.default_rng().standard_normal(3)",
        "single": "float32",
        "unsqueeze": "expand_dims(x, axis=0)",
    }
)
_HOST = dict.fromkeys(("asnumpy", "device_get"), "x.to_device('cpu').to_numpy()")

_MEMBERS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("clone", "contiguous"), "x.copy()"),
        "data_ptr": "x.storage",
        **dict.fromkeys(("double", "type"), "x.astype('float64')"),
        **dict.fromkeys(("int", "long"), "x.astype('int64')"),
        "cpu": "x.to_device('cpu')",
        "detach": "x.view()",
        "dim": "x.ndim",
        "element_size": "x.itemsize",
        "float": "x.astype('float32')",
        "half": "x.astype('float16')",
        "numel": "x.size",
        "to": "x.to_device('cpu')",
        "permute": "x.transpose(axes)",
        "unsqueeze": "xp.expand_dims(x, axis=0)",
    }
)
_OF_NUMPY: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("base", "data"), "x.storage"),
        "getfield": "x.view('uint8')",
        "resize": "xp.resize(x, shape) to repeat the elements, or xp.pad(x, 1) for zeros around them",
        "setfield": "x.view('uint8')[...] = value",
        "setflags": "x.copy() to write to elements that are read-only",
    }
)
"""What to write for members of NumPy's arrays; for all others NumPy's array is named."""
_ACCELERATORS = frozenset({"cuda", "gpu"})
_VALUES = frozenset({"asnumpy", "get", "numpy"})
MEMBERS = _ACCELERATORS | _VALUES | _MEMBERS.keys()
"""The names of methods and attributes that only other libraries than NumPy have."""


def of_function(name: str, offered: Container[str], of_numpy: Container[str], namespace: str) -> str:
    """Return what to write for a function that a namespace of arrays lacks, as the end of an error; empty if unknown.

    Parameters
    ----------
    name : str
        The name that was asked for.
    offered, of_numpy : container of str
        The names of `accel.xp`, and NumPy's.
    namespace : str
        How `accel.xp` is written.
    """
    if name in _HOST:
        return f"; write {_HOST[name]}"
    found = name if name in offered else _FUNCTIONS.get(name)
    if found is not None:
        return f"; write {namespace}.{found}"
    return f"; NumPy's takes arrays on the host: write numpy.{name}" if name in of_numpy else ""


def of_array(name: str, functions: Container[str], of_numpy: Container[str], accelerator: str, *, on_host: bool) -> str:
    """Return what to write for a method or attribute that arrays lack, as the end of an error; empty if unknown.

    Parameters
    ----------
    name : str
        The name that was asked for.
    functions, of_numpy : container of str
        The names of `accel.xp`, and those of NumPy's arrays.
    accelerator : str
        A device of this machine to which arrays can be moved.
    on_host : bool
        Whether the array is on the host.
    """
    values = "x.to_numpy()" if on_host else "x.to_device('cpu').to_numpy()"
    if name in _ACCELERATORS:
        return f"; write x.to_device({accelerator!r})"
    if name in _VALUES:
        return f"; write {values}"
    if name in _MEMBERS:
        return f"; write {_MEMBERS[name]}"
    if name in _OF_NUMPY:
        return f"; write {_OF_NUMPY[name]}"
    if name in functions:
        return f"; write xp.{name}(x)"
    host = "numpy.asarray(x)" if on_host else values  # on the host the memory is the same
    return f"; write {host}.{name}" if name in of_numpy else ""


def of_container(name: str, of_numpy: Container[str]) -> str:
    """Return what to write for a method or attribute that containers lack, as the end of an error; empty if unknown."""
    if name in _VALUES or name == "detach":
        return "; write c.to_numpy()"
    if name == "cpu":
        return "; write c.to('cpu')"
    if name in _ACCELERATORS:
        return "; write c.to(device), with one of accel.Device.available()"
    return f"; a container is flat memory: write accel.xp.asarray(c).{name}" if name in of_numpy else ""
