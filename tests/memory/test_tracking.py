"""`track` counts allocations and releases; `assert_no_leak` refuses memory that stays in use."""

import re
import threading

import pytest

import accel
from accel.memory import Track, assert_no_leak, heap_of, pinned, track
from accel.memory.heap import unwatch, watch

DEVICES = pytest.mark.parametrize("where", ["cpu", "sim"])


class TestTrack:
    @DEVICES
    def test_counts_what_is_allocated_and_freed(self, where):
        old = accel.empty(1024, device=where)
        with track("step") as t:
            container = accel.empty(1024, device=where)
            accel.empty(1024, device=where).release()
            old.release()
        result = t.on(container.device)
        assert (result.allocations, result.frees, result.live_blocks) == (2, 2, 0)
        assert (result.allocated_bytes, result.freed_bytes, result.live_bytes) == (16_384, 16_384, 0)
        assert result.peak_bytes == 16_384
        container.release()
        assert result.frees == 2

    def test_can_be_asked_meanwhile(self):
        with track() as t, accel.empty(1024):
            assert t.live_bytes == 8192
        assert t.live_bytes == 0

    def test_those_inside_one_another_and_those_that_overlap_have_peaks_of_their_own(self):
        first, second = track("first"), track("second")
        one = first.__enter__()
        accel.empty(4096).release()
        two = second.__enter__()
        accel.empty(1024).release()
        first.__exit__(None, None, None)
        accel.empty(2048).release()
        second.__exit__(None, None, None)
        assert (one.on(accel.Device.CPU).peak_bytes, two.on(accel.Device.CPU).peak_bytes) == (32_768, 16_384)
        assert one.allocated_bytes == 32_768 + 8192

    def test_sees_all_threads(self):
        with track() as t:
            thread = threading.Thread(target=lambda: accel.empty(1024).release())
            thread.start()
            thread.join()
        assert t.allocated_bytes == t.freed_bytes == 8192

    def test_sees_a_device_that_nobody_used_before(self, toy):
        with track() as t, accel.empty(3, device="sim:1"):
            assert t.on(accel.Device("sim:1")).allocated_bytes == 24
        assert heap_of(accel.Device("sim:1")).plain

    def test_a_device_may_be_called_by_its_name(self):
        with track() as t, accel.empty(3, device="sim"):
            assert t.on("sim").allocations == 1
        with pytest.raises(ValueError, match="nowhere"):
            t.on("nowhere")

    def test_may_end_while_a_device_is_used_for_the_first_time(self, toy):
        """As when a collection then ends a generator; a lock that its thread has would be waited for for ever."""
        inner, outer = track(), Track("outer")
        inner.__enter__()

        def watcher(device):
            if device.type == "sim":
                inner.__exit__(None, None, None)
            return outer.on(device)

        watch(watcher)
        thread = threading.Thread(target=lambda: heap_of(accel.Device("sim:1")), daemon=True)
        thread.start()
        thread.join(60)
        assert not thread.is_alive()
        unwatch(watcher)

    def test_sees_pinned_memory_as_the_hosts(self):
        with track() as t, pinned(1024, device="sim"):
            assert t.on(accel.Device.CPU).allocations == 1

    def test_printed_it_is_a_table_of_the_devices_that_did_something(self):
        with track("a step") as t, accel.empty(1024):
            pass
        assert str(t).splitlines() == [
            "Memory of 'a step'",
            "  device  allocated            freed                left     peak",
            "  cpu     1 block, 8192 bytes  1 block, 8192 bytes  nothing  8192 bytes",
        ]
        assert "<td>1 block, 8192 bytes</td>" in t._repr_html_()

    def test_of_nothing_it_says_so(self):
        with track() as t:
            pass
        assert "nothing was allocated or freed" in str(t)

    def test_an_error_inside_ends_it(self):
        with pytest.raises(KeyError), track() as t:
            raise KeyError
        accel.empty(8).release()
        assert t.devices == ()
        assert heap_of(accel.Device.CPU).plain


class TestNoLeak:
    @DEVICES
    def test_a_leak_is_named_with_the_line_that_made_it(self, where):
        containers = []
        with pytest.raises(AssertionError) as failure, assert_no_leak():
            containers.append(accel.empty(1024, device=where))
        first, second = str(failure.value).splitlines()
        assert first == f"{where}: 1 block more in use than before, 8192 bytes"
        assert re.fullmatch(
            rf"  {where}: 8192 bytes, 1 handle, made at .*test_tracking\.py:\d+ in test_a_leak.*", second
        )

    def test_growth_in_fewer_blocks_is_a_leak_too(self):
        small = [accel.empty(8), accel.empty(8)]
        with pytest.raises(AssertionError) as failure, assert_no_leak():
            small[:] = [accel.empty(1024)]
        assert str(failure.value).startswith(
            "cpu: larger blocks in use than before, 8064 bytes more\n  cpu: 8192 bytes"
        )

    def test_in_the_thread_of_a_stream_it_does_not_wait_for_its_own_work(self, stream):
        source, target, begin = accel.zeros(1 << 16), accel.zeros(1 << 16), threading.Event()

        def guarded():
            begin.wait(30)
            with assert_no_leak():
                accel.empty(8).release()

        looked = stream.submit(guarded)
        clone = target.copy_from_async(source, stream=stream)
        begin.set()
        looked.wait()
        clone.wait()

    def test_only_what_is_new_is_named(self):
        with accel.empty(2048), pytest.raises(AssertionError) as failure, assert_no_leak():
            container = accel.empty(1024)
        assert str(failure.value).count("made at") == 1
        container.release()

    def test_an_export_that_stays_is_a_leak(self):
        views = []
        with (
            pytest.raises(AssertionError, match="0 handles, kept alive by 1 more, made at"),
            assert_no_leak(),
            accel.zeros(3) as c,
        ):
            views.append(c.memoryview())

    def test_very_many_are_counted_and_not_listed(self):
        containers = []
        with pytest.raises(AssertionError, match=r"and 90 more$"), assert_no_leak():
            containers += [accel.empty(8) for _ in range(100)]

    def test_what_is_given_back_collected_or_waited_for_is_none(self):
        with assert_no_leak():
            accel.empty(8).release()
            cycle = [accel.empty(8)]
            cycle.append(cycle)
            del cycle
            with accel.new_stream("sim") as stream:
                accel.zeros(1024, device="sim").copy_from_async(accel.zeros(1024), stream=stream)

    def test_as_a_decorator_it_guards_each_call(self):
        containers = []

        @assert_no_leak()
        def leaks(really):
            if really:
                containers.append(accel.empty(8))

        leaks(really=False)
        with pytest.raises(AssertionError, match="1 block more"):
            leaks(really=True)
        leaks(really=False)

    def test_the_error_of_the_block_is_the_one_that_is_told(self):
        containers = []

        def fails():
            with assert_no_leak():
                containers.append(accel.empty(8))
                raise KeyError

        with pytest.raises(KeyError):
            fails()
