"""Nodes and tensors of a graph text."""

import hashlib

import numpy as np

from .formats import FORMATS, NUMPY_TYPES, ceil_div, element_size, physical_shape
from .text import Writer, bools, ints, quote, strings

DEVICE = "NPU"


class Tensor:
    """A tensor descriptor."""

    def __init__(
        self,
        dtype,
        shape,
        layout,
        origin_shape=None,
        origin_format="NCHW",
        **attributes,
    ):
        self.dtype = dtype
        self.shape = list(shape)
        self.layout = layout
        self.origin_shape = list(shape if origin_shape is None else origin_shape)
        self.origin_format = origin_format
        self.attributes = attributes
        self.offset = 0

    @property
    def bytes(self):
        return int(np.prod(self.shape)) * element_size(self.dtype)

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
                "origin_format": self.origin_format,
                "origin_format_for_int": FORMATS[self.origin_format],
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


def laid_out(dtype, shape, layout, origin_format, **attributes):
    """The descriptor of a tensor with the logical shape `shape`."""
    physical = physical_shape(layout, shape)
    return Tensor(dtype, physical, layout, shape, origin_format, **attributes)


class TensorValue:
    """An attribute with the data of a tensor."""

    def __init__(self, array, tensor):
        assert list(array.shape) == tensor.shape
        assert array.dtype == NUMPY_TYPES[tensor.dtype]
        self.array = array
        self.tensor = tensor

    def write(self, writer):
        with writer.message("desc"):
            self.tensor.write(writer, size_field="weight_size")
        writer.field("data", quote(self.array.tobytes()))


class Node:
    """An operator. `inputs` are pairs of a node and the number of its output,
    None where there is nothing; `controls` are nodes that come before."""

    def __init__(self, name, op_type, inputs, outputs, attributes, names=None):
        self.name = name
        self.op_type = op_type
        self.inputs = inputs
        self.outputs = outputs
        self.attributes = attributes
        self.names = names or ([], [])
        self.controls = []
        self.stream = 0
        self.kernel = None  # the name of the AI Core kernel that computes it
        self.read_as = {}  # by input: a tensor in place of the producer's

    def input_tensor(self, index):
        if index in self.read_as:
            return self.read_as[index]
        source = self.inputs[index]
        if source is None:
            return self.outputs[0]
        node, output = source
        return node.outputs[output]

    @property
    def sources(self):
        return [source for source in self.inputs if source]


def kernel_name(operators, text):
    """What the compiler calls a kernel of `operators`; `text` tells those of
    one operator apart."""
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f"te_{operators}_{digest}_1__kernel0"


class Graph:
    """What is written: nodes in the order of execution. Before they are built,
    nodes have neither kernels nor places in memory."""

    def __init__(self, name, is_built=True):
        self.name = name
        self.is_built = is_built
        self.nodes = []
        self.memory = 0  # bytes of the device
        self.streams = 1
        self.events = 0

    def append(self, node):
        for output in node.outputs:
            output.offset = self.memory
            self.memory += ceil_div(output.padded_bytes, 512) * 512
        self.nodes.append(node)
        return node

    def kernel_attributes(self, node):
        """What says that an AI Core kernel computes the node."""
        if not node.kernel:
            return {}
        attributes = {
            "_fe_imply_type": 6,
            "_ge_attr_op_kernel_lib_name": "AIcoreEngine",
            "imply_type": 1,
        }
        if self.is_built:
            attributes[f"{node.name}_kernelname"] = node.kernel
            attributes["tvm_blockdim"] = 2
            attributes["tvm_magic"] = "RT_DEV_BINARY_MAGIC_ELF"
        return attributes

    def write_node(self, writer, number, node, consumers):
        constants = [
            source is not None and source[0].op_type == "Const"
            for source in node.inputs
        ]
        attributes = {**self.kernel_attributes(node), **node.attributes}
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
                text = f"{source[0].name}:{source[1]}" if source else ""
                writer.field("input", quote(text))
            for control in node.controls:
                writer.field("input", quote(f"{control.name}:-1"))
            writer.attributes(attributes)
            writer.field("has_out_attr", True)
            if number:
                writer.field("id", number)
            if node.stream:
                writer.field("stream_id", node.stream)
            if self.is_built:
                self.write_places(writer, node, consumers, constants)
            for index in range(len(node.inputs)):
                with writer.message("input_desc"):
                    node.input_tensor(index).write(writer)
            for output in node.outputs:
                with writer.message("output_desc"):
                    output.write(writer)

    def write_places(self, writer, node, consumers, constants):
        """Neighbours and offsets in memory."""
        sources = node.sources + [(control, -1) for control in node.controls]
        for source, _ in sources:
            writer.field("src_name", quote(source.name))
        for _, output in sources:
            writer.field("src_index", output)
        by_output = consumers.get(node, {})
        for output in sorted(by_output):
            names = ":".join(name for name, _ in by_output[output])
            writer.field("dst_name", quote(names))
        for output in sorted(by_output):
            writer.field("dst_index", by_output[output][-1][1])
        for source, output in node.sources:
            writer.field("input_i", source.outputs[output].offset)
        for output in node.outputs:
            writer.field("output_i", output.offset)
        for constant in constants:
            if node.sources:
                writer.field("is_input_const", constant)

    def find_consumers(self):
        """By node and output (-1: control): names and inputs of the readers."""
        consumers = {}
        for node in self.nodes:
            edges = [
                (source, index) for index, source in enumerate(node.inputs) if source
            ]
            edges += [((control, -1), -1) for control in node.controls]
            for (source, output), index in edges:
                readers = consumers.setdefault(source, {}).setdefault(output, [])
                readers.append((node.name, index))
        return consumers

    def write(self, out):
        writer = Writer(out)
        consumers = self.find_consumers()
        with writer.message("graph"):
            writer.field("name", quote(self.name))
            for number, node in enumerate(self.nodes):
                self.write_node(writer, number, node, consumers)
            writer.attributes(
                {"_dynamic_shape_partitioned": False, "_session_graph_id": "0_1"}
            )
        writer.attributes(
            {
                "event_num": self.events,
                "label_num": 0,
                "memory_size": self.memory if self.is_built else 0,
                "stream_num": self.streams if self.is_built else 0,
                "target_type": "MINI",
            }
        )
