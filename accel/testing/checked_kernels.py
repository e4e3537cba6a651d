"""`CheckedKernels`: the part of the pytest plug-in that checks CUDA and HIP kernels on simulated devices."""

from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from random import SystemRandom
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from accel.testing.places import Place

__all__ = ["CheckedKernels", "add_options", "settings_of", "wanted"]

_CHECKS, _SEED, _WARP, _CUPY = (
    "--accel-kernel-checks",
    "--accel-kernel-seed",
    "--accel-kernel-warp",
    "--accel-cupy-on-sim",
)
_SEEDS = 2**32


def add_options(group: pytest.OptionGroup) -> None:
    """Add the options."""
    group.addoption(
        _CHECKS,
        metavar="CHECKS",
        help="what CUDA and HIP kernels are checked for on simulated devices: some of memory,race,init,sync, or all, or "
        "none (default: all, in tests that run on a simulated device); with one of the --accel-kernel options, each "
        "test has a seed of its own, and fails if a kernel in it is reported",
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


def settings_of(config: pytest.Config, place: "Place | None") -> dict[str, object]:
    """Return the settings for the kernels of a test, which runs at a place or nowhere in particular."""
    checks, warp = config.getoption(_CHECKS), config.getoption(_WARP)
    if checks is None and (wanted(config) or (place is not None and place.seed is not None)):
        checks = "all"
    found = {"kernel_checks": checks, "sim_warp": warp}
    return {name: value for name, value in found.items() if value is not None}


def wanted(config: pytest.Config) -> bool:
    """Return whether all tests of the project are to be run with checks."""
    return any(config.getoption(option) not in (None, False) for option in (_CHECKS, _SEED, _WARP, _CUPY))


class CheckedKernels:
    """Hooks that give each test a seed of its own, and let what is reported of its kernels fail it.

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
        from accel.config import using

        self._config = config
        self._base = self._seed(config.getoption(_SEED))
        config.option.accel_kernel_seed = str(self._base)  # the workers of pytest-xdist get these options
        self._cupy = bool(config.getoption(_CUPY))
        try:
            with using(**settings_of(config, None)):
                pass
        except ValueError as error:
            raise pytest.UsageError(f"{_CHECKS}: {error}") from None

    @staticmethod
    def _seed(given: str | None) -> int:
        if given == "random":
            return SystemRandom().randrange(_SEEDS)
        if given is None or given.isdecimal():
            return int(given or 0)
        raise pytest.UsageError(f"{_SEED}={given}: write a number from 0, or random")

    def pytest_report_header(self) -> str:
        """Say what is checked, and with which seed."""
        return f"accel: kernels on simulated devices are checked ({self._given()})"

    def _given(self) -> str:
        checks = self._config.getoption(_CHECKS) or "all"
        return f"{_CHECKS}={checks} {_SEED}={self._base}"

    def seed_of(self, item: pytest.Item) -> int:
        """Return the seed of a test."""
        return int.from_bytes(sha256(f"{self._base} {item.nodeid}".encode()).digest()[:4], "big")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Run a test, with its fixtures, with the settings; and where it is asked for, with the stand-in for CuPy."""
        from accel.config import using

        with ExitStack() as entered:
            entered.enter_context(using(**settings_of(self._config, None)))
            if self._cupy:
                from accel.testing.cupy_simulation.entering import cupy_on_sim

                entered.enter_context(cupy_on_sim())
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Run a test with its seed; all of its work on simulated devices is over before it has passed."""
        __tracebackhide__ = True
        with _alone(self.seed_of(item)):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[Any]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Say how a test that failed can be repeated."""
        report = yield
        if report.failed:
            repeat = f"pytest '{item.nodeid}' {self._given()}"
            report.sections.append(("accel", f"seed {self.seed_of(item)} of simulated devices; repeat: {repeat}"))
        return report


@contextmanager
def _alone(seed: int) -> Iterator[None]:
    from accel.testing.races import no_races
    from accel.testing.seeds import seeded
    from accel.testing.simulation import drop

    drop()
    with no_races(), seeded(seed):
        yield
