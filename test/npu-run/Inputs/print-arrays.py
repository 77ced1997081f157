"""Prints the arrays in a folder as lines "name: values", sorted by name."""

import pathlib
import sys

import numpy

for path in sorted(pathlib.Path(sys.argv[1]).glob("*.0.npy")):
    values = numpy.load(path).ravel().tolist()
    print(f"{path.name.removesuffix('.0.npy')}: {', '.join(map(str, values))}")
