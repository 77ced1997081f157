"""Operators on logical arrays, alone and fused."""

import itertools
import math
import re

import numpy as np

from evaluation.dump import GE_TYPES
from evaluation.graph import InputError, one
from evaluation.layout import transposed


def infer_window(size, kernel, count, symmetric):
    """(stride, before, after) for which count windows fill an axis."""
    fits = set()
    for stride in range(1, size + 1):
        if symmetric:  # Caffe, ONNX
            for pad in range(kernel // 2 + 1):
                if (size + 2 * pad - kernel) // stride + 1 == count:
                    fits.add((stride, pad, pad))
        else:  # TensorFlow: VALID, SAME
            if size >= kernel and (size - kernel) // stride + 1 == count:
                fits.add((stride, 0, 0))
            if math.ceil(size / stride) == count:
                total = max((count - 1) * stride + kernel - size, 0)
                fits.add((stride, total // 2, total - total // 2))
    return fits


def convolution_windows(node, image, filters, result):
    """Windows of H and W of a convolution of image to result."""
    strides, pads = node.ints("strides"), node.ints("pads")
    if strides and pads:
        layout = one(node.attrs.get("data_format", {}), "s",
                     image.origin_format)
        return [(strides[layout.index("H")], pads[0], pads[1]),
                (strides[layout.index("W")], pads[2], pads[3])]
    windows = []
    for axis in "HW":
        fits = infer_window(image.axis(axis), filters.axis(axis),
                            result.axis(axis), filters.origin_format == "NCHW")
        if len(fits) != 1:
            raise InputError(
                f"{node.name}: {len(fits)} windows fit its axis {axis}")
        windows.append(fits.pop())
    return windows


def order_of(channels, height, width):
    """Channel, row and column in the order of the fractals."""
    return [(c, h, w) for block in range(0, channels, 16)
            for h in range(height) for w in range(width)
            for c in range(block, min(block + 16, channels))]


def convolution(arith, node, args, result):
    (x, image), (f, filters) = args[:2]
    bias = args[2][0].astype(np.float32) if len(args) > 2 else None
    windows = convolution_windows(node, image, filters, result)
    x = transposed(x, image.origin_format, "NCHW").astype(np.float32)
    f = transposed(f, filters.origin_format, "NCHW").astype(np.float32)
    n, channels = x.shape[:2]
    count, depth, kh, kw = f.shape
    if depth != channels:
        raise InputError(f"{node.name}: grouped convolution")
    (sh, top, bottom), (sw, left, right) = windows
    oh, ow = result.axis("H"), result.axis("W")
    x = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
    order = order_of(channels, kh, kw)
    taps = np.empty((len(order), n, oh, ow), np.float32)
    for k, (c, h, w) in enumerate(order):
        taps[k] = x[:, c, h:h + (oh - 1) * sh + 1:sh,
                    w:w + (ow - 1) * sw + 1:sw]
    weights = np.array([f[:, c, h, w] for c, h, w in order], np.float32)
    y = arith.cube(taps.reshape(len(order), -1), weights, bias)
    return transposed(y.reshape(n, oh, ow, count), "NHWC", result.origin_format)


def convolution_gradient(arith, node, args, result):
    (f, filters), (dy, gradient) = args
    windows = convolution_windows(node, result, filters, gradient)
    dy = transposed(dy, gradient.origin_format, "NCHW").astype(np.float32)
    f = transposed(f, filters.origin_format, "NCHW").astype(np.float32)
    n, count, oh, ow = dy.shape
    kh, kw = f.shape[2:]
    (sh, top, bottom), (sw, left, right) = windows
    height, width = result.axis("H"), result.axis("W")
    # The gradient at its strides, with room for every shift of a tap.
    spread = np.zeros((n, count, height + top + bottom + 2 * kh,
                       width + left + right + 2 * kw), np.float32)
    spread[:, :, kh:kh + (oh - 1) * sh + 1:sh,
           kw:kw + (ow - 1) * sw + 1:sw] = dy
    order = order_of(count, kh, kw)
    taps = np.empty((len(order), n, height, width), np.float32)
    for k, (c, h, w) in enumerate(order):
        row, column = kh + top - h, kw + left - w
        taps[k] = spread[:, c, row:row + height, column:column + width]
    weights = np.array([f[c, :, h, w] for c, h, w in order], np.float32)
    y = arith.cube(taps.reshape(len(order), -1), weights, None)
    return transposed(y.reshape(n, height, width, -1), "NHWC",
                      result.origin_format)


def transposes_of(node, names, a, b, result):
    """Whether the operands of a product are transposed. Where a fused node has
    lost that it is the first choice that fits."""
    if names[0] in node.attrs:
        return [node.flag(name) for name in names]
    for choice in itertools.product((False, True), repeat=2):
        left, right = ((shape[-1], shape[-2]) if swap else shape[-2:]
                       for shape, swap in zip((a.shape, b.shape), choice))
        if (left[1] == right[0]
                and [left[0], right[1]] == result.origin_shape[-2:]):
            return choice
    raise InputError(f"{node.name}: the shapes do not multiply")


def product_of(arith, a, b, transposes, bias):
    a, b = (m.T if swap else m for m, swap in zip((a, b), transposes))
    return arith.cube(np.ascontiguousarray(a.T), np.ascontiguousarray(b), bias)


def matrix_product(arith, node, args, result):
    a, b = (x.astype(np.float32) for x, _ in args[:2])
    names = ("transpose_x1", "transpose_x2")
    transposes = transposes_of(node, names, a, b, result)
    bias = args[2][0].astype(np.float32) if len(args) > 2 else None
    return product_of(arith, a, b, transposes, bias)


def batch_product(arith, node, args, result):
    a, b = (x.astype(np.float32) for x, _ in args)
    transposes = transposes_of(node, ("adj_x1", "adj_x2"), a, b, result)
    matrices = [product_of(arith, a[i], b[i], transposes, None)
                for i in np.ndindex(*result.origin_shape[:-2])]
    return np.array(matrices).reshape(result.origin_shape)


def fully_connection(arith, node, args, result):
    (x, image), (f, filters) = args[:2]
    x = transposed(x, image.origin_format, "NCHW").astype(np.float32)
    f = transposed(f, filters.origin_format, "NCHW").astype(np.float32)
    order = order_of(*x.shape[1:])
    left = np.array([x[:, c, h, w] for c, h, w in order])
    # A window as large as the image, or the image as one vector.
    f = f.reshape(len(f), *x.shape[1:])
    right = np.array([f[:, c, h, w] for c, h, w in order])
    bias = args[2][0].astype(np.float32) if len(args) > 2 else None
    return arith.cube(left, right, bias).reshape(result.origin_shape)


def pooling(arith, node, args, result):
    x, desc = args[0]
    nchw = transposed(x, desc.origin_format, "NCHW").astype(np.float32)
    height, width = nchw.shape[2:]
    (kh, kw), (sh, sw) = node.ints("window"), node.ints("stride")
    top, bottom, left, right = node.ints("pad")
    if node.flag("global_pooling"):
        (kh, kw), (sh, sw), top, bottom, left, right = (
            (height, width), (1, 1), 0, 0, 0, 0)
    average = node.number("mode") == 1
    y = np.empty((*nchw.shape[:2], result.axis("H"), result.axis("W")),
                 np.float32)
    for i, j in itertools.product(range(y.shape[2]), range(y.shape[3])):
        h, w = i * sh - top, j * sw - left
        h_end = min(h + kh, height + bottom)
        w_end = min(w + kw, width + right)
        part = nchw[:, :, max(h, 0):min(h_end, height),
                    max(w, 0):min(w_end, width)]
        if not average:
            y[:, :, i, j] = part.max((2, 3))
            continue
        total = np.zeros(y.shape[:2], np.float32)
        for r, c in itertools.product(*map(range, part.shape[2:])):
            total += part[:, :, r, c]
        area = np.float32((h_end - h) * (w_end - w))
        y[:, :, i, j] = total * (np.float32(1) / area)
    y = transposed(y, "NCHW", result.origin_format)
    return arith.half(y) if average else y.astype(x.dtype)


def max_pool(arith, node, args, result):
    """TensorFlow's: SAME pads to ceil(size / stride), VALID not at all."""
    x, desc = args[0]
    layout = one(node.attrs["data_format"], "s")
    padding = one(node.attrs["padding"], "s")
    nchw = transposed(x, desc.origin_format, "NCHW")
    y = np.empty((*nchw.shape[:2], result.axis("H"), result.axis("W")), x.dtype)
    spans = []
    for axis, count in zip("HW", y.shape[2:]):
        size = desc.axis(axis)
        kernel = node.ints("ksize")[layout.index(axis)]
        stride = node.ints("strides")[layout.index(axis)]
        total = max((count - 1) * stride + kernel - size, 0)
        before = total // 2 if padding == "SAME" else 0
        spans.append([slice(max(i * stride - before, 0),
                            i * stride - before + kernel)
                      for i in range(count)])
    for (i, rows), (j, columns) in itertools.product(*map(enumerate, spans)):
        y[:, :, i, j] = nchw[:, :, rows, columns].max((2, 3))
    return transposed(y, "NCHW", result.origin_format)


def sum_of_lines(lines):
    """The sum along the last axis in fp32: value i goes to partial sum i mod 16,
    and these are added in halves."""
    sums = np.zeros((*lines.shape[:-1], 16), np.float32)
    for i in range(lines.shape[-1]):
        sums[..., i % 16] += lines[..., i]
    while sums.shape[-1] > 1:
        half = sums.shape[-1] // 2
        sums = sums[..., :half] + sums[..., half:]
    return sums


def share_of(lines):
    """1 / n."""
    return np.float32(1) / np.float32(lines.shape[-1])


def reduce_mean(arith, node, args, result):
    """The sum of x (1 / n)."""
    x, desc = args[0]
    axes = sorted(axis % x.ndim for axis in node.ints("axes"))
    lines = np.moveaxis(x, axes, range(x.ndim - len(axes), x.ndim))
    lines = lines.reshape(*lines.shape[:x.ndim - len(axes)], -1)
    sums = sum_of_lines(lines.astype(np.float32) * share_of(lines))
    return arith.half(sums.reshape(result.origin_shape))


def layer_norm(arith, node, args, result):
    """Both moments are rounded before they are used."""
    (x, _), (gamma, _), (beta, _) = args
    if node.number("begin_norm_axis") % x.ndim != x.ndim - 1:
        raise InputError(f"{node.name}: normalises more than the last axis")
    epsilon = float(one(node.attrs["epsilon"], "f"))
    x, share = x.astype(np.float32), share_of(x)
    mean = arith.half(sum_of_lines(x * share))
    x = x - mean.astype(np.float32)
    variance = arith.half(sum_of_lines(x * x * share))
    root = (1 / np.sqrt(variance.astype(np.float64) + epsilon)).astype(
        np.float32)
    gamma, beta = gamma.astype(np.float32), beta.astype(np.float32)
    return arith.half(x * root * gamma + beta), mean, variance


def confusion_transpose(arith, node, args, result):
    x, shape, perm = args[0][0], node.ints("shape"), node.ints("perm")
    if node.flag("transpose_first"):
        return x.transpose(perm).reshape(shape)
    return x.reshape(shape).transpose(perm)


def gather(arith, node, args, result):
    (x, _), (indices, _) = args
    return x.take(indices, node.number("axis"))


def strided_slice(arith, node, args, result):
    bounds = zip(node.ints("begin"), node.ints("end"), node.ints("strides"))
    x = args[0][0][tuple(slice(*bound) for bound in bounds)]
    return x.reshape(result.origin_shape)  # dropped axes


def read_stride(node, image, result, axis):
    """The stride at which a ReadSelect reads."""
    fits = [s for s in range(1, image.axis(axis) + 1)
            if math.ceil(image.axis(axis) / s) == result.axis(axis)]
    if not fits:
        raise InputError(f"{node.name}: no stride reads {axis}")
    return fits[0]


def read_select(arith, node, args, result):
    x, image = args[0]
    slices = [slice(None)] * 4
    for axis in "HW":
        slices[image.origin_format.index(axis)] = slice(
            None, None, read_stride(node, image, result, axis))
    return x[tuple(slices)]


def cast(arith, node, args, result):
    x = args[0][0]
    if result.dtype == "DT_FLOAT16":
        return arith.half(x)
    return x.astype(GE_TYPES[result.dtype])


def exact(x):
    """Wide enough for a sum or product of two fp16 values, or as it is."""
    return x.astype(np.float64) if x.dtype == np.float16 else x


def binary(function):
    return lambda arith, node, args, result: arith.half(
        function(exact(args[0][0]), exact(args[1][0])))


def relu(arith, node, args, result):
    x = args[0][0]
    return np.where(x <= 0, x.dtype.type(0), x)  # NaN stays


def relu6(arith, node, args, result):
    return np.minimum(relu(arith, node, args, result), args[0][0].dtype.type(6))


def leaky_relu(arith, node, args, result):
    """max(x, slope * x). A fused one has lost its slope; it is Caffe's ReLU."""
    x = args[0][0]
    slope = float(one(node.attrs.get("negative_slope", {}), "f", 0))
    if slope == 0:
        return relu(arith, node, args, result)
    scaled = arith.half(exact(x) * exact(x.dtype.type(slope)))
    return np.maximum(x, scaled) if slope <= 1 else np.minimum(x, scaled)


def gelu(arith, node, args, result):
    """x / (1 + e^-y), y = 1.5957691 (x + 0.044715 x^3)."""
    x = args[0][0].astype(np.float64)
    y = 1.5957691 * (x + 0.044715 * x ** 3)
    return arith.half(x / (1 + np.exp(-y)))


def tanh(arith, node, args, result):
    return arith.half(np.tanh(args[0][0].astype(np.float64)))


def arg_max(arith, node, args, result):
    return args[0][0].argmax(node.number("dimension")).astype(np.int32)


def softmax(arith, node, args, result):
    return arith.softmax(args[0][0], tuple(node.ints("axes") or [-1]))


CUBE = {"Conv2D": convolution, "Conv2DBackpropInputD": convolution_gradient,
        "MatMulV2": matrix_product, "BatchMatMulV2": batch_product,
        "FullyConnection": fully_connection}
ELEMENTWISE = {
    "Cast": cast, "Relu": relu, "Add": binary(np.add),
    "Sub": binary(np.subtract), "Mul": binary(np.multiply),
    "Gelu": gelu, "Tanh": tanh, "Eltwise": binary(np.add),
    "Relu6": relu6, "LeakyRelu": leaky_relu,
    "Abs": lambda arith, node, args, result: np.abs(args[0][0]),
    "Sigmoid": lambda arith, node, args, result: arith.sigmoid(args[0][0]),
}
OTHERS = {"TransData": lambda arith, node, args, result: args[0][0],
          "SoftmaxV2": softmax, "ArgMaxD": arg_max, "Pooling": pooling,
          "ReadSelect": read_select, "MaxPool": max_pool,
          "ReduceMeanD": reduce_mean, "LayerNorm": layer_norm,
          "ConfusionTransposeD": confusion_transpose, "GatherV2D": gather,
          "StridedSliceD": strided_slice}
OPERATORS = {**CUBE, **ELEMENTWISE, **OTHERS}
MEMBERS = {"conv2d": "Conv2D",
           "conv2d_backprop_input_d": "Conv2DBackpropInputD",
           "mat_mul": "MatMulV2", "batch_matmul_v2": "BatchMatMulV2",
           "gelu": "Gelu", "tanh": "Tanh", "read_select": "ReadSelect",
           "eltwise": "Eltwise", "leaky_relu": "LeakyRelu", "relu": "Relu",
           "relu6": "Relu6", "add": "Add", "mul": "Mul", "abs": "Abs"}
BINARY = ("Eltwise", "Add", "Mul")

def chain_of(node):
    """Types of the members that the kernel name of a fused node spells."""
    prefix = "te_fused_op_"
    for key, value in node.attrs.items():
        name = one(value, "s", "")
        if not key.endswith("kernelname") or not name.startswith(prefix):
            continue
        rest, types = name[len(prefix):], []
        while fits := [m for m in MEMBERS if rest.startswith(m + "_")]:
            member = max(fits, key=len)
            types.append(MEMBERS[member])
            rest = rest[len(member) + 1:]
        if len(types) < 2 or not re.match("[0-9a-f]{8}", rest):
            raise InputError(f"{node.name}: unknown operator in {name}")
        return types
    return []


def complete(node, values):
    """The values, one for each output."""
    if len(values) != len(node.outputs):
        raise InputError(f"{node.name}: {len(node.outputs)} outputs, "
                         f"{len(values)} are defined")
    return values


def evaluate(arith, node, args):
    """The outputs of a node from (array, desc) of its inputs."""
    result = node.outputs[-1]
    chain = chain_of(node)
    if not chain:
        values = OPERATORS[node.type](arith, node, args, node.outputs[0])
        values = values if isinstance(values, tuple) else (values,)
        return complete(node, values)

    def apply(type, *operands):
        return OPERATORS[type](arith, node, list(operands), result), result

    if chain == ["Abs", "Mul", "Mul", "Add"]:
        # f1 * x + f2 * |x|, written in this order
        x, f1, same, f2 = args
        return complete(node, (apply("Add", apply("Mul", f1, same),
                                     apply("Mul", f2, apply("Abs", x)))[0],))
    selected = None
    if chain[0] == "ReadSelect":
        selected = apply("ReadSelect", args[0])
        args, chain = args[1:], chain[1:]
    extra = sum(m in BINARY for m in chain[1:]) - (selected is not None)
    head = args[:len(args) - extra]
    rest = iter(args[len(args) - extra:])
    values = [apply(chain[0], *head)]
    for member in chain[1:]:
        if member in BINARY:
            values.append(apply(member, values[-1], selected or next(rest)))
        else:
            values.append(apply(member, values[-1]))
    # What comes into the last member may be shown before its result.
    return complete(node, [array for array, _ in values[-len(node.outputs):]])
