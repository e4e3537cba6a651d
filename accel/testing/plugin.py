"""A pytest plug-in for projects that use accelerators: the fixtures ``device``, ``xp``, ``no_leaks`` and ``fault``.

Pytest finds it when the library is installed. A test that asks for ``device`` or ``xp`` runs on each of the devices of
``--accel-devices`` (by default the CPU and a simulated device), and on simulated devices with each of ``--accel-seeds``
interleavings. Such a test starts from its seed, whatever ran before it, and fails if there is a race in it.
"""

from collections.abc import Generator, Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from accel.device import Device
    from accel.testing.faults import Faults


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
    """Run a test that asks for a device on each device, and on simulated devices with each seed."""
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


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Let a race fail the test itself; the teardown of a fixture would come after the test has passed."""
    __tracebackhide__ = True
    if "_accel_place" not in pyfuncitem.fixturenames:
        return (yield)
    from accel.testing.races import no_races

    with no_races():
        return (yield)


@pytest.fixture
def _accel_place(request: pytest.FixtureRequest) -> Iterator["Device"]:
    from accel.config import using
    from accel.device import Device
    from accel.testing.races import no_races
    from accel.testing.seeds import seeded
    from accel.testing.simulation import drop

    name, seed = request.param
    place = Device(name)
    reason = place.why_unavailable()
    if reason is not None:
        pytest.fail(f"--accel-devices asks for {name}: {reason}")
    drop()
    with using(device=name), nullcontext() if seed is None else seeded(seed), no_races():
        yield place


@pytest.fixture
def device(_accel_place: "Device") -> "Device":
    """Each device in turn; it is the default device while the test runs."""
    return _accel_place


@pytest.fixture
def xp(_accel_place: "Device") -> Any:
    """`accel.xp`; it makes arrays on each device in turn."""
    import accel.xp

    return accel.xp


@pytest.fixture
def no_leaks(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail if the test leaves memory in use on any device."""
    __tracebackhide__ = True
    from accel.testing.leaks import refuse_growth, settled

    before, failures = settled(), request.session.testsfailed
    yield
    # The traceback of a failed test keeps its memory alive.
    if request.session.testsfailed == failures:
        refuse_growth(before, settled())


@pytest.fixture
def fault() -> "Faults":
    """Faults on demand: ``with fault.allocation(3): ...``, and ``copy``, ``memory`` and ``lost``."""
    from accel.testing.faults import Faults

    return Faults()
