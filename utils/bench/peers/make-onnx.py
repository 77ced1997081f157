#!/usr/bin/env python3
"""Writes the models of ONNX Runtime: ResNet-50 and BERT-base, random weights.

  make-onnx.py FOLDER

FOLDER gets resnet50-fp32-b1.onnx, resnet50-fp16-b1.onnx and bert12-fp32.onnx,
and of each a NAME-all.onnx in which the result of every node is an output.
Batch normalisation is folded into the convolutions. Needs numpy and onnx.
"""

import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Graph:
    """Nodes and constants of one element type; a node has its result's name."""

    def __init__(self, dtype):
        self.dtype = dtype
        self.element = {"f4": TensorProto.FLOAT, "f2": TensorProto.FLOAT16}[dtype]
        self.random = np.random.default_rng(0)
        self.nodes, self.constants = [], []

    def constant(self, name, value, dtype=None):
        array = np.asarray(value, dtype or self.dtype)
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def weight(self, name, shape, deviation):
        return self.constant(name, self.random.standard_normal(shape) * deviation)

    def add(self, kind, inputs, name, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def save(self, path, shape, result, result_shape, opset):
        info = lambda name, dims: helper.make_tensor_value_info(name, self.element, dims)
        graph = helper.make_graph(self.nodes, "graph", [info("x", shape)],
                                  [info(result, result_shape)], self.constants)
        for ending in (".onnx", "-all.onnx"):
            model = helper.make_model(
                graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
            onnx.save(model, path + ending)
            graph.output.extend(info(node.output[0], None) for node in self.nodes
                                if node.output[0] != result)


def resnet50(graph, path):
    def convolution(x, name, channels, outputs, kernel, stride):
        fan_in = channels * kernel * kernel
        weight = graph.weight(name + ".weight", (outputs, channels, kernel, kernel),
                              0.9 * np.sqrt(2 / fan_in))
        bias = graph.weight(name + ".bias", (outputs,), 0.01)
        return graph.add("Conv", [x, weight, bias], name, kernel_shape=[kernel] * 2,
                         strides=[stride] * 2, pads=[kernel // 2] * 4)

    def relu(x):
        return graph.add("Relu", [x], x + ".relu")

    x = relu(convolution("x", "conv1", 3, 64, 7, 2))
    x = graph.add("MaxPool", [x], "pool1", kernel_shape=[3, 3], strides=[2, 2],
                  pads=[1] * 4)
    channels = 64
    for stage, blocks in enumerate((3, 4, 6, 3)):
        width = 64 << stage
        for block in range(blocks):
            name = f"layer{stage + 1}.{block}."
            stride = 2 if stage and not block else 1
            y = relu(convolution(x, name + "conv1", channels, width, 1, 1))
            y = relu(convolution(y, name + "conv2", width, width, 3, stride))
            y = convolution(y, name + "conv3", width, 4 * width, 1, 1)
            if not block:
                x = convolution(x, name + "down", channels, 4 * width, 1, stride)
            x = relu(graph.add("Add", [y, x], name + "add"))
            channels = 4 * width
    x = graph.add("GlobalAveragePool", [x], "pool5")
    x = graph.add("Flatten", [x], "flat")
    weight = graph.weight("fc.weight", (1000, 2048), 0.02)
    x = graph.add("Gemm", [x, weight, graph.weight("fc.bias", (1000,), 0.01)], "fc",
                  transB=1)
    graph.save(path, [1, 3, 224, 224], x, [1, 1000], 13)


def bert(graph, path, layers=12, words=128, width=768, heads=12):
    head = width // heads
    split = graph.constant("split", [1, words, heads, head], np.int64)
    merge = graph.constant("merge", [1, words, width], np.int64)
    scale = graph.constant("scale", head ** -0.5)
    half, one = graph.constant("half", 0.5), graph.constant("one", 1)
    root = graph.constant("root", 0.5 ** 0.5)

    def dense(x, name, inputs, outputs):
        y = graph.add("MatMul", [x, graph.weight(name + ".weight", (inputs, outputs), 0.02)],
                      name + ".product")
        return graph.add("Add", [y, graph.weight(name + ".bias", (outputs,), 0.02)], name)

    def norm(x, y, name):
        total = graph.add("Add", [x, y], name + ".sum")
        return graph.add("LayerNormalization",
                         [total, graph.constant(name + ".gamma", np.ones(width)),
                          graph.constant(name + ".beta", np.zeros(width))],
                         name, axis=-1, epsilon=1e-5)

    def gelu(x):
        y = graph.add("Erf", [graph.add("Mul", [x, root], x + ".scaled")], x + ".erf")
        y = graph.add("Add", [y, one], x + ".plus1")
        return graph.add("Mul", [graph.add("Mul", [x, half], x + ".half"), y], x + ".gelu")

    def part(x, name, order):
        y = graph.add("Reshape", [dense(x, name, width, width), split], name + ".split")
        return graph.add("Transpose", [y], name + ".heads", perm=order)

    x = "x"
    for layer in range(layers):
        name = f"layer{layer}."
        query = part(x, name + "query", [0, 2, 1, 3])
        key = part(x, name + "key", [0, 2, 3, 1])
        value = part(x, name + "value", [0, 2, 1, 3])
        y = graph.add("MatMul", [query, key], name + "scores")
        y = graph.add("Mul", [y, scale], name + "scaled")
        y = graph.add("Softmax", [y], name + "softmax", axis=-1)
        y = graph.add("MatMul", [y, value], name + "context")
        y = graph.add("Transpose", [y], name + "words", perm=[0, 2, 1, 3])
        y = graph.add("Reshape", [y, merge], name + "merged")
        x = norm(x, dense(y, name + "output", width, width), name + "norm1")
        y = gelu(dense(x, name + "intermediate", width, 4 * width))
        x = norm(x, dense(y, name + "result", 4 * width, width), name + "norm2")
    graph.save(path, [1, words, width], x, [1, words, width], 17)


def main(folder):
    os.makedirs(folder, exist_ok=True)
    resnet50(Graph("f4"), os.path.join(folder, "resnet50-fp32-b1"))
    resnet50(Graph("f2"), os.path.join(folder, "resnet50-fp16-b1"))
    bert(Graph("f4"), os.path.join(folder, "bert12-fp32"))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    main(sys.argv[1])
