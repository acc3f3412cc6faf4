"""Print pytest's results as one line, "N passed, N failed", from its JUnit report; status 1 unless all is well."""

import os
import sys
from xml.etree import ElementTree


def main(report: str) -> int:
    """Count the report's cases; an error in a fixture or at collection counts as a failure."""
    suite = next(ElementTree.parse(report).iter("testsuite"))
    total, skipped = int(suite.get("tests", 0)), int(suite.get("skipped", 0))
    failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
    passed = total - skipped - failed
    print(f"the suite took {float(suite.get('time', 0)):.0f} s on {os.cpu_count()} cores")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
