"""Reverse-mode differentiation of float64 arrays, for reference gradients."""

import numpy as np


class Value:
    def __init__(self, array, parents=()):
        self.array = np.asarray(array, np.float64)
        self.parents = parents  # pairs of a value and what takes gradients to it
        self.gradient = np.zeros_like(self.array)

    def __add__(self, other):
        return Value(
            self.array + other.array,
            (
                (self, lambda g: reduce_to(g, self)),
                (other, lambda g: reduce_to(g, other)),
            ),
        )

    def __matmul__(self, other):
        return Value(
            self.array @ other.array,
            (
                (self, lambda g: g @ other.array.swapaxes(-1, -2)),
                (other, lambda g: self.array.swapaxes(-1, -2) @ g),
            ),
        )

    def __mul__(self, number):
        return Value(self.array * number, ((self, lambda g: g * number),))

    def reshape(self, *shape):
        return Value(
            self.array.reshape(shape),
            ((self, lambda g: g.reshape(self.array.shape)),),
        )

    def transpose(self, *axes):
        return Value(
            self.array.transpose(axes),
            ((self, lambda g: g.transpose(np.argsort(axes))),),
        )

    def backward(self):
        """Sets the gradients of all that this scalar was made of."""
        order, seen = [], set()

        def visit(value):
            if id(value) not in seen:
                seen.add(id(value))
                for parent, _ in value.parents:
                    visit(parent)
                order.append(value)

        visit(self)
        self.gradient = np.ones_like(self.array)
        for value in reversed(order):
            for parent, pull in value.parents:
                parent.gradient = parent.gradient + pull(value.gradient)


def reduce_to(gradient, value):
    """Summed over what was repeated."""
    shape = value.array.shape
    gradient = gradient.sum(axis=tuple(range(gradient.ndim - len(shape))))
    axes = tuple(i for i, size in enumerate(shape) if size == 1)
    return gradient.sum(axis=axes, keepdims=True)


def pointwise(x, function, derivative):
    return Value(function(x.array), ((x, lambda g: g * derivative(x.array)),))


def relu(x):
    return pointwise(x, lambda a: np.maximum(a, 0), lambda a: a > 0)


def tanh(x):
    return pointwise(x, np.tanh, lambda a: 1 - np.tanh(a) ** 2)


def gelu(x):
    """The form with tanh."""
    root = np.sqrt(2 / np.pi)

    def inner(a):
        return np.tanh(root * (a + 0.044715 * a**3))

    def derivative(a):
        t = inner(a)
        return 0.5 * (1 + t) + 0.5 * a * (1 - t * t) * root * (1 + 0.134145 * a * a)

    return pointwise(x, lambda a: 0.5 * a * (1 + inner(a)), derivative)


def softmax(x):
    e = np.exp(x.array - x.array.max(-1, keepdims=True))
    y = e / e.sum(-1, keepdims=True)
    pull = lambda g: y * (g - (g * y).sum(-1, keepdims=True))
    return Value(y, ((x, pull),))


def normalize(x, scale, shift, axes, epsilon):
    """(x - mean) / deviation over `axes`, scaled and shifted: those have the
    shape of the other axes, with ones."""
    mean = x.array.mean(axes, keepdims=True)
    inverse = 1 / np.sqrt(x.array.var(axes, keepdims=True) + epsilon)
    normal = (x.array - mean) * inverse

    def pull(g):
        g = g * scale.array
        slope = (g * normal).mean(axes, keepdims=True)
        return inverse * (g - g.mean(axes, keepdims=True) - normal * slope)

    return Value(
        normal * scale.array + shift.array,
        (
            (x, pull),
            (scale, lambda g: reduce_to(g * normal, scale)),
            (shift, lambda g: reduce_to(g, shift)),
        ),
    )


def pick(x, index):
    """x[index]: an index that takes no element twice."""

    def pull(g):
        result = np.zeros_like(x.array)
        result[index] = g
        return result

    return Value(x.array[index], ((x, pull),))


def look_up(table, rows):
    def pull(g):
        result = np.zeros_like(table.array)
        np.add.at(result, rows, g)
        return result

    return Value(table.array[rows], ((table, pull),))


def cross_entropy(logits, labels):
    """The mean loss of rows of logits."""
    shifted = logits.array - logits.array.max(-1, keepdims=True)
    logarithms = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    wanted = np.eye(logits.array.shape[-1])[labels]
    pull = lambda g: g * (np.exp(logarithms) - wanted) / len(labels)
    return Value(-(logarithms * wanted).sum() / len(labels), ((logits, pull),))


def windows(x, kernel, stride, before, after, fill):
    """Taps of all windows: [n, c, oh, ow, kernel * kernel], and a function that
    adds their gradients up."""
    padding = ((0, 0), (0, 0), (before, after), (before, after))
    padded = np.pad(x, padding, constant_values=fill)
    out = [(size - kernel) // stride + 1 for size in padded.shape[2:]]

    def tap(array, h, w):
        return array[
            :,
            :,
            h : h + stride * (out[0] - 1) + 1 : stride,
            w : w + stride * (out[1] - 1) + 1 : stride,
        ]

    taps = [(h, w) for h in range(kernel) for w in range(kernel)]

    def add_up(gradients):
        result = np.zeros_like(padded)
        for index, (h, w) in enumerate(taps):
            tap(result, h, w)[...] += gradients[..., index]
        height, width = x.shape[2:]
        return result[:, :, before : before + height, before : before + width]

    return np.stack([tap(padded, h, w) for h, w in taps], -1), add_up


def convolve(x, weight, stride):
    """Padded by half of the kernel."""
    kernel = weight.array.shape[2]
    pad = kernel // 2
    taps, add_up = windows(x.array, kernel, stride, pad, pad, 0)
    flat = weight.array.reshape(*weight.array.shape[:2], -1)

    def to_weight(g):
        result = np.einsum("nohw,nchwk->ock", g, taps, optimize=True)
        return result.reshape(weight.array.shape)

    return Value(
        np.einsum("nchwk,ock->nohw", taps, flat, optimize=True),
        (
            (x, lambda g: add_up(np.einsum("nohw,ock->nchwk", g, flat, optimize=True))),
            (weight, to_weight),
        ),
    )


def pool_maxima(x):
    """3 x 3, stride 2, to half the (even) size: padded behind."""
    taps, add_up = windows(x.array, 3, 2, 0, 1, -np.inf)
    first = np.eye(9)[taps.argmax(-1)]
    pull = lambda g: add_up(g[..., None] * first)
    return Value(taps.max(-1), ((x, pull),))


def mean_of_planes(x):
    area = x.array.shape[2] * x.array.shape[3]
    pull = lambda g: np.broadcast_to(g[..., None, None] / area, x.array.shape)
    return Value(x.array.mean((2, 3)), ((x, pull),))
