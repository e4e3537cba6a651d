"""The computation of the demo: tiles are copied to a device, filtered there, and assembled there.

There are two sweeps over the picture, because the threshold of the second needs the whole response of the first. Tiles
alternate between two streams: while one stream computes a tile, the other copies the next tile.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle
from math import prod

import numpy as np

import accel
from accel import xp
from accel.abc import Stream
from accel.copies import Transfer
from accel.demo import filters
from accel.demo.findings import Findings
from accel.demo.pictures import Picture, Recipe
from accel.demo.tiles import Tile, cover, cut
from accel.demo.timeline import Timeline
from accel.xp import Array

__all__ = ["SIDE", "SWEEPS", "detect", "halo", "join", "mark", "prepare", "respond"]

SIDE = 256
SWEEPS = 2


def prepare(picture: Picture, device: accel.Device) -> None:
    """Compute the middle of a picture: this compiles the kernels, or reads them from the cache."""
    middle = tuple(slice(max(length - SIDE, 0) // 2, (length + SIDE) // 2) for length in picture.shape)
    detect(replace(picture, pixels=np.ascontiguousarray(picture.pixels[middle])), device, Timeline())


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
        The time of each step is recorded here.
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
    streams = accel.new_stream(device, timed=True), accel.new_stream(device, timed=True)
    sweep = partial(_sweep, list(cover(*shape, side)), streams, timeline, done)
    with (
        accel.from_numpy(picture.pixels.reshape(-1)) as pixels,
        accel.empty(prod(shape), "float64", device) as responses,
        accel.empty(prod(shape), "bool", device) as marks,
    ):
        source = xp.reshape(xp.asarray(pixels), (*shape, 3))
        response, marked = (xp.reshape(xp.asarray(container), shape) for container in (responses, marks))
        sweep(partial(_send, source, halo(recipe), device, timeline), partial(respond, recipe), response)
        join(streams)
        with timeline.step(streams[0], "compute", "threshold"):
            centre, spread = filters.robust_level(response[xp.isfinite(response)])
            threshold = centre + recipe.level * spread
        join(streams)
        sweep(partial(_take, response, recipe.reach, timeline), partial(mark, recipe, threshold), marked)
        for stream in streams:
            stream.close()
        timeline.collect()
        with timeline.span("copy out", "whole picture"):
            levels = map(float, (centre, spread, threshold))
            return Findings(responses.to_numpy().reshape(shape), marks.to_numpy().reshape(shape), *levels)


def halo(recipe: Recipe) -> int:
    """Return how many pixels beyond the edges of a tile its response depends on."""
    return recipe.background + len(filters.gaussian_weights(recipe.sigma)) - 1


def respond(recipe: Recipe, pixels: Array) -> Array:
    """Return how much each pixel stands out; minus infinity where the picture shows nothing.

    Parameters
    ----------
    recipe : Recipe
        What to look for.
    pixels : Array
        A tile with a `halo`.
    """
    light, shown, light_shown = _lit(recipe, pixels)
    total, area = (filters.box_sum(part, recipe.background) for part in (light_shown, shown))
    contrast = _contrast(recipe, light, shown, total, area)
    square = filters.box_sum(filters.inner(shown, halo(recipe) - recipe.inset), recipe.inset)
    response = filters.gaussian(contrast, recipe.sigma)
    # Last, because the host waits where an array is used that a kernel writes.
    return xp.where(square == (2 * recipe.inset + 1) ** 2, response, -xp.inf)


@accel.fuse(static="recipe", fallback="eager")
def _lit(recipe: Recipe, pixels: Array) -> tuple[Array, Array, Array]:
    """Return the luminance, which pixels the picture shows, and the luminance of these alone."""
    light = filters.luminance(pixels)
    shown = xp.astype(light >= recipe.floor, xp.float64)
    return light, shown, light * shown


@accel.fuse(static="recipe", fallback="eager")
def _contrast(recipe: Recipe, light: Array, shown: Array, total: Array, area: Array) -> Array:
    """Return how much brighter, or darker, pixels are than what is around them."""
    contrast = filters.inner(light, recipe.background) - total / xp.maximum(area, xp.ones_like(area))
    return recipe.sign * contrast * filters.inner(shown, recipe.background)


def mark(recipe: Recipe, threshold: Array, response: Array) -> Array:
    """Return a mask of the detections in a tile; ``response`` has ``recipe.reach`` more pixels on each side."""
    above = filters.inner(response, recipe.reach) > threshold
    if recipe.shape == "points":
        crest = filters.peaks(response, recipe.reach)
    else:
        crest = filters.ridges(xp.where(xp.isfinite(response), response, 0.0))
    return above & crest


def join(streams: Sequence[Stream]) -> None:
    """Make each stream wait for all work that was submitted to the others so far."""
    events = [stream.record() for stream in streams]
    for stream in streams:
        for event in events:
            stream.wait_for(event)


@dataclass(frozen=True, slots=True)
class _Arrival:
    """A tile whose pixels are being copied to the device."""

    tile: Tile
    stream: Stream
    window: Array
    transfer: Transfer | None

    def wait(self, timeline: Timeline) -> None:
        if self.transfer is not None:
            self.transfer.wait()
            timeline.add_transfer(self.transfer, str(self.tile))


def _sweep(
    tiles: Iterable[Tile],
    streams: Sequence[Stream],
    timeline: Timeline,
    done: Callable[[], object],
    copy_in: Callable[[Tile, Stream], tuple[Array, Transfer | None]],
    compute: Callable[[Array], Array],
    output: Array,
) -> None:
    turns = zip(tiles, cycle(streams), strict=False)
    arrivals = (_Arrival(tile, stream, *copy_in(tile, stream)) for tile, stream in turns)
    upcoming = next(arrivals, None)
    while upcoming is not None:
        current = upcoming
        current.wait(timeline)
        # This starts the next copy, which runs while the current tile is computed.
        upcoming = next(arrivals, None)
        with timeline.step(current.stream, "compute", str(current.tile)):
            output[current.tile.index] = compute(current.window)
        done()


def _send(
    picture: Array, halo: int, device: accel.Device, timeline: Timeline, tile: Tile, stream: Stream
) -> tuple[Array, Transfer]:
    """Cut a tile out of a picture on the host, and submit its copy to a device on a stream."""
    with timeline.span("cut", str(tile)):
        window = cut(picture, tile, halo)
        there = accel.empty(window.size, "uint8", device)
        arriving = xp.reshape(xp.asarray(there), window.shape)
    with xp.reshape(window, (-1,)).container() as staged:
        return arriving, there.copy_from_async(staged, stream=stream)


def _take(source: Array, halo: int, timeline: Timeline, tile: Tile, stream: Stream) -> tuple[Array, None]:
    """Cut a tile out of an array that is already on the device."""
    with timeline.step(stream, "cut", str(tile)):
        return cut(source, tile, halo), None
