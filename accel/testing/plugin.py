"""A pytest plug-in for projects that use accelerators: the fixtures ``device``, ``xp``, ``no_leaks`` and ``fault``.

Installing the library with pytest is enough. ``--accel-devices`` says where tests run that ask for ``device`` or ``xp``
(by default on the CPU, and on a simulated device where there is one), ``--accel-seeds`` with how many interleavings of
a simulated device.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from accel.device import Device
    from accel.testing.faults import Fault

__all__ = ["Faults"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("accel", "accelerators, real and simulated")
    group.addoption(
        "--accel-devices",
        metavar="DEVICES",
        help="where tests that ask for `device` or `xp` run, as in cpu,cuda:1 (default: cpu, and sim if there is one)",
    )
    group.addoption(
        "--accel-seeds",
        type=int,
        default=1,
        metavar="N",
        help="run tests on simulated devices with N interleavings of their streams (default: 1)",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests that ask for a device on each, and on simulated ones with each seed."""
    if "_accel_place" in metafunc.fixturenames:
        places = list(_places(metafunc.config))
        names = [name if seed is None else f"{name}-seed{seed}" for name, seed in places]
        metafunc.parametrize("_accel_place", places, ids=names, indirect=True)


def _places(config: pytest.Config) -> Iterator[tuple[str, int | None]]:
    from accel.device import Device

    wanted = config.getoption("--accel-devices")
    names = wanted.split(",") if wanted else ["cpu", *("sim" for device in Device.available("sim")[:1])]
    for name in names:
        if name.startswith("sim"):
            yield from ((name, seed) for seed in range(config.getoption("--accel-seeds")))
        else:
            yield name, None


@pytest.fixture
def _accel_place(request: pytest.FixtureRequest) -> Iterator["Device"]:
    from accel.config import using
    from accel.device import Device

    name, seed = request.param
    found = Device(name)
    reason = found.why_unavailable()
    if reason is not None:
        pytest.fail(f"--accel-devices asks for {name}: {reason}")
    with using(device=name, **({} if seed is None else {"sim_seed": seed})):
        yield found


@pytest.fixture
def device(_accel_place: "Device") -> "Device":
    """Each device in turn; it is the default one while the test runs."""
    return _accel_place


@pytest.fixture
def xp(_accel_place: "Device") -> Any:
    """`accel.xp`, making arrays on each device in turn."""
    import accel.xp

    return accel.xp


@pytest.fixture
def no_leaks() -> Iterator[None]:
    """Fail if the test leaves memory in use on any device."""
    from accel.testing.leaks import no_leaks as checked

    with checked():
        yield


class Faults:
    """What the fixture ``fault`` offers: context managers that let something go wrong on a device."""

    def allocation(self, k: int, device: "Device | str" = "cpu") -> AbstractContextManager["Fault"]:
        """Let the ``k``-th allocation fail."""
        from accel.testing.faults import fail_allocation

        return fail_allocation(k, device)

    def copy(self, k: int, device: "Device | str" = "cpu") -> AbstractContextManager["Fault"]:
        """Let the ``k``-th copy fail."""
        from accel.testing.faults import fail_copy

        return fail_copy(k, device)

    def memory(self, nbytes: int, device: "Device | str" = "cpu") -> AbstractContextManager[None]:
        """Let allocations fail that would take more than ``nbytes`` bytes."""
        from accel.testing.faults import limit_memory

        return limit_memory(nbytes, device)


@pytest.fixture
def fault() -> Faults:
    """Faults on demand: ``with fault.allocation(3, device): ...``."""
    return Faults()
