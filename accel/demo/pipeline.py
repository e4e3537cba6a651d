"""The computation of the demo: tiles are copied to a device, filtered there by `accel.xp`, and gathered there.

The picture is swept twice, because the threshold of the second sweep needs the whole response of the first. In each
sweep a tile takes three steps, which share nothing but the tile: copy in, compute, copy out.
"""

from collections.abc import Callable
from math import prod

import accel
import accel.xp as xp
from accel.demo import filters
from accel.demo.findings import Findings
from accel.demo.pictures import Picture, Recipe
from accel.demo.tiles import Tile, cover, cut
from accel.demo.timeline import Timeline
from accel.xp import Array

__all__ = ["SIDE", "detect", "mark", "respond", "response_halo"]

SIDE = 256


def detect(
    picture: Picture,
    device: accel.Device,
    timeline: Timeline,
    *,
    side: int = SIDE,
    step: Callable[[], object] = lambda: None,
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
    step : callable
        Called after each tile of each sweep.

    Returns
    -------
    Findings
        On the host.
    """
    recipe, shape = picture.recipe, (picture.height, picture.width)
    source = xp.reshape(xp.asarray(accel.from_numpy(picture.pixels.reshape(-1))), (*shape, 3))
    tiles = list(cover(*shape, side))

    def sweep(
        copy_in: Callable[[Tile], Array], compute: Callable[[Array], Array], target: accel.AcceleratorDataContainer
    ) -> None:
        output = xp.reshape(xp.asarray(target), shape)
        for tile in tiles:
            label = f"row {tile.top}, column {tile.left}"
            with timeline.span("copy in", label):
                window = copy_in(tile)
            with timeline.span("compute", label):
                result = compute(window)
            with timeline.span("copy out", label):
                output[tile.index] = result
            step()

    with (
        accel.empty(prod(shape), "float64", device) as responses,
        accel.empty(prod(shape), "bool", device) as found,
    ):
        halo = response_halo(recipe)
        sweep(
            lambda tile: send(cut(source, tile, halo), device),
            lambda window: respond(window, recipe),
            responses,
        )
        ...
