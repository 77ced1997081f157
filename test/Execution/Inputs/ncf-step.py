"""Prepares the training step of the corpus' NCF model for a run.

  ncf-step.py GRAPH FOLDER BATCH

Writes to FOLDER the graph with BATCH samples in place of its 1048576 and with
tables of 1024 users and 512 items (all else stays), the data that it needs, and "options" for npu-run: a fixed batch of users
and items whose label tells whether the sum of their numbers is even, optimizer
slots as they are before the first step, the constants of which the file has 16
bytes, and a loop of three steps.
"""

import pathlib
import re
import sys

import numpy

graph, folder, batch = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(
    sys.argv[3]
)
assert batch % 16 == 0, "expected a batch of whole blocks"
USERS, ITEMS = 1024, 512
sizes = {
    8388608: 8 * batch,
    1048576: batch,
    65536: batch // 16,
    138493: USERS,
    26744: ITEMS,
}
text = graph.read_text()
for size, wanted in sizes.items():
    text = re.sub(rf"(\b(?:dim|i): ){size}\b", rf"\g<1>{wanted}", text)
(folder / "ncf.txt").write_text(text)

random = numpy.random.default_rng(1)
users = random.integers(0, 64, (batch, 1), numpy.int32)
items = random.integers(0, 64, (batch, 1), numpy.int32)
options = ["--init=random:1"]


def give(option, name, array):
    path = folder / (name.replace("/", "_").replace(":", "_") + ".npy")
    numpy.save(path, array)
    options.append(f"--{option}={name}={path}")


give("input", "IteratorV2:0", items)
give("input", "IteratorV2:1", users)
give("input", "IteratorV2:2", numpy.ones((batch, 1), bool))
give("input", "IteratorV2:3", (users + items) % 2 == 0)
loss = "sparse_softmax_cross_entropy_loss/num_present/"
give("bind", loss + "zeros_like", numpy.zeros(batch, numpy.float32))
give("bind", loss + "ones_like", numpy.ones(batch, numpy.float32))
give("bind", "dynamic_const_2", numpy.zeros(1, numpy.int32))  # no class
give("bind", "dynamic_const_3", numpy.zeros((batch, 1), numpy.float16))
give("bind", "dynamic_const_4", numpy.zeros((batch, 1), numpy.float32))
for name, shape in {
    "dense/kernel": (64, 32),
    "dense/bias": (32,),
    "dense_1/kernel": (32, 16),
    "dense_1/bias": (16,),
    "rating/kernel": (32, 1),
    "rating/bias": (1,),
    "embedding_user/embeddings": (USERS, 48),
    "embedding_item/embeddings": (ITEMS, 48),
}.items():
    for slot in ("/Adam", "/Adam_1"):
        give("bind", name + slot, numpy.zeros(shape, numpy.float32))
    if name.startswith("embedding"):
        values = random.normal(0, 0.3, shape).astype(numpy.float32)
        give("bind", name, values)
give("bind", "beta1_power", numpy.float32(0.9))
give("bind", "beta2_power", numpy.float32(0.999))
give("bind", "global_step", numpy.int64(0))
# The device runs a step more than the last value of the condition.
loop = {"loop_cond": 0, "one": 1, "zero": 0, "iterations_per_loop": 2}
for name, value in loop.items():
    give("bind", "npu_runconfig/" + name, numpy.int64(value))
(folder / "options").write_text("\n".join(options) + "\n")
