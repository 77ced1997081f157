"""Says how the loss, FILE in the folders 0, 1, 2... of FOLDER, goes.

print-losses.py FOLDER FILE
"""

import pathlib
import sys

import numpy

folder, file = pathlib.Path(sys.argv[1]), sys.argv[2]
losses = []
while (path := folder / str(len(losses)) / file).exists():
    losses.append(float(numpy.load(path)))
falls = sum(after < before for before, after in zip(losses, losses[1:]))
print(f"{len(losses)} iterations, {falls} of them with a smaller loss than the one before")
print(f"from {losses[0]} to {losses[-1]}")
print(f"below 0.9 of the first: {losses[-1] < 0.9 * losses[0]}")
