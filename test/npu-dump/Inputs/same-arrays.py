"""Checks that two folders hold the same arrays.

  same-arrays.py MINE REFERENCE COUNT

Every .npy of REFERENCE must be in MINE with the same type, shape and bits, and
there must be COUNT of them.
"""

import pathlib
import sys

import numpy

mine, reference, count = sys.argv[1:]
names = sorted(p.name for p in pathlib.Path(reference).glob("*.npy"))
for name in names:
    ours = numpy.load(pathlib.Path(mine) / name)
    theirs = numpy.load(pathlib.Path(reference) / name)
    if (ours.dtype, ours.shape, ours.tobytes()) != (
            theirs.dtype, theirs.shape, theirs.tobytes()):
        sys.exit(f"{name}: {ours.dtype} {ours.shape} differs from "
                 f"{theirs.dtype} {theirs.shape}")
extra = {p.name for p in pathlib.Path(mine).glob("*.npy")} - set(names)
if extra:
    sys.exit(f"only in {mine}: {sorted(extra)}")
if len(names) != int(count):
    sys.exit(f"{len(names)} arrays, expected {count}")
print(f"{len(names)} equal arrays")
