"""Repeated elements are found exactly, or the search gives up within bounded time and says so."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import accel
from accel.copies import Elements, repeats
from accel.copies.injectivity import names_twice, refuse_repeats
from accel.dtypes import as_dtype
from accel.errors import LayoutError, OverlapError

from .model import Named

MANY = settings(max_examples=200, deadline=None, database=None)
ALL = {"_SOON": 1 << 16, "_LATE": 1 << 26, "_STEPS": 1 << 18, "_FEW": 64}
METHODS = {
    "as it is": ALL,
    "by bits": {**ALL, "_FEW": 0, "_STEPS": 0},
    "by remainders and two sides": {**ALL, "_SOON": 0, "_LATE": 0},
    "by two sides": {**ALL, "_SOON": 0, "_LATE": 0, "_FEW": 0},
    "by few steps": {**ALL, "_SOON": 0, "_LATE": 0, "_STEPS": 1 << 12},
    "by no method": {**ALL, "_SOON": 0, "_LATE": 0, "_FEW": 0, "_STEPS": 0},
}

extents = st.integers(0, 5) | st.integers(2, 3)
small = st.lists(st.tuples(extents, st.integers(-30, 30)), max_size=5)
powers = st.builds(
    lambda base, power, more: base**power + more, st.integers(2, 4), st.integers(0, 6), st.integers(-2, 2)
)
nearly_nested = st.lists(st.tuples(extents, powers), max_size=6)


@st.composite
def nearly_equal(draw):
    """Return leaves whose strides are close to multiples of a large number, or of another."""
    large = draw(st.sampled_from([100, 10**4, 10**20]))
    stride = st.builds(lambda times, more: times * large + more, st.integers(0, 3), st.integers(-9, 9))
    return draw(st.lists(st.tuples(st.integers(1, 4), stride), max_size=6))


def counted(leaves):
    """Tell whether an offset is named twice, by enumerating all of them."""
    offsets = [sum(steps) for steps in product(*[[i * stride for i in range(extent)] for extent, stride in leaves])]
    return len(set(offsets)) < len(offsets)


def asked(leaves):
    names_twice.cache_clear()
    return names_twice(tuple(leaves))


def asked_by(method, leaves):
    with pytest.MonkeyPatch.context() as patch:
        for name, value in method.items():
            patch.setattr(repeats, name, value)
        return asked(leaves)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@given(leaves=small | nearly_nested | nearly_equal())
@MANY
def test_each_method_is_right(method, leaves):
    try:
        result = asked_by(method, leaves)
    except LayoutError:
        assert method["_STEPS"] < 1 << 18
    else:
        assert result == counted(leaves)


@MANY
@given(small | nearly_nested | nearly_equal(), st.sampled_from([-1, 3, 2**40, 10**30]))
def test_the_unit_and_the_direction_of_strides_do_not_matter(leaves, unit):
    assert asked([(extent, stride * unit) for extent, stride in leaves]) == counted(leaves)


NEVER = {
    "3**k beside 10**12": lambda n: [(2, 10**12 + 3**k) for k in range(n)][:24],
    "2**k beside 10**12": lambda n: [(2, 10**12 + 2**k) for k in range(n)][:38],
    "3**k, the last of them negative": lambda n: [(2, 3**k) for k in range(n)] + [(2, 1 - 3 ** (n + 1))],
    "mixed extents": lambda n: [(2 + k % 3, (-1) ** k * (5**k + k)) for k in range(n)],
    "scattered": lambda n: [(2, 2**k + 2**80 * (3**k)) for k in range(n)],
}
OFTEN = {
    "squares": lambda n: [(2, 1000 + k * k) for k in range(n)],
    "windows": lambda n: [(10, 7**k + 1) for k in range(n)],
    "one less": lambda n: [(4, 4**k - 1 if k else 1) for k in range(n)],
    "a planted sum": lambda n: [*[(2, 10**12 + 3**k) for k in range(n)], (2, 3 * 10**12 + 3**5 + 3**2 + 1)],
}


@pytest.mark.parametrize("count", [10, 20, 30, 40, 60])
@pytest.mark.parametrize("family", NEVER.values(), ids=NEVER)
def test_strides_that_nearly_cancel_one_another_name_nothing_twice(family, count):
    assert asked(family(count)) is False


@pytest.mark.parametrize("count", [20, 30, 40, 60])
@pytest.mark.parametrize("family", OFTEN.values(), ids=OFTEN)
def test_strides_that_cancel_one_another_name_something_twice(family, count):
    assert asked(family(count)) is True


@st.composite
def hostile(draw):
    """Return twenty to sixty leaves of random strides, two sums of which may be equal."""
    count, bits = draw(st.integers(20, 60)), draw(st.integers(20, 80))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    strides = [int.from_bytes(random.bytes(10)) % (1 << bits) + 1 for _ in range(count)]
    planted = draw(st.booleans())
    if planted:
        strides[-1] = abs(
            sum(int(sign) * stride for sign, stride in zip(random.integers(-1, 2, 9), strides, strict=False))
        )
        assume(strides[-1])
    return planted, [
        (int(extent), stride) for extent, stride in zip(random.integers(2, 5, count), strides, strict=True)
    ]


class Looked:
    """How many sums both sides have examined, and in how many rounds."""

    def __init__(self, patch):
        self.distances = self.rounds = 0
        grown = repeats._grown
        patch.setattr(repeats, "_grown", lambda *arguments: self.count(grown(*arguments)))

    def count(self, found):
        self.distances += found.size
        self.rounds += 1
        return found


@settings(MANY, max_examples=30)
@given(hostile())
def test_hostile_strides_are_answered_within_a_bound_and_never_wrongly(drawn):
    planted, leaves = drawn
    with pytest.MonkeyPatch.context() as patch:
        looked = Looked(patch)
        try:
            result = asked(leaves)
        except LayoutError as refusal:
            result = None
            assert "was not found out in 262144 steps" in str(refusal)  # noqa: PT017
        assert looked.distances + looked.rounds * repeats._ROUND <= repeats._STEPS
    assert result is not False or not planted


def test_a_target_about_which_nothing_was_found_out_is_refused():
    random = np.random.default_rng(7)
    leaves = tuple((2, int(stride)) for stride in random.integers(2**50, 2**51, 40))
    with pytest.raises(LayoutError, match=r"was not found out in 262144 steps.* contiguous"):
        refuse_repeats(leaves)


@pytest.mark.parametrize("device", ["cpu", "sim"])
@pytest.mark.parametrize("count", [10, 12, 14])
def test_copies_with_hostile_strides_are_explained(device, count):
    span = 8000
    strides = [300 + k * k for k in range(count)]
    leaves = tuple((2, stride) for stride in strides)
    storage = accel.empty(span, "uint8", device=device).storage
    target = Named(Elements(storage, 0, leaves))
    source = Named(Elements(accel.empty(2**count, "uint8").storage, 0, ((2**count, 1),), as_dtype("uint8")))
    assert counted(leaves)
    with pytest.raises(OverlapError, match="names an element twice"):
        accel.explain_copy(target, source)
    assert "2" in str(accel.explain_copy(source, target))
