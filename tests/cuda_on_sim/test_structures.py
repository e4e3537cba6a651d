"""The structures and constants that Python shares with the runtime are those of the runtime's headers."""

import ctypes
import shlex
import subprocess

import pytest
from accel.backends.cuda_on_cpu.build.machine_files import API, HEADERS
from accel.backends.cuda_on_cpu.launch import structures
from accel.backends.cuda_on_cpu.programs import child

from .checks import setups

STRUCTURES = [
    structures.Dim, structures.Range, structures.Shared, structures.Place, structures.Finding, structures.Standing,
    structures.Segments, structures.Launch, child.Origin, child.Image, child.Host,
]  # fmt: skip
CONSTANTS = {
    **{kind.name: kind.value for kind in structures.Kind},
    **{f"SPACE_{space.name}": space.value for space in structures.Space},
    **{mode.name: mode.value for mode in structures.Mode},
    **{f"CHECK_{name.upper().replace('-', '_')}": bit for name, bit in structures.CHECKS.items()},
    "MemoryKind::VARIABLE": child.VARIABLE,
}


def asserted(cls):
    """Yield what the compiler asserts of a structure: its size, and the place and the size of each field."""
    name = cls.__name__
    yield f"sizeof({name}) == {ctypes.sizeof(cls)}", name
    for field, _ in cls._fields_:
        here = getattr(cls, field)
        yield f"offsetof({name}, {field}) == {here.offset}", f"{name}.{field}"
        yield f"sizeof((({name}*)nullptr)->{field}) == {here.size}", f"{name}.{field}"


def complaints(asserts, folder, setup):
    """Return what a compiler says about assertions in the namespace of the runtime."""
    lines = [f'static_assert({condition}, "{name}");' for condition, name in asserts]
    probe = folder / "probe.cpp"
    head = f'#include <cstddef>\n#include "{API / "api.h"}"\nnamespace accel_sim {{\n'
    probe.write_text(head + "\n".join(lines) + "\n}\n")
    words = [*shlex.split(setup.compiler), "-std=c++17", "-I", str(HEADERS), "-c", str(probe), "-o", f"{probe}.o"]
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    assert bool(done.stderr) == bool(done.returncode), done.stderr
    return done.stderr


def test_structures_have_the_sizes_and_fields_of_the_headers(setup, tmp_path):
    asserts = [each for cls in STRUCTURES for each in asserted(cls)]
    assert not complaints(asserts, tmp_path, setup)


def test_constants_have_the_values_of_the_headers(setup, tmp_path):
    asserts = [(f"uint32_t({name}) == {value}", name) for name, value in CONSTANTS.items()]
    assert not complaints(asserts, tmp_path, setup)


class Shared(ctypes.Structure):
    """Two fields in another order."""

    _fields_ = [("size", ctypes.c_uint64), ("offset", ctypes.c_uint64), ("guard", ctypes.c_uint64)]


class Dim(ctypes.Structure):
    """Two fields of another size, in a structure of the same size."""

    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_ushort), ("z", ctypes.c_uint)]


class Range(ctypes.Structure):
    """A field is missing."""

    _fields_ = structures.Range._fields_[:-2]


@pytest.mark.parametrize(
    ("cls", "words"), [(Shared, ["Shared.size", "Shared.offset"]), (Dim, ["Dim.y"]), (Range, ["Range"])]
)
def test_a_structure_that_differs_is_named_with_its_field(cls, words, tmp_path):
    text = complaints(asserted(cls), tmp_path, setups()[0])
    assert [word for word in words if word not in text] == []


@pytest.mark.parametrize("cls", [structures.Launch, structures.Finding, structures.Range, child.Host, child.Image])
def test_no_structure_has_padding_that_a_field_of_the_header_could_be_in(cls):
    assert sum(getattr(cls, field).size for field, _ in cls._fields_) == ctypes.sizeof(cls)
