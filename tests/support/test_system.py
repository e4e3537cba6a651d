"""What the system has: processors, memory, files and libraries."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from accel.backends.common import openmp

from accel.support import system


def of_cgroups(root: Path, own: str, **files: str) -> list[int]:
    for name, text in {"proc/self/cgroup": own, **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return sorted(system._of_cgroups(str(root)))


class TestQuota:
    def test_the_second_version(self, tmp_path: Path) -> None:
        files = {"sys/fs/cgroup/a/b/cpu.max": "150000 100000\n", "sys/fs/cgroup/a/cpu.max": "max 100000\n"}
        assert of_cgroups(tmp_path, "0::/a/b\n", **files) == [2]

    def test_groups_around_it(self, tmp_path: Path) -> None:
        files = {"sys/fs/cgroup/a/b/cpu.max": "400000 100000\n", "sys/fs/cgroup/a/cpu.max": "100000 100000\n"}
        assert of_cgroups(tmp_path, "0::/a/b\n", **files) == [1, 4]

    def test_the_first_version(self, tmp_path: Path) -> None:
        folder = "sys/fs/cgroup/cpu,cpuacct/a"
        files = {f"{folder}/cpu.cfs_quota_us": "300000\n", f"{folder}/cpu.cfs_period_us": "100000\n"}
        assert of_cgroups(tmp_path, "4:cpu,cpuacct:/a\n3:memory:/b\n", **files) == [3]
        files[f"{folder}/cpu.cfs_quota_us"] = "-1\n"
        assert of_cgroups(tmp_path, "4:cpu,cpuacct:/a\n", **files) == []

    def test_a_container_that_sees_only_its_own_group(self, tmp_path: Path) -> None:
        assert of_cgroups(tmp_path, "0::/system/of/the/host\n", **{"sys/fs/cgroup/cpu.max": "50000 100000"}) == [1]

    def test_no_groups(self, tmp_path: Path) -> None:
        assert list(system._of_cgroups(str(tmp_path))) == []


@pytest.mark.parametrize(
    ("text", "number"), [("1", 1), ("1,4", 1), (" 1 ", 1), ("", None), ("0", None), ("many", None)]
)
def test_openmp_variable(text: str, number: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    otherwise = system.usable_processors()
    monkeypatch.setenv("OMP_NUM_THREADS", text)
    assert system.usable_processors() == (number or otherwise)
    assert 1 <= otherwise <= (os.cpu_count() or 1)


class TestLoadedOpenMp:
    def test_a_lower_limit_counts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        limits = [4]
        monkeypatch.setattr(openmp, "_paths", lambda: ["libgomp.so"])
        monkeypatch.setattr(openmp, "_function", lambda _: lambda: limits[0])
        monkeypatch.setattr(openmp, "usable_processors", lambda: 4)
        monkeypatch.setattr(openmp, "_loaded", openmp._Loaded(-1, []))
        assert openmp.thread_limit() > 1000
        limits[0] = 3
        assert openmp.thread_limit() == 3

    def test_the_real_library(self) -> None:
        import ctypes
        import ctypes.util

        found = ctypes.util.find_library("gomp")
        if not found:
            pytest.skip("GNU OpenMP is not installed")
        library = ctypes.CDLL(found)
        openmp._loaded.modules = -1
        assert openmp.thread_limit() > 1000
        most = library.omp_get_max_threads()
        if most == 1:
            pytest.skip("there is one processor")
        library.omp_set_num_threads(1)
        try:
            assert openmp.thread_limit() == 1
        finally:
            library.omp_set_num_threads(most)


class TestMemory:
    def test_sizes(self) -> None:
        available, peak = system.available_memory(), system.peak_memory()
        assert available is not None
        assert peak is not None
        assert 0 < available <= system.physical_memory()
        assert 1 << 20 < peak <= system.physical_memory()

    def test_what_the_system_does_not_tell(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(os, "sysconf_names", {})
        monkeypatch.setattr(system, "_text", lambda _: "")
        monkeypatch.setitem(sys.modules, "resource", None)
        assert (system.physical_memory(), system.largest_cache()) == (0, 0)
        assert (system.available_memory(), system.peak_memory()) == (None, None)
        assert system.loaded_files() == set()


@pytest.mark.parametrize("lacking", [(), ("preadv",), ("pread", "preadv", "pwrite")])
def test_threads_read_and_write_at_positions_of_one_file(
    lacking: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in lacking:
        monkeypatch.delattr(os, name)
    blocks = [bytes([number]) * 5000 for number in range(40)]

    def written_and_read(number: int) -> bytes:
        assert system.write_at(file.fileno(), memoryview(blocks[number]), 5000 * number) == 5000
        target = bytearray(5000)
        assert system.read_at(file.fileno(), memoryview(target), 5000 * number) == 5000
        return bytes(target)

    with (tmp_path / "file").open("w+b", buffering=0) as file, ThreadPoolExecutor(8) as pool:
        assert list(pool.map(written_and_read, range(40))) == blocks
        assert system.read_at(file.fileno(), memoryview(bytearray(9)), 5000 * 40 - 4) == 4


def test_folders_are_exchanged_in_one_step(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    (one / "mark").touch()
    if not system.exchange(one, other):
        pytest.skip("the file system has no exchange")
    assert [each.parent.name for each in tmp_path.glob("*/mark")] == ["other"]
    assert not system.exchange(one, tmp_path / "nothing")


def test_only_loaded_libraries_are_given() -> None:
    path = next(each for each in system.loaded_files("libc") if "libc.so" in each or "libc-" in each)
    assert system.loaded_library(path) is not None
    assert system.loaded_library(f"{path}.of.another.name") is None


def test_a_process_is_ended_at_once() -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"]) as process:
        system.kill(process.pid)
        assert process.wait(60) == -signal.SIGKILL


@pytest.mark.parametrize("found", ["AMD64", "arm64", "ARM64", "x86_64", "riscv64"])
def test_a_processor_has_the_name_that_linux_gives_it(found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: found)
    names = {"AMD64": "x86_64", "arm64": "aarch64", "ARM64": "aarch64"}
    assert system.machine.__wrapped__() == names.get(found, found)
