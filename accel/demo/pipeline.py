"""The computation of the demo: tiles are copied to a device, filtered there by `accel.xp`, and gathered there.

The picture is swept twice, because the threshold of the second sweep needs the whole response of the first. In each
sweep a tile takes three steps, which share nothing but the tile: copy in, compute, copy out. Tiles go by two streams in
turn, so one is copied in while the one before it is computed.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from math import prod

import accel
from accel import xp
from accel.demo import filters
from accel.demo.findings import Findings
from accel.demo.pictures import Picture, Recipe
from accel.demo.tiles import Tile, cover, cut
from accel.demo.timeline import Timeline
from accel.memory import Stream, Transfer
from accel.xp import Array

__all__ = ["SIDE", "SWEEPS", "detect", "halo", "join", "mark", "respond"]

SIDE = 256
SWEEPS = 2


def detect(
    picture: Picture,
    device: accel.Device,
    timeline: Timeline,
    *,
    side: int = SIDE,
    done: Callable[[], object] = lambda: None,
) -> Findings:
    """Find what the picture's recipe describes.

    Parameters
    ----------
    picture : Picture
        Pixels and recipe.
    device : Device
        Where to compute.
    timeline : Timeline
        Takes the time of each step.
    side : int
        Height and width of a tile; the result does not depend on it.
    done : callable
        Called after each tile of each sweep.

    Returns
    -------
    Findings
        On the host.
    """
    recipe, shape = picture.recipe, picture.shape
    streams = accel.new_stream(device), accel.new_stream(device)
    sweep = partial(_sweep, list(cover(*shape, side)), streams, timeline, done)
    with (
        accel.from_numpy(picture.pixels.reshape(-1)) as pixels,
        accel.empty(prod(shape), "float64", device) as responses,
        accel.empty(prod(shape), "bool", device) as marks,
    ):
        source = xp.reshape(xp.asarray(pixels), (*shape, 3))
        response, found = (xp.reshape(xp.asarray(container), shape) for container in (responses, marks))
        sweep(
            copy_in=lambda tile, stream: _send(cut(source, tile, halo(recipe)), device, stream),
            compute=partial(respond, recipe),
            output=response,
        )
        join(streams)
        with streams[0], timeline.span("compute", "threshold"):
            centre, spread = filters.robust_level(response[xp.isfinite(response)])
            threshold = centre + recipe.level * spread
        join(streams)
        sweep(
            copy_in=lambda tile, stream: _take(response, tile, recipe.reach, stream),
            compute=partial(mark, recipe, threshold),
            output=found,
        )
        for stream in streams:
            stream.close()
        with timeline.span("copy out", "whole picture"):
            return Findings(
                responses.to_numpy().reshape(shape),
                marks.to_numpy().reshape(shape),
                *(float(level) for level in (centre, spread, threshold)),
            )


def halo(recipe: Recipe) -> int:
    """Return how many pixels around a tile its response depends on."""
    return recipe.background + len(filters.bell(recipe.sigma)) - 1


def respond(recipe: Recipe, pixels: Array) -> Array:
    """Return how much each pixel stands out; minus infinity where the picture shows nothing.

    Parameters
    ----------
    recipe : Recipe
        What to look for.
    pixels : Array
        A tile with a `halo`.
    """
    light = filters.luminance(pixels)
    shown = xp.astype(light >= recipe.floor, xp.float64)
    total, area = (filters.box_sum(part, recipe.background) for part in (light * shown, shown))
    contrast = filters.inner(light, recipe.background) - total / xp.maximum(area, xp.ones_like(area))
    shown_there = filters.inner(shown, recipe.background)
    response = filters.gaussian(recipe.sign * contrast * shown_there, recipe.sigma)
    square = filters.box_sum(filters.inner(shown, halo(recipe) - recipe.inset), recipe.inset)
    return xp.where(square == (2 * recipe.inset + 1) ** 2, response, -xp.inf)


def mark(recipe: Recipe, threshold: Array, response: Array) -> Array:
    """Tell which pixels of a tile are detections, given its response and ``recipe.reach`` pixels around it."""
    if recipe.shape == "points":
        crest = filters.peaks(response, recipe.reach)
    else:
        crest = filters.ridges(xp.where(xp.isfinite(response), response, 0.0))
    return crest & (filters.inner(response, recipe.reach) > threshold)


def join(streams: Sequence[Stream]) -> None:
    """Let what each stream does next start after all that the others were given so far."""
    points = [stream.record() for stream in streams]
    for stream in streams:
        for point in points:
            stream.wait_for(point)


@dataclass(frozen=True, slots=True)
class _Arrival:
    """A tile on its way to where it is computed."""

    tile: Tile
    stream: Stream
    window: Array
    transfer: Transfer | None = None


def _sweep(
    tiles: Iterable[Tile],
    streams: Sequence[Stream],
    timeline: Timeline,
    done: Callable[[], object],
    *,
    copy_in: Callable[[Tile, Stream], tuple[Array, Transfer | None]],
    compute: Callable[[Array], Array],
    output: Array,
) -> None:
    ahead: deque[_Arrival] = deque()
    for tile, stream in zip(tiles, cycle(streams), strict=False):
        with timeline.span("copy in", _label(tile)):
            ahead.append(_Arrival(tile, stream, *copy_in(tile, stream)))
        if len(ahead) == len(streams):
            _finish(ahead.popleft(), timeline, compute, output)
            done()
    while ahead:
        _finish(ahead.popleft(), timeline, compute, output)
        done()


def _finish(arrival: _Arrival, timeline: Timeline, compute: Callable[[Array], Array], output: Array) -> None:
    label = _label(arrival.tile)
    with arrival.stream:
        with timeline.span("compute", label):
            result = compute(arrival.window)
        with timeline.span("copy out", label):
            output[arrival.tile.index] = result
    if arrival.transfer is not None:
        timeline.add_transfer(arrival.transfer, label)


def _label(tile: Tile) -> str:
    return f"row {tile.top}, column {tile.left}"


def _take(source: Array, tile: Tile, halo: int, stream: Stream) -> tuple[Array, None]:
    """Cut a tile out of an array that is already on the device."""
    with stream:
        return cut(source, tile, halo), None


def _send(window: Array, device: accel.Device, stream: Stream) -> tuple[Array, Transfer]:
    """Let a stream copy a host array to a device; return it there, with its transfer."""
    with accel.empty(prod(window.shape), "uint8", "cpu") as staged:
        xp.asarray(staged)[...] = xp.reshape(window, (-1,))
        there = accel.empty(staged.size, "uint8", device)
        transfer = there.copy_from_async(staged, stream=stream)
        return xp.reshape(xp.asarray(there), window.shape), transfer
