"""Actions that run when a module is imported."""

import importlib
import importlib.util
import sys
import threading
import zipfile
from itertools import count

import pytest

from accel.xp.after_import import _FINDER, when_imported

_numbers = count()


@pytest.fixture
def name(tmp_path, monkeypatch):
    """The name of a module that is on the path and not imported; what it does is in the fixture `write`."""
    result = f"waited_for_{next(_numbers)}"
    monkeypatch.syspath_prepend(tmp_path)
    yield result
    sys.modules.pop(result, None)


@pytest.fixture
def write(tmp_path, name):
    """A function that writes the module."""

    def write_module(text="value = 1"):
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        importlib.invalidate_caches()

    return write_module


def test_the_action_runs_after_the_import_and_once(name, write):
    write()
    records = []
    when_imported(name, lambda module: records.append(module.value))
    assert records == []
    module = importlib.import_module(name)
    assert records == [1]
    importlib.import_module(name)
    importlib.reload(module)
    assert records == [1]


def test_the_action_runs_at_once_if_the_module_is_imported(name, write):
    write()
    module = importlib.import_module(name)
    records = []
    when_imported(name, records.append)
    assert records == [module]


def test_actions_run_in_the_order_in_which_they_were_given(name, write):
    write()
    records = []
    for number in range(3):
        when_imported(name, lambda _, number=number: records.append(number))
    importlib.import_module(name)
    assert records == [0, 1, 2]


def test_the_module_keeps_its_own_loader(name, write):
    write("import importlib.resources\nown = __spec__.loader, __loader__")
    when_imported(name, lambda module: None)
    module = importlib.import_module(name)
    for loader in (*module.own, module.__spec__.loader, module.__loader__):
        assert type(loader) is type(importlib.util.spec_from_file_location("x", __file__).loader)


def test_a_spec_that_is_only_looked_up_has_the_methods_of_its_loader(name, write):
    write()
    when_imported(name, lambda module: None)
    spec = importlib.util.find_spec(name)
    assert "value = 1" in spec.loader.get_source(name)
    assert name not in sys.modules


def test_a_failed_import_runs_nothing_and_the_next_one_does(name, write):
    write("raise OSError('no')")
    records = []
    when_imported(name, records.append)
    with pytest.raises(OSError, match="no"):
        importlib.import_module(name)
    assert records == []
    write("value = 'a longer text, as the time of the file may be the same'")
    assert records == []
    importlib.import_module(name)
    assert len(records) == 1


def test_a_module_that_does_not_exist_is_reported_as_always(name):
    when_imported(name, lambda module: None)
    with pytest.raises(ModuleNotFoundError, match=f"No module named '{name}'"):
        importlib.import_module(name)


def test_a_failing_action_warns_and_the_import_succeeds(name, write):
    write()
    records = []
    when_imported(name, lambda module: module.missing)
    when_imported(name, records.append)
    with pytest.warns(RuntimeWarning, match=f"could not prepare {name} for its arrays: AttributeError"):
        module = importlib.import_module(name)
    assert records == [module]


def test_an_action_may_wait_for_and_import_other_modules(name, write, tmp_path):
    write()
    (tmp_path / f"{name}_other.py").write_text("", encoding="utf-8")
    records = []

    def action(module):
        when_imported(f"{name}_other", records.append)
        importlib.import_module(f"{name}_other")

    when_imported(name, action)
    importlib.import_module(name)
    assert records == [sys.modules.pop(f"{name}_other")]


def test_a_module_in_an_archive(name, tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "archive.zip", "w") as archive:
        archive.writestr(f"{name}.py", "value = 2")
    monkeypatch.syspath_prepend(tmp_path / "archive.zip")
    records = []
    when_imported(name, lambda module: records.append(module.value))
    importlib.import_module(name)
    assert records == [2]


def test_an_import_that_had_begun_is_caught_up_with_at_the_next_import(name, write, tmp_path):
    write(f"import accel.xp.after_import as a\nseen = []\na.when_imported({name!r}, seen.append)\nduring = list(seen)")
    module = importlib.import_module(name)
    assert module.during == []
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"{name}_next")
    assert module.seen == [module]


def test_threads_that_import_and_register_at_once_run_each_action_once(name, write):
    write("import time\ntime.sleep(0.01)")
    records, start = [], threading.Barrier(8)

    def work(number):
        start.wait()
        if number % 2:
            importlib.import_module(name)
        else:
            when_imported(name, lambda _: records.append(number))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with pytest.raises(ModuleNotFoundError):  # any import catches up
        importlib.import_module(f"{name}_next")
    assert sorted(records) == [0, 2, 4, 6]


def test_accel_xp_imports_no_other_library(python):
    code = """
        import sys, accel.xp
        print([name for name in ("dask", "einops", "pandas", "scipy", "xarray") if name in sys.modules])
    """
    assert python(code) == "[]"


@pytest.mark.parametrize("order", ["import accel.xp as xp, einops", "import einops, accel.xp as xp"])
def test_the_order_of_imports_does_not_matter(python, order):
    assert python(f"{order}\nprint(einops.rearrange(xp.ones((2, 3)), 'a b -> (b a)').shape)") == "(6,)"


def test_a_finder_without_find_spec_is_passed_by(name, write, monkeypatch):
    write()
    records = []
    when_imported(name, records.append)
    ours = sys.meta_path.index(_FINDER) + 1
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path[:ours], object(), *sys.meta_path[ours:]])
    module = importlib.import_module(name)
    assert records == [module]
