"""Pillow: images from our arrays."""

import numpy as np
from PIL import Image

GRAY = np.arange(20, dtype="uint8").reshape(4, 5)
COLOURS = np.arange(60, dtype="uint8").reshape(4, 5, 3)


def shown(image):
    return [image.mode, image.size, np.asarray(image)]


def pasted(a):
    image = Image.new("L", (8, 8))
    image.paste(Image.fromarray(a(GRAY)), (1, 2))
    return shown(image)


RETURNS_VALUES = {
    "fromarray, gray": lambda a: shown(Image.fromarray(a(GRAY))),
    "fromarray, colours": lambda a: shown(Image.fromarray(a(COLOURS))),
    "fromarray, bool": lambda a: shown(Image.fromarray(a(GRAY > 3))),
    "fromarray, int32, float32": lambda a: [shown(Image.fromarray(a(GRAY, dtype))) for dtype in ("int32", "float32")],
    "fromarray, views": lambda a: [shown(Image.fromarray(a(GRAY)[::2])), shown(Image.fromarray(a(COLOURS)[..., 1]))],
    "fromarray, transposed": lambda a: shown(Image.fromarray(a(GRAY).T)),
    "paste": pasted,
    "frombytes": lambda a: shown(Image.frombytes("L", (5, 4), np.asarray(a(GRAY)).tobytes())),
}
