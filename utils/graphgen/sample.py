"""The sample: a small convolution network with inline weights.

fp16, private formats, one convolution fused with its Relu (the node keeps the
type of the first operator and loses its attributes), the other one not. It is
written node by node: it has windows and weights that are easy to follow, and
its bytes are checked in.
"""

import numpy as np

from .formats import DTYPES, FORMATS, lay_out
from .graph import Graph, Node, Tensor, TensorValue, laid_out
from .text import ints, strings


class Random:
    """A generator that gives the same numbers with every release of numpy."""

    def __init__(self, seed):
        self.state = (seed * 2 + 1) & 0xFFFFFFFF

    def uniform(self, shape, scale):
        """fp16 numbers in [-scale, scale)."""
        values = np.empty(int(np.prod(shape)), np.float64)
        for i in range(values.size):
            self.state = (self.state * 1664525 + 1013904223) & 0xFFFFFFFF
            values[i] = (self.state >> 8) / 2**23 - 1
        return (values * scale).astype(np.float16).reshape(shape)


class Builder:
    def __init__(self, random):
        self.graph = Graph("sample_cnn")
        self.random = random

    def add(self, name, op_type, inputs, output, names, **attributes):
        sources = [node and (node, 0) for node in inputs]
        node = Node(name, op_type, sources, [output], attributes, names)
        return self.graph.append(node)

    def kernel(self, name, op_type, inputs, output, names, kernel, **attributes):
        """A node that an AI Core kernel computes."""
        node = self.add(name, op_type, inputs, output, names, **attributes)
        node.kernel = f"te_{kernel}_5a3c17e0d94b2f68_1__kernel0"
        return node

    def constant(self, name, array, layout):
        data = lay_out(array, layout)
        value = TensorValue(data, Tensor("DT_FLOAT16", data.shape, layout, array.shape))
        output = Tensor("DT_FLOAT16", data.shape, layout, array.shape)
        return self.add(name, "Const", [], output, ([], ["y"]), value=value)

    def filter(self, name, channels, in_channels):
        scale = (in_channels * 9) ** -0.5
        weights = self.random.uniform((channels, in_channels, 3, 3), scale)
        return self.constant(f"{name}/weight", weights, "FRACTAL_Z")

    def bias(self, name, channels):
        values = self.random.uniform((channels,), 0.25)
        return self.constant(f"{name}/bias", values, "NCHW")

    def transfer(self, name, value, output, source, target):
        return self.kernel(
            name,
            "TransData",
            [value],
            output,
            (["src"], ["dst"]),
            "transdata",
            src_format=source,
            dst_format=target,
            input_format=FORMATS[source],
            output_format=FORMATS[target],
            groups=1,
        )


def half(shape, layout="NC1HWC0", **attributes):
    """The descriptor of an fp16 activation with the NCHW shape `shape`."""
    return laid_out("DT_FLOAT16", shape, layout, "NCHW", **attributes)


def front_end(name):
    """Says which tensor of the front end's graph an output stands for."""
    return {
        "_datadump_origin_data_type": "DT_FLOAT",
        "_datadump_origin_format": "NCHW",
        "_datadump_origin_name": name,
        "_datadump_origin_output_index": 0,
    }


def build(size, random):
    """A network for an image of 3 x size x size: two convolutions, a pooling."""
    builder = Builder(random)
    channels = 16
    image = (1, 3, size, size)
    plane = (1, channels, size, size)
    pooled = (1, channels, size // 2, size // 2)

    data = builder.add(
        "image", "Data", [None], half(image, "NCHW"), (["x"], ["y"]), index=0
    )
    packed = builder.transfer(
        "trans_TransData_0", data, half(image), "NCHW", "NC1HWC0"
    )

    # Fused: the attributes of Conv2D are gone, as in files from the compiler.
    inputs = [packed, builder.filter("conv1", channels, 3)]
    inputs.append(builder.bias("conv1", channels))
    fused = builder.kernel(
        "conv1conv1_relu",
        "Conv2D",
        inputs,
        half(plane, **front_end("conv1_relu")),
        (["__input0", "__input1", "__input2"], ["__output0"]),
        "fused_op_conv2d_relu",
        _datadump_original_op_names=strings("conv1", "conv1_relu"),
        fusion_scope=1,
        pass_name="TbeConvCommonRules0FusionPass",
    )

    inputs = [fused, builder.filter("conv2", channels, channels)]
    inputs.append(builder.bias("conv2", channels))
    conv = builder.kernel(
        "conv2",
        "Conv2D",
        inputs,
        half(plane, **front_end("conv2")),
        (["x", "filter", "bias"], ["y"]),
        "conv2d",
        strides=ints(1, 1, 1, 1),
        pads=ints(1, 1, 1, 1),
        dilations=ints(1, 1, 1, 1),
        groups=1,
        data_format="NCHW",
        offset_x=0,
        fusion_scope=-2,
    )
    pool = builder.kernel(
        "pool",
        "Pooling",
        [conv],
        half(pooled, **front_end("pool")),
        (["x"], ["y"]),
        "pooling",
        mode=0,
        window=ints(2, 2),
        stride=ints(2, 2),
        pad=ints(0, 0, 0, 0),
        dilation=ints(1, 1, 1, 1),
        ceil_mode=0,
        global_pooling=False,
        data_format="NCHW",
    )
    unpacked = builder.transfer(
        "trans_TransData_1", pool, half(pooled, "NCHW"), "NC1HWC0", "NCHW"
    )
    cast = builder.kernel(
        "trans_Cast_2",
        "Cast",
        [unpacked],
        Tensor("DT_FLOAT", pooled, "NCHW"),
        (["x"], ["y"]),
        "cast",
        SrcT=DTYPES["DT_FLOAT16"],
        DstT=DTYPES["DT_FLOAT"],
        dst_type=DTYPES["DT_FLOAT"],
        truncate=False,
    )
    output = Node("Node_Output", "NetOutput", [(cast, 0)], [], {}, (["x0"], []))
    builder.graph.append(output)
    return builder.graph


def make_image(size, random):
    return random.uniform((1, 3, size, size), 2.0)
