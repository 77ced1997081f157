"""A step of training: the loss, its gradients, the updates of the variables.

The gradient of the loss is scaled up, so that fp16 holds it, and those of the
variables are scaled down again in fp32.
"""

import numpy as np

from .frontend import random_units
from .gradients import Backward
from .operators import OPERATORS
from .optimizers import OPTIMIZERS
from .text import ints


def cross_entropy(net, logits, scale):
    """The mean loss of a batch, and `scale` times its gradient."""
    batch, classes = logits.shape

    def make():
        units = random_units(net.seed, "labels", batch)
        return ((units + 1) / 2 * classes).astype(np.int32)

    labels = net.data("labels", "DT_INT32", (batch,), make)
    on, off = (net.constant(f"loss/{name}", [v]) for name, v in (("on", 1), ("off", 0)))
    labels = net.op(
        "OneHotD",
        "loss/OneHot",
        [labels, on, off],
        logits.shape,
        "DT_FLOAT",
        depth=classes,
        axis=-1,
    )
    losses, gradient = net.op(
        "SoftmaxCrossEntropyWithLogits",
        "loss/xentropy",
        [logits, labels],
        [(batch,), logits.shape],
        "DT_FLOAT",
    )
    loss = net.op(
        "ReduceMeanD",
        "loss/Mean",
        [losses],
        (),
        "DT_FLOAT",
        axes=ints(0),
        keep_dims=False,
    )
    factor = net.constant("gradients/loss_scale", scale / batch)
    gradient = net.like("Mul", "gradients/mul", [gradient, factor], dtype="DT_FLOAT")
    return loss, gradient


def all_reduce(net, gradients):
    """The sums of the gradients over all devices."""
    values = list(gradients.values())
    sums = net.op(
        "HcomAllReduce",
        "train/HcomAllReduce",
        values,
        [value.shape for value in values],
        "DT_FLOAT",
        reduction="sum",
        group="hccl_world_group",
        fusion=0,
        fusion_id=-1,
    )
    return dict(zip(gradients, sums))


def add_step(net, logits, options):
    """Makes a network a step of its training; the loss is its output."""
    loss, gradient = cross_entropy(net, logits, options.loss_scale)
    gradients = Backward(net).run(logits, gradient)
    inverse = net.constant("train/inverse_scale", 1 / options.loss_scale)
    scaled = {
        value: net.like(
            "Mul",
            f"train/{value.op.name}/unscale",
            [gradient, inverse],
            dtype="DT_FLOAT",
        )
        for value, gradient in gradients.items()
    }
    if options.all_reduce:
        scaled = all_reduce(net, scaled)
    ready = net.barrier(
        "gradients/group_deps", [gradient.op for gradient in scaled.values()]
    )
    optimizer = OPTIMIZERS[options.optimizer](net, options.learning_rate)
    updates = []
    for value, gradient in scaled.items():
        ops = optimizer.update(f"train/update_{value.op.name}", value, gradient)
        for op in ops:
            op.controls = [ready]
        updates += ops
    optimizer.finish(updates)
    updating = [
        op for op in net.ops if op.type in OPERATORS and OPERATORS[op.type].updates
    ]
    net.barrier("train/group_deps", updating)
    net.output(loss)
