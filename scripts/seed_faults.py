"""Seed faults in srcad, one at a time, and see which test detects each.

    python scripts/seed_faults.py                           # all faults of scripts/faults.py: an hour or so
    python scripts/seed_faults.py --only rules liveness     # those of a group, or about a pass
    python scripts/seed_faults.py --tree ../old --results old.json    # the tests of another checkout
    python scripts/seed_faults.py --table old.json new.json           # both as one table
    python scripts/seed_faults.py --fuzz 200 --results fuzz.json      # does a campaign of 200 programs detect them?

Works on a copy of the checkout. For each fault, tests run until the first that fails: those of the module in which the
fault is, of its package, then the quick ones of all, then those of whole programs, then all. A test that has failed
must pass without the fault; if it does not, the checkout is broken and the script stops. Uses one process at low
priority.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from faults import GROUPS, Fault

ROOT = Path(__file__).parent.parent
UNCOMPILED = ["-m", "not compiled"]
QUICK = ["-m", "not compiled and not slow"]
STAGES = ("module", "package", "quick", "programs", "all")
# Tests of a package that lie elsewhere.
ABOUT_A_PACKAGE = {
    "runtime/rules": "tests/runtime/tape/test_tape_rules.py",
    "transforms": "tests/golden/test_pass_texts.py",
}
PROGRAMS = ["tests/test_programs.py", "tests/test_hidden_dependences.py", "tests/test_random_programs.py"]
OPTIONS = ["-n0", "-x", "-q", "--tb=no", "-rfE", "-p", "no:cacheprovider"]
ENDS = "ends with exit status {}"
NO_SUCH_TEST = ENDS.format(4)
LONGEST = 3600  # seconds for one run of tests; a fault may make a program run forever


def copied(tree: Path, into: Path) -> Path:
    """A copy of the files of a checkout that git knows."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=tree, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        source, target = tree / name, into / name
        if source.exists() or source.is_symlink():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
    return into


def place_of(fault: Fault, tree: Path) -> Path:
    """The one file that has the text of a fault."""
    found = [path for path in sorted((tree / "srcad").rglob("*.py")) for _ in range(path.read_text().count(fault.old))]
    if len(found) != 1:
        sys.exit(f"{fault.about}, {fault.what}: its text occurs {len(found)} times in srcad/; mend it in faults.py")
    return found[0]


def stages(module: Path, about: str, tree: Path) -> Iterator[tuple[str, list[str]]]:
    """Tests that may detect a fault, from the nearest to all: a name and arguments of pytest."""
    inside = module.relative_to(tree / "srcad")
    folder = Path("tests") / inside.parent
    while not (tree / folder).exists():
        folder = folder.parent
    named = {*(tree / folder).glob(f"test_{inside.stem}*.py"), *(tree / "tests").rglob(f"test_{about}.py")}
    own = sorted(path.relative_to(tree) for path in named)
    yield "module", [*UNCOMPILED, *map(str, own), str(module.parent.relative_to(tree))]  # with its doctests
    others = [each for part, each in ABOUT_A_PACKAGE.items() if inside.is_relative_to(part) and (tree / each).exists()]
    yield "package", [*UNCOMPILED, *others, str(folder)]
    yield "quick", QUICK
    yield "programs", [*UNCOMPILED, *PROGRAMS]
    yield "all", []


def first_failure(tree: Path, arguments: list[str]) -> str | None:
    """The name of the first test that fails, or None; how it ended, if that was before any test."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONHASHSEED": "0"}
    command = ["nice", "-n", "15", sys.executable, "-m", "pytest", *OPTIONS, *arguments]
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, text=True, timeout=LONGEST, check=False
        )
    except subprocess.TimeoutExpired:
        return "does not end"
    if done.returncode in (0, 5):  # all passed, or there were none
        return None
    failed = [
        line.split(" - ")[0].split(" ", 1)[1] for line in done.stdout.splitlines() if line[:6] in ("FAILED", "ERROR ")
    ]
    return failed[0] if failed else ENDS.format(done.returncode)


def alone(tree: Path, test: str) -> str | None:
    """Whether a test fails by itself; its name, or all its cases where pytest does not take the name of one."""
    found = first_failure(tree, [test])
    return first_failure(tree, [test.split("[", maxsplit=1)[0]]) if found == NO_SUCH_TEST else found


def write(path: Path, text: str) -> None:
    """Write a module, and forget what Python has translated of it."""
    path.write_text(text)
    for old in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
        old.unlink()


def detected(fault: Fault, tree: Path, most: str) -> dict[str, object]:
    """What detects a fault, up to the stage `most`."""
    path = place_of(fault, tree)
    right, start = path.read_text(), time.monotonic()
    result: dict[str, object] = {"about": fault.about, "what": fault.what, "test": None, "stage": most}
    for stage, arguments in stages(path, fault.about, tree):
        write(path, right.replace(fault.old, fault.new))
        test = first_failure(tree, arguments)
        write(path, right)
        if test is not None:
            if "::" in test and (broken := alone(tree, test)):
                sys.exit(f"{broken} fails without a fault")
            result |= {"test": test, "stage": stage}
            break
        if stage == most:
            break
    return result | {"seconds": round(time.monotonic() - start)}


def campaign(tree: Path, programs: int) -> str | None:
    """The first failure of a campaign of so many random programs."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONHASHSEED": "0"}
    environment.pop("SRCAD_CACHE_DIR", None)
    command = ["nice", "-n", "15", sys.executable, "-m", "tests.fuzz", "--first", "--seed", "0"]
    done = subprocess.run(
        [*command, "--programs", str(programs)], cwd=tree, env=environment, capture_output=True, text=True, check=False
    )
    return (done.stdout.splitlines() or [ENDS.format(done.returncode)])[0] if done.returncode else None


def found_by_fuzz(fault: Fault, tree: Path, programs: int) -> dict[str, object]:
    """The first of so many random programs that fails with a fault."""
    path = place_of(fault, tree)
    right, start = path.read_text(), time.monotonic()
    write(path, right.replace(fault.old, fault.new))
    test = campaign(tree, programs)
    write(path, right)
    seconds = round(time.monotonic() - start)
    return {"about": fault.about, "what": fault.what, "test": test, "stage": "all", "seconds": seconds}


def chosen(only: list[str]) -> list[tuple[str, Fault]]:
    """The faults of these groups, or about these passes; all of them by default."""
    every = [(group, fault) for group, faults in GROUPS.items() for fault in faults]
    return [(group, fault) for group, fault in every if not only or group in only or fault.about in only]


def table(files: list[Path]) -> str:
    """The results in these files as a Markdown table, a column for each file."""
    found = [{(each["about"], each["what"]): each for each in json.loads(file.read_text())} for file in files]
    lines = ["| in | fault | " + " | ".join(file.stem for file in files) + " |", "|---|---|" + "---|" * len(files)]
    for _, fault in chosen([]):
        cells = []
        for results in found:
            result = results.get((fault.about, fault.what))
            test = result and (result["test"] or "**not detected**")
            cells.append("" if not test else f"{test.split('/')[-1].split('[')[0].replace('.py::', ': ')}")
        lines.append(f"| {fault.about} | {fault.what} | " + " | ".join(cells) + " |")
    counts = (sum(each["test"] is not None for each in results.values()) for results in found)
    sums = (f"{count} of {len(results)}" for count, results in zip(counts, found, strict=True))
    return "\n".join([*lines, "| | detected | " + " | ".join(sums) + " |"])


def main() -> None:
    """Seed the chosen faults and print what detects each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[], help="groups, or what faults are about")
    parser.add_argument("--tree", type=Path, default=ROOT, help="the checkout whose tests are run")
    parser.add_argument("--most", default="all", choices=STAGES, help="the last stage")
    parser.add_argument("--results", type=Path, help="a JSON file; what it already has is left out")
    parser.add_argument("--fuzz", type=int, default=0, help="instead of tests, so many programs of a fuzz campaign")
    parser.add_argument("--table", nargs="*", type=Path, help="print the results in these files, and do nothing else")
    given = parser.parse_args()
    if given.table:
        print(table(given.table))
        return
    results = json.loads(given.results.read_text()) if given.results and given.results.exists() else []
    results = [each for each in results if each["test"] or STAGES.index(each["stage"]) >= STAGES.index(given.most)]
    known = {(each["about"], each["what"]) for each in results}
    with tempfile.TemporaryDirectory(prefix="srcad-faults-") as folder:
        tree = copied(given.tree.resolve(), Path(folder))
        for _, fault in chosen(given.only):
            place_of(fault, tree)
        if given.fuzz and (failure := campaign(tree, given.fuzz)):
            sys.exit(f"without a fault: {failure}")
        for group, fault in chosen(given.only):
            if (fault.about, fault.what) in known:
                continue
            found = found_by_fuzz(fault, tree, given.fuzz) if given.fuzz else detected(fault, tree, given.most)
            result = {"group": group, **found}
            results.append(result)
            print(
                f"{fault.about}, {fault.what}: {result['test'] or 'not detected'} ({result['seconds']} s)", flush=True
            )
            if given.results:
                given.results.write_text(json.dumps(results, indent=1) + "\n")
    missed = [each for each in results if each["test"] is None]
    print(f"{len(results) - len(missed)} of {len(results)} faults detected")


if __name__ == "__main__":
    main()
