"""The computation of the demo: tiles are copied to a device, filtered there by `accel.xp`, and gathered there.

The picture is swept twice, because the threshold of the second sweep needs the whole response of the first. Tiles go
by two streams in turn: while one is computed, the copy of the next is under way on the other stream.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from math import prod

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
        sweep(partial(_send, source, halo(recipe), device, timeline), partial(respond, recipe), response)
        join(streams)
        with timeline.step(streams[0], "compute", "threshold"):
            centre, spread = filters.robust_level(response[xp.isfinite(response)])
            threshold = centre + recipe.level * spread
        join(streams)
        sweep(partial(_take, response, recipe.reach, timeline), partial(mark, recipe, threshold), found)
        for stream in streams:
            stream.close()
        timeline.collect()
        with timeline.span("copy out", "whole picture"):
            levels = map(float, (centre, spread, threshold))
            return Findings(responses.to_numpy().reshape(shape), marks.to_numpy().reshape(shape), *levels)


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
    coming = next(arrivals, None)
    while coming is not None:
        here = coming
        here.wait(timeline)
        # This starts the next copy, right before there is something to compute meanwhile.
        coming = next(arrivals, None)
        with timeline.step(here.stream, "compute", str(here.tile)):
            output[here.tile.index] = compute(here.window)
        done()


def _send(
    picture: Array, halo: int, device: accel.Device, timeline: Timeline, tile: Tile, stream: Stream
) -> tuple[Array, Transfer]:
    """Cut a tile out of a picture on the host, and let a stream copy it to a device."""
    with timeline.span("cut", str(tile)):
        window = cut(picture, tile, halo)
        there = accel.empty(window.size, "uint8", device)
        arriving = xp.reshape(xp.asarray(there), window.shape)
    with xp.reshape(window, (-1,)).container() as staged:
        return arriving, there.copy_from_async(staged, stream=stream)


def _take(source: Array, halo: int, timeline: Timeline, tile: Tile, stream: Stream) -> tuple[Array, None]:
    """Cut a tile out of an array that is on the device already."""
    with timeline.step(stream, "cut", str(tile)):
        return cut(source, tile, halo), None
