"""Checks that import and export keep the messages of graph texts.

    check-roundtrip.py FOLDER SCRATCH TRANSLATE OPT DIFF

Each file *.txt of FOLDER goes to MLIR and back in three ways: printed, as
bytecode, and printed after canonicalization and CSE. Every difference that
DIFF finds is shown; the exit code tells whether there was one.
"""

import pathlib
import shlex
import subprocess
import sys

folder, scratch, translate, opt, diff = sys.argv[1:]
translate, opt, diff = map(shlex.split, (translate, opt, diff))
scratch = pathlib.Path(scratch)
scratch.mkdir(parents=True, exist_ok=True)

mlir = scratch / "graph.mlir"
bytecode = scratch / "graph.mlirbc"
optimized = scratch / "optimized.mlir"
result = scratch / "result.txt"

texts = sorted(pathlib.Path(folder).glob("*.txt"))
if not texts:
    sys.exit(f"no graph text in {folder}")
failures = 0
for text in texts:
    ways = [
        ("printed", mlir, [translate + ["--import-ge", text, "-o", mlir]]),
        (
            "bytecode",
            bytecode,
            [translate + ["--import-ge", "--emit-bytecode", text, "-o", bytecode]],
        ),
        (
            "optimized",
            optimized,
            [opt + ["--canonicalize", "--cse", mlir, "-o", optimized]],
        ),
    ]
    for way, source, commands in ways:
        commands = commands + [
            translate + ["--export-ge", source, "-o", result],
            diff + [text, result],
        ]
        for command in commands:
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                failures += 1
                print(f"{text.name}, {way}: {done.stdout}{done.stderr}")
                break
print(f"{len(texts)} graph texts, {failures} failures")
sys.exit(failures != 0)
