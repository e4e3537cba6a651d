"""Other libraries that break DLPack's rules are refused by name, and keep their memory."""

import datetime as dt
import threading
import time
from contextlib import suppress
from types import SimpleNamespace

import numpy as np
import pytest

from accel.errors import DTypeError, InterchangeError
from accel.interchange import capsule

from ..threads import run_at_once

MALFORMED = {
    "null data": {"data": 0},
    "negative extent": {"shape": (3, -4)},
    "extents that overflow": {"shape": (2**62, 2**62), "strides": None},
    "bytes that overflow": {"shape": (2**62,), "strides": (0,)},
    "extents that overflow around nothing": {"shape": (0, 2**62, 2**62), "strides": None},
    "null shape": {"shape": None, "strides": None, "ndim": 2},
    "negative axes": {"ndim": -1},
    "too many axes": {"ndim": 65},
    "far too many axes": {"ndim": 2**31 - 1},
    "strides that overflow": {"strides": (2**62, 1)},
    "strides that leave memory": {"strides": (2**60, 1)},
    "strides that go below memory": {"strides": (-(2**60), 1)},
    "a stride of one row": {"shape": (1, 4), "strides": (2**62, 1)},
    "offset that overflows": {"byte_offset": 2**64 - 4},
    "misaligned": {"byte_offset": 2},
    "another device than it says": {"device": (2, 0)},
    "another ordinal than it says": {"device": (1, 1)},
}
BAD_DTYPES = {
    "lanes": (2, 32, 4),
    "no lanes": (2, 32, 0),
    "bits": (0, 24, 1),
    "no bits": (2, 0, 1),
    "wide float": (2, 128, 1),
    "boolean of a bit": (6, 1, 1),
    "handle": (3, 64, 1),
    "unknown code": (77, 32, 1),
}


class TestMalformed:
    @pytest.mark.parametrize("fields", MALFORMED.values(), ids=MALFORMED.keys())
    def test_is_refused_and_left_alone(self, forged, form, taken, fields):
        theirs = forged(form, **fields)
        with pytest.raises(InterchangeError, match="Forged"):
            taken(theirs)
        assert not theirs.ended
        assert "used" not in repr(theirs.capsule)

    @pytest.mark.parametrize("dtype", BAD_DTYPES.values(), ids=BAD_DTYPES.keys())
    def test_dtypes_are_refused(self, forged, form, taken, dtype):
        theirs = forged(form, dtype=dtype)
        with pytest.raises(DTypeError, match=r"Forged.*int8.*complex128.*bfloat16"):
            taken(theirs)
        assert not theirs.ended

    @pytest.mark.parametrize("major", [0, 2, 2**32 - 1])
    def test_versions_to_come_are_refused(self, forged, taken, major):
        with pytest.raises(InterchangeError, match=f"version {major}"):
            taken(forged(major=major, data=0))

    def test_nothing_said_at_random_ends_the_process(self, python, root):
        code = f"""
            import random, sys
            sys.path.insert(0, {str(root / "tests/interchange")!r})
            from conftest import DLMANAGED, Forged
            import numpy as np
            import accel
            from accel import xp

            numbers = [0, 1, 2, 3, 4, 5, 8, 16, 32, 64, 65, 255, -1, -2, -8, 2**31 - 1, 2**62, 2**63 - 1, -2**63]
            chance = random.Random(0)

            def some(most):
                return chance.choice([None, chance.choices(numbers, k=chance.randrange(most))])

            anything = {{
                "data": lambda: chance.choice(numbers) % 2**63,
                "dtype": lambda: [chance.choice(numbers) % 256 for _ in range(3)],
                "shape": lambda: some(chance.choice([5, 70])),
                "strides": lambda: some(chance.choice([5, 70])),
                "byte_offset": lambda: chance.choice(numbers) % 2**64,
                "flags": lambda: chance.choice(numbers) % 2**64,
                "major": lambda: chance.choice([0, 1, 1, 2]),
                "ndim": lambda: chance.choice(numbers) % 2**32 - 2**31,
            }}
            refused = taken = 0
            for _ in range(6000):
                fields = {{name: anything[name]() for name in chance.sample(list(anything), 3)}}
                theirs = Forged(chance.choice(DLMANAGED), **fields)
                try:
                    ours = chance.choice([accel.from_dlpack, xp.from_dlpack])(theirs)
                except accel.errors.AccelError:
                    refused += 1
                else:
                    taken += 1
                    assert ours.size >= 0
                    del ours
                    assert theirs.ended == 1
            assert refused > 1000 and taken > 100, (refused, taken)
            print("alive")
        """
        assert python(code) == "alive"


class Odd:
    """A producer that gives what it is given, and raises what it is given to raise."""

    def __init__(self, gives, device=(1, 0)):
        self.gives = gives
        self.device = device

    def __dlpack__(self, **keywords):
        if isinstance(self.gives, BaseException):
            raise self.gives
        return self.gives() if callable(self.gives) else self.gives

    def __dlpack_device__(self):
        if isinstance(self.device, BaseException):
            raise self.device
        return self.device


class TestProducers:
    @pytest.mark.parametrize("gives", [None, 3, "dltensor", np.ones(3), object(), b"dltensor"])
    def test_that_give_no_capsule(self, taken, gives):
        with pytest.raises(InterchangeError, match=r"Odd: a DLPack capsule is needed; found"):
            taken(Odd(gives))

    def test_that_give_capsules_of_something_else(self, taken):
        with pytest.raises(InterchangeError, match="found PyCapsule"):
            taken(Odd(dt.datetime_CAPI))

    @pytest.mark.parametrize("error", [BufferError("no"), RuntimeError("no"), TypeError("no"), MemoryError("no")])
    def test_that_raise(self, taken, error):
        with pytest.raises(InterchangeError, match=r"Odd: __dlpack__ failed: .*no") as caught:
            taken(Odd(error))
        assert caught.value.__cause__ is error
        with pytest.raises(InterchangeError, match=r"Odd: __dlpack_device__ failed: .*no"):
            taken(Odd(None, device=error))

    def test_that_are_interrupted(self, taken):
        with pytest.raises(KeyboardInterrupt):
            taken(Odd(KeyboardInterrupt()))

    @pytest.mark.parametrize("device", [None, (1,), (1, 0, 0), "cpu", ("cpu", 0), (1, "x")])
    def test_whose_device_is_none(self, taken, device):
        with pytest.raises(InterchangeError, match="__dlpack_device__ failed"):
            taken(Odd(lambda: np.ones(3).__dlpack__(), device))

    @pytest.mark.parametrize("claimed", [(2, 0), (9, 0), (1, 3), (99, 0)])
    def test_that_lie_about_their_device(self, taken, claimed):
        with pytest.raises(InterchangeError, match="Odd: __dlpack_device__ returned"):
            taken(Odd(lambda: np.ones(3).__dlpack__(), claimed))

    def test_that_give_one_capsule_twice(self, taken):
        twice = Odd(np.arange(3.0).__dlpack__())
        ours = taken(twice)
        with pytest.raises(InterchangeError, match="Odd: the capsule was taken over before"):
            taken(twice)
        assert np.asarray(ours).tolist() == [0, 1, 2]

    def test_that_give_a_capsule_numpy_took(self, taken):
        capsule = np.arange(3.0).__dlpack__()
        np.from_dlpack(Odd(capsule))
        with pytest.raises(InterchangeError, match="taken over before"):
            taken(Odd(capsule))

    def test_that_give_one_capsule_to_many_threads(self, forged, taken, monkeypatch):
        theirs, won, barrier = forged(), [], threading.Barrier(8)
        pointer = capsule.pointer
        # Others run here, if they may: a capsule was found to be new, and is not yet renamed.
        monkeypatch.setattr(capsule, "pointer", lambda *capsule: time.sleep(0.002) or pointer(*capsule))

        def take():
            barrier.wait()
            with suppress(InterchangeError):
                won.append(taken(theirs))

        run_at_once([take] * 8)
        assert len(won) == 1
        assert not theirs.ended
        won.clear()
        assert theirs.ended == 1

    @pytest.mark.parametrize(
        "signature", [lambda self: None, lambda self, stream=None: None, lambda self, *, max_version=None: None]
    )
    def test_that_know_few_keywords(self, taken, signature):
        values = np.arange(3.0)

        class Old:
            def __dlpack_device__(self):
                return 1, 0

        def exported(self, *arguments, **keywords):
            signature(self, *arguments, **keywords)
            return values.__dlpack__()

        Old.__dlpack__ = exported
        assert np.asarray(taken(Old())).tolist() == [0, 1, 2]
        copied = taken(Old(), copy=True)
        assert not np.shares_memory(np.asarray(copied), values)

    def test_that_are_none(self, taken):
        for nothing in (3, "text", [1, 2], None, SimpleNamespace(__dlpack__=None)):
            with pytest.raises(TypeError, match=r"__dlpack_device__ is needed; found .*asarray"):
                taken(nothing)

    def test_are_told_what_is_known(self, foreign, taken):
        theirs = foreign(np.ones(3))
        taken(theirs)
        assert theirs.asked == {"stream": None, "max_version": (1, 1), "copy": None, "dl_device": None}
