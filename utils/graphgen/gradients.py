"""The operators that compute the gradients of a network.

A rule gives the gradients of an operator's inputs from that of its first
output; `None` stands for an input that needs none.
"""

import numpy as np

from .text import ints

RULES = {}


def rule(op_type):
    def register(function):
        RULES[op_type] = function
        return function

    return register


class Gradient:
    """What a rule gets: the operator and the gradient of its result."""

    def __init__(self, backward, op, dy):
        self.net = backward.net
        self.backward = backward
        self.op = op
        self.dy = dy

    @property
    def y(self):
        return self.op.outputs[0]

    def wants(self, index):
        return self.op.inputs[index] in self.backward.needed

    def name(self, op_type):
        return f"gradients/{self.op.name}_grad/{op_type}"

    def add(self, op_type, inputs, shapes, dtype=None, **attributes):
        """An operator of the gradient; it computes as the operator does."""
        name = self.name(op_type)
        dtype = dtype or self.op.dtype
        return self.net.op(op_type, name, inputs, shapes, dtype, **attributes)

    def attributes(self, *names):
        return {name: self.op.attributes[name] for name in names}


# Convolutions and what follows them


@rule("Conv2D")
def conv(g):
    x, weight = g.op.inputs[:2]
    window = g.attributes("strides", "pads", "dilations", "groups", "data_format")
    dx = dw = None
    if g.wants(0):
        size = ints(*x.shape)
        inputs = [weight, g.dy]
        dx = g.add("Conv2DBackpropInputD", inputs, x.shape, input_size=size, **window)
    if g.wants(1):
        size = ints(*weight.shape)
        inputs = [x, g.dy]
        dw = g.add(
            "Conv2DBackpropFilterD", inputs, weight.shape, filter_size=size, **window
        )
    return [dx, dw]


@rule("BNTrainingUpdateV2")
def batch_norm(g):
    """The sums are of x: its gradient has their part as well."""
    x, _, _, scale, _ = g.op.inputs
    _, mean, variance = g.op.outputs
    epsilon = g.attributes("epsilon")
    sums = g.add(
        "BNTrainingUpdateGrad",
        [g.dy, x, mean, variance],
        [scale.shape, scale.shape],
        **epsilon,
    )
    inputs = [g.dy, x, *sums, scale, mean, variance]
    dx = g.add("BNTrainingReduceGrad", inputs, x.shape, **epsilon)
    return [dx, None, None, *sums]


@rule("Relu")
def relu(g):
    return [g.add("ReluGrad", [g.dy, g.y], g.y.shape)]


@rule("MaxPoolWithArgmax")
def max_pool(g):
    x = g.op.inputs[0]
    window = g.attributes("ksize", "strides", "padding")
    inputs = [x, g.dy, g.op.outputs[1]]
    return [g.add("MaxPoolGradWithArgmax", inputs, x.shape, **window)]


@rule("ReduceMeanD")
def mean(g):
    """Of whole planes."""
    shape = g.op.inputs[0].shape
    repeats = [wide // narrow for wide, narrow in zip(shape, g.y.shape)]
    share = g.net.constant(g.name("share"), 1 / float(np.prod(repeats)))
    dy = g.add("Mul", [g.dy, share], g.y.shape)
    return [g.add("TileD", [dy], shape, multiples=ints(*repeats))]


# Products


@rule("MatMulV2")
def mat_mul(g):
    a, b = g.op.inputs[:2]
    transposed = g.op.attributes["transpose_x2"]
    assert not g.op.attributes["transpose_x1"]
    da = db = None

    def product(x1, x2, shape, transpose_x1, transpose_x2):
        return g.add(
            "MatMulV2",
            [x1, x2],
            shape,
            transpose_x1=transpose_x1,
            transpose_x2=transpose_x2,
            offset_x=0,
        )

    if g.wants(0):
        da = product(g.dy, b, a.shape, False, not transposed)
    if g.wants(1):
        left, right = (g.dy, a) if transposed else (a, g.dy)
        db = product(left, right, b.shape, True, False)
    if len(g.op.inputs) < 3:
        return [da, db]
    bias = g.op.inputs[2]
    return [da, db, g.add("BiasAddGrad", [g.dy], bias.shape, data_format="NHWC")]


@rule("BatchMatMulV2")
def batch_mat_mul(g):
    a, b = g.op.inputs
    transposed = g.op.attributes["adj_x2"]
    assert not g.op.attributes["adj_x1"]

    def product(x1, x2, shape, adj_x1, adj_x2):
        return g.add(
            "BatchMatMulV2",
            [x1, x2],
            shape,
            adj_x1=adj_x1,
            adj_x2=adj_x2,
            offset_x=0,
        )

    da = product(g.dy, b, a.shape, False, not transposed)
    left, right = (g.dy, a) if transposed else (a, g.dy)
    return [da, product(left, right, b.shape, True, False)]


# Element-wise operators and normalisation


def sum_to(g, value):
    """The gradient of an input that was repeated."""
    shape = value.shape
    if shape == g.y.shape:
        return g.dy
    axes = [i for i, size in enumerate(shape) if size != g.y.shape[i]]
    return g.add("ReduceSumD", [g.dy], shape, axes=ints(*axes), keep_dims=True)


@rule("Add")
def add(g):
    return [
        sum_to(g, value) if g.wants(index) else None
        for index, value in enumerate(g.op.inputs)
    ]


@rule("Mul")
def multiply_by_constant(g):
    _, factor = g.op.inputs
    assert not g.wants(1)
    return [g.add("Mul", [g.dy, factor], g.y.shape)]


@rule("Gelu")
def gelu(g):
    x = g.op.inputs[0]
    return [g.add("GeluGrad", [g.dy, x, g.y], x.shape)]


@rule("Tanh")
def tanh(g):
    return [g.add("TanhGrad", [g.y, g.dy], g.y.shape)]


@rule("SoftmaxV2")
def softmax(g):
    axes = g.attributes("axes")
    return [g.add("SoftmaxGrad", [g.y, g.dy], g.y.shape, **axes)]


@rule("LayerNorm")
def layer_norm(g):
    x, gamma, _ = g.op.inputs
    _, mean, variance = g.op.outputs
    inputs = [g.dy, x, variance, mean, gamma]
    dx, normal = g.add("LayerNormXBackpropV2", inputs, [x.shape, x.shape])
    parameters = g.add(
        "LayerNormBetaGammaBackpropV2",
        [g.dy, normal],
        [gamma.shape, gamma.shape],
        shape_gamma=ints(*gamma.shape),
    )
    return [dx, *parameters]


@rule("DropOutDoMask")
def dropout(g):
    _, mask, keep = g.op.inputs
    return [g.add("DropOutDoMask", [g.dy, mask, keep], g.y.shape), None, None]


# Moving elements


@rule("Reshape")
def reshape(g):
    return [g.net.reshape(g.dy, g.op.inputs[0].shape)]


@rule("ConfusionTransposeD")
def confusion_transpose(g):
    """Back the same way: the permutation swaps two axes."""
    x = g.op.inputs[0]
    _, perm = g.op.attributes["perm"]
    assert [perm[axis] for axis in perm] == list(range(len(perm)))
    transposed_last = not g.op.attributes["transpose_first"]
    # Seen as it was before the transposition, or as x transposed.
    shape = x.shape if transposed_last else [x.shape[axis] for axis in perm]
    return [
        g.add(
            "ConfusionTransposeD",
            [g.dy],
            x.shape,
            perm=ints(*perm),
            shape=ints(*shape),
            transpose_first=transposed_last,
        )
    ]


@rule("GatherV2D")
def gather(g):
    table, indices = g.op.inputs
    rows = table.shape[0]
    inputs = [g.dy, indices]
    return [g.add("UnsortedSegmentSumD", inputs, table.shape, num_segments=rows), None]


@rule("StridedSliceD")
def strided_slice(g):
    shape = g.op.inputs[0].shape
    return [
        g.add("StridedSliceGradD", [g.dy], shape, shape=ints(*shape), **g.op.attributes)
    ]


class Backward:
    """Adds the gradients of the variables that are trained."""

    def __init__(self, net):
        self.net = net
        self.needed = set(net.trainable)  # values whose gradient is wanted
        for op in net.ops:
            if any(value in self.needed for value in op.inputs):
                self.needed.update(op.outputs)
        self.parts = {}  # by value: gradients to be added up
        self.num_sums = 0

    def add(self, value, gradient):
        if gradient is not None and value in self.needed:
            self.parts.setdefault(value, []).append(gradient)

    def total(self, value):
        parts = self.parts.pop(value)
        if len(parts) == 1:
            return parts[0]
        self.num_sums += 1
        types = {part.dtype for part in parts}
        return self.net.op(
            "AddN",
            f"gradients/AddN_{self.num_sums}",
            parts,
            value.shape,
            "DT_FLOAT" if "DT_FLOAT" in types else "DT_FLOAT16",
            N=len(parts),
        )

    def run(self, value, gradient):
        """By variable: its gradient, given that of the result `value`."""
        self.add(value, gradient)
        for op in reversed(list(self.net.ops)):
            if not op.outputs or op.outputs[0] not in self.parts or not op.inputs:
                continue
            dy = self.total(op.outputs[0])
            results = RULES[op.type](Gradient(self, op, dy))
            for source, result in zip(op.inputs, results):
                self.add(source, result)
        return {value: self.total(value) for value in self.net.trainable}
