"""Judges the losses of a training run by the outputs of its iterations.

    check-losses.py DIR ITERATIONS [SHARE]

Exits with 1 unless every loss is a number, the last one is below half of the
first, and at least SHARE of the steps (0.8) lower it.
"""

import pathlib
import sys

import numpy as np

folder, iterations = pathlib.Path(sys.argv[1]), int(sys.argv[2])
share = float(sys.argv[3]) if len(sys.argv) > 3 else 0.8
losses = []
for iteration in range(iterations):
    (path,) = (folder / str(iteration)).glob("*.npy")
    losses.append(float(np.load(path)))
print(" ".join(f"{loss:.4f}" for loss in losses))
falls = sum(later < earlier for earlier, later in zip(losses, losses[1:]))
print(f"falls in {falls} of {iterations - 1} steps")
sound = np.isfinite(losses).all()
sys.exit(not (sound and losses[-1] < losses[0] / 2 and falls >= share * (iterations - 1)))
