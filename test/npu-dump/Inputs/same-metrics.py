"""Checks the metrics of two results of compare.

  same-metrics.py MINE REFERENCE COUNT

Both are CSV files; rows go together by TensorIndex. Numbers may differ by 1e-6
relative, by what six decimals hide, and by the noise of the reference, which
computes in float32.
"""

import csv
import re
import sys

METRICS = ["CosineSimilarity", "MaxAbsoluteError", "AccumulatedRelativeError",
           "RelativeEuclideanDistance", "KullbackLeiblerDivergence",
           "StandardDeviation", "MeanAbsoluteError", "RootMeanSquareError",
           "MaxRelativeError", "MeanRelativeError"]


def rows(path):
    with open(path, newline="") as file:
        return {row["TensorIndex"]: row for row in csv.DictReader(file)}


def numbers(text):
    return [float(n) for n in re.findall(r"-?inf|nan|NaN|[-+0-9.e]+", text)]


mine, reference, count = rows(sys.argv[1]), rows(sys.argv[2]), sys.argv[3]
if mine.keys() != reference.keys():
    sys.exit(f"rows differ: {sorted(mine.keys() ^ reference.keys())}")
for key, expected in reference.items():
    for column in ["OpType", "NPUDump", "DataType", "GroundTruth", "Shape",
                   "CompareFailReason"]:
        if mine[key][column] != expected[column]:
            sys.exit(f"{key} {column}: {mine[key][column]!r}, reference "
                     f"{expected[column]!r}")
    for column in METRICS:
        ours, theirs = numbers(mine[key][column]), numbers(expected[column])
        decimals = 1e-3 if column == "StandardDeviation" else 2e-6
        same = len(ours) == len(theirs) and all(
            a == b or (a != a and b != b)
            or abs(a - b) <= decimals + 1e-6 * abs(b)
            for a, b in zip(ours, theirs))
        if not same:
            sys.exit(f"{key} {column}: {mine[key][column]}, reference "
                     f"{expected[column]}")
if len(mine) != int(count):
    sys.exit(f"{len(mine)} rows, expected {count}")
print(f"{len(mine)} rows agree")
