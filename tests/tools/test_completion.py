"""Completion of the command, in a real bash."""

import shutil

import pytest

from srcad.tools.command import main
from tests.waiting import run

bash = shutil.which("bash")


@pytest.mark.skipif(bash is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("words", "expected"),
    [(["sh"], {"show"}), (["show", "--ti"], {"--timings"}), (["report", "--no"], {"--no-jit", "--no-passes"})],
)
def test_words_are_completed(capsys, words, expected):
    assert main(["completion", "bash"]) == 0
    line = " ".join(f'"{each}"' for each in ["srcad", *words])
    asked = f'COMP_WORDS=({line}); COMP_CWORD={len(words)}; _srcad_completion; printf "%s\\n" "${{COMPREPLY[@]}}"'
    completed = run([bash, "-c", capsys.readouterr().out + asked], check=False)
    assert set(completed.stdout.split()) == expected, completed.stderr


def test_zsh_loads_what_understands_completion_of_bash(capsys):
    assert main(["completion", "zsh"]) == 0
    assert capsys.readouterr().out.startswith("autoload -U +X bashcompinit && bashcompinit\n_srcad_completion()")
