"""The CSS of the map in the report, and its legend."""

from accel.demo.stores.county_map import AREAS, TILE_COLORS

__all__ = ["STYLE", "legend"]

_GREENS = ("#e3efdd", "#c5e2c3", "#9ccea4", "#68b087", "#3a8d74", "#1c6963", "#0c4650")
_TILES = ("#c9b37e", "#7ea6c9", "#b98a9e", "#86b58a", "#a79bc7", "#d09a76")
assert len(_TILES) == TILE_COLORS


def _fills(kind: str, colors: tuple[str, ...], within: str = "") -> str:
    return "".join(f"{within} .map .{kind}{at} {{ fill: {color}; }}\n" for at, color in enumerate(colors))


STYLE = f"""
.map {{ display: block; width: 100%; min-width: 560px; height: auto; margin-top: .75rem; }}
.map path {{ stroke: var(--card); stroke-width: .6; }}
.map path:hover {{ stroke: var(--ink); stroke-width: 3; }}
.map .cities {{ fill: none; stroke: #b3261e; stroke-width: 3.2; stroke-linecap: round; pointer-events: none; }}
figure .toggle {{ margin: 1rem 1.25rem 0 0; }}
figure:has(#with-cities:not(:checked)) .cities {{ display: none; }}
details svg {{ height: auto; margin-top: .5rem; border-radius: 8px; }}
summary {{ cursor: pointer; color: var(--soft); }}
.legend {{ display: flex; flex-wrap: wrap; gap: .25rem 1rem; font-size: .85rem; color: var(--soft); }}
.legend i {{ display: inline-block; width: 1.1em; height: 1.1em; margin-right: .4em; vertical-align: -.2em; }}
figure:has(#by-tile:checked) .legend {{ visibility: hidden; }}
{_fills("a", _GREENS)}{_fills("t", _TILES, "figure:has(#by-tile:checked)")}"""


def legend() -> str:
    """Return what the colors of areas mean."""
    limits = [*(f"to {limit:,}" for limit in AREAS), f"over {AREAS[-1]:,}"]
    keys = (
        f'<span><i style="background:{color}"></i>{limit}</span>' for color, limit in zip(_GREENS, limits, strict=True)
    )
    return f'<div class="legend"><span>Area in km²:</span>{"".join(keys)}</div>\n'
