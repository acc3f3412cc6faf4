"""pytest-benchmark's setting: what is collected, and what is noted of the machine."""

from importlib.metadata import PackageNotFoundError, version

collect_ignore = ["in_jax.py", "report.py", "tape.py"]  # need jax, matplotlib, TensorFlow; no tests in them


def pytest_benchmark_update_machine_info(machine_info):
    """Versions of what has a part in the figures."""
    machine_info["versions"] = {}
    for name in ("numba", "numpy", "jax"):
        try:
            machine_info["versions"][name] = version(name)
        except PackageNotFoundError:
            continue
