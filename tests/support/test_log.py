"""The logger ``accel`` says what is compiled and what takes another's place; nobody pays for it who does not listen."""

import logging
import subprocess
import sys

import numpy as np
import pytest

import accel
from accel import registry, xp
from accel.support import log
from accel.support.background import BACKGROUND

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


class Kept(logging.Handler):
    def __init__(self):
        super().__init__()
        self.records = []

    def emit(self, record):
        self.records.append(record)


@pytest.fixture
def kept():
    logger, handler = logging.getLogger("accel"), Kept()
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    yield handler.records
    logger.setLevel(before)
    logger.removeHandler(handler)


@pytest.fixture
def messages(kept, tmp_path):
    with accel.using(cache_dir=str(tmp_path)):
        yield lambda: BACKGROUND.wait(60) and [(each.levelname, each.getMessage()) for each in kept]


def matching(messages, level, *words):
    return [text for name, text in messages() if name == level and all(word in text for word in words)]


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_a_kernel_is_logged_once(messages, device):
    @accel.kernel
    def negated_for_the_log(x):
        for i in range(x.size):
            x[i] = -x[i]

    for _ in range(3):
        negated_for_the_log(accel.zeros(4, device=device))
    assert len(matching(messages, "INFO", "negated_for_the_log", f"compiled for {device} in")) == 1


def test_machine_code_that_the_cache_lacks_is_logged(messages):
    @accel.kernel
    def third_for_the_log(x):
        for i in range(x.size):
            x[i] /= 3

    third_for_the_log(accel.zeros(4))
    assert len(matching(messages, "DEBUG", "cache has no machine code", "third_for_the_log")) == 1


def test_fused_loops_are_logged(messages):
    x = xp.asarray(np.arange(5.0))
    accel.fuse(lambda x: x * 0.0078125 + x * x - 11)(x)
    assert matching(messages, "INFO", "fused loops", "compiled for cpu")


def test_a_function_that_runs_unfused_is_logged(messages, kept):
    def found(x):
        return xp.unique_values(x)

    accel.fuse(found, fallback="eager")(xp.asarray([1, 2, 1]))
    assert {*map(type, kept[-1].args)} == {str}
    assert matching(messages, "INFO", "found runs unfused", "xp.where")


def test_what_the_cpu_does_for_a_missing_device_is_logged(messages, kept):
    with accel.using(fallback="silent"):
        accel.zeros(1, device="mps")
    assert {*map(type, kept[-1].args)} == {str}  # an error would keep the memory of its frames
    assert matching(messages, "INFO", "the CPU takes the place of mps")


def test_a_copy_to_the_host_is_logged_with_its_place(messages):
    with accel.using(host_copies="allow"):
        np.asarray(xp.ones(3, device="sim"))
    assert matching(messages, "DEBUG", "24 bytes of sim on the host", "test_log.py")


def test_a_backend_that_cannot_be_loaded_is_logged_once(messages):
    providers = registry._Providers()
    providers._offers = {"cuda": [registry.Offer("cuda", "no_such_module:backend")]}
    for _ in range(2):
        with pytest.raises(registry.NoBackendError, match="no_such_module"):
            providers.get("cuda")
    assert len(matching(messages, "INFO", "no backend for cuda", "no_such_module")) == 1


def test_a_message_names_the_line_that_gave_it(kept):
    log.info("here")
    assert [each.filename for each in kept] == ["test_log.py"]


def test_a_module_that_is_being_imported_is_let_be(monkeypatch):
    monkeypatch.setitem(sys.modules, "logging", type(sys)("logging"))
    log.info("%s", "nobody hears")


def test_a_lock_that_a_handler_waits_for_may_be_held(messages):
    log.soon(log.info, "%d of %d", 1, 2)
    assert ("INFO", "1 of 2") in messages()


def test_nothing_is_printed_unasked_and_logging_is_not_imported():
    code = """
import sys
from accel.support import log
log.info("unheard")
log.soon(log.info, "unheard")
assert "logging" not in sys.modules and "accel.support.background" not in sys.modules
import logging
log.info("unheard")
assert [type(each) for each in logging.getLogger("accel").handlers] == [logging.NullHandler]
logging.basicConfig(level="INFO", format="%(levelname)s %(message)s", stream=sys.stdout)
log.debug("unheard")
log.soon(log.debug, "unheard")
assert "accel.support.background" not in sys.modules
log.info("heard %d", 1)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("INFO heard 1\n", "")
