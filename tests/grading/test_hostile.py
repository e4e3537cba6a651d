"""Submissions that harm: each fails alone, the others are graded, and nothing is left of it."""

import os

import pytest

from accel.commands.grading.confinement import landlock_version

from .conftest import commands, messages

RIGHT = "def double(x): return 2 * x\n"
SLEEP = "86399.25"
"""How long the processes sleep that submissions leave; no other process does."""

HOSTILE = {
    "right.py": RIGHT,
    "crash.py": "import ctypes\ndef double(x): ctypes.string_at(8)",
    "says.py": "def double(x):\n    print('twice')\n    return 2 * x",
    "ends.py": "import os\ndef double(x):\n    os.write(1, b'last words')\n    os._exit(0)",
    "leaves.py": "import sys\ndef double(x): sys.exit(0)",
    "memory.py": "def double(x): return [bytearray(1 << 30) for _ in range(1000)]",
    "prints.py": "def double(x):\n    while True: print('x' * 10000)",
    "fills.py": "def double(x):\n    with open('big', 'wb') as file:\n        while True: file.write(bytes(1 << 20))",
    "many.py": f"""
        import os
        def double(x):
            for _ in range(20):
                if os.fork() == 0:
                    os.setsid()
                    if os.fork() == 0:
                        os.execlp("sleep", "sleep", "{SLEEP}")
                    os._exit(0)
            return 2 * x
        """,
    "garbage.py": "import os\ndef double(x):\n    os.write(3, b'\\xff' * 100)\n    os._exit(0)",
    "answers.py": """
        import socket, json, struct
        def double(x):
            text = json.dumps({"message": {"result": {"value": 0.0}, "error": ""}, "arrays": []}).encode()
            socket.socket(fileno=3).sendall(struct.pack("<I", len(text)) + text)
            raise SystemExit
        """,
    "<script>alert(1)\x1b&.py": "def double(x): raise ValueError('<script>alert(1)</script>\\x1b[31m')",
}
CONFINED = {
    "imports_tests.py": "import sys\nsys.path.insert(0, 'COURSE')\nfrom tests import test_double\n" + RIGHT,
    "reads_tests.py": "open('COURSE/tests.py').read()\n" + RIGHT,
    "reads_another.py": "open('COURSE/kernels/right.py').read()\n" + RIGHT,
    "reads_grader.py": """
        from pathlib import Path
        def double(x):
            parents = [f"/proc/{line.split()[1]}/environ" for line in open("/proc/self/status") if line[:5] == "PPid:"]
            return Path(parents[0]).read_bytes()
        """,
    "deletes.py": "import os\nos.remove('COURSE/sentinel')\n" + RIGHT,
    "deletes_all.py": "import shutil\nshutil.rmtree('COURSE')\n" + RIGHT,
    "writes.py": "open('COURSE/kernels/zz.py', 'w').write('')\n" + RIGHT,
    "kills.py": "import os\nos.kill(os.getppid(), 9)\n" + RIGHT,
    "connects.py": "import socket\nsocket.create_connection(('127.0.0.1', 1))\n" + RIGHT,
}


@pytest.fixture(scope="module")
def hostile(graded):
    return graded(HOSTILE, "--memory", "3000", "--limit", "60")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("crash.py", "it was ended by SIGSEGV"),
        ("ends.py", "it ended by itself, with exit code 0"),
        ("leaves.py", "SystemExit: 0"),
        ("memory.py", "memory: MemoryError"),
        ("prints.py", "it wrote more than 16 MiB"),
        ("fills.py", "it wrote more than 16 MiB"),
        ("garbage.py", "it wrote what is no answer"),
        ("answers.py", "wrong result at tests.py:6"),
        ("<script>alert(1)\x1b&.py", "ValueError: <script>"),
    ],
)
def test_what_harms_fails_with_its_reason(hostile, name, message):
    assert hostile.code == 1
    assert messages(hostile.grades[name])[0].startswith(message)


@pytest.mark.slow
def test_others_are_graded_beside_it(hostile):
    assert hostile.grades["right.py"]["passed"] == hostile.grades["right.py"]["of"] == 2
    assert messages(hostile.grades["many.py"]) == ["", ""]


@pytest.mark.slow
def test_what_a_submission_printed_last_is_kept(hostile):
    assert hostile.grades["says.py"]["output"].splitlines() == ["twice"] * 2
    assert hostile.grades["ends.py"]["output"] == "last words"
    assert len(hostile.grades["prints.py"]["output"]) == 2000


@pytest.mark.slow
def test_no_process_is_left(hostile):
    assert SLEEP not in commands()


@pytest.mark.slow
def test_names_and_messages_are_escaped_in_the_page(hostile):
    assert "<script" not in hostile.page
    assert "&lt;script&gt;alert(1)\ufffd&amp;.py" in hostile.page
    assert "\x1b" not in hostile.page


@pytest.mark.slow
@pytest.mark.skipif(not landlock_version(), reason="the kernel has no Landlock, which keeps files from submissions")
def test_tests_files_and_processes_of_others_are_out_of_reach(graded):
    done = graded({"right.py": RIGHT, **CONFINED}, "--limit", "60")
    refused = ("PermissionError", "ImportError", "ModuleNotFoundError", "OSError", "ConnectionRefusedError")
    for name in CONFINED:
        for message in messages(done.grades[name]):
            assert message.startswith(refused), (name, message)
    assert messages(done.grades["right.py"]) == ["", ""]
    assert (done.folder / "sentinel").read_text() == "here"
    assert not (done.folder / "kernels/zz.py").exists()


@pytest.mark.slow
@pytest.mark.skipif(not landlock_version(), reason="the kernel has no Landlock, which keeps files from submissions")
def test_compilers_read_no_tests_for_a_submission(graded):
    tests = """
        import numpy as np
        SECRET = 1234567
        def test_it(submission):
            submission.launch("f", np.zeros(1, "int32"), grid=1, block=1)
    """
    kernel = '#{}\nextern "C" __global__ void f(int* x) {{ {} }}'
    incbin = r'asm(".section .data\n.incbin \"COURSE/tests.py\"\n.text");'
    submissions = {
        "right.cu": kernel.format("", "x[0] = 1;"),
        "include.cu": kernel.format('include "COURSE/tests.py"', ""),
        "incbin.cu": incbin + "\n" + kernel.format("", ""),
        "crash.cu": kernel.format("", "") + "\nstatic int crash = (*(volatile int*)8 = 0, 1);",
    }
    done = graded(submissions, "--limit", "60", tests=tests)
    said = {name: messages(grade)[0] for name, grade in done.grades.items()}
    assert (said["right.cu"], said["crash.cu"]) == ("", "it was ended by SIGSEGV")
    for name in ("include.cu", "incbin.cu"):
        assert said[name].startswith("Kernel")
        assert "1234567" not in said[name] + done.grades[name]["output"]


@pytest.mark.slow
def test_what_never_ends_is_ended(graded):
    loops = {"loop.py": "def double(x):\n    while True: pass", "waits.py": "import time\ntime.sleep(1e6)"}
    done = graded(loops, "--limit", "3")
    for name in loops:
        assert messages(done.grades[name]) == ["it took longer than 3 seconds"] * 2


@pytest.mark.skipif(os.getuid() != 0, reason="only root may become another user")
@pytest.mark.parametrize(("user", "reason"), [("nobody_here", "there is no user"), ("root", "is root")])
def test_a_user_that_cannot_be_is_refused(graded, capsys, user, reason):
    with pytest.raises(FileNotFoundError):
        graded({"right.py": RIGHT}, "--user", user)
    assert reason in capsys.readouterr().err


@pytest.mark.skipif(os.getuid() != 0, reason="only root may become another user")
def test_a_user_who_cannot_run_python_is_said_before_anything_runs(graded, capsys, tmp_path, monkeypatch):
    (tmp_path / "python").write_text("")
    monkeypatch.setattr("accel.commands.grading.process._PYTHON", str(tmp_path / "python"))
    with pytest.raises(FileNotFoundError):
        graded({"right.py": RIGHT}, "--user", "nobody")
    assert "it could not be started" in capsys.readouterr().err
