"""Settings: their precedence, their valid values, and that scopes do not leak."""

import asyncio
import os
import subprocess
import sys
import threading
from contextvars import copy_context
from functools import partial
from pathlib import Path

import pytest

import accel
from accel import config
from accel.config import Settings, configure, current, using

from .tables import rows
from .threads import run_at_once

GOOD = [
    ("device", "cuda:1", "cuda:1"),
    ("device", "gpu", "gpu"),
    ("debug", "1", True),
    ("debug", "off", False),
    ("debug", True, True),
    ("nan_checks", "1", True),
    ("fallback", "warn", "warn"),
    ("host_copies", "allow", "allow"),
    ("nan_checks", True, True),
    ("fuse", "off", "off"),
    ("strict", "YES", True),
    ("threads", "4", 4),
    ("sim_seed", 0, 0),
    ("sim_memory", 1 << 40, 1 << 40),
    ("sim_heap", "65536", 65536),
    ("sim_warp", 64, 64),
    ("sim_warp", "32", 32),
    ("kernel_checks", "init, memory", "memory,init"),
    ("kernel_checks", "all", "memory,race,init,sync"),
    ("kernel_checks", "none", ""),
    ("kernel_checks", "banks,memory", "memory,banks"),
    ("kernel_checks", "banks, all", "memory,race,init,sync,banks"),
    ("kernel_limit", "10", 10),
    ("compile_limit", "10", 10),
    ("cache_dir", "/somewhere", "/somewhere"),
]
BAD = [
    ("device", "tpu", "write cpu, cuda"),
    ("device", "", "write cpu, cuda"),
    ("debug", "maybe", "write 1 or 0"),
    ("debug", 2, "write 1 or 0"),
    ("nan_checks", "all", "write 1 or 0"),
    ("fallback", "never", "write one of raise, warn, silent"),
    ("host_copies", "yes", "write one of never, warn, allow"),
    ("fuse", True, "write one of on, off"),
    ("strict", None, "write 1 or 0"),
    ("threads", 0, "write a whole number, 1 to 1024"),
    ("threads", True, "write a whole number, 1 to 1024"),
    ("threads", 1025, "write a whole number, 1 to 1024"),
    ("threads", "20000", "write a whole number, 1 to 1024"),
    ("threads", 2.0, "write a whole number, 1 to 1024"),
    ("sim_seed", -1, "write a whole number, 0 or more"),
    ("sim_memory", "1 GiB", "write a whole number, 0 or more"),
    ("sim_heap", 4095, "write a whole number, 4096 or more"),
    ("sim_warp", 48, "write 32 or 64"),
    ("kernel_checks", "memory,speed", "write all, none, or some of memory,race,init,sync,banks,order"),
    ("kernel_checks", True, "write all, none, or some of memory,race,init,sync,banks,order"),
    ("kernel_limit", 0, "write a whole number, 1 or more"),
    ("compile_limit", 0, "write a whole number, 1 or more"),
    ("cache_dir", "", "write a folder"),
    ("cache_dir", 3, "write a folder"),
]
NAMES = Settings._fields


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Start like a new process without ACCEL_ variables."""
    for name in NAMES:
        monkeypatch.delenv(f"ACCEL_{name.upper()}", raising=False)
    monkeypatch.setattr(config, "_process", None)


def test_defaults():
    settings = current()
    assert (settings.device, settings.fallback) == ("cpu", "raise")
    assert (settings.debug, settings.strict) == (False, False)
    assert 1 <= settings.threads <= os.cpu_count()
    assert settings.cache_dir.endswith("accel")


def test_scope_wins_over_configure_over_environment_over_default(monkeypatch):
    assert current().sim_seed == 0
    monkeypatch.setattr(config, "_process", None)
    monkeypatch.setenv("ACCEL_SIM_SEED", "1")
    assert current().sim_seed == 1
    configure(sim_seed=2)
    assert current().sim_seed == 2
    with using(sim_seed=3):
        assert current().sim_seed == 3
    assert current().sim_seed == 2


def test_every_setting_has_good_and_bad_values_here():
    assert {name for name, *_ in GOOD} == {name for name, *_ in BAD} == set(NAMES)


def test_every_setting_is_read_somewhere(sources):
    readers = "".join(sources.values())
    # The simulated device reads those of its kernels together, when a launch is submitted.
    assert [name for name in NAMES if f"current().{name}" not in readers and f"settings.{name}" not in readers] == []


@rows(("name", "value", "expected"), GOOD)
def test_a_good_value_is_taken_by_scope_and_by_configure(name, value, expected):
    with using(**{name: value}) as settings:
        assert getattr(settings, name) == expected
    configure(**{name: value})
    assert getattr(current(), name) == expected


@pytest.mark.parametrize(("name", "value", "expected"), [row for row in GOOD if isinstance(row[1], str)])
def test_a_good_value_is_taken_from_the_environment(monkeypatch, name, value, expected):
    monkeypatch.setenv(f"ACCEL_{name.upper()}", value)
    assert getattr(current(), name) == expected


@rows(("name", "value", "advice"), BAD)
def test_a_bad_value_is_refused_with_what_to_write(name, value, advice):
    before = current()
    with pytest.raises(ValueError, match=f"accel.configure: .*{name!r}.*{advice}"):
        configure(**{name: value})
    with pytest.raises(ValueError, match=f"accel.using: .*{name!r}.*{advice}"), using(**{name: value}):
        pytest.fail("the scope was entered")
    assert current() is before


@pytest.mark.parametrize(("name", "value", "advice"), [row for row in BAD if isinstance(row[1], str) and row[1]])
def test_a_bad_value_in_the_environment_is_refused_by_its_variable(monkeypatch, name, value, advice):
    monkeypatch.setenv(f"ACCEL_{name.upper()}", value)
    with pytest.raises(ValueError, match=f"ACCEL_{name.upper()}: .*{advice}"):
        current()


@pytest.mark.parametrize("change", [configure, lambda **settings: using(**settings).__enter__()])
def test_an_unknown_setting_is_refused_with_the_known_ones(change):
    with pytest.raises(TypeError, match="no setting is called 'sped'; the settings are device, debug"):
        change(sped="cpu")


@rows(
    ("written", "meant"),
    [("debg", "debug"), ("thread", "threads"), ("hostcopies", "host_copies"), ("seed", "sim_seed")],
)
def test_a_misspelt_setting_is_refused_with_the_nearest_one(written, meant):
    with pytest.raises(TypeError, match=f"no setting is called '{written}'; write {meant}=; the settings are"):
        configure(**{written: "1"})


MISSPELT = [
    ("ACCEL_DEVCIE", "ACCEL_DEVICE"),
    ("ACCEL_NUM_THREADS", "ACCEL_THREADS"),
    ("ACCEL_SEED", "ACCEL_SIM_SEED"),
    ("accel_debug", "ACCEL_DEBUG"),
    ("ACCEL_KERNEL_COMPILR", "ACCEL_KERNEL_COMPILER"),
]


@rows(("written", "meant"), MISSPELT)
def test_a_misspelt_variable_gives_one_warning_with_the_nearest_name(monkeypatch, written, meant):
    with monkeypatch.context() as patch:
        patch.setattr(config, "_process", None)
        patch.setenv(written, "sim")
        with pytest.warns(UserWarning, match=rf"variable {written} is not a setting, .* write {meant}$") as warned:
            current()
        current()
    assert [warning.filename for warning in warned] == [__file__]


def test_a_misspelt_variable_that_is_an_error_is_raised_once_and_not_by_a_release(python):
    code = """
        import accel
        from accel import config
        assert not config.debugging()
        print(accel.zeros(3).size)
    """
    assert python(code, ACCEL_DEVCIE="sim") == "3"


def test_a_variable_of_another_program_gives_no_warning(monkeypatch):
    monkeypatch.setenv("ACCEL_LOGFILE", "here")
    assert current().device == "cpu"


def test_configure_changes_all_or_nothing():
    before = current()
    with pytest.raises(ValueError, match="threads"):
        configure(debug=True, threads=0)
    assert current() is before


def test_scopes_nest_and_inherit():
    with using(debug=True, sim_seed=1), using(sim_seed=2) as inner:
        assert (inner.debug, inner.sim_seed) == (True, 2)
    assert (current().debug, current().sim_seed) == (False, 0)


def test_a_scope_ends_with_its_block_also_by_an_error():
    with pytest.raises(KeyError), using(debug=True):
        raise KeyError
    assert not current().debug


def test_configure_inside_a_scope_shows_where_the_scope_is_silent():
    with using(sim_seed=3):
        configure(sim_seed=2, debug=True)
        assert (current().sim_seed, current().debug) == (3, True)
    assert (current().sim_seed, current().debug) == (2, True)


def test_a_scope_is_not_seen_by_other_threads():
    seen = []
    with using(debug=True):
        thread = threading.Thread(target=lambda: seen.append(current().debug))
        thread.start()
        thread.join()
    assert seen == [False]


def test_a_scope_is_handed_on_with_its_context():
    seen = []
    with using(debug=True):
        context = copy_context()
    thread = threading.Thread(target=lambda: context.run(lambda: seen.append(current().debug)))
    thread.start()
    thread.join()
    assert seen == [True]


def test_scopes_of_tasks_do_not_mix():
    async def seed(number):
        with using(sim_seed=number):
            await asyncio.sleep(0)
            return current().sim_seed

    async def both():
        return await asyncio.gather(seed(1), seed(2))

    assert asyncio.run(both()) == [1, 2]


def numbered(number):
    with using(sim_seed=number):
        yield current().sim_seed


def test_scopes_of_generators_end_in_any_order_and_leave_nothing():
    first, second = numbered(1), numbered(2)
    assert (next(first), next(second)) == (1, 2)
    first.close()
    assert current().sim_seed == 2
    second.close()
    assert current().sim_seed == 0


def test_a_scope_that_ends_in_another_context_changes_nothing_there():
    elsewhere = numbered(1)
    copy_context().run(next, elsewhere)
    with using(sim_seed=2):
        elsewhere.close()
        assert current().sim_seed == 2


def test_debug_is_a_scope():
    with accel.debug() as settings:
        assert settings.debug
        assert current().debug
    assert not current().debug


def test_many_threads_configure_without_losing_a_setting():
    changes = [{"sim_seed": 7}, {"debug": True}, {"strict": True}, {"sim_memory": 5}]
    run_at_once([partial(configure, **change) for change in changes * 8])
    found = current()
    assert (found.sim_seed, found.debug, found.strict, found.sim_memory) == (7, True, True, 5)


def test_the_environment_is_read_when_settings_are_first_used(python):
    code = "from accel.config import current; s = current(); print(s.device, s.debug, s.threads, s.cache_dir)"
    environment = {"ACCEL_DEVICE": "sim:2", "ACCEL_DEBUG": "true", "ACCEL_THREADS": "3", "ACCEL_CACHE_DIR": "/c"}
    assert python(code, **environment) == "sim:2 True 3 /c"


def test_an_empty_variable_says_nothing(python):
    assert python("from accel.config import current; print(current().device)", ACCEL_DEVICE="") == "cpu"


def test_the_cache_is_in_the_users_cache_folder(python):
    code = "from accel.config import current; print(current().cache_dir)"
    assert python(code, XDG_CACHE_HOME="/caches") == str(Path("/caches/accel"))


def test_settings_need_no_numpy(python):
    assert python("import sys, accel.config; accel.config.current(); print('numpy' in sys.modules)") == "False"


@pytest.mark.slow
def test_no_more_threads_are_started_than_are_asked_for_and_at_most_1024_can_be(python):
    code = """
        import threading
        import numpy as np
        import accel
        from accel import xp

        x = xp.asarray(np.ones((2048, 2048), "float32"))
        xp.reshape(x.T, (-1,))
        before = threading.active_count()
        try:
            accel.configure(threads=20_000)
        except ValueError as error:
            print(error)
        accel.configure(threads=4)
        xp.reshape(x.T, (-1,))
        print(before, threading.active_count())
    """
    refusal, counts = python(code, ACCEL_THREADS="2").splitlines()
    assert refusal == "accel.configure: 20000 is not a value of 'threads': write a whole number, 1 to 1024"
    assert [int(count) <= limit for count, limit in zip(counts.split(), (2, 4), strict=True)] == [True, True]


def test_the_tests_never_write_into_the_cache_of_the_user(root):
    code = "import tests.conftest; from accel.config import current; print(current().cache_dir)"
    environment = {name: value for name, value in os.environ.items() if name != "ACCEL_CACHE_DIR"}
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, cwd=root, env=environment, capture_output=True, text=True
    )
    assert done.stdout.strip() == str(root / ".test_cache")
