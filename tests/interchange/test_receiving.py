"""Import: containers and arrays on the memory of other libraries' DLPack capsules."""

import gc
import weakref

import numpy as np
import pytest

import accel
from accel import Device, xp
from accel.errors import DeviceUnavailableError, InterchangeError, LayoutError, ReadOnlyError
from accel.memory import Ownership


class TestWellMade:
    def test_memory_is_shared(self, forged, form, taken):
        theirs = forged(form)
        ours = taken(theirs)
        assert ours.dtype == np.float32
        np.testing.assert_array_equal(np.asarray(ours).ravel(), theirs.values)
        theirs.values[0] = 42
        assert np.asarray(ours).ravel()[0] == 42
        np.asarray(ours).ravel()[1] = 43
        assert theirs.values[1] == 43

    def test_ends_once_after_the_last_use(self, forged, form, taken):
        theirs = forged(form)
        ours = taken(theirs)
        seen = np.asarray(ours)
        del ours
        assert not theirs.ended
        del seen
        assert theirs.ended == 1
        del theirs.capsule
        gc.collect()
        assert theirs.ended == 1

    def test_is_external(self, forged):
        ours = accel.from_dlpack(forged())
        assert ours.ownership is Ownership.EXTERNAL
        assert xp.from_dlpack(forged()).storage.ownership is Ownership.EXTERNAL
        ours.release()

    @pytest.mark.parametrize(
        ("layout", "expected"),
        [
            ({"strides": None}, np.s_[:, :]),
            ({"strides": (-4, -1), "byte_offset": 44}, np.s_[::-1, ::-1]),
            ({"strides": (4, 2), "shape": (3, 2)}, np.s_[:, ::2]),
            ({"strides": (8, -1), "shape": (2, 4), "byte_offset": 12}, np.s_[::2, ::-1]),
            ({"strides": (1,), "shape": (4,), "byte_offset": 16}, np.s_[1]),
            ({"strides": None, "shape": (), "byte_offset": 24}, np.s_[1, 2]),
            ({"strides": (7, 1), "shape": (1, 4)}, np.s_[:1]),
            ({"strides": (0, 4), "shape": (5, 3)}, np.s_[[0] * 5, :3]),
        ],
    )
    def test_layouts(self, forged, form, layout, expected):
        theirs = forged(form, **layout)
        grid = theirs.values.reshape(3, 4)
        wanted = np.broadcast_to(grid[:, 0], (5, 3)) if layout.get("shape") == (5, 3) else grid[expected]
        ours = xp.from_dlpack(theirs)
        np.testing.assert_array_equal(np.asarray(ours), wanted)
        contiguous = wanted.flags.c_contiguous
        if contiguous:
            assert accel.from_dlpack(forged(form, **layout)).to_numpy().tolist() == wanted.ravel().tolist()
        else:
            with pytest.raises(LayoutError, match="not contiguous"):
                accel.from_dlpack(forged(form, **layout))

    @pytest.mark.parametrize("layout", [{"data": 0}, {"byte_offset": 3}, {"strides": (2**62, 2**62)}])
    def test_without_elements_nothing_else_matters(self, forged, form, taken, layout):
        ours = taken(forged(form, shape=(0, 4), **layout))
        assert ours.size == 0
        assert np.asarray(ours).size == 0

    def test_read_only(self, forged):
        theirs = forged(flags=1)
        ours = xp.from_dlpack(theirs)
        with pytest.raises(ReadOnlyError):
            ours[0, 0] = 5
        looking = accel.from_dlpack(forged(flags=1))
        with pytest.raises(ReadOnlyError):
            looking[0] = 5
        assert not np.asarray(looking).flags.writeable
        assert theirs.values[0] == 0

    def test_memory_pinned_for_cuda_is_the_hosts(self, forged, form, taken):
        assert taken(forged(form, device=(3, 0), said=(3, 0))).device is Device.CPU

    def test_without_a_deleter_the_producer_is_kept(self, forged, taken):
        theirs = forged(deleter=None)
        alive = weakref.ref(theirs)
        ours = taken(theirs)
        del theirs
        gc.collect()
        assert alive() is not None
        assert np.asarray(ours).ravel()[3] == 3
        del ours
        gc.collect()
        assert alive() is None

    def test_ten_thousand_leave_nothing(self, forged, taken):
        ended = 0
        for _ in range(10_000):
            theirs = forged()
            taken(theirs)
            ended += theirs.ended
        assert ended == 10_000


class TestCopies:
    def test_are_ours_if_the_producer_made_none(self, forged, taken):
        theirs = forged()
        ours = taken(theirs, copy=True)
        assert theirs.ended == 1
        np.asarray(ours).ravel()[0] = 77
        assert theirs.values[0] == 0

    def test_are_not_made_twice(self, forged, taken):
        theirs = forged(flags=2)
        assert np.shares_memory(np.asarray(taken(theirs, copy=True)), theirs.values)

    def test_are_refused_if_told_so(self, forged, taken):
        with pytest.raises(InterchangeError, match="copy=False"):
            taken(forged(flags=2), copy=False)

    def test_of_numpy_arrays(self, taken):
        values = np.zeros(3)
        taken(values, copy=True)[1] = 5
        assert not values.any()
        taken(values, copy=False)[1] = 5
        assert values[1] == 5


class TestDevices:
    def test_that_are_not_here(self, forged, taken):
        for device in ((2, 5), (8, 0), (10, 1), (7, 0), (9, 4000)):
            theirs = forged(device=device, said=device)
            with pytest.raises(InterchangeError, match=r"none of those here, cpu \(1, 0\).*device='cpu'"):
                taken(theirs)
            assert not theirs.ended

    def test_that_are_not_here_may_copy_to_the_host(self, taken):
        asked = {}

        class Far:
            def __dlpack__(self, **keywords):
                asked.update(keywords)
                return np.arange(3.0).__dlpack__(max_version=(1, 0), copy=True)

            def __dlpack_device__(self):
                return 2, 5

        assert np.asarray(taken(Far(), device="cpu")).tolist() == [0, 1, 2]
        assert asked["dl_device"] == (1, 0)

    def test_unknown_ones_are_refused_first(self, forged, taken):
        theirs = forged()
        with pytest.raises(DeviceUnavailableError):
            taken(theirs, device="cuda:77")
        assert not theirs.ended

    def test_accelerators_exchange_addresses(self, toy, foreign):
        with accel.container([1, 2, 3], "float32", device="sim:1") as lender:
            ours = accel.from_dlpack(foreign(lender))
            assert (ours.device, ours.ownership) == (Device.SIM[1], Ownership.EXTERNAL)
            assert ours.unsafe_ptr() == lender.unsafe_ptr()
            lender.fill(9)
            assert ours.to_numpy().tolist() == [9, 9, 9]
            ours.fill(4)
        assert ours.to_numpy().tolist() == [4, 4, 4]

    def test_a_stranger_with_a_number_of_ours_is_refused(self, toy, forged):
        theirs = forged(device=(9, 0), said=(9, 0))
        with pytest.raises(InterchangeError, match="Forged: sim has no such memory") as caught:
            accel.from_dlpack(theirs)
        assert theirs.ended == 1
        assert caught.value.__cause__

    def test_received_memory_moves(self, toy, forged):
        theirs = forged()
        moved = accel.from_dlpack(theirs, device="sim")
        assert theirs.ended == 1
        assert moved.to_numpy().tolist() == theirs.values.tolist()
        with pytest.raises(InterchangeError, match="going from cpu to sim"):
            accel.from_dlpack(forged(), device="sim", copy=False)


class TestOurOwn:
    def test_need_no_capsule(self, toy):
        with accel.container([1, 2], "float32", device="sim") as lender:
            ours = accel.from_dlpack(lender)
            assert lender.ref_count == 2
            assert accel.from_dlpack(lender, device="cpu").to_numpy().tolist() == [1, 2]
            assert xp.from_dlpack(lender, device="cpu").device is Device.CPU
            with pytest.raises(InterchangeError, match="copy"):
                xp.from_dlpack(lender, device="cpu", copy=False)
        assert ours.to_numpy().tolist() == [1, 2]

    @pytest.mark.parametrize("dtype", ["float32", "bfloat16", "bool"])
    def test_containers_become_arrays_and_back(self, dtype):
        c = accel.empty(3, dtype)
        x = xp.from_dlpack(c)
        x[1] = True
        again = accel.from_dlpack(x)
        assert again[1] == c[1] == 1
        c.release()
        assert x[1] == again[1] == 1

    def test_parts_of_arrays(self):
        x = xp.reshape(xp.arange(12), (3, 4))
        assert accel.from_dlpack(x[1]).to_numpy().tolist() == [4, 5, 6, 7]
        assert accel.from_dlpack(x[1:]).size == 8
        with pytest.raises(LayoutError):
            accel.from_dlpack(x[:, 1])
        assert accel.from_dlpack(xp.asarray(x[:, 1], copy=True)).to_numpy().tolist() == [1, 5, 9]
        assert accel.from_dlpack(xp.zeros((0, 3))).size == 0

    def test_arrays_are_themselves(self):
        x = xp.ones(3)
        assert xp.from_dlpack(x) is x
        assert xp.from_dlpack(x, copy=True) is not x


def test_the_interpreter_exits_with_received_memory_in_use(python, root):
    code = f"""
        import sys
        sys.path.insert(0, {str(root / "tests/interchange")!r})
        from conftest import Forged
        import numpy as np
        import accel
        from accel import xp

        end = Forged.end
        Forged.end = lambda self, address: (end(self, address), print(theirs.index(self), self.ended))
        theirs = [Forged() for _ in range(4)]
        ours = [accel.from_dlpack(theirs[0]), xp.from_dlpack(theirs[1]), np.asarray(accel.from_dlpack(theirs[2]))]
        ours.append(ours)
        np.kept_for_ever = ours
        capsule = theirs[3].capsule
    """
    assert sorted(python(code).splitlines()) == ["0 1", "1 1", "2 1"]
