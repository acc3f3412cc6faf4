"""For the whole run: generated code goes into a cache folder of its own, empty at first and removed at the end."""

import os
import shutil
import tempfile

import hypothesis
import pytest

# Drawn examples are the same in every run, and compiling one may take seconds.
hypothesis.settings.register_profile("srcad", derandomize=True, deadline=None, max_examples=60)
hypothesis.settings.load_profile("srcad")

os.environ["MPLBACKEND"] = "Agg"


def is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def pytest_configure(config: pytest.Config) -> None:
    # Never the user's folder: it may hold what an earlier state of the compiler generated.
    if not is_worker(config):
        os.environ["SRCAD_CACHE_DIR"] = tempfile.mkdtemp(prefix="srcad-tests-")


def pytest_unconfigure(config: pytest.Config) -> None:
    if not is_worker(config):
        shutil.rmtree(os.environ["SRCAD_CACHE_DIR"], ignore_errors=True)
