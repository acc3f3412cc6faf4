"""The faults of scripts/faults.py can be seeded: each text occurs once in srcad, and is replaced by another."""

import importlib.util
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "scripts" / "faults.py"


def groups():
    specification = importlib.util.spec_from_file_location("faults", SCRIPT)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module.GROUPS


FAULTS = [fault for group in groups().values() for fault in group]


@pytest.fixture(scope="module")
def sources():
    return [path.read_text(encoding="utf-8") for path in (ROOT / "srcad").rglob("*.py")]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.about}: {fault.what}")
def test_its_text_occurs_once(fault, sources):
    assert sum(text.count(fault.old) for text in sources) == 1
    assert fault.new != fault.old


def test_no_fault_is_seeded_twice():
    named = Counter((fault.about, fault.what) for fault in FAULTS)
    assert [each for each, count in named.items() if count > 1] == []
