"""Each function of the namespaces, fused and unfused, with operands of many kinds; or it is refused, for a reason."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import FuseError

from ..profiles import drawn

NAMESPACES = {"": xp, "linalg.": xp.linalg, "fft.": xp.fft, "special.": xp.special}
NOT_CALLED = ("empty", "empty_like", "from_dlpack", "host_copies", "default_device")
"""Their results have no meaning, or are no arrays of a trace."""

REFUSED = {
    "the shape of the result depends on elements": (
        "argwhere array_split bincount compress delete dsplit extract flatnonzero hsplit insert intersect1d ix_ "
        "nonzero pad real_if_close repeat resize setdiff1d setxor1d split tile trim_zeros union1d unique unique_all "
        "unique_counts unique_inverse unique_values vsplit where"
    ),
    "elements are the shape of the result": "broadcast_shapes full identity indices ones zeros tri",
    "Python needs the result": "allclose array_equal",
    "arguments that are numbers are arrays": "arange eye geomspace linspace logspace roll special.lambertw",
    "it writes to an argument": "isneginf isposinf nan_to_num",
    "it has several results, or another dtype, with out=": "divmod float_power frexp modf",
}
_REFUSED = frozenset(" ".join(REFUSED.values()).split())


def functions() -> Iterator[str]:
    for path, namespace in NAMESPACES.items():
        for name in dir(namespace):
            if not name.startswith("_") and name not in NOT_CALLED and inspect.isfunction(getattr(namespace, name)):
                yield f"{path}{name}"


def function_of(name: str) -> Callable[..., Any]:
    path, _, last = name.rpartition(".")
    return getattr(NAMESPACES[f"{path}." if path else ""], last)  # type: ignore[no-any-return]


def operands(device: str) -> Iterator[list[Any]]:
    random = np.random.default_rng(0)
    matrices = random.random((2, 4, 4)) + 4 * np.eye(4)
    matrix, vector, stack = (xp.asarray(each, device=device) for each in (matrices[0], matrices[0, 0], matrices))
    places, mask, complexes = xp.asarray([2, 0, 1, 3], device=device), vector > 1, matrix + 1j * stack[1]
    yield from ([each] for each in (matrix, vector, stack, places, complexes, mask, [vector, vector], [matrix, matrix]))
    pairs = [(matrix, matrix), (matrix, vector), (vector, vector), (stack, matrix), (vector, places), (matrix, places)]
    yield from map(list, [*pairs, (places, vector), (mask, vector), (matrix > 0.5, matrix), (places, [vector] * 4)])
    yield from ([x, number] for x in (matrix, vector) for number in (2, -2, 0.5, (1, 1), [1]))
    yield from ([number, vector] for number in (3, (2, 3), 0.5))
    yield from (
        [matrix, places, 1],
        [vector, vector, vector],
        [matrix, 0, 1],
        [matrix, matrix, 0.5],
        [vector, 3, vector],
    )


def copied(value: Any) -> Any:
    if isinstance(value, list):
        return [copied(each) for each in value]
    return xp.asarray(value, copy=True) if isinstance(value, xp.Array) else value


def parts(value: Any) -> list[Any]:
    return [part for each in value for part in parts(each)] if isinstance(value, tuple | list) else [value]


def run(function: Callable[..., Any], values: list[Any], *, fused: bool) -> Any:
    """Return the parts of the results and the arguments afterwards, or what was raised."""
    copies = copied(values)
    arrays = [each for each in copies if isinstance(each, xp.Array | list)]

    def called(*traced: Any) -> Any:
        given = iter(traced)
        return function(*[next(given) if any(each is array for array in arrays) else each for each in copies])

    try:
        result = accel.fuse(called)(*arrays) if fused else function(*copies)
    except Exception as error:
        return error
    return [*parts(result), *parts(copies)]


def difference(one: Any, other: Any) -> str:
    if not isinstance(other, xp.Array):
        return "" if type(one) is type(other) else f"{one!r} instead of {other!r}"
    if not isinstance(one, xp.Array) or (one.dtype, one.shape) != (other.dtype, other.shape):
        return f"{one!r} instead of {other!r}"
    found, expected = (np.asarray(each.to_device("cpu")) for each in (one, other))
    return "" if np.allclose(found, expected, 1e-6, 1e-12, equal_nan=True) else f"{found} instead of {expected}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("device", ["cpu", "sim"])
@pytest.mark.parametrize("name", [*functions()])
def test_a_function_is_fused_or_refused(name: str, device: str) -> None:
    function = function_of(name)
    with accel.using(device=device):
        given = [values for values in operands(device) if any(type(each) is xp.Array for each in parts(values))]
        computed = [(values, run(function, values, fused=False)) for values in given]
        for values, expected in drawn([case for case in computed if not isinstance(case[1], Exception)], name):
            check(name, function, values, expected)


def check(name: str, function: Callable[..., Any], values: list[Any], expected: list[Any]) -> None:
    found = run(function, values, fused=True)
    if isinstance(found, TypeError) and name in _REFUSED:
        return
    if isinstance(found, FuseError):
        assert "a number is passed anew" in str(found), found
        return
    assert not isinstance(found, Exception), f"{found!r} for {values}"
    assert not [text for pair in zip(found, expected, strict=True) if (text := difference(*pair))], values
