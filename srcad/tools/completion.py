"""Completion of the command in a shell: `source <(srcad completion bash)`, or `zsh`."""

from __future__ import annotations

import argparse


def script(parser: argparse.ArgumentParser, shell: str = "bash") -> str:
    """What a shell runs to complete the words of the command: names of commands, then options of each, then files.

    >>> parser = argparse.ArgumentParser(prog="tool")
    >>> _ = parser.add_subparsers().add_parser("run").add_argument("--fast")
    >>> print(script(parser).splitlines()[2].strip())
    words="--help run"
    """
    commands = _commands(parser)
    cases = [f"        {name}) words={_quoted(_options(each))};;" for name, each in commands.items()]
    lines = [
        *(["autoload -U +X bashcompinit && bashcompinit"] if shell == "zsh" else []),
        "_srcad_completion() {",
        '    local word="${COMP_WORDS[COMP_CWORD]}"',
        f"    words={_quoted([*_options(parser), *commands])}",
        '    [ "$COMP_CWORD" -gt 1 ] && case "${COMP_WORDS[1]}" in',
        *cases,
        "    esac",
        '    COMPREPLY=($(compgen -W "$words" -- "$word"))',
        "}",
        f"complete -o default -F _srcad_completion {parser.prog}",
    ]
    return "\n".join(lines) + "\n"


def _quoted(words: list[str]) -> str:
    return f'"{" ".join(words)}"'


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def _options(parser: argparse.ArgumentParser) -> list[str]:
    """The long options of a parser."""
    options = [name for action in parser._actions for name in action.option_strings if name.startswith("--")]
    return sorted(options)
