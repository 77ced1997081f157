"""Writes dump files of random tensors in all formats, a part of them with
infinities, NaNs and equal values.

  random-dumps.py FOLDER SEED

FOLDER/{FORMAT} has them by format, FOLDER/a all but those in NDC1HWC0, whose
padding Ascend's tool compares as well, and FOLDER/b the same with other values in
places.
"""

import importlib.util
import pathlib
import shutil
import sys

import numpy as np

spec = importlib.util.spec_from_file_location(
    "dumps", pathlib.Path(__file__).with_name("make-dumps.py"))
dumps = importlib.util.module_from_spec(spec)
spec.loader.exec_module(dumps)

folder, seed = pathlib.Path(sys.argv[1]), int(sys.argv[2])
random = np.random.default_rng(seed)


def dims(count, limit):
    return tuple(int(n) for n in random.integers(1, limit, count))


def draw(shape, kind):
    if kind == "b1":
        return random.random(shape) < 0.5
    if kind[0] in "iu":
        limits = np.iinfo(kind)
        return random.integers(max(limits.min, -1000), min(limits.max, 1000),
                               shape).astype(kind)
    values = random.standard_normal(shape) * random.choice([1e-3, 1, 100])
    values = np.array(values, kind)
    if random.random() < 0.15:
        values[...] = random.choice([0, 1.5, -3])
    if random.random() < 0.4:
        for value in random.choice([np.inf, -np.inf, np.nan, 0, 65504], 2):
            values.reshape(-1)[random.integers(values.size)] = value
    return values


def block(array, axis, size):
    """Splits an axis into blocks, the last one filled with zeros."""
    blocks = -(-array.shape[axis] // size)
    padding = [(0, 0)] * array.ndim
    padding[axis] = (0, blocks * size - array.shape[axis])
    return np.pad(array, padding).reshape(
        array.shape[:axis] + (blocks, size) + array.shape[axis + 1:])


def to_nc1hwc0(array):
    c0 = 8 if array.dtype == np.float32 else 16
    return block(array, 1, c0).transpose(0, 1, 3, 4, 2)


def to_nz(array):
    k = array.ndim - 2
    blocked = block(block(array, k + 1, 16), k, 16)
    return blocked.transpose(*range(k), k + 2, k, k + 1, k + 3)


def to_z(array):
    blocked = block(block(array, 1, 16), 0, 16)
    n1, n0, c1, c0, h, w = blocked.shape
    return blocked.transpose(2, 4, 5, 0, 1, 3).reshape(c1 * h * w, n1, n0, c0)


def to_ndc1hwc0(array):
    return block(array, 1, 16).transpose(0, 3, 1, 4, 5, 2)


FORMATS = {
    "ND": lambda: (dims(random.integers(0, 5), 9), lambda array: array),
    "NC1HWC0": lambda: (dims(1, 4) + dims(1, 40) + dims(2, 6), to_nc1hwc0),
    "FRACTAL_NZ": lambda: (dims(random.integers(0, 3), 4) + dims(2, 40), to_nz),
    "FRACTAL_Z": lambda: (dims(2, 40) + dims(2, 4), to_z),
    "NDC1HWC0": lambda: (dims(1, 3) + dims(1, 40) + dims(3, 4), to_ndc1hwc0),
}

for name in ["a", "b", *FORMATS]:
    (folder / name).mkdir(parents=True)
for task in range(1, 31):
    layout = str(random.choice(list(FORMATS)))
    kinds = "f2 f4 f2 f8 i1 u1 i4 i8 b1" if layout == "ND" else "f2 f2 f4"
    kind = str(random.choice(kinds.split()))
    shape, lay_out = FORMATS[layout]()
    mine = draw(shape, kind)
    golden = mine.copy()
    if kind[0] == "f" and random.random() < 0.7:
        with np.errstate(all="ignore"):
            golden = (golden.astype("f8") * (
                1 + random.standard_normal(shape) * 1e-2)).astype(kind)
    for side, array in ("a", mine), ("b", golden):
        if side == "b" and layout == "NDC1HWC0":
            continue
        blocked = np.ascontiguousarray(lay_out(np.asarray(array)))
        dumps.write(folder / side, "Add", f"net/op{task}", task,
                    [(blocked, dumps.TYPES[kind], layout, shape, False)])
    path, = (folder / "a").glob(f"Add.net_op{task}.*")
    shutil.copy(path, folder / layout)
    if layout == "NDC1HWC0":
        path.unlink()
