"""Pictures with the detections drawn on them."""

import base64
import io
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from accel.demo.findings import Detection, Findings
from accel.demo.pictures import Picture

__all__ = ["annotated", "data_uri", "png"]

_FINE = 4  # rings are drawn this much larger and then shrunk, to smooth their edges
_RING = (255, 214, 102)
_LINE = (64, 255, 226)
_LABEL = (255, 255, 255)


def annotated(picture: Picture, findings: Findings, leading: Iterable[Detection]) -> Image.Image:
    """Return the picture with its detections drawn and the leading ones numbered from 1.

    Each point gets a ring, which is wider the stronger its response. Pixels of lines are coloured, more opaque the
    stronger their response.
    """
    image = Image.fromarray(picture.pixels)
    if picture.recipe.shape == "points":
        image.paste(_RING, mask=_rings(findings))
    else:
        image.paste(_LINE, mask=_lines(findings))
    for number, detection in enumerate(leading, 1):
        _write(image, str(number), detection, findings)
    return image


def png(image: Image.Image) -> bytes:
    """Return the image as a PNG file."""
    return _encoded(image, "PNG")


def data_uri(image: Image.Image) -> str:
    """Return the image as a JPEG file in a ``data:`` URL."""
    text = base64.b64encode(_encoded(image, "JPEG", quality=88, subsampling=0)).decode("ascii")
    return f"data:image/jpeg;base64,{text}"


def _encoded(image: Image.Image, format: str, **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, format, **options)
    return file.getvalue()


def _rings(findings: Findings) -> Image.Image:
    height, width = findings.marked.shape
    fine = Image.new("L", (width * _FINE, height * _FINE))
    draw = ImageDraw.Draw(fine)
    for detection in reversed(list(findings.strongest_first())):
        centre = ((detection.column + 0.5) * _FINE, (detection.row + 0.5) * _FINE)
        share = _share(detection.value, findings)
        draw.circle(centre, _radius(share) * _FINE, outline=int(150 + 105 * share), width=int(1.4 * _FINE))
    return fine.reduce(_FINE)


def _lines(findings: Findings) -> Image.Image:
    share = np.zeros(findings.marked.shape)
    share[findings.marked] = _shares(findings.response[findings.marked], findings)
    opacity = np.where(findings.marked, 130 + 125 * np.sqrt(share), 0).astype(np.uint8)
    return Image.fromarray(opacity).filter(ImageFilter.MaxFilter(3))


def _write(image: Image.Image, text: str, detection: Detection, findings: Findings) -> None:
    size = image.width / 55
    away = _radius(_share(detection.value, findings)) * 0.75
    place = (min(detection.column + away, image.width - size * 1.3), max(detection.row - away, size))
    font = ImageFont.load_default(size)
    ImageDraw.Draw(image).text(place, text, _LABEL, font, anchor="ls", stroke_width=2, stroke_fill=(0, 0, 0))


def _radius(share: float) -> float:
    return 4.0 + 10.0 * share


def _share(value: float, findings: Findings) -> float:
    return float(_shares(np.array(value), findings))


def _shares(values: NDArray[np.float64], findings: Findings) -> NDArray[np.float64]:
    """Scale values so that the threshold becomes 0 and the strongest response 1."""
    most = float(findings.response.max()) - findings.threshold
    return np.clip((values - findings.threshold) / most, 0, 1) if most > 0 else np.ones_like(values)
