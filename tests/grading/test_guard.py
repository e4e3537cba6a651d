"""The guard of a program: its limits, its user, and the end of all that it started."""

import json
import os
import pwd
import socket
import subprocess
import sys

import pytest

from accel.commands.grading.guard import NOT_STARTED

from .conftest import commands

EVERYTHING = {"seconds": 60, "memory": 1 << 32, "file_size": 1 << 20, "processes": 1000, "list": [], "user": None}


def guarded(folder, command, *, wait=True, **changes):
    """Run a shell's command in a folder, and return its exit code and what it printed."""
    ours, theirs = socket.socketpair()
    confinement = {**EVERYTHING, "read": ["/"], "write": [str(folder), "/dev/null"], **changes}
    plan = {
        "command": ["/bin/sh", "-c", command],
        "folder": str(folder),
        "environment": {"PATH": os.environ["PATH"]},
        "confinement": confinement,
        "channel": theirs.fileno(),
    }
    with ours, theirs:
        guard = subprocess.Popen(
            [sys.executable, "-m", "accel.commands.grading.guard", json.dumps(plan)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=(theirs.fileno(),),
        )
        printed = guard.communicate()[0].decode() if not wait else ""
        if wait:
            printed = guard.stdout.read().decode()
            guard.wait()
            guard.stdin.close()
            guard.stdout.close()
    return guard.returncode, printed


def test_the_exit_code_and_signals_of_the_program_are_known(tmp_path):
    assert guarded(tmp_path, "echo here; exit 3") == (3, "here\n")
    assert guarded(tmp_path, "kill -SEGV $$")[0] == 128 + 11


def test_a_program_that_cannot_be_started_is_told_from_one_that_ends(tmp_path):
    code, printed = guarded(tmp_path / "missing", "true")
    assert code == NOT_STARTED
    assert "/bin/sh cannot be started" in printed


def test_children_end_with_the_program_also_in_sessions_of_their_own(tmp_path):
    guarded(
        tmp_path,
        "setsid sleep 77777.125 & sleep 77777.125 & setsid sh -c 'sleep 77777.125 & sleep 77777.125' & exit 0",
    )
    assert "77777.125" not in commands()


def test_the_program_ends_when_the_grader_is_gone(tmp_path):
    code, _ = guarded(tmp_path, "sleep 77777.25", wait=False)
    assert code == 128 + 9
    assert "77777.25" not in commands()


@pytest.mark.parametrize(
    ("limit", "shown"),
    [("file_size", "ulimit -f"), ("seconds", "ulimit -t"), ("memory", "ulimit -v"), ("none", "ulimit -c")],
)
def test_limits_are_those_of_the_plan(tmp_path, limit, shown):
    units = {"file_size": 512, "seconds": 1, "memory": 1024, "none": 1}
    value = EVERYTHING.get(limit, 0) // units[limit]
    assert guarded(tmp_path, shown) == (0, f"{value}\n")


def test_the_environment_is_that_of_the_plan(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET", "hidden")
    assert "hidden" not in guarded(tmp_path, "env")[1]


@pytest.mark.skipif(os.getuid() != 0, reason="only root may become another user")
def test_it_becomes_another_user_who_cannot_start_many_processes(tmp_path):
    nobody = pwd.getpwnam("nobody")
    tmp_path.chmod(0o755)
    user = [nobody.pw_uid, nobody.pw_gid]
    code, printed = guarded("/", "id -u; id -G", user=user)
    assert (code, printed.split()) == (0, [str(user[0]), str(user[1])])
    code, printed = guarded("/", "for i in 1 2 3 4 5 6 7 8; do sleep 77777.5 & done; echo all", user=user, processes=4)
    assert "all" not in printed
    assert "77777.5" not in commands()


@pytest.mark.skipif(os.getuid() != 0, reason="root has no limit of processes, and other users may run some")
def test_a_fork_bomb_is_bounded_and_ended(tmp_path):
    nobody = pwd.getpwnam("nobody")
    bomb = """export B=': bomb77777; setsid sh -c "$B" & sh -c "$B" & wait'; sh -c "$B" & sleep 0.5; echo lived"""
    code, printed = guarded("/", bomb, user=[nobody.pw_uid, nobody.pw_gid], processes=30)
    assert code == 0
    assert "lived" in printed
    assert "fork" in printed
    assert "bomb77777" not in commands()


@pytest.mark.skipif(os.getuid() != 0, reason="about what is left of root's rights")
def test_root_has_no_rights_beyond_those_of_users(tmp_path):
    _, printed = guarded(tmp_path, "grep -E 'CapEff|CapPrm|NoNewPrivs' /proc/self/status")
    assert printed.split() == ["CapPrm:", "0" * 16, "CapEff:", "0" * 16, "NoNewPrivs:", "1"]
