"""What notebooks show of containers, views, stores, partitions, arrays, kernels and fused functions."""

from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import accel
from accel import store, views, xp
from accel.pictures.html import card, preformatted, source

RAW = 'extern "C" __global__ void scale_raw(float* x, float by) { if (1 < 2) x[0] *= by; }'


@accel.kernel
def halved(x):
    for i in range(x.size):
        if 0 < x[i] < 9:
            x[i] /= 2


@accel.fuse
def squared(x):
    return x * x if x.ndim < 9 else x


class Text(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.tags, self.words = [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.words.append(data)


def shown(x):
    """Return the line about an object, and all text below it."""
    page = x._repr_html_()
    first = ET.fromstring(page)
    assert first.tag == "details"
    assert first.get("open")
    assert "script" not in Text(page).tags
    line = "".join(first.find("summary").itertext())
    return line, "".join(first.itertext()).removeprefix(line)


def test_a_container(device):
    line, values = shown(accel.container([1, 2, 3], "float32", device=device))
    assert line.startswith(f"AcceleratorDataContainer size 3, dtype float32, device {device}, 12 bytes, managed")
    assert values == "[1., 2., 3.]"


def test_a_container_without_elements():
    assert shown(accel.AcceleratorDataContainer())[0].startswith("AcceleratorDataContainer size 0")


def test_a_released_container():
    c = accel.zeros(3)
    c.release()
    assert shown(c) == ("AcceleratorDataContainer released, size 3, dtype float64", "")


@pytest.mark.parametrize("kind", [views.NDBuffer, views.DynamicRankBuffer])
def test_a_buffer_of_axes(device, kind):
    c = accel.container(np.arange(6), "int32", device=device)
    made = kind(c, (2, 3)) if kind is views.NDBuffer else kind(c, 2, (2, 3), "int32")
    line, values = shown(made)
    assert line == f"{kind.__name__} shape 2x3, offset 0, dtype int32, device {device}, 24 bytes"
    assert values.split() == ["[[0,", "1,", "2],", "[3,", "4,", "5]]"]


def test_a_part_of_a_container(device):
    c = accel.container(np.arange(8), "float64", device=device)
    assert shown(c[2:4]) == (f"BufferView shape 2, offset 2, dtype float64, device {device}, 16 bytes", "[2., 3.]")
    view = c[2:4]
    c.release()
    assert shown(view) == ("BufferView shape 2, offset 2, dtype float64", "released")


def test_a_store_and_its_memory():
    made = store.from_array(np.arange(4))
    line, values = shown(made)
    assert line.startswith("LogicalStore of int64, shape (4,)")
    assert "[0, 1, 2, 3]" in values
    line, values = shown(made.get_physical_store())
    assert line.startswith("PhysicalStore of int64, shape (4,), ")
    assert "0" in values


def test_a_store_that_was_never_written():
    assert shown(store.create_store("int8", (2, 2)))[0].startswith("LogicalStore of int8, shape (2, 2)")


def test_a_partition():
    line, tiles = shown(store.from_array(np.arange(5)).partition_by_tiling([2]))
    assert line == "LogicalStorePartition (3,) tiles of (2,)"
    assert "(2,)(4,)(1,)" in tiles
    _, tiles = shown(store.from_array(np.arange(50)).partition_by_tiling([1]))
    assert "the first 20; there are 30 more" in tiles
    assert tiles.count("(1,)\n") == 20


def test_a_kernel_says_for_what_it_was_compiled():
    assert "not compiled yet" in shown(accel.kernel(halved.__wrapped__))[1]
    halved(accel.zeros(3))
    line, text = shown(halved)
    assert line == "halved kernel"
    assert "cpuhalved(x: float64[:])" in text
    assert "if 0 < x[i] < 9:" in text


def test_a_fused_function():
    squared(xp.ones(3))
    line, text = shown(squared)
    assert line == "squared (x), fused, 1 trace"
    assert "x.ndim < 9" in text


def test_a_function_without_a_text():
    made = {}
    exec("def made(x): return x + x", made)
    assert "source" not in shown(accel.fuse(made["made"]))[1]


def test_a_kernel_in_cuda():
    line, text = shown(accel.RawKernel.from_source(RAW, options=["-DN=<3>"]))
    assert line.startswith("scale_raw (")
    assert line.endswith("with -DN=<3>")
    assert RAW in text


def test_what_users_write_is_escaped():
    page = card("<b>", "&amp; <script>", preformatted("</pre><script>"), source("</details><i>"))
    assert Text(page).tags == ["details", "summary", "b", "pre", "details", "summary", "pre"]
    assert "".join(Text(page).words) == "<b> &amp; <script></pre><script>source</details><i>"
