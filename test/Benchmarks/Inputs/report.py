"""report.py UTILS_BENCH OUT.svg: the table of five made-up results."""

import sys

sys.path.insert(0, sys.argv[1])

from suite import report
from suite.rows import Result, Row


def ratio(name, ours, peer):
    return report.as_record(Row(name, "a < b", "peer", 1.1, 1.0, None),
                            Result(ours, peer, "s", ours / peer), [], "today")


def rate(name, ours, peer):
    row = Row(name, "a < b", "peer", 7, 9, None, "Gelem/s", higher_is_better=True)
    return report.as_record(row, Result(ours, peer, "Gelem/s", ours), [], "today")


def speeds(*rates):
    return {"speed": [{"gflops_1": one, "gflops_2": two} for one, two in rates]}


records = [ratio("T1", 0.02, 0.02), ratio("T2", 0.021, 0.02), ratio("T3", 1.1, 0.5),
           rate("T4", 9.5, 3), rate("T5", 5.6, 3)]
print(report.table(records))
with open(sys.argv[2], "w", encoding="utf-8") as file:
    file.write(report.svg({"machine": {"date": "today"}, "rows": records}))
print("steady:", report.is_steady(speeds((100, 200), (95, 190))),
      report.is_steady(speeds((100, 200), (100, 120))))
