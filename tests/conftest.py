"""For the whole run: a folder of its own for generated code, `--quick` and `--nightly`, and the time at the end."""

import gc
import os
import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator

import hypothesis
import numpy as np
import pytest

from tests.quick import sample

# Drawn examples are the same in every run, and compiling one may take seconds.
hypothesis.settings.register_profile("srcad", derandomize=True, deadline=None, max_examples=60)
hypothesis.settings.register_profile("quick", derandomize=True, deadline=None, max_examples=6)
hypothesis.settings.load_profile("srcad")

os.environ["MPLBACKEND"] = "Agg"

SLOWEST = 10  # so many files are named at the end
LEFT_OUT = pytest.StashKey[int]()
STARTED = pytest.StashKey[float]()
SECONDS = pytest.StashKey[Counter[str]]()


def is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick", action="store_true", help="a sample of about a minute: no compiled tests, some of many cases"
    )
    parser.addoption("--nightly", action="store_true", help="only the tests that take too long for every run")


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell that is no terminal starts what it leaves in the background so, and processes inherit it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.stash[STARTED] = time.monotonic()
    config.stash[SECONDS] = Counter()
    config.stash[LEFT_OUT] = 0
    if config.getoption("quick"):
        hypothesis.settings.load_profile("quick")
        os.environ.setdefault("SRCAD_RANDOM_PROGRAMS", "2")
    # Never the user's folder: it may hold what an earlier state of the compiler generated.
    if not is_worker(config):
        os.environ["SRCAD_CACHE_DIR"] = tempfile.mkdtemp(prefix="srcad-tests-")
        config.pluginmanager.register(Timer(config))


def pytest_unconfigure(config: pytest.Config) -> None:
    if not is_worker(config):
        shutil.rmtree(os.environ["SRCAD_CACHE_DIR"], ignore_errors=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    leave_out(config, items, lambda each: (each.get_closest_marker("nightly") is None) != config.getoption("nightly"))
    if config.getoption("quick"):
        kept = {*sample(items)[0]}
        config.stash[LEFT_OUT] = leave_out(config, items, kept.__contains__)


def leave_out(config: pytest.Config, items: list[pytest.Item], is_kept: Callable[[pytest.Item], bool]) -> int:
    """Deselect all other tests; returns how many."""
    left_out = [each for each in items if not is_kept(each)]
    items[:] = [each for each in items if is_kept(each)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
    return len(left_out)


def pytest_collection_finish() -> None:
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None]:
    """After each file, what it has left for good is not looked through again by every later garbage collection."""
    result = yield
    if nextitem is None or nextitem.path != item.path:
        gc.collect()
        gc.freeze()
    return result


def pytest_sessionfinish(session: pytest.Session) -> None:
    if is_worker(session.config):
        session.config.workeroutput["left out"] = session.config.stash[LEFT_OUT]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    # Each worker collects all tests, and leaves out the same ones.
    if "left out" in getattr(node, "workeroutput", {}):
        node.config.stash[LEFT_OUT] = node.workeroutput["left out"]


class Timer:
    """Adds up the time of each file's tests, and prints it after the last test."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.config.stash[SECONDS][report.nodeid.split("::")[0]] += report.duration

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        stash = self.config.stash
        if stash[LEFT_OUT]:
            terminalreporter.write_line(f"--quick left out {stash[LEFT_OUT]} tests")
        if not stash[SECONDS]:
            return
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        taken = time.monotonic() - stash[STARTED]
        terminalreporter.write_line(f"the suite took {taken:.0f} s on {cores} cores; slowest files:")
        for name, seconds in stash[SECONDS].most_common(SLOWEST):
            terminalreporter.write_line(f"{seconds:8.1f} s  {name}")


@pytest.fixture(autouse=True)
def usual_errstate():
    """Each test begins with NumPy's usual handling of floating-point errors, whatever another was interrupted in."""
    with np.errstate(divide="warn", over="warn", under="ignore", invalid="warn"):
        yield
