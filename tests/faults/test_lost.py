"""Rows 29 and 30: a driver that fails, the child of a fork, and the end of a process."""

import io

import numpy as np
import pytest

import accel
from accel import Device, xp
from accel.errors import DeviceLostError
from accel.memory import heap_of

SIZE = 10_000

USES = {
    "allocating": lambda c: accel.empty(3, device="sim"),
    "filling": lambda c: c.fill(0),
    "copying to": lambda c: c.copy_from(accel.zeros(SIZE, device="cpu")),
    "copying from": lambda c: accel.zeros(SIZE, device="cpu").copy_from(c),
    "moving": lambda c: c.to("cpu"),
    "computing": lambda c: xp.asarray(c) + 1,
    "in place": lambda c: xp.asarray(c).__iadd__(1),
    "reading": lambda c: c.to_numpy(),
    "later": lambda c: accel.empty(SIZE, device="cpu").copy_from_async(c, stream=accel.new_stream("sim")).wait(),
}


@pytest.mark.usefixtures("no_leaks")
class TestLost:
    def test_every_use_says_so_and_the_host_can_save_its_data(self, fault):
        host, c = accel.container(np.arange(float(SIZE))), accel.full(SIZE, 5.0, device="sim")
        with fault.lost("sim"):
            for use in USES.values():
                with pytest.raises(DeviceLostError, match="what is on the host can still be saved"):
                    use(c)
            file = io.BytesIO()
            np.save(file, np.asarray(host))
            other = accel.zeros(3, device="sim:1")
        assert np.array_equal(np.load(io.BytesIO(file.getvalue())), np.arange(float(SIZE)))
        assert other.to_numpy().tolist() == [0, 0, 0]
        assert (c.to_numpy() == 5).all()

    def test_memory_is_given_back_all_the_same(self, fault):
        used = heap_of(Device.SIM).backend.used
        before = used(Device.SIM)
        c, x = accel.zeros(SIZE, device="sim"), xp.ones(SIZE, device="sim")
        assert used(Device.SIM) > before
        with fault.lost("sim"):
            c.release()
            del x
        assert used(Device.SIM) == before


@pytest.mark.usefixtures("no_leaks")
class TestFailedCopy:
    def test_leaves_source_and_target_as_they_were(self, device, fault):
        source, target = accel.container(np.arange(float(SIZE))), accel.full(SIZE, 5.0)
        for copy in (
            lambda: target.copy_from(source),
            lambda: target.from_numpy(np.zeros(SIZE)),
            source.deep_copy,
            lambda: source.to(device, copy=True),
            source.to_numpy,
        ):
            with fault.copy(1), pytest.raises(DeviceLostError, match="fail"):
                copy()
            assert np.array_equal(source.to_numpy(), np.arange(float(SIZE)))
            assert np.array_equal(target.to_numpy(), np.full(SIZE, 5.0))

    def test_that_was_later_leaves_nothing_that_is_read_by_mistake(self, device, fault):
        source, target = accel.container(np.arange(float(SIZE))), accel.full(SIZE, 5.0)
        with fault.copy(1):
            transfer = target.copy_from_async(source, stream=accel.new_stream())
            with pytest.raises(DeviceLostError, match="fail"):
                transfer.wait()
        for read in (target.to_numpy, target.deep_copy, lambda: xp.asarray(target) + 1):
            with pytest.raises(DeviceLostError):
                read()
        target.copy_from(source)
        assert np.array_equal(target.to_numpy(), np.arange(float(SIZE)))


EXITS = {
    "kept": "kept = transfer, stream, a, b",
    "dropped": "del transfer, stream, a, b",
    "released": "a.release(); b.release()",
    "closed": "stream.close(); assert transfer.done()",
    "current": "stream.__enter__()",
    "kept for ever": "import numpy; numpy.kept_for_ever = [transfer, stream, a, b]; numpy.kept_for_ever += [numpy]",
}


@pytest.mark.parametrize("end", EXITS.values(), ids=EXITS)
def test_the_interpreter_exits_in_silence_with_work_in_flight(device, process, end):
    code = f"""
        import accel
        from accel import xp
        stream = accel.new_stream()
        a, b = accel.full(1 << 16, 7.0), accel.empty(1 << 16)
        x = xp.asarray(a) + 1
        transfer = b.copy_from_async(a, stream=stream)
        {end}
        print("end")
    """
    assert process(code, device) == (0, "end", "")


def test_a_failure_without_a_wait_is_shown_at_exit(device, process):
    code = """
        import accel
        from accel.testing import fail_copy

        stream = accel.new_stream()
        a, b = accel.full(10, 7.0), accel.empty(10)
        with fail_copy(1):
            transfer = b.copy_from_async(a, stream=stream)
            transfer.event.settle()
    """
    code, _, shown = process(code, device)
    assert code == 0
    assert shown.count("accel.errors.DeviceLostError: ") == 1
    assert "submitted at" in shown
