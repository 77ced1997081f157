#!/usr/bin/env python3
"""Import of graph text against protobuf's own parse of it.

  run.py BUILD GRAPH.txt [--megabytes N] [--rounds N]

Repeats the ops of GRAPH, renamed, until the text has the size asked for; then,
in turn, protobuf parses it (the better of heap and arena; messages only) and
npu-translate imports it into a verified module and writes that as bytecode (the
whole process). Prints the medians, their ratio, and the peak memory of the
import over the size of the text. BUILD is a build folder in which
`ninja npu-bench-protobuf-parse npu-translate` has been run.
"""

import argparse
import os
import re
import resource
import statistics
import subprocess
import tempfile
import time


def grow(source, path, size):
    with open(source, encoding="utf-8", errors="surrogateescape") as file:
        text = file.read()
    ops = re.findall(r"^  op \{\n.*?^  \}\n", text, re.M | re.S)
    names = re.compile(r'^(    (?:name|input): ")([^":\n]+)((?::-?\d+)?")$', re.M)
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as out:
        out.write('graph {\n  name: "grown"\n')
        copy = 0
        while out.tell() < size:
            for op in ops:
                out.write(names.sub(rf"\g<1>\g<2>_c{copy}\g<3>", op))
            copy += 1
        out.write("}\n")
    return copy * len(ops)


def measure_memory(program, text):
    """Peak bytes of an import, in a process of which it is the only child."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        subprocess.run([program, "--import-ge", "--emit-bytecode", text, "-o",
                        os.devnull], check=True)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        os.write(writer, str(peak).encode())
        os._exit(0)
    os.wait()
    return int(os.read(reader, 64)) * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("graph")
    parser.add_argument("--megabytes", type=float, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()

    peer = os.path.join(arguments.build, "bench", "npu-bench-protobuf-parse")
    ours = os.path.join(arguments.build, "bin", "npu-translate")
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, "grown.txt")
        ops = grow(arguments.graph, text, arguments.megabytes * 1e6)
        peers, imports = [], []
        for _ in range(arguments.rounds):
            result = subprocess.run([peer, text], check=True,
                                    stdout=subprocess.PIPE, text=True)
            peers.append(min(map(float, result.stdout.split())))
            start = time.perf_counter()
            subprocess.run([ours, "--import-ge", "--emit-bytecode", text,
                            "-o", os.devnull], check=True)
            imports.append(time.perf_counter() - start)
        size = os.path.getsize(text)
        memory = measure_memory(ours, text) / size

    peer_time, our_time = statistics.median(peers), statistics.median(imports)
    print(f"{size / 1e6:.0f} MB, {ops} ops")
    print("| | s | ratio |\n|---|---|---|")
    print(f"| protobuf TextFormat, parse alone | {peer_time:.3f} | 1 |")
    print(f"| npu-translate, process to verified module and bytecode | "
          f"{our_time:.3f} | {our_time / peer_time:.2f} |")
    print(f"peak memory of the import: {memory:.1f} bytes for a byte of text")


if __name__ == "__main__":
    main()
