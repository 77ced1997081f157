"""Imports every graph text of a folder and holds it against the catalogue.

  verify-corpus.py FOLDER NPU_TRANSLATE NPU_OPT [OPTION...]

Prints what ge-verify-catalog says, and the number of texts.
"""

import pathlib
import subprocess
import sys

folder, translate, *opt = sys.argv[1:]
texts = sorted(pathlib.Path(folder).glob("*.txt"))
for text in texts:
    module = subprocess.run(
        [translate, "--import-ge", text], capture_output=True, check=True
    ).stdout
    result = subprocess.run(
        [*opt, "--ge-verify-catalog", "-o", "/dev/null"],
        input=module,
        capture_output=True,
        check=True,
    )
    for line in result.stderr.decode().splitlines():
        if "warning: " in line or "remark: " in line:
            print(f"{text.name}: {line}")
print(f"{len(texts)} graph texts")
