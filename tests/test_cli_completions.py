"""Completions of shells: each script knows every command and option, and the shell runs it."""

import shutil
import subprocess

import pytest

from accel.commands.cli import _parser, main
from accel.commands.completions import SHELLS, script


@pytest.fixture(scope="module")
def options():
    """Return the options of each command."""
    [group] = [action for action in _parser()._actions if action.dest == "==SUPPRESS==" and action.choices]
    return {
        name: [each for action in command._actions for each in action.option_strings]
        for name, command in group.choices.items()
    }


def completed(*words):
    """Return what bash completes after words, of which the last is begun."""
    quoted = " ".join(f"'{word}'" for word in words)
    run = f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _accel; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(["bash", "-uc", script(_parser(), "bash") + run], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_and_option_is_known(shell, options, capsys):
    assert main(["completions", shell]) == 0
    text = capsys.readouterr().out
    for command, names in options.items():
        lines = "\n".join(line for line in text.splitlines() if command in line)
        wanted = [name.lstrip("-") if shell == "fish" else name for name in names]
        assert [name for name in wanted if name not in lines] == []


def test_bash_completes_commands_options_and_values(options):
    assert completed("accel", "") == [*options]
    assert completed("accel", "do") == ["doctor"]
    assert completed("accel", "layout", "--color", "b") == ["bank"]
    for command, names in options.items():
        assert completed("accel", command, "--") == [name for name in names if name.startswith("--")]


def test_bash_leaves_files_to_itself():
    assert completed("accel", "run-kernel", "--json", "") == []


@pytest.mark.parametrize("shell", [shell for shell in SHELLS if shutil.which(shell)])
def test_the_shell_reads_its_script(shell, tmp_path):
    file = tmp_path / "script"
    file.write_text(script(_parser(), shell), encoding="utf-8")
    done = subprocess.run([shell, "-n", str(file)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
