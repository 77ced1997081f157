"""ResNet: bottleneck blocks, the stride in the 3 x 3 convolution.

Images are NCHW. For inference batch normalisations are folded into the
convolutions.
"""

import numpy as np

from .frontend import Network, random_units
from .text import ints
from .training import add_step

EPSILON = 1e-5


def same_size(size, stride):
    return -(-size // stride)


class ResNet:
    def __init__(self, options, training):
        self.options = options
        self.net = Network("resnet", "NCHW", training, options.seed)

    def conv(self, name, x, channels, kernel, stride=1):
        net = self.net
        batch, in_channels, height, width = x.shape
        pad = kernel // 2
        out = [(size + 2 * pad - kernel) // stride + 1 for size in (height, width)]
        shape = (channels, in_channels, kernel, kernel)
        fan_in = in_channels * kernel * kernel
        inputs = [x, net.weights(f"{name}/weight", shape, fan_in, gain=2)]
        if not net.training:
            inputs.append(net.zeros(f"{name}/bias", (channels,)))
        return net.op(
            "Conv2D",
            name,
            inputs,
            (batch, channels, *out),
            strides=ints(1, 1, stride, stride),
            pads=ints(pad, pad, pad, pad),
            dilations=ints(1, 1, 1, 1),
            groups=1,
            data_format="NCHW",
            offset_x=0,
        )

    def normalize(self, name, x):
        """Batch normalisation by the batch; folded away for inference."""
        net = self.net
        if not net.training:
            return x
        shape = (x.shape[1],)
        scale = net.ones(f"{name}/gamma", shape)
        offset = net.zeros(f"{name}/beta", shape)
        sums = net.op("BNTrainingReduce", f"{name}/Reduce", [x], [shape, shape])
        y, mean, variance = net.op(
            "BNTrainingUpdateV2",
            f"{name}/Update",
            [x, *sums, scale, offset],
            [x.shape, shape, shape],
            epsilon=EPSILON,
        )
        self.move_average(f"{name}/moving_mean", mean, np.zeros(shape))
        self.move_average(f"{name}/moving_variance", variance, np.ones(shape))
        return y

    def move_average(self, name, value, start):
        """moving -= (moving - value) * 0.1"""
        net = self.net
        moving = net.variable(name, value.shape, lambda: start)
        decay = net.constant(f"{name}/decay", 0.1)
        change = net.like("Sub", f"{name}/sub", [moving, value], dtype="DT_FLOAT")
        change = net.like("Mul", f"{name}/mul", [change, decay], dtype="DT_FLOAT")
        net.like("AssignSub", f"{name}/AssignSub", [moving, change], dtype="DT_FLOAT")

    def relu(self, name, x):
        return self.net.like("Relu", f"{name}/Relu", [x])

    def pool(self, x):
        """The maximum of 3 x 3, padded to half the size."""
        net = self.net
        batch, channels, height, width = x.shape
        out = [same_size(size, 2) for size in (height, width)]
        shape = (batch, channels, *out)
        if not net.training:
            return net.op(
                "MaxPool",
                "pool",
                [x],
                shape,
                ksize=ints(1, 1, 3, 3),
                strides=ints(1, 1, 2, 2),
                padding="SAME",
                data_format="NCHW",
            )
        words = -(-(out[0] * out[1]) // 16) + 1
        places = (batch, -(-channels // 16), 9, words, 16)
        y, _ = net.op(
            "MaxPoolWithArgmax",
            "pool",
            [x],
            [shape, places],
            ksize=ints(1, 3, 3, 1),
            strides=ints(1, 2, 2, 1),
            padding="SAME",
        )
        return y

    def block(self, name, x, width, stride):
        """Three convolutions beside a shortcut."""
        y = self.conv(f"{name}/conv_a", x, width, 1)
        y = self.relu(f"{name}/a", self.normalize(f"{name}/bn_a", y))
        y = self.conv(f"{name}/conv_b", y, width, 3, stride)
        y = self.relu(f"{name}/b", self.normalize(f"{name}/bn_b", y))
        if stride != 1 or x.shape[1] != 4 * width:
            x = self.conv(f"{name}/conv_shortcut", x, 4 * width, 1, stride)
            x = self.normalize(f"{name}/bn_shortcut", x)
        y = self.conv(f"{name}/conv_c", y, 4 * width, 1)
        y = self.normalize(f"{name}/bn_c", y)
        return self.relu(name, self.net.like("Add", f"{name}/add", [y, x]))

    def classify(self, x):
        net, classes = self.net, self.options.classes
        batch, channels, height, width = x.shape
        x = net.op(
            "ReduceMeanD",
            "global_pool",
            [x],
            (batch, channels, 1, 1),
            axes=ints(2, 3),
            keep_dims=True,
        )
        x = net.reshape(x, (batch, channels))
        weight = net.weights("fc/weight", (classes, channels), channels)
        bias = net.zeros("fc/bias", (classes,))
        return net.op(
            "MatMulV2",
            "fc",
            [x, weight, bias],
            (batch, classes),
            transpose_x1=False,
            transpose_x2=True,
            offset_x=0,
        )

    def logits(self):
        options, net = self.options, self.net
        shape = (options.batch, options.channels, options.image, options.image)
        count = options.batch * options.channels * options.image**2
        image = net.data(
            "image", "DT_FLOAT", shape, lambda: random_units(net.seed, "image", count)
        )
        x = self.normalize("bn1", self.conv("conv1", image, options.width, 7, 2))
        x = self.pool(self.relu("conv1", x))
        for stage, blocks in enumerate(options.blocks):
            for number in range(blocks):
                stride = 2 if stage and not number else 1
                name = f"layer{stage + 1}/block{number}"
                x = self.block(name, x, options.width << stage, stride)
        return self.classify(x)


def build_inference(options):
    model = ResNet(options, training=False)
    logits = model.logits()
    model.net.output(
        model.net.like(
            "SoftmaxV2", "prob", [logits], axes=ints(-1), half_to_float=False
        )
    )
    return model.net


def build_training(options):
    model = ResNet(options, training=True)
    add_step(model.net, model.logits(), options)
    return model.net
