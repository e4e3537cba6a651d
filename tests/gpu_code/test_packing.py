"""The arguments of a kernel have the same bytes in each way to pack them."""

import numpy as np
from accel.backends.cupy.device_code import FormPacking, Packing, kernel_parameters
from hypothesis import given
from hypothesis import strategies as st

from accel.dtypes import supported
from accel.ir import INDEX, Assign, Number

from .pieces import POSITION, const, load, local, loop, program, store, view

DTYPES = sorted({dtype for dtype in supported() if dtype.name[:6] != "float8"}, key=str)


def added(dtypes):
    """Return a program with two views, of which it uses some extents and strides, and with numbers."""
    source, target = view("source", "float64", 2, writable=False), view("target", "float32", 1)
    numbers = [Number(f"s{number}", dtype) for number, dtype in enumerate(dtypes)]
    uses = [
        Assign(local(f"v{number}", each.dtype), local(each.name, each.dtype)) for number, each in enumerate(numbers)
    ]
    return program(
        "added", [source, target, *numbers], loop(target, *uses, store(target, load(source, const(0), POSITION)))
    )


def test_extents_and_strides_that_are_not_used_are_no_parameters():
    declared = [each.text for each in kernel_parameters(added([INDEX]))]
    assert declared == [
        "const f64* source_",
        "index_t source_stride0",
        "index_t source_stride1",
        "f32* target_",
        "i64 target_extent0",
        "index_t target_stride0",
        "i64 s0_",
    ]


@given(st.lists(st.sampled_from(DTYPES), max_size=4), st.data())
def test_arguments_with_known_forms_have_the_same_bytes(dtypes, data):
    whole = st.integers(0, (1 << 63) - 1)
    each = added(dtypes)
    addresses, forms = data.draw(st.lists(whole, min_size=2, max_size=2)), [[3, 4, -8, 1], [5, 2]]
    numbers = [dtype.type(data.draw(st.integers(0, 1))).item() for dtype in dtypes]
    arguments = [addresses[0], *forms[0], addresses[1], *forms[1], *numbers]
    found, own = [], (data.draw(whole), 7)
    for packing in (Packing(each, "QI"), FormPacking(each, "QI", arguments)):
        memory = bytearray(packing.nbytes)
        if isinstance(packing, FormPacking):
            packing.write_forms(memory)
            packing.write(memory, addresses, numbers, own)
        else:
            packing.write(memory, arguments, own)
        sizes = [np.dtype("int64" if p.number is None else p.number.dtype).itemsize for p in kernel_parameters(each)]
        sizes += [8, 4]
        found.append([bytes(memory[at : at + size]) for at, size in zip(packing.offsets, sizes, strict=True)])
    assert found[0] == found[1]


def test_a_program_of_one_view_without_numbers_is_packed():
    only = view("only", "int32")
    packing = Packing(program("one", [only], loop(only)), "")
    memory = bytearray(packing.nbytes)
    packing.write(memory, [5, 7, 1], ())
    assert memory == b"".join(each.to_bytes(8, "little") for each in (5, 7))
