"""Whatever fails in a copy, the ring loses no buffers."""

from contextlib import suppress
from functools import partial
from itertools import count

import numpy as np
import pytest
from accel.backends.cupy import staging

from accel import Device
from accel.abc import Span
from accel.errors import AccelError, DeviceLostError
from accel.memory import heap_of
from accel.testing.blocks import host_span, lent, random_bytes, read, write

from .rings import LONG, PIECE, nothing_is_lost, there_and_back, tracing


class TestFaults:
    def test_a_fault_at_any_call_of_the_driver_loses_nothing(self, machine, heap, backend, device, ring, monkeypatch):
        data, check, calls, failures = random_bytes(6 * PIECE + 5), machine.check, [], []

        def fault(at, *devices):
            calls.append(devices)
            check(*devices)
            machine.require(len(calls) != at, 1)

        with lent(heap, data.nbytes) as block:
            for at in range(1, 1000):
                calls.clear()
                monkeypatch.setattr(machine, "check", partial(fault, at))
                try:
                    result = there_and_back(backend, block, data, None)
                except AccelError as error:
                    failures.append(str(error))
                else:
                    assert np.array_equal(result, data)
                monkeypatch.setattr(machine, "check", check)
                assert np.array_equal(there_and_back(backend, block, data, None), data)
                assert nothing_is_lost(machine, ring)
                if len(calls) < at:
                    break
        assert 40 < len(failures) < at

    @pytest.mark.parametrize("up", [True, False])
    def test_an_interrupt_at_any_line_loses_nothing(self, machine, heap, backend, device, ring, up):
        data, lines = random_bytes(6 * PIECE), []

        def trace(at, frame, event, argument):
            code = frame.f_code  # errors of finalisers are not raised
            if code.co_filename == staging.__file__ and code.co_name != "__del__" and event == "line":
                lines.append(frame.f_lineno)
                if len(lines) == at:
                    raise KeyboardInterrupt
            return partial(trace, at)

        with lent(heap, data.nbytes) as block:
            ends = Span(block, 0, data.nbytes), host_span(data.copy())
            for at in count(1):
                lines.clear()
                with suppress(KeyboardInterrupt), tracing(partial(trace, at)):
                    backend.copy(*(ends if up else ends[::-1]), stream=None)
                heap.synchronize()
                assert np.array_equal(there_and_back(backend, block, data, None), data)
                assert nothing_is_lost(machine, ring)
                if len(lines) < at:
                    break
        assert at > 100

    @pytest.mark.parametrize("after", range(1, 12))
    def test_when_a_device_is_lost_the_other_one_has_the_pieces(self, machine, heap, backend, device, ring, after):
        runtime, calls, other = backend._driver.runtime, [], heap_of(Device[device.type.upper()][1])
        call, data = runtime.memcpyAsync, random_bytes(6 * PIECE)

        def lose_later(*arguments):
            calls.append(arguments)
            if len(calls) == after:
                machine.lose(0)
            call(*arguments)

        block = heap.allocate(data.nbytes, alignment=1)
        runtime.memcpyAsync = lose_later
        with pytest.raises(DeviceLostError):
            there_and_back(backend, block, data, backend.new_stream(device))
        runtime.memcpyAsync = call
        with lent(other, data.nbytes) as another:
            write(other, another, data)
            assert np.array_equal(read(other, another, data.nbytes), data)
        assert nothing_is_lost(machine, ring)

    @pytest.mark.parametrize("on", ["new", "none"])
    def test_a_child_of_a_fork_is_told_to_spawn(self, heap, backend, device, ring, on):
        data = random_bytes(5 * PIECE)
        with lent(heap, data.nbytes) as block:
            there_and_back(backend, block, data, None)
            stream = backend.new_stream(device) if on == "new" else None
            begun, backend._driver._process = backend._driver._process, -1  # as in a forked child
            for target, source in ((Span(block, 0, data.nbytes), host_span(data)),) * 2:
                with pytest.raises(RuntimeError, match="start processes with 'spawn'"):
                    backend.copy(target, source, stream=stream)
            backend._driver._process = begun


def test_trimming_lets_go_of_what_no_copy_uses(machine, heap, backend, ring):
    with lent(heap, LONG) as block:
        there_and_back(backend, block, random_bytes(LONG), None)
        assert machine.pinned
        backend.trim()
        assert not machine.pinned
        assert np.array_equal(there_and_back(backend, block, random_bytes(LONG), None), random_bytes(LONG))
