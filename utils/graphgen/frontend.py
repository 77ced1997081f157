"""A network as a framework describes it: operators on logical tensors."""

import zlib

import numpy as np

from .formats import NUMPY_TYPES
from .operators import OPERATORS


def random_units(seed, name, count):
    """`count` numbers in [-1, 1): a function of the seed, the name and the
    place alone (SplitMix64), whatever the release of numpy."""
    mask = (1 << 64) - 1
    start = (seed * 0x9E3779B97F4A7C15 + zlib.crc32(name.encode())) & mask
    x = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    x += np.uint64(start)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return (x >> np.uint64(40)).astype(np.float64) / 2**23 - 1


class Value:
    """A logical tensor: output `index` of an operator."""

    def __init__(self, op, index, dtype, shape):
        self.op = op
        self.index = index
        self.dtype = dtype
        self.shape = tuple(shape)

    @property
    def format(self):
        """The framework's: images are NCHW, so are vectors of channels. What no
        framework knows is as it lies in memory."""
        if len(self.shape) == 5:
            return "NC1HWC0"
        return self.op.network.format if len(self.shape) in (1, 4) else "ND"


class Op:
    """An operator. `dtype` is the type in which its kernel computes."""

    def __init__(self, network, op_type, name, inputs, dtype, attributes):
        self.network = network
        self.type = op_type
        self.name = name
        self.inputs = inputs
        self.dtype = dtype
        self.attributes = attributes
        self.outputs = []
        self.controls = []
        self.data = None  # of a source: a function that gives the array


class Network:
    """Operators in the order in which they were made.

    A parameter is a variable when the network is trained, else a constant.
    """

    def __init__(self, name, image_format="ND", training=False, seed=1):
        self.name = name
        self.format = image_format
        self.training = training
        self.seed = seed
        self.ops = []
        self.names = set()
        self.outputs = []
        self.trainable = []  # variables that training changes

    def unique(self, name):
        result, number = name, 1
        while result in self.names:
            result, number = f"{name}_{number}", number + 1
        self.names.add(result)
        return result

    def source(self, op_type, name, dtype, shape, data, **attributes):
        op = Op(self, op_type, self.unique(name), [], dtype, attributes)
        op.data = lambda: np.array(data(), NUMPY_TYPES[dtype], order="C").reshape(shape)
        value = Value(op, 0, dtype, shape)
        op.outputs.append(value)
        self.ops.append(op)
        return value

    def data(self, name, dtype, shape, make):
        """An input; `make` gives an example of it."""
        count = sum(op.type == "Data" for op in self.ops)
        return self.source("Data", name, dtype, shape, make, index=count)

    def constant(self, name, array, dtype="DT_FLOAT"):
        array = np.asarray(array)
        return self.source("Const", name, dtype, array.shape, lambda: array)

    def variable(self, name, shape, make):
        return self.source("Variable", name, "DT_FLOAT", shape, make)

    def parameter(self, name, shape, make):
        if not self.training:
            return self.source("Const", name, "DT_FLOAT", shape, make)
        value = self.variable(name, shape, make)
        self.trainable.append(value)
        return value

    def uniform(self, name, shape, limit):
        """What fills a parameter: numbers in [-limit, limit)."""
        count = int(np.prod(shape))
        return lambda: random_units(self.seed, name, count) * limit

    def weights(self, name, shape, fan_in, gain=1.0):
        """A parameter with the variance gain / fan_in."""
        limit = (3 * gain / fan_in) ** 0.5
        return self.parameter(name, shape, self.uniform(name, shape, limit))

    def zeros(self, name, shape):
        return self.parameter(name, shape, lambda: np.zeros(shape))

    def ones(self, name, shape):
        return self.parameter(name, shape, lambda: np.ones(shape))

    def op(self, op_type, name, inputs, shapes, dtype="DT_FLOAT16", **attributes):
        """Adds an operator; gives its output, or a tuple of them where
        `shapes` is a list."""
        op = Op(self, op_type, self.unique(name), list(inputs), dtype, attributes)
        several = isinstance(shapes, list)
        for index, shape in enumerate(shapes if several else [shapes]):
            out_type = OPERATORS[op_type].output(index).dtype or dtype
            op.outputs.append(Value(op, index, out_type, shape))
        self.ops.append(op)
        return tuple(op.outputs) if several else op.outputs[0]

    def like(self, op_type, name, inputs, **options):
        """An operator whose result has the shape of its first operand."""
        return self.op(op_type, name, inputs, inputs[0].shape, **options)

    def reshape(self, value, shape):
        """The same elements; no kernel of the device does this."""
        if tuple(shape) == value.shape:
            return value
        assert np.prod(shape) == np.prod(value.shape)
        op = Op(self, "Reshape", "", [value], value.dtype, {})
        result = Value(op, 0, value.dtype, shape)
        op.outputs.append(result)
        self.ops.append(op)
        return result

    def barrier(self, name, controls):
        """What only orders others."""
        op = Op(self, "NoOp", self.unique(name), [], None, {})
        op.controls = list(controls)
        self.ops.append(op)
        return op

    def output(self, value):
        self.outputs.append(value)
