#!/usr/bin/env python3
"""What overflow detection costs: runs of a graph with it and without, in turn.

  overflow-detection.py NPU_RUN GRAPH [--rounds N] [--iterations N]

Prints the median time of an iteration, start-up taken out by the difference of
a long and a short run, and the ratio to the run without detection.
"""

import argparse
import statistics
import subprocess
import tempfile
import time


def seconds(command):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("npu_run")
    parser.add_argument("graph")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--iterations", type=int, default=40)
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        modes = {
            "off": [],
            "explained": ["--check-overflow"],
            "recorded": ["--enable-dump-debug", f"--dump-path={folder}"],
        }
        times = {mode: [] for mode in modes}
        for _ in range(arguments.rounds):
            for mode, options in modes.items():
                command = [arguments.npu_run, arguments.graph,
                           "--init=random:1", *options]
                short = seconds(command + ["--iterations=1"])
                total = arguments.iterations + 1
                long = seconds(command + [f"--iterations={total}"])
                times[mode].append((long - short) / arguments.iterations)

    base = statistics.median(times["off"])
    print("| detection | ms an iteration | ratio |\n|---|---|---|")
    for mode, values in times.items():
        median = statistics.median(values)
        print(f"| {mode} | {1e3 * median:.2f} | {median / base:.3f} |")


if __name__ == "__main__":
    main()
