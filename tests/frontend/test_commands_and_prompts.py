"""Functions that stand in no file."""

import subprocess
import sys

import pytest

from srcad.errors import SourceUnavailable
from srcad.frontend.commands_and_prompts import command_in, text_of_command, way_to_keep
from srcad.frontend.load_source import load


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["-c", "print(1)"], "print(1)"),
        (["-cprint(1)"], "print(1)"),
        (["-IBc", "print(1)", "-c", "other"], "print(1)"),
        (["-W", "-c", "-Xdev", "-c", "print(1)"], "print(1)"),
        (["-Wignore::DeprecationWarning:c", "-c", "print(1)"], "print(1)"),
        (["--check-hash-based-pycs", "never", "-c", "print(1)"], "print(1)"),
        (["model.py", "-c", "print(1)"], ""),
        (["-m", "pytest", "-c", "setup.cfg"], ""),
        (["-mpytest", "-c", "setup.cfg"], ""),
        (["-", "-c", "print(1)"], ""),
        ([], ""),
        (["-c"], ""),
    ],
)
def test_the_text_after_c_is_found_among_the_arguments(options, text):
    assert command_in(["python", *options]) == text


def test_functions_of_a_command_are_read_and_those_given_to_exec_are_not():
    text = """
import srcad
def f(x):
    return x * x * x
print(srcad.grad(f, jit=False)(2.0), srcad.grad(lambda x: x * x, jit=False)(3.0))
exec("def g(x):\\n    return x * x * x")
try:
    srcad.grad(g, jit=False)(2.0)
except srcad.SourceUnavailable as problem:
    print(problem)
"""
    run = subprocess.run([sys.executable, "-c", text, "-c"], capture_output=True, text=True, timeout=120, check=True)
    first, *rest = run.stdout.splitlines()
    assert first == "12.0 6.0"
    assert "exec" in rest[-1]


def test_only_functions_of_the_main_module_are_looked_for_in_the_command():
    names = {"__name__": "elsewhere"}
    exec("def f(x):\n    return x", names)
    assert text_of_command(names["f"]) == []


@pytest.mark.parametrize(("file", "word"), [("<stdin>", "prompt"), ("<stdin>-3", "prompt"), ("<mine>", "linecache")])
def test_the_way_out_is_that_for_the_kind_of_file(file, word):
    names = {}
    exec(compile("def f(x):\n    return x", file, "exec"), names)
    with pytest.raises(SourceUnavailable, match=word):
        load(names["f"])
    assert word in way_to_keep(file)
