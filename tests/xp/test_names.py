"""Names, signatures and annotations of the namespace; its stubs are tested in tests/test_stubs.py."""

import inspect
import traceback
import typing
from pathlib import Path

import numpy as np
import pytest

import accel
from accel import xp
from accel.xp import numpy_signatures

from ..tables import rows

SECTIONS = ["", "linalg", "fft"]
OURS = {
    "Array": "the class, for annotations",
    "cuda": "CuPy's names of devices and streams",
    "default_device": "constants on a device without device=",
    "host_copies": "the count of implicit copies to the host",
    "random": "generators of random numbers",
    "special": "the extension that SciPy asks for",
}
THEIRS = {
    "__version__": "that library's",
    "ArrayAPIStrictFlags": "a setting of that library",
    "get_array_api_strict_flags": "a setting of that library",
    "reset_array_api_strict_flags": "a setting of that library",
    "set_array_api_strict_flags": "a setting of that library",
}
FORGOTTEN = {"eig", "eigvals"}  # array_api_strict has them, but not in its __all__
ADDED = {
    *(("linalg", name) for name in numpy_signatures.LINALG_NAMES),
    *(("", name) for names in numpy_signatures.NAMES for name in names.split()),
}
"""NumPy's names, by section."""
OTHER_DEFAULTS = {
    ("astype", "device"): "strict has a marker where the standard has None",
    ("from_dlpack", "device"): "strict has a marker where the standard has None",
    ("from_dlpack", "copy"): "strict has a marker where the standard has None",
}


def section(library, name):
    return getattr(library, name) if name else library


FUNCTIONS = [
    (part, name)
    for part in SECTIONS
    for name in section(xp, part).__all__
    if inspect.isfunction(getattr(section(xp, part), name))
]


@pytest.mark.parametrize("name", SECTIONS)
def test_names_are_those_of_the_standard(name, strict):
    ours, theirs = (set(section(library, name).__all__) for library in (xp, strict))
    theirs |= {forgotten for forgotten in FORGOTTEN if hasattr(section(strict, name), forgotten)}
    added = {each for part, each in ADDED if part == name}
    assert ours - theirs == (added if name else added | set(OURS))
    assert theirs - ours == (set() if name else set(THEIRS))


@pytest.mark.parametrize("name", SECTIONS)
def test_every_public_name_is_there_once(name):
    part = section(xp, name)
    assert len(part.__all__) == len(set(part.__all__))
    assert all(hasattr(part, public) for public in part.__all__)


def parameters(function, name):
    return {
        each.name: (each.kind, None if (name, each.name) in OTHER_DEFAULTS else each.default)
        for each in inspect.signature(function).parameters.values()
    }


OTHER_SIGNATURES = {"where", "linspace", "squeeze"}
"""Functions with an optional parameter that the standard requires."""


def numpys(part, name):
    """Return the parameters of NumPy's function of a name."""
    function = getattr(section(np, part), name, None)
    return set() if function is None or isinstance(function, np.ufunc) else {*inspect.signature(function).parameters}


@rows(("part", "name"), [each for each in FUNCTIONS if each[1] not in OURS and each not in ADDED])
def test_signatures_are_those_of_strict(part, name, strict):
    """Operands by position have NumPy's names, options can be given by position too; other parameters are NumPy's."""
    ours, theirs = (parameters(getattr(section(library, part), name), name) for library in (xp, strict))
    operands = [each for each, (kind, _) in theirs.items() if kind is inspect.Parameter.POSITIONAL_ONLY]
    renamed = dict(zip(operands, ours, strict=False))
    expected = {renamed.get(each, each): value for each, value in theirs.items()}
    assert ours.keys() - expected.keys() <= numpys(part, name) | {"out", "options"}
    required = [each for each, (kind, _) in expected.items() if kind is not inspect.Parameter.KEYWORD_ONLY]
    assert list(ours)[: len(required)] == required
    for each, (kind, default) in expected.items():
        assert ours[each][0] in (kind, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        assert ours[each][1] == default or name in OTHER_SIGNATURES


@rows(("part", "name"), FUNCTIONS)
def test_functions_say_what_they_are(part, name):
    function = getattr(section(xp, part), name)
    if function.__module__.startswith("numpy"):
        return
    assert function.__doc__.rstrip().partition("\n")[0].endswith(".")
    assert function.__name__ in (name, "namespace_info")
    if (part, name) in ADDED:
        return  # the parameters are NumPy's
    assert typing.get_type_hints(function)["return"] is not None
    assert typing.get_type_hints(function).get("keepdims", bool) is bool


def test_no_name_of_the_namespace_is_a_module_of_the_room():
    modules = {path.stem for path in Path(xp.__file__).parent.glob("*.py")} - {
        "cuda",
        "fft",
        "linalg",
        "random",
        "special",
        "__init__",
    }
    assert not modules & set(xp.__all__)


@pytest.mark.parametrize(
    ("fail", "line"),
    [
        (lambda x: x + np.ones(7), "result = self._native + other"),
        (lambda x: xp.broadcast_to(x, (7,)), "library.namespace.broadcast_to(native_x, shape)"),
        (xp.linalg.inv, "library.namespace.linalg.inv(native_a)"),
    ],
)
def test_tracebacks_show_the_lines_of_compiled_functions(fail, line):
    with pytest.raises(ValueError, match=r"shape|dimension") as caught:
        fail(xp.ones(3))
    assert line in "".join(traceback.format_exception(caught.value))


def test_source_of_compiled_functions_can_be_read():
    assert inspect.getsource(xp.sin).startswith(
        "def sin(x: Array, /, out: Array | None=None, **options: Any) -> Array:"
    )
    assert inspect.getsource(xp.Array.__add__).startswith("def __add__(self, other, /):")


def test_compiled_functions_say_where_they_are():
    assert (xp.sin.__module__, xp.linalg.inv.__module__) == ("accel.xp", "accel.xp.linalg")
    assert (xp.Array.__add__.__module__, xp.Array.__add__.__qualname__) == ("accel.xp.arrays", "Array.__add__")
    assert xp.Array.__radd__.__name__ == "__radd__"


def test_the_namespace_imports_no_heavy_library(python):
    heavy = "{'numba', 'scipy', 'cupy', 'torch', 'ml_dtypes'}"
    assert python(f"import sys, accel.xp as xp; xp.ones(3) + 1; print({heavy} & set(sys.modules))") == "set()"


def test_xp_is_a_room_of_the_front_door():
    assert accel.xp is xp


def test_constants():
    assert (xp.e, xp.pi, xp.inf, xp.newaxis) == (np.e, np.pi, np.inf, None)
    assert np.isnan(xp.nan)
    assert xp.__array_api_version__ == "2025.12"


def test_the_class_of_arrays_has_at_most_four_ancestors():
    assert len(xp.Array.__mro__) - 1 <= 4, [base.__name__ for base in xp.Array.__mro__[1:]]
