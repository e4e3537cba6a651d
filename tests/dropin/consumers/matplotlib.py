"""matplotlib: what is drawn, read back from the artists."""

import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(13)
X, Y = rng.uniform(size=(2, 12))
IMAGE = rng.uniform(size=(5, 6))


def drawn(function):
    """Return a function that draws, renders the figure, and reads values back."""

    def run(a):
        figure, axes = plt.subplots()
        try:
            read = function(axes, a)
            figure.canvas.draw()
            return read()
        finally:
            plt.close(figure)

    return run


def plot(axes, a):
    (line,) = axes.plot(a(X), a(Y))
    return lambda: [np.asarray(line.get_xdata(), dtype=float), np.asarray(line.get_ydata(), dtype=float)]


def errorbar(axes, a):
    bars = axes.errorbar(a(X), a(Y), yerr=a(X / 10))
    return lambda: np.asarray(bars.lines[0].get_ydata(), dtype=float)


def hist(axes, a):
    counts, edges, _ = axes.hist(a(X), bins=4)
    return lambda: [counts, edges]


def bars(axes, a):
    made = axes.bar(a(np.arange(12)), a(Y))
    return lambda: [bar.get_height() for bar in made]


def contour(axes, a):
    made = axes.contour(a(IMAGE))
    return lambda: made.levels


def filled(axes, a):
    made = axes.fill_between(a(np.sort(X)), a(Y))
    return lambda: made.get_paths()[0].vertices


COLUMNS = rng.normal(size=(10, 4))  # after the values above, which stay as they are


def groups(function):
    """Return a function that draws the columns of an array, and reads how many there are."""

    def count(axes, a):
        made = function(axes, a(COLUMNS))
        return lambda: len(made)

    return drawn(count)


def drawn_alike(function):
    """Return a function that draws, and returns the picture."""

    def run(a):
        figure, axes = plt.subplots()
        try:
            function(axes, a)
            figure.canvas.draw()
            return np.asarray(figure.canvas.buffer_rgba()).copy()
        finally:
            plt.close(figure)

    return run


RETURNS_VALUES = {
    "boxplot": groups(lambda axes, x: axes.boxplot(x)["boxes"]),
    "boxplot, the picture": drawn_alike(lambda axes, a: axes.boxplot(a(COLUMNS))),
    "violinplot": groups(lambda axes, x: axes.violinplot(x)["bodies"]),
    "violinplot, the picture": drawn_alike(lambda axes, a: axes.violinplot(a(COLUMNS))),
    "hist of columns": groups(lambda axes, x: axes.hist(x)[0]),
    "eventplot": groups(lambda axes, x: axes.eventplot(x)),
    "stackplot": drawn_alike(lambda axes, a: axes.stackplot(a(np.arange(4)), a(np.abs(COLUMNS)))),
    "plot": drawn(plot),
    "plot of one": drawn(lambda axes, a: axes.plot(a(Y))[0].get_ydata),
    "scatter": drawn(lambda axes, a: axes.scatter(a(X), a(Y), c=a(Y), s=a(X * 10)).get_offsets),
    "imshow": drawn(lambda axes, a: axes.imshow(a(IMAGE)).get_array),
    "pcolormesh": drawn(lambda axes, a: axes.pcolormesh(a(IMAGE)).get_array),
    "contour": drawn(contour),
    "hist": drawn(hist),
    "errorbar": drawn(errorbar),
    "bar": drawn(bars),
    "fill_between": drawn(filled),
    "set_xlim, axhline": drawn(lambda axes, a: axes.set_xlim(a(X)[0], a(X)[1]) and axes.axhline(a(Y)[0]).get_ydata),
}
