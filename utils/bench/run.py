#!/usr/bin/env python3
"""Measures this project against what one would use instead (docs/Benchmarks.md).

  run.py [--build DIR] [--work DIR] [--rounds N] [ID...]

Without IDs (T1, T3...) everything. The peers are installed first: packages of
Debian with apt-get, ONNX Runtime with npm below the work folder. This project's
programs come from a build folder configured with -DNPU_BUILD_BENCHMARKS=ON.

The results are DIR/results.md, results.json and results.svg of the work folder.
Rows that are not measured again stay there as they were.
"""

import argparse
import os
import sys
import tempfile

from suite import machine, programs, report
from suite.rows import ROWS


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = os.path.dirname(os.path.dirname(programs.BENCH))
    parser.add_argument("--build", default=os.path.join(root, "build"))
    parser.add_argument("--work", default=os.path.join(tempfile.gettempdir(), "npu-bench"),
                        help="peers, models, graphs and results; kept")
    parser.add_argument("--rounds", type=int, default=3,
                        help="how often both sides are measured in turn")
    parser.add_argument("ids", nargs="*", metavar="ID")
    arguments = parser.parse_args()
    unknown = set(arguments.ids) - {row.id for row in ROWS}
    if unknown:
        parser.error(f"no row {', '.join(sorted(unknown))}; there are "
                     + ", ".join(dict.fromkeys(row.id for row in ROWS)))
    if arguments.rounds < 1:
        parser.error("--rounds must be at least 1")
    return arguments


def measure(bench, rows):
    """Records of the rows, in the order of ROWS with those of earlier runs."""
    results = report.read(bench.work)
    records = {(r["id"], r["work"], r["against"]): r for r in results["rows"]}
    keys = [(row.id, row.work, row.peer) for row in ROWS]
    for row in rows:
        before = bench.speed()
        result = row.measure(bench)
        facts = machine.describe(bench)
        record = report.as_record(row, result, [before, bench.speed()], facts["date"])
        records[row.id, row.work, row.peer] = record
        results = {"machine": facts,
                   "rows": [records[key] for key in keys if key in records]}
        report.write(results, bench.work)
        programs.log(f"{row.id} {row.work}: {report.value_of(record, 'value')}, "
                     f"{report.verdict(record)}")
        yield record


def main():
    arguments = parse_arguments()
    bench = programs.Bench(arguments.build, arguments.work, arguments.rounds)
    try:
        machine.install(bench.work)
        rows = [row for row in ROWS if not arguments.ids or row.id in arguments.ids]
        print(report.table(list(measure(bench, rows))), end="")
    except programs.Failure as failure:
        sys.exit(f"run.py: {failure}")


if __name__ == "__main__":
    main()
