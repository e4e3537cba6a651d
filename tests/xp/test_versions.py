"""`__array_namespace__(api_version=)`: older versions of the standard have the names of their time."""

import copy
import inspect
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from types import ModuleType

import array_api_compat
import pytest

from accel import xp
from accel.xp import versions
from accel.xp.arrays import API_VERSIONS

OLDER = API_VERSIONS[:-1]


def of(version):
    return xp.ones(1).__array_namespace__(api_version=version)


@pytest.mark.parametrize("version", [None, "2025.12"])
def test_the_newest_version_is_the_module(version):
    assert of(version) is xp


@pytest.mark.parametrize("version", API_VERSIONS)
def test_a_namespace_says_its_version_and_is_one_object(version):
    namespace = of(version)
    assert isinstance(namespace, ModuleType)
    assert (namespace.__array_api_version__, namespace.__name__) == (version, "accel.xp")
    assert namespace is of(version)
    assert array_api_compat.array_namespace(xp.ones(1), api_version=version) is namespace


@pytest.mark.parametrize("version", OLDER)
def test_an_older_namespace_can_be_pickled_and_copied(version):
    for namespace in (of(version), of(version).linalg):
        assert pickle.loads(pickle.dumps(namespace)) is namespace
        assert copy.deepcopy(namespace) is namespace


# array_api_strict has the functions of all versions; those of later versions raise RuntimeError when they are called.
NOT_REFUSED = "take_along_axis"  # of 2024.12; strict has it in all versions
LATER = """
import sys, array_api_strict as strict
strict.set_array_api_strict_flags(api_version=sys.argv[1])
def is_later(function):
    try:
        function()
    except RuntimeError:
        return True
    except Exception:
        return False
names = [name for name in strict.__all__ if callable(getattr(strict, name)) and is_later(getattr(strict, name))]
print(*names)
"""


@pytest.mark.parametrize("version", ["2023.12", "2024.12"])
def test_the_names_that_are_missing_are_those_that_strict_refuses(version):
    command = [sys.executable, "-W", "ignore", "-c", LATER, version]
    later = set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    missing = set(xp.__all__) - set(of(version).__all__)
    assert {name for name in missing if inspect.isfunction(getattr(xp, name))} - {NOT_REFUSED} == later
    assert set(xp.linalg.__all__) - set(of(version).linalg.__all__) == {"eig", "eigvals"}


def test_each_version_adds_names():
    added = [set(of(new).__all__) - set(of(old).__all__) for old, new in pairwise(API_VERSIONS)]
    assert [len(names) for names in added] == [8, 13, 6, 2]
    assert all(set(of(old).__all__) < set(xp.__all__) for old in OLDER)


@pytest.mark.parametrize("version", OLDER)
def test_functions_are_the_same_objects(version):
    namespace = of(version)
    assert namespace.sin is xp.sin
    assert namespace.linalg.inv is xp.linalg.inv
    assert inspect.signature(namespace.asarray) == inspect.signature(xp.asarray)
    assert float(namespace.sum(namespace.ones(3))) == 3


@pytest.mark.parametrize(("version", "several"), [("2024.12", list), ("2025.12", tuple)])
def test_several_arrays_and_devices_are_a_list_before_2025(version, several):
    namespace = of(version)
    x = namespace.arange(3)
    assert type(namespace.meshgrid(x, x)) is several
    assert type(namespace.broadcast_arrays(x, x)) is several
    info = namespace.__array_namespace_info__()
    assert type(info.devices()) is several
    assert info.default_device() is xp.__array_namespace_info__().default_device()
    assert inspect.signature(namespace.meshgrid) == inspect.signature(xp.meshgrid)


@pytest.mark.parametrize(
    ("version", "path"), [("2021.12", "fft"), ("2022.12", "clip"), ("2023.12", "diff"), ("2024.12", "isin")]
)
def test_a_later_name_is_an_error_that_says_since_when(version, path):
    with pytest.raises(AttributeError, match=rf"{path} is in the array standard since .*write accel\.xp\.{path}"):
        getattr(of(version), path)
    assert not hasattr(of("2024.12").linalg, "eig")
    assert not hasattr(of(version), "no_such_name")


@pytest.mark.parametrize("version", ["2020.12", "1999.1", "", "latest", 2024])
def test_other_versions_are_refused(version):
    with pytest.raises(ValueError, match=r"is not known; 2021\.12, .* 2025\.12 are"):
        of(version)


def test_threads_that_ask_at_once_get_one_object(monkeypatch):
    monkeypatch.setattr(versions, "_namespaces", {})
    met, namespace_class = threading.Barrier(4), versions._OlderNamespace
    monkeypatch.setattr(versions, "_OlderNamespace", lambda *args: (met.wait(10), namespace_class(*args))[1])
    with ThreadPoolExecutor(4) as threads:
        namespaces = list(threads.map(of, ["2023.12"] * 4))
    assert all(each is namespaces[0] for each in namespaces)
