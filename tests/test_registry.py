"""Backends are found by entry points: tested with real packages in separate processes."""

import shutil

import pytest

BACKEND = """
print("loaded")

class Fake:
    name = "fake"
    def devices(self):
        from accel.device import Device
        return [Device.{device}]
    def why_unavailable(self):
        return {{}}

BACKEND = Fake()
"""
ASK = """
from accel.registry import NoBackendError, providers
try:
    print(providers.get({type!r}).name)
except NoBackendError as error:
    print(error)
"""


@pytest.fixture
def package(tmp_path):
    """Return a function that installs a package with a backend."""

    def make(name, type, source, offer=None):
        folder = tmp_path / name
        record = folder / f"{name}-1.0.dist-info"
        record.mkdir(parents=True)
        (folder / f"{name}.py").write_text(source)
        (record / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (record / "entry_points.txt").write_text(f"[accel.backends]\n{type} = {offer or name}:BACKEND\n")
        return folder

    return make


def test_a_package_offers_a_backend_by_its_entry_point(package, python):
    folder = package("fake_mps", "mps", BACKEND.format(device="MPS"))
    assert python(ASK.format(type="mps"), folder) == "loaded\nfake"


def test_its_devices_are_those_of_the_machine(package, python):
    folder = package("fake_mps", "mps", BACKEND.format(device="MPS"))
    code = """
        from accel.device import Device
        print(Device.MPS.is_available())
        print(Device.MPS[1].why_unavailable())
        print(*Device.available("mps"))
    """
    assert python(code, folder) == "loaded\nTrue\nthe mps devices here are: mps:0\nmps:0"


def test_a_backend_is_loaded_when_first_asked_for_and_once(package, python):
    folder = package("fake_mps", "mps", BACKEND.format(device="MPS"))
    code = """
        from accel.registry import providers
        print("mps" in providers.types())
        print(providers.get("mps") is providers.get("mps"))
    """
    assert python(code, folder) == "True\nloaded\nTrue"


def test_a_backend_that_cannot_be_imported_is_a_reason(package, python):
    folder = package("fake_mps", "mps", "import a_driver_that_is_not_here")
    code = "from accel.device import Device; print(Device.MPS.why_unavailable())"
    assert python(code, folder) == (
        "its backend fake_mps:BACKEND could not be loaded: "
        "ModuleNotFoundError: No module named 'a_driver_that_is_not_here'"
    )


@pytest.mark.parametrize("error", ["SystemExit", "KeyboardInterrupt", "GeneratorExit"])
def test_a_backend_that_ends_the_process_is_no_reason_and_is_tried_again(package, python, error):
    folder = package("fake_mps", "mps", f"raise {error}('now')")
    code = f"""
        from accel.device import Device
        for ask in [Device.MPS.why_unavailable, Device.MPS.is_available, Device.available, lambda: Device("gpu")]:
            try:
                print(ask())
            except {error} as error:
                print(error)
    """
    assert python(code, folder).split() == ["now"] * 4


def test_a_package_with_an_unreadable_record_hides_no_other(package, python):
    broken = package("broken", "sim", "") / "broken-1.0.dist-info" / "entry_points.txt"
    broken.write_bytes(b"\xff\xfe")
    folder = package("fake_mps", "mps", BACKEND.format(device="MPS"))
    assert python(ASK.format(type="mps"), broken.parents[1], folder) == "loaded\nfake"


def test_a_backend_that_cannot_be_imported_is_tried_once(package, python):
    folder = package("fake_mps", "mps", "print('tried')\nraise OSError('no driver')")
    answer = "its backend fake_mps:BACKEND could not be loaded: OSError: no driver"
    assert python(ASK.format(type="mps") * 2, folder).split("\n") == ["tried", answer, answer]


def test_a_package_in_a_zip_file_offers_its_backend(package, python, tmp_path):
    folder = package("fake_mps", "mps", BACKEND.format(device="MPS"))
    archive = shutil.make_archive(str(tmp_path / "packed"), "zip", folder)
    assert python(ASK.format(type="mps"), archive) == "loaded\nfake"


def test_of_a_package_that_is_there_twice_the_first_offers(package, python, tmp_path):
    first = package("fake_mps", "mps", BACKEND.format(device="MPS"))
    older = tmp_path / "older" / "Fake_MPS-0.9.dist-info"
    older.mkdir(parents=True)
    (older / "METADATA").write_text("Metadata-Version: 2.1\nName: fake_mps\nVersion: 0.9\n")
    (older / "entry_points.txt").write_text("[accel.backends]\nmps = elsewhere:BACKEND\n")
    assert python(ASK.format(type="mps"), first, older.parent) == "loaded\nfake"


def test_two_offers_for_one_type_are_refused(package, python):
    folders = [package(name, "mps", BACKEND.format(device="MPS")) for name in ("fake_one", "fake_two")]
    assert python(ASK.format(type="mps"), *folders) == (
        "two packages offer a backend for mps: fake_one:BACKEND and fake_two:BACKEND; uninstall one of them"
    )


def test_the_same_offer_found_twice_is_one(package, python):
    folders = package("fake_mps", "mps", BACKEND.format(device="MPS")), package("again", "mps", "", offer="fake_mps")
    assert python(ASK.format(type="mps"), *folders) == "loaded\nfake"


def test_an_object_that_is_no_backend_is_refused(package, python):
    folder = package("fake_mps", "mps", "BACKEND = object()")
    assert python(ASK.format(type="mps"), folder) == (
        "fake_mps:BACKEND is not a backend: it has no name, devices() or why_unavailable()"
    )


def test_a_type_that_nobody_offers_names_those_that_are(python):
    answer = python(ASK.format(type="mps"))
    assert answer.startswith("no installed package offers a backend for mps (there are backends for: cpu")


def test_a_backend_that_fails_to_list_its_devices_is_a_reason(package, python):
    source = BACKEND.format(device="MPS").replace("return [Device.MPS]", "raise OSError('driver gone')")
    code = """
        from accel.device import Device
        print(Device.MPS.why_unavailable())
        print(Device.available("mps", "cpu"))
    """
    reason = "its backend failed to list its devices: OSError: driver gone"
    assert python(code, package("fake_mps", "mps", source)) == f"loaded\n{reason}\n(<Device.CPU: 'cpu'>,)"


def test_packages_are_looked_at_afresh_when_told(package, python):
    folder = package("fake_mps", "mps", BACKEND.format(device="MPS"))
    code = f"""
        import sys
        from accel.registry import providers
        print("mps" in providers.types())
        sys.path.append({str(folder)!r})
        providers.forget()
        print("mps" in providers.types())
    """
    assert python(code) == "False\nTrue"
