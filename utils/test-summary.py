#!/usr/bin/env python3
"""Prints how many tests passed and failed, from result files of lit.

    test-summary.py RESULTS.json... [--passed N] [--failed N]

RESULTS.json is what `lit --output` writes; the options add results from
elsewhere. Skipped tests are counted apart. The exit code is 1 if a test failed
or none passed.
"""

import argparse
import collections
import json
import sys

parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
parser.add_argument("results", nargs="*", metavar="RESULTS.json")
parser.add_argument("--passed", type=int, default=0)
parser.add_argument("--failed", type=int, default=0)
options = parser.parse_args()

passed, failed, skipped = options.passed, options.failed, []
for path in options.results:
    try:
        with open(path) as file:
            tests = json.load(file)["tests"]
    except (OSError, ValueError, KeyError) as error:
        print(f"FAILED: no test results in {path}: {error}")
        failed += 1
        continue
    for test in tests:
        if test["code"] in ("PASS", "XFAIL", "FLAKYPASS"):
            passed += 1
        elif test["code"] in ("UNSUPPORTED", "SKIPPED", "EXCLUDED"):
            skipped.append(test["name"])
        else:
            print(f"{test['code']}: {test['name']}")
            failed += 1
for name, runs in collections.Counter(skipped).items():
    print(f"skipped: {name}" + (f" ({runs} times)" if runs > 1 else ""))
if skipped:
    print(f"{len(skipped)} skipped")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0 or passed == 0)
