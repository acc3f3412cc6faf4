"""The way of `np.sin(x)` on a tape through the modules, as docs/internals/tape.md lists it."""

from pathlib import Path

import numpy as np

import srcad
from srcad.runtime.tape.accelerator.switch import accelerated
from srcad.tools.entered_modules import profiled

PAGE = Path(__file__).parents[3] / "docs" / "internals" / "tape.md"
TAPE = "srcad.runtime.tape."
# From top to bottom, as in pyproject.toml; the modules of the package itself come first.
PACKAGES = ["", "accelerator", "recording", "values", "reverse", "core", "protocols"]
# What may call upwards: a class below declares the method or the hook, one above implements it.
DECLARED = {
    ("protocols", "recording"): {"apply"},  # hook.call
    ("protocols", "core"): {"_array"},
    ("core", "recording"): {"inputs", "outputs", "pullback"},  # of a Node
    ("recording", "accelerator"): {"write"},  # accelerator.write
}


def program():
    x = srcad.Variable(2.0)
    with srcad.GradientTape() as tape:
        y = np.sin(x)
    return tape.gradient(y, x)


def walked():
    """The modules of the tape that the program enters, in order; and the calls between its packages."""
    slopes = []
    modules, calls = profiled(lambda: slopes.append(program()))
    assert [float(each) for each in slopes] == [np.cos(2.0)]
    inside = [(one, other, name) for one, other, name in calls if is_tape(one) and is_tape(other)]
    packages = {(package_of(one), package_of(other), name) for one, other, name in inside}
    return [module.removeprefix(TAPE) for module in modules if is_tape(module)], packages


def is_tape(module):
    return module.startswith(TAPE)


def package_of(module):
    return module.removeprefix(TAPE).rpartition(".")[0]


def listed(title):
    """The modules that the page lists under a title."""
    section = PAGE.read_text(encoding="utf-8").partition(f"{title}\n\n```text\n")[2].partition("```")[0]
    return [line.split()[0] for line in section.splitlines()]


def walks():
    np.cos(srcad.constant(1.0))  # the rule tables are there
    with accelerated(True):
        return walked(), walked()


def test_the_page_lists_the_modules_that_a_small_use_enters():
    (first, _), (second, _) = walks()
    assert listed("The second time:") == second
    # What is entered the first time only depends on what ran before: rules that were compiled are remembered.
    assert set(second) <= set(listed("The first time, besides these:")) | set(second)
    assert set(first) - set(second) <= set(listed("The first time, besides these:"))


def test_calls_between_packages_go_downwards_but_for_declared_methods():
    for _, calls in walks():
        upwards = {
            (caller, callee, name)
            for caller, callee, name in calls
            if PACKAGES.index(callee) < PACKAGES.index(caller) and name not in DECLARED.get((caller, callee), ())
        }
        assert upwards == set()
