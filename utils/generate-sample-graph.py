#!/usr/bin/env python3
"""Writes a small GE Build graph text with inline weights, and its input.

The graph is a convolution network as GE's compiler leaves it for an Ascend
device: fp16, private formats, one convolution fused with its Relu (the node
keeps the type of the first operator and loses its attributes), the other one
not. The same options give the same bytes.

    generate-sample-graph.py OUT.txt [--input OUT.npy] [--size N] [--seed N]
"""

import argparse

import numpy as np

C0 = 16  # channels of a block of NC1HWC0, and the edge of a fractal
DEVICE = "NPU"
FORMATS = {"NCHW": 0, "ND": 2, "NC1HWC0": 3, "FRACTAL_Z": 4}
DTYPES = {"DT_FLOAT": 0, "DT_FLOAT16": 1}  # numbers of the runtime
ELEMENT_SIZE = {"DT_FLOAT": 4, "DT_FLOAT16": 2}


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


def ceil_div(a, b):
    return -(-a // b)


def nc1hwc0_shape(shape):
    n, c, h, w = shape
    return [n, ceil_div(c, C0), h, w, C0]


def to_fractal_z(weights):
    """An NCHW filter in FRACTAL_Z: [C1*H*W, N1, 16, C0], padded with zeros."""
    n, c, h, w = weights.shape
    n1, c1 = ceil_div(n, C0), ceil_div(c, C0)
    padded = np.zeros((n1 * C0, c1 * C0, h, w), weights.dtype)
    padded[:n, :c] = weights
    blocks = padded.reshape(n1, C0, c1, C0, h, w).transpose(2, 4, 5, 0, 1, 3)
    return blocks.reshape(c1 * h * w, n1, C0, C0)


def quote(data):
    """A protobuf text literal for bytes or a string."""
    if isinstance(data, str):
        data = data.encode()
    named = {9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 39: "\\'", 92: "\\\\"}
    return '"%s"' % "".join(
        named.get(b) or (chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in data
    )


class Writer:
    """Protobuf text, as the compiler prints it."""

    def __init__(self, out):
        self.out = out
        self.indent = 0

    def field(self, name, value):
        if isinstance(value, bool):
            value = "true" if value else "false"
        self.out.write(f"{'  ' * self.indent}{name}: {value}\n")

    def message(self, name):
        writer = self

        class Message:
            def __enter__(self):
                writer.out.write(f"{'  ' * writer.indent}{name} {{\n")
                writer.indent += 1

            def __exit__(self, *_):
                writer.indent -= 1
                writer.out.write(f"{'  ' * writer.indent}}}\n")

        return Message()

    def value(self, value):
        """What is in an AttrDef."""
        if isinstance(value, bool):
            self.field("b", value)
        elif isinstance(value, int):
            self.field("i", value)
        elif isinstance(value, str):
            self.field("s", quote(value))
        elif isinstance(value, Constant):
            with self.message("t"):
                with self.message("desc"):
                    value.tensor.write(self, size_field="weight_size")
                self.field("data", quote(value.array.tobytes()))
        else:
            kind, elements = value
            with self.message("list"):
                for element in elements:
                    self.field(
                        {"STRING": "s", "INT": "i", "BOOL": "b"}[kind],
                        quote(element) if kind == "STRING" else element,
                    )
                self.field("val_type", f"VT_LIST_{kind}")

    def attributes(self, attributes):
        for key in sorted(attributes):
            with self.message("attr"):
                self.field("key", quote(key))
                with self.message("value"):
                    self.value(attributes[key])


def ints(*elements):
    return ("INT", elements)


def strings(*elements):
    return ("STRING", elements)


def bools(*elements):
    return ("BOOL", elements)


class Tensor:
    """A tensor descriptor."""

    def __init__(self, dtype, shape, layout, origin_shape=None, **attributes):
        self.dtype = dtype
        self.shape = list(shape)
        self.layout = layout
        self.origin_shape = list(shape if origin_shape is None else origin_shape)
        self.attributes = attributes
        self.offset = 0

    @property
    def bytes(self):
        return int(np.prod(self.shape)) * ELEMENT_SIZE[self.dtype]

    @property
    def padded_bytes(self):
        """The size that the device reserves."""
        return ceil_div(self.bytes, 32) * 32 + 32

    def write(self, writer, size_field="size"):
        writer.field("dtype", self.dtype)
        with writer.message("shape"):
            for dim in self.shape:
                writer.field("dim", dim)
        writer.field("layout", quote(self.layout))
        writer.attributes(
            {
                "format_for_int": FORMATS[self.layout],
                "origin_format": "NCHW",
                "origin_format_for_int": FORMATS["NCHW"],
                "origin_shape": ints(*self.origin_shape),
                "origin_shape_initialized": True,
                **self.attributes,
            }
        )
        writer.field("has_out_attr", True)
        size = self.bytes if size_field == "weight_size" else self.padded_bytes
        writer.field(size_field, size)
        writer.field("device_type", quote(DEVICE))
        writer.field("real_dim_cnt", len(self.shape))


class Constant:
    def __init__(self, array, layout, origin_shape):
        self.array = array
        self.tensor = Tensor("DT_FLOAT16", array.shape, layout, origin_shape)


class Node:
    def __init__(self, name, op_type, inputs, outputs, attributes, names=None):
        self.name = name
        self.op_type = op_type
        self.inputs = inputs
        self.outputs = outputs
        self.attributes = attributes
        self.names = names or ([], [])


class Graph:
    def __init__(self, name):
        self.name = name
        self.nodes = []
        self.offset = 0  # next free byte of device memory

    def add(self, name, op_type, inputs, output, names, **attributes):
        node = Node(name, op_type, inputs, [output], attributes, names)
        output.offset = self.offset
        self.offset += ceil_div(output.padded_bytes, 512) * 512
        self.nodes.append(node)
        return node

    def constant(self, name, array, layout, origin_shape):
        value = Constant(array, layout, origin_shape)
        output = Tensor("DT_FLOAT16", array.shape, layout, origin_shape)
        return self.add(name, "Const", [], output, ([], ["y"]), value=value)

    def kernel(self, name, op_type, inputs, output, names, kernel, **attributes):
        """A node that an AI Core kernel computes."""
        return self.add(
            name,
            op_type,
            inputs,
            output,
            names,
            **{
                "_fe_imply_type": 6,
                "_ge_attr_op_kernel_lib_name": "AIcoreEngine",
                f"{name}_kernelname": f"te_{kernel}_5a3c17e0d94b2f68_1__kernel0",
                "imply_type": 1,
                "tvm_blockdim": 2,
                "tvm_magic": "RT_DEV_BINARY_MAGIC_ELF",
                **attributes,
            },
        )

    def consumers(self, producer):
        return [
            (node.name, index)
            for node in self.nodes
            for index, source in enumerate(node.inputs)
            if source is producer
        ]

    def write_node(self, writer, number, node):
        constants = [
            source is not None and source.op_type == "Const"
            for source in node.inputs
        ]
        attributes = dict(node.attributes)
        in_names, out_names = node.names
        if in_names:
            attributes["_input_name_key"] = strings(*in_names)
            attributes["_input_name_value"] = ints(*range(len(in_names)))
        if out_names:
            attributes["_output_name_key"] = strings(*out_names)
            attributes["_output_name_value"] = ints(*range(len(out_names)))
        attributes["_session_graph_id"] = "0_1"
        attributes["is_input_const"] = bools(*constants)

        with writer.message("op"):
            writer.field("name", quote(node.name))
            writer.field("type", quote(node.op_type))
            for source in node.inputs:
                writer.field("input", quote(f"{source.name}:0" if source else ""))
            writer.attributes(attributes)
            writer.field("has_out_attr", True)
            if number:
                writer.field("id", number)
            sources = [source for source in node.inputs if source]
            for source in sources:
                writer.field("src_name", quote(source.name))
            for _ in sources:
                writer.field("src_index", 0)
            consumers = self.consumers(node)
            if consumers:
                names = ":".join(name for name, _ in consumers)
                writer.field("dst_name", quote(names))
                writer.field("dst_index", consumers[-1][1])
            for source in sources:
                writer.field("input_i", source.outputs[0].offset)
            for output in node.outputs:
                writer.field("output_i", output.offset)
            for constant in constants:
                if sources:
                    writer.field("is_input_const", constant)
            for source in node.inputs:
                tensor = source.outputs[0] if source else node.outputs[0]
                with writer.message("input_desc"):
                    tensor.write(writer)
            for output in node.outputs:
                with writer.message("output_desc"):
                    output.write(writer)

    def write(self, out):
        writer = Writer(out)
        with writer.message("graph"):
            writer.field("name", quote(self.name))
            for number, node in enumerate(self.nodes):
                self.write_node(writer, number, node)
            writer.attributes(
                {"_dynamic_shape_partitioned": False, "_session_graph_id": "0_1"}
            )
        writer.attributes(
            {
                "event_num": 0,
                "label_num": 0,
                "memory_size": self.offset,
                "stream_num": 1,
                "target_type": "MINI",
            }
        )


def half(shape, layout="NC1HWC0", **attributes):
    """The descriptor of an fp16 activation with the NCHW shape `shape`."""
    physical = nc1hwc0_shape(shape) if layout == "NC1HWC0" else shape
    return Tensor("DT_FLOAT16", physical, layout, shape, **attributes)


def front_end(name):
    """Says which tensor of the front end's graph an output stands for."""
    return {
        "_datadump_origin_data_type": "DT_FLOAT",
        "_datadump_origin_format": "NCHW",
        "_datadump_origin_name": name,
        "_datadump_origin_output_index": 0,
    }


def build_graph(size, random):
    """A network for an image of 3 x size x size: two convolutions, a pooling."""
    graph = Graph("sample_cnn")
    channels = 16

    def add_filter(name, in_channels):
        scale = (in_channels * 9) ** -0.5
        weights = random.uniform((channels, in_channels, 3, 3), scale)
        return graph.constant(
            f"{name}/weight", to_fractal_z(weights), "FRACTAL_Z", weights.shape
        )

    def add_bias(name):
        values = random.uniform((channels,), 0.25)
        return graph.constant(f"{name}/bias", values, "NCHW", values.shape)

    image = (1, 3, size, size)
    plane = (1, channels, size, size)
    pooled = (1, channels, size // 2, size // 2)

    data = graph.add(
        "image", "Data", [None], half(image, "NCHW"), (["x"], ["y"]), index=0
    )
    packed = graph.kernel(
        "trans_TransData_0",
        "TransData",
        [data],
        half(image),
        (["src"], ["dst"]),
        "transdata",
        src_format="NCHW",
        dst_format="NC1HWC0",
        input_format=FORMATS["NCHW"],
        output_format=FORMATS["NC1HWC0"],
        groups=1,
    )

    # Fused: the attributes of Conv2D are gone, as in files from the compiler.
    fused_inputs = [packed, add_filter("conv1", 3), add_bias("conv1")]
    fused = graph.kernel(
        "conv1conv1_relu",
        "Conv2D",
        fused_inputs,
        half(plane, **front_end("conv1_relu")),
        (["__input0", "__input1", "__input2"], ["__output0"]),
        "fused_op_conv2d_relu",
        _datadump_original_op_names=strings("conv1", "conv1_relu"),
        fusion_scope=1,
        pass_name="TbeConvCommonRules0FusionPass",
    )

    inputs = [fused, add_filter("conv2", channels), add_bias("conv2")]
    conv = graph.kernel(
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
    pool = graph.kernel(
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
    unpacked = graph.kernel(
        "trans_TransData_1",
        "TransData",
        [pool],
        half(pooled, "NCHW"),
        (["src"], ["dst"]),
        "transdata",
        src_format="NC1HWC0",
        dst_format="NCHW",
        input_format=FORMATS["NC1HWC0"],
        output_format=FORMATS["NCHW"],
        groups=1,
    )
    single = Tensor("DT_FLOAT", pooled, "NCHW")
    cast = graph.kernel(
        "trans_Cast_2",
        "Cast",
        [unpacked],
        single,
        (["x"], ["y"]),
        "cast",
        SrcT=DTYPES["DT_FLOAT16"],
        DstT=DTYPES["DT_FLOAT"],
        dst_type=DTYPES["DT_FLOAT"],
        truncate=False,
    )
    output = Node("Node_Output", "NetOutput", [cast], [], {}, (["x0"], []))
    graph.nodes.append(output)
    return graph


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("output", metavar="OUT.txt")
    parser.add_argument("--input", metavar="OUT.npy", help="write an image, too")
    parser.add_argument(
        "--size", type=int, default=16, help="edge of the image (default 16)"
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.size < 2 or options.size % 2:
        parser.error("--size must be even and at least 2")

    random = Random(options.seed)
    graph = build_graph(options.size, random)
    with open(options.output, "w", newline="\n") as out:
        graph.write(out)
    if options.input:
        image = random.uniform((1, 3, options.size, options.size), 2.0)
        np.save(options.input, image)


if __name__ == "__main__":
    main()
