"""Strategies for calls of the standard's functions that are not in the table of signatures."""

from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from .calls import DTYPES, xps

SHAPES = npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
ARRAYS = xps.arrays(xps.scalar_dtypes(), SHAPES)
NUMERIC = st.sampled_from(DTYPES[1:])
KINDS = st.sampled_from(
    ["bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric", *DTYPES]
)
SMALL = st.integers(-4, 9)
NUMBERS = SMALL | st.sampled_from([0.5, 2.25])


def call(*arguments, **options):
    """Draw arguments by position, and some of those by keyword."""
    return st.tuples(st.tuples(*arguments).map(list), st.fixed_dictionaries({}, optional=options))


def typed(*arguments):
    """Draw arguments and a dtype."""
    return call(*arguments, dtype=st.sampled_from(DTYPES))


def of_kind(kind):
    """Draw dtypes of a kind; between kinds, casts are NumPy's."""
    return st.sampled_from([dtype for dtype in DTYPES if dtype.kind == kind])


@st.composite
def reshape(draw):
    x = draw(ARRAYS)
    factors = draw(st.permutations([*x.shape, 1]))
    hidden = draw(st.integers(0, len(factors) - 1)) if x.size and draw(st.booleans()) else None
    shape = tuple(-1 if axis == hidden else extent for axis, extent in enumerate(factors))
    return [x, shape], {"copy": True} if draw(st.booleans()) else {}


@st.composite
def where(draw):
    shapes = draw(npst.mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=3, min_side=0)).input_shapes
    dtypes = draw(st.sampled_from([xps.numeric_dtypes(), xps.boolean_dtypes()]))
    condition = draw(xps.arrays(xps.boolean_dtypes(), shapes[0]))
    return [condition, *(draw(xps.arrays(dtypes, shape)) for shape in shapes[1:])], {}


OTHERS = {
    "arange": call(NUMBERS, NUMBERS, st.sampled_from([1, 2, -3, 0.25]), dtype=NUMERIC),
    "asarray": typed(ARRAYS | st.lists(NUMBERS, min_size=1) | st.lists(st.tuples(SMALL, SMALL), min_size=1)),
    "astype": call(ARRAYS, st.sampled_from(DTYPES), copy=st.booleans()),
    "broadcast_shapes": call(SHAPES, SHAPES, SHAPES),
    "can_cast": st.sampled_from("biufc").flatmap(lambda kind: call(of_kind(kind), of_kind(kind))),
    "empty": typed(SHAPES),
    "empty_like": typed(ARRAYS),
    "eye": call(st.integers(0, 4), st.none() | st.integers(0, 4), k=st.integers(-3, 3), dtype=NUMERIC),
    "fft.fftfreq": call(st.integers(1, 7), d=st.sampled_from([0.5, 2.0]), dtype=xps.floating_dtypes()),
    "fft.rfftfreq": call(st.integers(1, 7), d=st.sampled_from([0.5, 2.0]), dtype=xps.floating_dtypes()),
    "finfo": call(xps.arrays(xps.floating_dtypes(), SHAPES) | xps.floating_dtypes() | xps.complex_dtypes()),
    "from_dlpack": call(ARRAYS, copy=st.booleans()),
    # Fractions are refused for integers, which the standard leaves open.
    "full": typed(SHAPES, SMALL | st.booleans()) | call(SHAPES, NUMBERS, dtype=xps.floating_dtypes()),
    "full_like": typed(ARRAYS, SMALL | st.booleans()) | call(xps.arrays(xps.floating_dtypes(), SHAPES), NUMBERS),
    "iinfo": call(xps.arrays(xps.integer_dtypes(), SHAPES) | xps.integer_dtypes()),
    "isdtype": call(st.sampled_from(DTYPES), KINDS | st.tuples(KINDS, KINDS)),
    "linspace": call(NUMBERS, NUMBERS, st.integers(0, 7), dtype=xps.floating_dtypes(), endpoint=st.booleans()),
    "ones": typed(SHAPES),
    "ones_like": typed(ARRAYS),
    "reshape": reshape(),
    "result_type": call(ARRAYS | st.sampled_from(DTYPES), ARRAYS | st.sampled_from(DTYPES)),
    "where": where(),
    "zeros": typed(SHAPES),
    "zeros_like": typed(ARRAYS),
}
