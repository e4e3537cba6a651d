"""Views: the cost of a tile, an element, a slice, a sum over tiles, a fill and a copy.

python benchmarks/views.py [--quick]
"""

import argparse
from collections.abc import Mapping
from importlib.util import find_spec

import numpy as np
from timing import medians, report

import accel
from accel.layout import row_major
from accel.views import BufferView, LayoutTensor, NDBuffer


def handles(number: int, rounds: int) -> Mapping[str, float]:
    """Microseconds to make a view or read an element, and NumPy's in the same run."""
    container = accel.zeros(64 * 64, "float32")
    array = container.to_numpy().reshape(64, 64)
    tensor = LayoutTensor(container, row_major(64, 64))
    buffer, flat = NDBuffer(container, (64, 64)), BufferView(container)
    times = medians(
        {
            "a cached tile (aim 1.5)": lambda: tensor.tile((8, 8), (1, 2)),
            "rival: NumPy's slice": lambda: array[8:16, 16:24],
            "t[i, j] (aim 0.6)": lambda: tensor[3, 4],
            "rival: NumPy's a[i, j]": lambda: array[3, 4],
            "NDBuffer b[i, j]": lambda: buffer[3, 4],
            "a slice of a BufferView (aim 1)": lambda: flat[8:24],
            "BufferView v[i]": lambda: flat[7],
            "c[8:24]": lambda: container[8:24],
            "distribute over 32 threads": lambda: tensor.distribute(row_major(8, 4), 5),
            "vectorize(1, 4)": lambda: tensor.vectorize(1, 4),
            **_rival(),
        },
        number=number,
        rounds=rounds,
    )
    return {f"{name}, us": time / 1e3 for name, time in times.items()}


def _rival() -> dict[str, object]:
    """Return a call that divides a layout into tiles with tensor-layouts; nothing if that is not installed."""
    if find_spec("tensor_layouts") is None:
        return {}
    from tensor_layouts import Layout, logical_divide

    layout, tile = Layout((64, 64), (64, 1)), Layout(8, 1)
    return {"rival: divide of tensor-layouts": lambda: logical_divide(layout, tile)}


def tile_sums(rounds: int) -> Mapping[str, float]:
    """Sum a 4096 x 4096 tensor by tiles of 32 x 32, and by slices of NumPy."""
    side, step = 4096, 32
    container = accel.full(side * side, 1.0, "float32")
    array = container.to_numpy().reshape(side, side)
    tensor = LayoutTensor(container, row_major(side, side))
    places = [(i, j) for i in range(side // step) for j in range(side // step)]

    def by_tiles() -> float:
        return float(sum([np.asarray(tensor.tile((step, step), place)).sum() for place in places]))

    def by_slices() -> float:
        return float(sum([array[i * step : (i + 1) * step, j * step : (j + 1) * step].sum() for i, j in places]))

    assert by_tiles() == by_slices() == side * side
    times = medians({"tiles": by_tiles, "slices": by_slices}, number=1, rounds=rounds)
    return {
        "tiles, ms": times["tiles"] / 1e6,
        "rival: slices of NumPy, ms": times["slices"] / 1e6,
        "more a tile, us (aim 1.5)": (times["tiles"] - times["slices"]) / len(places) / 1e3,
    }


def bulk(rounds: int) -> Mapping[str, float]:
    """Fill and copy 64 MiB; the speed as a ratio to NumPy's."""
    size, side = 1 << 24, 4096
    one, other = (LayoutTensor(accel.zeros(size, "float32"), row_major(side, side)) for _ in range(2))
    array, source = (np.ones(size, np.float32) for _ in range(2))  # zeros would be one page read again and again
    times = medians(
        {
            "fill": lambda: one.fill(1.0),
            "numpy fill": lambda: array.fill(1.0),
            "copy": lambda: one.copy_from(other),
            "numpy copy": lambda: np.copyto(array, source),
        },
        number=1,
        rounds=rounds,
    )
    return {
        "fill of NumPy's (aim 0.9)": times["numpy fill"] / times["fill"],
        "copy_from of NumPy's (aim 0.9)": times["numpy copy"] / times["copy"],
        "copy_from, GB/s": 2 * 4 * size / times["copy"],
    }


def main() -> None:
    """Print all results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    quick = parser.parse_args().quick
    report(
        "views",
        {
            "handles": handles(200 if quick else 2000, 5 if quick else 25),
            "sum over tiles": tile_sums(2 if quick else 9),
            "64 MiB": bulk(3 if quick else 15),
        },
    )


if __name__ == "__main__":
    main()
