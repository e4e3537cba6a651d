"""Choices that are made by measuring: found, remembered, and without a trace in the memory of the arguments."""

import json
import os
from contextvars import copy_context
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import accel
from accel.errors import KernelLaunchError
from accel.kernels import Static, block_index, block_size, kernel, thread_index, tuning

from ..threads import run_at_once


@kernel
def add_in_steps(v, step: Static):
    for i in range(v.size // step):
        for k in range(step):
            v[i * step + k] += 1


@kernel
def add_in_blocks(v, amount):
    i = block_index.x * block_size.x + thread_index.x
    if i < v.size:
        v[i] += amount


@pytest.fixture(autouse=True)
def folder(tmp_path):
    with accel.using(cache_dir=tmp_path):
        yield tmp_path


@pytest.fixture
def slow(monkeypatch):
    """Let the last choice be the fastest, and count the measurements."""
    measured = []

    def seconds(launch):
        launch()
        measured.append(launch)
        return -len(measured)

    monkeypatch.setattr(tuning, "_seconds", seconds)
    return measured


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_the_fastest_choice_is_used_and_the_memory_is_as_before(slow, device):
    c = accel.container(np.arange(64.0), device=device)
    tuned = accel.tune(add_in_steps, step=(1, 2, 4))
    assert tuned.choice(c) == {"step": 4}
    assert c.to_numpy().tolist() == list(range(64))
    tuned(c)
    assert c.to_numpy().tolist() == list(range(1, 65))


def test_it_is_measured_once_for_each_kind_of_arguments(slow):
    tuned = accel.tune(add_in_steps, step=(1, 2, 4))
    for dtype, size in (("f4", 64), ("f4", 100), ("f8", 64), ("f8", 640)):
        for _ in range(3):
            tuned(accel.zeros(size, dtype))
    assert len(slow) == 3 * 3, "100 elements are of the same kind as 64"


def test_another_process_knows_the_choice(slow, folder):
    c = accel.zeros(64)
    assert accel.tune(add_in_steps, step=(1, 2, 4)).choice(c) == {"step": 4}
    slow.clear()
    assert accel.tune(add_in_steps, step=(1, 2, 4)).choice(c) == {"step": 4}
    assert not slow
    assert accel.tune(add_in_steps, step=(1, 2)).choice(c) == {"step": 2}, "other choices are measured"


@pytest.mark.parametrize("content", ["", "{", "[]", '{"key": "another", "value": 0}', "x" * 100_000, "[" * 50_000])
def test_a_damaged_file_is_measured_again(slow, folder, content):
    c = accel.zeros(64)
    accel.tune(add_in_steps, step=(1, 2, 4)).choice(c)
    (path,) = (folder / "tuned").iterdir()
    path.write_text(content)
    slow.clear()
    assert accel.tune(add_in_steps, step=(1, 2, 4)).choice(c) == {"step": 4}
    assert len(slow) == 3
    assert json.loads(path.read_text())["value"] == 2


def test_a_pipe_in_place_of_a_file_is_measured_again(slow, folder):
    c = accel.zeros(64)
    accel.tune(add_in_steps, step=(1, 2, 4)).choice(c)
    (path,) = (folder / "tuned").iterdir()
    path.unlink()
    os.mkfifo(path)
    assert accel.tune(add_in_steps, step=(1, 2, 4)).choice(c) == {"step": 4}
    assert path.is_file()


@pytest.mark.parametrize("value", [True, 1.0, "1", -1, 3, None, [1]])
def test_a_remembered_choice_that_does_not_exist_is_measured_again(slow, folder, value):
    c = accel.zeros(64)
    accel.tune(add_in_steps, step=(1, 2, 4)).choice(c)
    (path,) = (folder / "tuned").iterdir()
    path.write_text(json.dumps({**json.loads(path.read_text()), "value": value}))
    slow.clear()
    assert accel.tune(add_in_steps, step=(1, 2, 4)).choice(c) == {"step": 4}
    assert len(slow) == 3


def test_a_folder_that_cannot_be_written_is_no_error(slow, tmp_path):
    (tmp_path / "file").write_text("")
    with accel.using(cache_dir=tmp_path / "file"):
        assert accel.tune(add_in_steps, step=(1, 2, 4)).choice(accel.zeros(64)) == {"step": 4}


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_blocks_and_grids_are_choices_too(device):
    c = accel.zeros(100, "f4", device)
    tuned = accel.tune(add_in_blocks, block=(32, 64), over=lambda v: v.size)
    tuned(c, 2)
    assert tuned.choice(c, 2)["block"] in (32, 64)
    assert c.to_numpy().tolist() == [2.0] * 100


def test_choices_that_cannot_be_launched_are_passed_over():
    c = accel.zeros(100, "f4")
    assert accel.tune(add_in_blocks, block=(4096, 64), over=(128,)).choice(c, 1)["block"] == 64
    with pytest.raises(ValueError, match="4096"):
        accel.tune(add_in_blocks, block=(4096,), over=(128,)).choice(c, 1)
    assert not c.to_numpy().any()


def test_memory_is_as_before_also_after_an_error(monkeypatch):
    def failing(launch):
        launch()
        raise KeyboardInterrupt

    monkeypatch.setattr(tuning, "_seconds", failing)
    c = accel.zeros(64)
    with pytest.raises(KeyboardInterrupt):
        accel.tune(add_in_steps, step=(1, 2)).choice(c)
    assert not c.to_numpy().any()


def test_threads_measure_once(slow):
    tuned = accel.tune(add_in_steps, step=(1, 2, 4))
    arrays = [accel.zeros(64) for _ in range(6)]
    run_at_once([partial(copy_context().run, tuned, each) for each in arrays])
    assert len(slow) == 3
    assert all(each.to_numpy().tolist() == [1.0] * 64 for each in arrays)


def test_misuse_says_what_to_write():
    with pytest.raises(TypeError, match=r"write @accel\.kernel"):
        accel.tune(len, step=(1,))
    with pytest.raises(ValueError, match=r"write step=\[16, 32, 64\]"):
        accel.tune(add_in_steps, step=4)
    with pytest.raises(TypeError, match="only grid, block and over"):
        accel.tune(add_in_steps, step=lambda: 4)
    with pytest.raises(KernelLaunchError, match="parallel loops"):
        accel.tune(add_in_steps, step=(1,), block=(32,)).choice(accel.zeros(4))


def test_what_is_measured_is_the_time_until_the_kernel_is_done():
    class Late:
        waits = 0

        def wait(self):
            Late.waits += 1

    assert tuning._seconds(Late) >= 0
    assert Late.waits > tuning._ROUNDS


def test_remembered_files_are_replaced_at_once(slow, folder):
    accel.tune(add_in_steps, step=(1, 2, 4)).choice(accel.zeros(64))
    assert [path.suffix for path in Path(folder / "tuned").iterdir()] == [".json"]
