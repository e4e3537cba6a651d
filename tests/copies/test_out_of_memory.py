"""A copy that runs out of memory has written nothing: it allocates all memory before it writes the first byte."""

import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import accel
from accel import copies
from accel.copies import Elements
from accel.errors import OutOfMemoryError
from accel.layout import Layout, Swizzle

# Memory of a copy comes from the system and goes back to it, so that a limit is met where it is asked for.
STRICT = {
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": "65536",
    "MALLOC_TOP_PAD_": "0",
    "MALLOC_TRIM_THRESHOLD_": "65536",
}


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space as Linux does")
def test_whatever_room_there_is_a_copy_is_done_or_its_target_is_as_it_was():
    script = Path(__file__).with_name("short_of_memory.py")
    done = subprocess.run(
        [sys.executable, script], check=False, capture_output=True, text=True, env={**os.environ, **STRICT}
    )
    assert (done.stdout.strip(), done.returncode) == ("22 kinds", 0), done.stderr


def test_a_swizzled_copy_needs_no_more_memory_for_more_elements():
    """It copies in chunks, with memory that is allocated once."""
    needed = []
    for side in (256, 512):
        ends = [accel.zeros(side * side, "float32") for _ in range(2)]
        layouts = Swizzle(3, 0, 3) @ Layout((side, side), (side, 1)), Swizzle(2, 1, 3) @ Layout((side, side))
        target, source = (accel.LayoutTensor(c, layout) for c, layout in zip(ends, layouts, strict=True))
        with accel.using(threads=1):
            target.copy_from(source)
            tracemalloc.start()
            target.copy_from(source)
            needed.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert needed[1] - needed[0] < 4096


def test_what_cannot_be_listed_or_read_is_out_of_memory():
    c = accel.zeros(1, "uint8")
    with pytest.raises(OutOfMemoryError, match=r"Unable to allocate|memory"):
        copies.read(Elements(c.storage, 0, ((1 << 45, 0),)))
    with pytest.raises(OutOfMemoryError, match=r"Unable to allocate|memory"):
        np.asarray(accel.LayoutTensor(c, Layout((1 << 45,), (0,))).to_numpy())
