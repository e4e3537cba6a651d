"""Functions that loops compute which are compiled in the background: NumPy's results, before and after."""

import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import accel
from accel import xp
from accel.support.background import BACKGROUND, Background
from accel.xp import compiled_functions
from accel.xp.array_library import LOOPED, library_on

from ..threads import run_at_once

SECONDS = 120
Call = Callable[..., Any]

FUNCTIONS: dict[str, Call] = {
    "count_nonzero": lambda lib, x, **k: lib.count_nonzero(x, **k),
    "nanmean": lambda lib, x, **k: lib.nanmean(x, **k),
    "nanstd": lambda lib, x, **k: lib.nanstd(x, **k),
    "nansum": lambda lib, x, **k: lib.nansum(x, **k),
    "nanvar": lambda lib, x, **k: lib.nanvar(x, **k),
    "nanvar, 1": lambda lib, x, **k: lib.nanvar(x, ddof=1, **k),
    "norm of 0": lambda lib, x, **k: lib.linalg.vector_norm(x, ord=0, **k),
    "norm of 1": lambda lib, x, **k: lib.linalg.vector_norm(x, ord=1, **k),
    "norm of 2": lambda lib, x, **k: lib.linalg.vector_norm(x, **k),
    "norm of inf": lambda lib, x, **k: lib.linalg.vector_norm(x, ord=float("inf"), **k),
    "norm of -inf": lambda lib, x, **k: lib.linalg.vector_norm(x, ord=-float("inf"), **k),
    "std": lambda lib, x, **k: lib.std(x, **k),
    "var": lambda lib, x, **k: lib.var(x, **k),
    "var, 1.5": lambda lib, x, **k: lib.var(x, correction=1.5, **k),
}
EXACT = {"count_nonzero", "norm of 0", "norm of inf", "norm of -inf"}


class Watch:
    """What the loops computed, and how often they were asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.results: list[Any] = []
        computed = compiled_functions.computed

        def watched(*arguments: Any) -> Any:
            self.results.append(computed(*arguments))
            return self.results[-1]

        monkeypatch.setattr(compiled_functions, "computed", watched)

    def __call__(self, function: Call, *arguments: Any, **keywords: Any) -> Any:
        """Return what a function returns once its loops are compiled, which compute it."""
        function(*arguments, **keywords)
        assert BACKGROUND.wait(SECONDS)
        result = function(*arguments, **keywords)
        assert self.results[-1] is not None, BACKGROUND.errors
        return result


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops of small arrays are asked for in the first call."""
    monkeypatch.setattr(compiled_functions, "_WORTH", 0)
    monkeypatch.setattr(library_on("cpu"), "looped", 1)


@pytest.fixture
def looped(at_once: None, monkeypatch: pytest.MonkeyPatch) -> Watch:
    return Watch(monkeypatch)


def numbers(shape: tuple[int, ...], dtype: str = "float64") -> Any:
    """Return numbers of one sign, so that no sum is small beside its terms; a fifth of them are 0."""
    values = np.random.default_rng(0).uniform(-5, 20, shape)
    return np.maximum(values, 0).astype(dtype)


def with_nan(x: Any) -> Any:
    return np.where(np.random.default_rng(1).random(x.shape) < 0.2, np.nan, x)


def check(found: Any, expected: Any, *, exact: bool = False) -> None:
    """Compare a result with NumPy's: as accurate as sums by pairs are."""
    found = found._native
    assert (type(found), found.dtype, found.shape) == (type(expected), expected.dtype, expected.shape)
    if exact:
        np.testing.assert_array_equal(found, expected)
    else:
        np.testing.assert_allclose(found, expected, rtol=40 * np.finfo(found.dtype).eps, atol=0)


class TestResults:
    @pytest.mark.parametrize("dtype", ["float64", "float32"])
    @pytest.mark.parametrize("name", FUNCTIONS)
    def test_of_each_function_are_numpys(self, looped: Watch, name: str, dtype: str) -> None:
        for shape, axis in ([(3000,), None], [(20, 30, 40), 1], [(30, 50), -1]):
            x = numbers(shape, dtype)
            x = with_nan(x).astype(dtype) if name.startswith("nan") else x
            for keepdims in (False, True):
                found = looped(FUNCTIONS[name], xp, xp.asarray(x), axis=axis, keepdims=keepdims)
                check(found, FUNCTIONS[name](np, x, axis=axis, keepdims=keepdims), exact=name in EXACT)

    @pytest.mark.parametrize("name", ["var", "count_nonzero"])
    @pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "uint64"])
    def test_of_integers_are_numpys(self, looped: Watch, name: str, dtype: str) -> None:
        x = numbers((40, 50)).astype(dtype)
        check(looped(FUNCTIONS[name], xp, xp.asarray(x), axis=0), FUNCTIONS[name](np, x, axis=0), exact=name in EXACT)

    @pytest.mark.parametrize("name", ["sum", "prod", "mean"])
    @pytest.mark.parametrize(
        "dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
    )
    def test_of_whole_numbers_are_exact(
        self, looped: Watch, monkeypatch: pytest.MonkeyPatch, name: str, dtype: str
    ) -> None:
        monkeypatch.setattr(library_on("cpu"), "large", 1)
        x = np.random.default_rng(0).integers(0, 100, (40, 50)).astype(dtype)
        for axis in (None, 0, 1):
            ours, expected = getattr(xp, name), getattr(np, name)(x, axis)
            if name == "mean" and x.itemsize == 8:  # the sum may not fit
                check(ours(xp.asarray(x), axis=axis), expected)
                assert looped.results[-1] is None
            else:
                check(looped(ours, xp.asarray(x), axis=axis), expected, exact=True)
        x = x.astype(bool).astype(dtype)
        check(ours(xp.asarray(x), axis=0, dtype="float32"), getattr(np, name)(x, 0, dtype="float32"))

    def test_of_sums_of_other_numbers_are_numpys(self, looped: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(library_on("cpu"), "large", 1)
        x = numbers((40, 50))
        for name in ("sum", "prod", "mean"):
            check(getattr(xp, name)(xp.asarray(x), axis=0), getattr(np, name)(x, 0), exact=True)
        assert {*looped.results} == {None}

    @pytest.mark.parametrize(
        ("view", "axis"),
        [
            (lambda x: x, (0, 2)),
            (lambda x: x, (2, 1)),
            (lambda x: x, (0, 1)),
            (lambda x: x, (-1, 0, 1)),
            (lambda x: x.T, None),
            (lambda x: x.T, 0),
            (lambda x: x.transpose(1, 0, 2), 0),
            (lambda x: x.transpose(2, 0, 1), 2),
            (lambda x: x[::2], 0),
            (lambda x: x[:, :, ::3], None),
            (lambda x: x[:, :, ::3], 2),
            (lambda x: x[::-1], 0),
            (lambda x: x[:, ::-1, ::-1], (1, 2)),
            (lambda x: x[:1], (1, 2)),
            (lambda x: x[:, :1, :], 0),
            (lambda x: x[:, :, :2], 0),
            (lambda x: x[:, :2], 1),
            (lambda x: x[None, 1:, None], 4),
            (np.asfortranarray, 1),
        ],
    )
    def test_do_not_depend_on_how_elements_lie(self, looped: Watch, view: Call, axis: Any) -> None:
        x = view(numbers((12, 20, 30)))
        for keepdims in (False, True):
            check(looped(xp.var, xp.asarray(x), axis=axis, keepdims=keepdims), np.var(x, axis, keepdims=keepdims))

    @settings(max_examples=40)
    @given(data=st.data())
    def test_of_any_shape_and_axes_are_numpys(self, data: st.DataObject) -> None:
        shape = tuple(data.draw(st.lists(st.integers(1, 7), min_size=1, max_size=4)))
        order = data.draw(st.permutations(range(len(shape))))
        steps = data.draw(st.lists(st.sampled_from([1, 2, -1]), min_size=len(shape), max_size=len(shape)))
        x = numbers(shape)[tuple(slice(None, None, step) for step in steps)].transpose(order)
        axes = data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1))
        axis, keepdims = tuple(axes), data.draw(st.booleans())
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(compiled_functions, "_WORTH", 0)
            options = {"axis": axis, "keepdims": keepdims}
            compiled_functions.computed("var", library_on("cpu"), x, options)
            assert BACKGROUND.wait(SECONDS)
            found = compiled_functions.computed("var", library_on("cpu"), x, options)
        if found is not None:
            expected = np.var(x, axis, keepdims=keepdims)
            assert np.shape(found) == np.shape(expected)
            np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)

    def test_are_as_accurate_as_numpys_where_the_mean_is_large(self, looped: Watch) -> None:
        x = 1e8 + np.random.default_rng(0).random(100_000)
        exact = np.var(x.astype(np.longdouble))
        ours, theirs = looped(xp.var, xp.asarray(x))._native, np.var(x)
        assert abs(ours - exact) <= 2 * abs(theirs - exact) + 1e-15 * exact

    def test_have_the_same_bits_for_each_number_of_threads(self, looped: Watch) -> None:
        x = xp.asarray(numbers((1000, 1000)))
        for axis in (None, 0, 1):
            looped(xp.var, x, axis=axis)
            results = set()
            for threads in (1, 2, 3, 4):
                with accel.using(threads=threads):
                    results |= {np.asarray(xp.var(x, axis=axis)).tobytes() for _ in range(3)}
            assert len(results) == 1

    def test_of_methods_and_numpys_functions_are_the_same(self, looped: Watch) -> None:
        x = numbers((50, 60))
        y = xp.asarray(x)
        expected = np.var(x, 0, ddof=1)
        for call in (
            lambda: y.var(0, ddof=1),
            lambda: np.var(y, 0, ddof=1),
            lambda: np.var(y, axis=0, correction=1),
            lambda: xp.var(y, 0, correction=1),
            lambda: np.nanvar(y, 0, ddof=1),
        ):
            check(looped(call), expected)
        check(looped(np.linalg.norm, y, axis=1), np.linalg.norm(x, axis=1))
        check(looped(xp.linalg.norm, y, 1, 1), np.linalg.norm(x, 1, 1))
        check(looped(np.count_nonzero, y, 0), np.count_nonzero(x, 0), exact=True)

    def test_of_logarithms_of_sums_are_scipys(self, looped: Watch) -> None:
        special = pytest.importorskip("scipy.special")
        x = numbers((30, 200))
        x[:, 0], x[:, 1], x[3] = 700.0, -np.inf, 0.0
        x[4] = np.where(np.arange(200), -50.0, 0.0)  # the greatest is 0, and the others are lost if they are added to 1
        y = xp.asarray(x)
        for axis in (None, 0, 1):
            found, expected = looped(xp.special.logsumexp, y, axis=axis), special.logsumexp(x, axis=axis)
            np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-14)

    @pytest.mark.parametrize("axis", [0, 1, (0, 2), None])
    @pytest.mark.parametrize(
        ("name", "text"), [("nanmean", "Mean of empty slice"), ("nanvar", "Degrees of freedom"), ("nanstd", "Degrees")]
    )
    def test_of_only_nan_have_numpys_warnings(self, looped: Watch, name: str, text: str, axis: Any) -> None:
        x = with_nan(numbers((20, 30, 5)))
        function = getattr(xp, name)
        looped(function, xp.asarray(x), axis=axis)
        x[3:5], x[:, 7] = np.nan, np.nan
        x = np.full_like(x, np.nan) if axis is None else x
        for keepdims in (False, True):
            with pytest.warns(RuntimeWarning, match=text) as caught:
                found = function(xp.asarray(x), axis=axis, keepdims=keepdims)
            assert [Path(each.filename).name for each in caught] == [Path(__file__).name]
            assert looped.results[-1] is not None
            with pytest.warns(RuntimeWarning, match=text) as theirs:
                expected = getattr(np, name)(x, axis=axis, keepdims=keepdims)
            assert [str(each.message) for each in caught] == [str(each.message) for each in theirs]
            check(found, expected)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(RuntimeWarning, match=text):
                function(xp.asarray(x), axis=axis)

    @pytest.mark.parametrize("dtype", ["float64", "float32"])
    @pytest.mark.parametrize("order", ["C", "F"])
    def test_of_elements_have_numpys_bits_and_order(self, looped: Watch, dtype: str, order: Any) -> None:
        x = numbers((50, 70), dtype)
        x[::7], x[1::7], x[2::7], x[3::7] = np.nan, np.inf, -np.inf, -0.0
        x = np.asarray(x, order=order)
        for function in (xp.nan_to_num, np.nan_to_num):
            found, expected = looped(function, xp.asarray(x))._native, np.nan_to_num(x)
            assert found.tobytes() == expected.tobytes()
            assert (found.strides, found.dtype, found.base is None) == (expected.strides, expected.dtype, True)
        found[...] = 1  # it is new memory
        assert np.isnan(x[0, 0])


class TestNumPyComputes:
    def outcome(self, looped: Watch, x: Any, name: str = "var", **options: Any) -> Any:
        compiled_functions.computed(name, library_on("cpu"), x, options)
        assert BACKGROUND.wait(SECONDS)
        return compiled_functions.computed(name, library_on("cpu"), x, options)

    @pytest.mark.parametrize(
        "x",
        [
            numbers((100,)).astype("float16"),
            numbers((100,)).astype("complex128"),
            numbers((100,)).astype(">f8"),
            numbers((100,)) > 0,
            np.broadcast_to(numbers((100,)), (5, 100)),
            np.zeros((0, 5)),
            np.zeros(101 * 8, np.uint8)[1:801].view(np.float64),
        ],
        ids=["float16", "complex", "byte order", "bool", "repeated", "empty", "unaligned"],
    )
    def test_with_elements_that_the_loops_do_not_know(self, looped: Watch, x: Any) -> None:
        assert self.outcome(looped, x) is None

    def test_what_numpy_refuses(self, looped: Watch) -> None:
        x = numbers((10, 10))
        for options in ({"axis": 2}, {"axis": (0, 0)}, {"axis": (0, -2)}, {"axis": "a"}, {"axis": True}):
            assert self.outcome(looped, x, **options) is None
        assert self.outcome(looped, x, keepdims=1) is None
        assert self.outcome(looped, x, correction=100) is None
        assert self.outcome(looped, x, "vector_norm", ord=3) is None
        assert self.outcome(looped, x, "nan_to_num", nan=1.0) is None
        assert self.outcome(looped, x[::2, ::2], "nan_to_num") is None

    @pytest.mark.parametrize("setting", [{"fuse": "off"}, {"debug": True}])
    def test_if_a_setting_asks_for_that(self, looped: Watch, setting: dict[str, Any]) -> None:
        x = xp.asarray(numbers((100,)))
        looped(xp.var, x)
        with accel.using(**setting):
            xp.var(x)
        assert looped.results[-1] is None

    def test_small_arrays(self, looped: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(library_on("cpu"), "looped", LOOPED)
        x = xp.asarray(numbers((LOOPED // 8 - 1,)))
        before = len(looped.results)
        xp.var(x), x.std(), xp.nanmean(x), np.nanmean(x), xp.linalg.vector_norm(x), xp.count_nonzero(x)
        assert len(looped.results) == before

    def test_infinities_so_that_there_are_warnings(self, looped: Watch) -> None:
        x = numbers((20, 50))
        looped(xp.var, xp.asarray(x), axis=1)
        x[3, 4] = np.inf
        with pytest.warns(RuntimeWarning, match="invalid value"):
            expected = np.var(x, 1)
        with pytest.warns(RuntimeWarning, match="invalid value"):
            found = xp.var(xp.asarray(x), axis=1)
        np.testing.assert_array_equal(np.asarray(found), expected)
        with np.errstate(invalid="raise"), pytest.raises(FloatingPointError):
            xp.var(xp.asarray(x), axis=1)

    def test_infinite_norms_so_that_there_are_warnings_but_not_those_that_are_nan(self, looped: Watch) -> None:
        x = numbers((20, 50))
        looped(xp.linalg.vector_norm, xp.asarray(x), axis=1)
        x[3, 4] = np.nan
        check(xp.linalg.vector_norm(xp.asarray(x), axis=1), np.linalg.vector_norm(x, axis=1))
        assert looped.results[-1] is not None
        x[5, 4] = 1e200
        with pytest.warns(RuntimeWarning, match="overflow"):
            xp.linalg.vector_norm(xp.asarray(x), axis=1)
        assert looped.results[-1] is None

    def test_variances_of_one_element_so_that_there_are_warnings(self, looped: Watch) -> None:
        x = with_nan(numbers((20, 50)))
        looped(xp.nanvar, xp.asarray(x), axis=1, ddof=1)
        x[2, 1:] = np.nan
        with pytest.warns(RuntimeWarning, match="Degrees of freedom"):
            found = xp.nanvar(xp.asarray(x), axis=1, ddof=1)
        assert looped.results[-1] is None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            np.testing.assert_array_equal(np.asarray(found), np.nanvar(x, axis=1, ddof=1))

    def test_what_is_not_a_number_without_warnings(self, looped: Watch) -> None:
        x = numbers((3000,))
        looped(xp.var, xp.asarray(x))
        x[7] = np.nan
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert np.isnan(float(xp.var(xp.asarray(x))))


class TestTheCompiler:
    @pytest.fixture
    def background(self, monkeypatch: pytest.MonkeyPatch) -> Background:
        """What is compiled in the background, and nothing was before."""
        work = Background()
        monkeypatch.setattr(compiled_functions, "BACKGROUND", work)
        return work

    def test_is_not_waited_for_by_any_thread(
        self, at_once: None, background: Background, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        begun, go_on, loops, made = threading.Event(), threading.Event(), compiled_functions._loops, []

        def slowly(form: Any) -> Any:
            begun.set()
            assert go_on.wait(SECONDS)
            made.append(form)
            return loops(form)

        monkeypatch.setattr(compiled_functions, "_loops", slowly)
        x, found = numbers((3000,)), []
        run_at_once([lambda: found.extend([xp.var(xp.asarray(x))._native for _ in range(20)])] * 4)
        assert begun.wait(SECONDS)
        assert {*found} == {np.var(x)}
        go_on.set()
        assert background.wait(SECONDS)
        assert len(made) == 1
        run_at_once([lambda: found.extend([xp.var(xp.asarray(x))._native for _ in range(20)])] * 4)
        np.testing.assert_allclose(found, np.var(x), rtol=1e-13)
        assert len(made) == 1

    def test_that_fails_leaves_numpy(
        self, at_once: None, background: Background, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(form: Any) -> None:
            raise accel.errors.CapabilityError("no compiler")

        monkeypatch.setattr(compiled_functions, "_loops", fail)
        x = numbers((3000,))
        for _ in range(3):
            assert xp.var(xp.asarray(x))._native == np.var(x)
            assert background.wait(SECONDS)
        assert [str(error) for error in background.errors.values()] == ["no compiler"]

    def test_is_asked_once_numpy_has_done_much(self, background: Background, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(library_on("cpu"), "looped", 1)
        monkeypatch.setattr(compiled_functions, "_WORTH", 10_000)
        monkeypatch.setattr(compiled_functions, "_work", {})
        x = xp.asarray(numbers((3000,)))
        for _ in range(4):
            xp.var(x)
            assert not background._pieces
            assert not background.results
        xp.std(x)
        xp.var(x)
        assert background.wait(SECONDS)
        assert [form[0] for form in background.results] == ["var"]

    def test_compiles_nothing_for_another_size(self, looped: Watch) -> None:
        looped(xp.var, xp.asarray(numbers((20, 30))), axis=0)
        forms = len(BACKGROUND.results)
        for shape in ((21, 30), (3, 400), (500, 2)):
            x = numbers(shape)
            check(looped(xp.var, xp.asarray(x), axis=0), np.var(x, 0))
        assert len(BACKGROUND.results) == forms
