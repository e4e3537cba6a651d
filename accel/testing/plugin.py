"""A pytest plug-in for projects that use accelerators: the fixtures ``device``, ``xp``, ``no_leaks`` and ``fault``.

Pytest finds it when the library is installed. A test that asks for ``device`` or ``xp`` runs on each of the devices of
``--accel-devices`` (by default the CPU and a simulated device), and on simulated devices with each of ``--accel-seeds``
interleavings. Such a test starts from its seed, whatever ran before it, and fails if there is a race in it. CUDA and
HIP kernels that it launches on a simulated device are checked; ``--accel-kernel-checks`` chooses for what.
"""

from collections.abc import Generator, Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pytest

from accel.testing.checked_kernels import CheckedKernels, add_options, checks_requested, enter_simulations, settings_of
from accel.testing.places import MARK, Place, entered, places

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
    add_options(group)
    group.addoption(
        "--accel-reports",
        action="append",
        metavar="REPORTS",
        help="write what kernels do wrong: some of github (annotations of a pull request), sarif:FILE, html:FILE, "
        "junit:FILE, and junit (into the file of --junitxml), with commas between",
    )
    group.addoption(
        "--accel-coverage",
        metavar="lcov:FILE",
        help="write which lines of kernels were taken on simulated devices; with coverage.py, its plug-in "
        "accel.testing.coverage does so in its own data",
    )
    parser.addini(
        "accel_namespaces",
        type="args",
        default=[],
        help="parameters of tests or fixtures that take an array namespace; accel.xp is added on each device",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Let conftest files use CuPy and numba.cuda, if these are to be simulated."""
    enter_simulations(early_config)


def pytest_configure(config: pytest.Config) -> None:
    """Extend the tests of other projects, if that is asked for."""
    config.addinivalue_line("markers", f"{MARK}(device, seed, id): where a test runs; added to other projects' tests")
    if checks_requested(config):
        enter_simulations(config)
        config.pluginmanager.register(CheckedKernels(config), "accel-kernels")
    if config.getoption("--accel-reports"):
        from accel.testing.kernel_findings import KernelFindings

        config.pluginmanager.register(KernelFindings(config), "accel-reports")
    if config.getoption("--accel-coverage"):
        from accel.testing.coverage_output import CoverageOutput

        config.pluginmanager.register(CoverageOutput(config), "accel-coverage")
    devices, parameters = config.getoption("--accel-devices"), config.getini("accel_namespaces")
    if not devices and not parameters:
        return
    from accel.testing.foreign import AnyProject, ArrayApiExtra, NamespacePlugin, ScikitLearn, SciPy, Suite

    where = _places(config)
    suites: dict[str, Suite] = {"": AnyProject(where, parameters)} if parameters else {}
    if devices:
        suites |= {"scipy.conftest": SciPy(where), "sklearn.conftest": ScikitLearn(where)}
        suites["array_api_extra.tests.main.conftest"] = ArrayApiExtra(where)
    config.pluginmanager.register(NamespacePlugin(suites), "accel-namespaces")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for a device on each device, and on simulated devices with each seed."""
    if "_accel_place" in metafunc.fixturenames and metafunc._calls:
        # A hook of the project may have given values to its parameter `xp`, which then is none of our fixtures.
        metafunc.definition._fixtureinfo.prune_dependency_tree()
    if "_accel_place" in metafunc.fixturenames:
        where = _places(metafunc.config)
        metafunc.parametrize("_accel_place", where, ids=[place.id for place in where], indirect=True)


def _places(config: pytest.Config) -> list[Place]:
    return places(config.getoption("--accel-devices"), config.getoption("--accel-seeds"))


def _mark(item: pytest.Item) -> Place | None:
    mark = item.get_closest_marker(MARK)
    return None if mark is None else Place(*mark.args)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Run a test of another project, with all of its fixtures, on its device."""
    place = _mark(item)
    with nullcontext() if place is None else entered(place):
        return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail a test of another project if its device is not available."""
    place = _mark(item)
    if place is not None:
        _available(place)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Let a race fail the test itself; the teardown of a fixture would come after the test has passed."""
    __tracebackhide__ = True
    if "_accel_place" not in pyfuncitem.fixturenames and _mark(pyfuncitem) is None:
        return (yield)
    from accel.testing.races import no_races

    with no_races():
        return (yield)


def _available(place: Place) -> "Device":
    from accel.device import Device

    device = Device(place.device)
    reason = device.why_unavailable()
    if reason is not None:
        pytest.fail(f"--accel-devices asks for {place.device}: {reason}")
    return device


@pytest.fixture
def _accel_place(request: pytest.FixtureRequest) -> Iterator["Device"]:
    from accel.config import using
    from accel.testing.races import no_races

    device = _available(request.param)
    with using(**settings_of(request.config, request.param)), entered(request.param), no_races():
        yield device


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
