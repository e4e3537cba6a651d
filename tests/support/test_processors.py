"""The number of processors that a process may use."""

import os
from pathlib import Path

import pytest
from accel.backends.common import openmp

from accel.support import processors


def of_cgroups(root: Path, own: str, **files: str) -> list[int]:
    for name, text in {"proc/self/cgroup": own, **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return sorted(processors._of_cgroups(str(root)))


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
        assert list(processors._of_cgroups(str(tmp_path))) == []


@pytest.mark.parametrize(
    ("text", "number"), [("1", 1), ("1,4", 1), (" 1 ", 1), ("", None), ("0", None), ("many", None)]
)
def test_openmp_variable(text: str, number: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    otherwise = processors.usable_processors()
    monkeypatch.setenv("OMP_NUM_THREADS", text)
    assert processors.usable_processors() == (number or otherwise)
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
