"""What shells complete after ``accel``: scripts for bash, zsh and fish, made of the parser of the command line."""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from shlex import quote
from types import MappingProxyType
from typing import NamedTuple

__all__ = ["SHELLS", "script"]


class _Option(NamedTuple):
    """An option of a command: its names, its help, whether a value follows, and the values that are possible."""

    names: Sequence[str]
    help: str
    takes_value: bool
    choices: Sequence[str]


class _Command(NamedTuple):
    """A command: its name, its summary, its options, and the values that are possible for its arguments."""

    name: str
    summary: str
    options: Sequence[_Option]
    choices: Sequence[str]


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """Return the script that teaches a shell of `SHELLS` the commands and options of a parser."""
    return SHELLS[shell]([*_commands(parser)])


def _commands(parser: argparse.ArgumentParser) -> Iterator[_Command]:
    [group] = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    summaries = {action.dest: action.help or "" for action in group._choices_actions}
    for name, command in group.choices.items():
        options = [_option(action) for action in command._actions if action.option_strings]
        arguments = [action for action in command._actions if not action.option_strings]
        choices = [str(choice) for action in arguments for choice in action.choices or ()]
        yield _Command(name, summaries[name], options, choices)


def _option(action: argparse.Action) -> _Option:
    choices = [str(choice) for choice in action.choices or ()]
    return _Option(action.option_strings, action.help or "", action.nargs != 0, choices)


def _bash(commands: Sequence[_Command]) -> str:
    lines = ["_accel() {", "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words="]
    lines += ['    case "$COMP_CWORD:${COMP_WORDS[1]} $previous" in']
    lines += [f"        1:*) words={quote(' '.join(command.name for command in commands))} ;;"]
    for command in commands:
        for option in command.options:
            patterns = "|".join(f"*:{command.name}\\ {name}" for name in option.names)
            if option.takes_value:
                lines.append(f"        {patterns}) words={quote(' '.join(option.choices))} ;;")
        names = [name for option in command.options for name in option.names]
        lines.append(f"        *:{command.name}\\ *) words={quote(' '.join([*command.choices, *names]))} ;;")
    lines += ["    esac", '    COMPREPLY=($(compgen -W "$words" -- "$current"))', "}"]
    return "\n".join([*lines, "complete -o default -F _accel accel", ""])


def _zsh(commands: Sequence[_Command]) -> str:
    lines = ["#compdef accel", "_accel() {", "    if (( CURRENT == 2 )); then", "        local -a commands=("]
    lines += [f"            {quote(f'{command.name}:{command.summary}')}" for command in commands]
    lines += [
        "        )",
        "        _describe command commands",
        "        return",
        "    fi",
        "    local command=$words[2]",
    ]
    lines += ["    shift words", "    (( CURRENT-- ))", "    case $command in"]
    for command in commands:
        specifications = [_zsh_option(name, option) for option in command.options for name in option.names]
        rest = f"*:argument:({' '.join(command.choices)})" if command.choices else "*:file:_files"
        lines.append(f"        {command.name}) _arguments {' '.join(map(quote, [*specifications, rest]))} ;;")
    # A file in $fpath is the body of the function when it is first called; otherwise the script is evaluated.
    end = ['if [ "$funcstack[1]" = _accel ]; then', '    _accel "$@"', "else", "    compdef _accel accel", "fi"]
    return "\n".join([*lines, "    esac", "}", *end, ""])


def _zsh_option(name: str, option: _Option) -> str:
    shown = "".join(f"\\{letter}" if letter in "[]:\\" else letter for letter in _short(option.help))
    values = f"({' '.join(option.choices)})" if option.choices else "_files"
    return f"*{name}[{shown}]" + (f":value:{values}" if option.takes_value else "")


def _fish(commands: Sequence[_Command]) -> str:
    lines = []
    for command in commands:
        summary = quote(command.summary)
        lines.append(f"complete -c accel -n __fish_use_subcommand -f -a {command.name} -d {summary}")
        chosen = f"complete -c accel -n '__fish_seen_subcommand_from {command.name}'"
        if command.choices:
            lines.append(f"{chosen} -f -a {quote(' '.join(command.choices))}")
        for option in command.options:
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
            values = f" -x -a {quote(' '.join(option.choices))}" if option.choices else " -r" * option.takes_value
            lines.append(f"{chosen} {names}{values} -d {quote(_short(option.help))}")
    return "\n".join([*lines, ""])


def _short(help: str) -> str:
    return help.replace("%%", "%").partition(";")[0].partition(" (default")[0]


SHELLS: Mapping[str, Callable[[Sequence[_Command]], str]] = MappingProxyType(
    {"bash": _bash, "zsh": _zsh, "fish": _fish}
)
"""The shells, and what makes the script of each."""
