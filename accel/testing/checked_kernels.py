"""`CheckedKernels`: the part of the pytest plug-in that checks CUDA and HIP kernels on simulated devices."""

from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import Context
from hashlib import sha256
from importlib import import_module
from random import SystemRandom
from shlex import quote
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from accel.testing.places import Place

__all__ = ["CheckedKernels", "add_options", "checks_requested", "enter_simulations", "settings_of"]

_CHECKS, _SEED, _WARP, _CUPY, _NUMBA, _DEVICES = (
    "--accel-kernel-checks",
    "--accel-kernel-seed",
    "--accel-kernel-warp",
    "--accel-cupy-on-sim",
    "--accel-numba-cuda-on-sim",
    "--accel-cuda-devices",
)
_SEEDS = 2**32
_ENTERED = pytest.StashKey[tuple[str, ...]]()
_BLOCKS = {
    _CUPY: ("accel.testing.cupy_simulation.context", "cupy_on_sim"),
    _NUMBA: ("accel.testing.numba_simulation.context", "numba_cuda_on_sim"),
}
"""What an option enters to the end of the run: modules and names of context managers."""


def add_options(group: pytest.OptionGroup) -> None:
    """Add the options."""
    group.addoption(
        _CHECKS,
        metavar="CHECKS",
        help="what CUDA and HIP kernels are checked for on simulated devices: some of memory,race,init,sync,banks, "
        "order, same-value, or all (the first four), or none (default: all); with this or one of the next options, "
        "each test has a seed of its own, and fails if work that it leaves behind fails",
    )
    group.addoption(
        _SEED,
        metavar="N",
        help="a number from which the seed of each test is made, or random (default: 0)",
    )
    group.addoption(
        _WARP,
        choices=("32", "64"),
        help="threads of a warp of simulated devices: 32 as on NVIDIA's GPUs (default), 64 as on AMD's",
    )
    group.addoption(
        _CUPY,
        action="store_true",
        help="run tests that use CuPy on a simulated device: accel.testing.cupy_on_sim() stands for cupy",
    )
    group.addoption(
        _NUMBA,
        action="store_true",
        help="run tests that use numba.cuda on simulated devices, by accel.testing.numba_cuda_on_sim()",
    )
    group.addoption(
        _DEVICES,
        type=int,
        metavar="N",
        help="how many simulated devices CuPy and numba.cuda see (default: all, or those of CUDA_VISIBLE_DEVICES)",
    )


def settings_of(config: pytest.Config, place: "Place | None") -> dict[str, object]:
    """Return the settings for the kernels of a test, which runs at a place or nowhere in particular."""
    checks, warp = config.getoption(_CHECKS), config.getoption(_WARP)
    if checks is None and (checks_requested(config) or (place is not None and place.seed is not None)):
        checks = "all"
    values = {"kernel_checks": checks, "sim_warp": warp}
    return {name: value for name, value in values.items() if value is not None}


def checks_requested(config: pytest.Config) -> bool:
    """Return whether all tests of the project are to be run with checks."""
    return any(config.getoption(option) not in (None, False) for option in (_CHECKS, _SEED, _WARP, *_BLOCKS))


def enter_simulations(config: pytest.Config) -> None:
    """Let simulated devices stand for the GPU of CuPy and numba-cuda to the end of the run, if that is asked for."""
    for option, (module, name) in _BLOCKS.items():
        if not config.known_args_namespace.__dict__[_attribute(option)] or (option in config.stash.get(_ENTERED, ())):
            continue
        config.stash[_ENTERED] = (*config.stash.get(_ENTERED, ()), option)
        block = ExitStack()
        try:
            devices = config.known_args_namespace.__dict__[_attribute(_DEVICES)]
            block.enter_context(getattr(import_module(module), name)(devices=devices))
        except (ModuleNotFoundError, RuntimeError, ValueError) as error:
            raise pytest.UsageError(f"{option}: {error}") from None
        config.add_cleanup(block.close)


def _attribute(option: str) -> str:
    return option.removeprefix("--").replace("-", "_")


class CheckedKernels:
    """Hooks that give each test a seed of its own, and fail it if its kernels are reported.

    Parameters
    ----------
    config : pytest.Config
        The configuration of the run.

    Raises
    ------
    pytest.UsageError
        If an option has a value that it cannot have.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        worker_input: dict[str, int] = getattr(config, "workerinput", {})
        self._base = worker_input[_SEED] if _SEED in worker_input else self._seed(config.getoption(_SEED))
        self._configure()

    @staticmethod
    def _seed(text: str | None) -> int:
        if text == "random":
            return SystemRandom().randrange(_SEEDS)
        if text is None or (text.isascii() and text.isdecimal()):
            return int(text or 0)
        raise pytest.UsageError(f"{_SEED}={text}: write a number from 0, or random")

    def _configure(self) -> None:
        """Change the settings of the process, as tests may start threads."""
        from accel.config import configure, current

        earlier, settings = Context().run(current), settings_of(self._config, None)
        try:
            configure(**settings)
        except ValueError as error:
            raise pytest.UsageError(f"{_CHECKS}: {error}") from None
        self._config.add_cleanup(lambda: configure(**{name: getattr(earlier, name) for name in settings}))

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Give the seed to a worker of pytest-xdist, which could draw another one."""
        node.workerinput[_SEED] = self._base

    def pytest_report_header(self) -> str:
        """Say what is checked, and with which seed."""
        return f"accel: kernels on simulated devices are checked ({self._options()})"

    def _options(self) -> str:
        checks, warp = self._config.getoption(_CHECKS) or "all", self._config.getoption(_WARP)
        options = [f"{_CHECKS}={checks}", f"{_SEED}={self._base}"]
        options += [f"{_WARP}={warp}"] if warp else []
        options += [option for option in _BLOCKS if self._config.getoption(option)]
        devices = self._config.getoption(_DEVICES)
        options += [] if devices is None else [f"{_DEVICES}={devices}"]
        return " ".join(options)

    def seed_of(self, item: pytest.Item) -> int:
        """Return the seed of a test."""
        return int.from_bytes(sha256(f"{self._base} {item.nodeid}".encode()).digest()[:4], "big")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, object, object]:
        """Run the fixtures of a test with its seed; what their kernels do wrong is an error of the test."""
        __tracebackhide__ = True
        from accel.testing.simulation import drop

        drop()
        with _checked(self.seed_of(item)):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Run a test with its seed; all of its work on simulated devices is over before it has passed."""
        __tracebackhide__ = True
        with _checked(self.seed_of(item)):
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, object, object]:
        """Run the ends of fixtures with the seed."""
        __tracebackhide__ = True
        with _checked(self.seed_of(item)):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Say how a test that failed can be repeated."""
        report = yield
        if report.failed:
            repeat = f"pytest {quote(item.nodeid)} {self._options()}"
            report.sections.append(("accel", f"seed {self.seed_of(item)} of simulated devices; repeat: {repeat}"))
        return report


@contextmanager
def _checked(seed: int) -> Iterator[None]:
    __tracebackhide__ = True
    from accel.testing.races import no_races
    from accel.testing.seeds import seeded

    with no_races(), seeded(seed):
        yield
