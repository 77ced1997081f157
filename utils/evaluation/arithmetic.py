"""The arithmetic of the device, and plain fp32."""

import numpy as np


class Device:
    """Rounds as the device does."""

    def __init__(self, soc, saturates):
        self.saturates = saturates
        # Where the exponentials of Sigmoid and SoftmaxV2 are instructions in
        # fp16.
        self.half_sigmoid = soc in ("Ascend310", "Ascend910A")
        self.half_softmax = soc == "Ascend310"

    def half(self, values):
        """One rounding to fp16."""
        result = np.asarray(values).astype(np.float16)
        if self.saturates:
            return np.nan_to_num(result, nan=0, posinf=65504, neginf=-65504)
        return np.where(np.isnan(result), np.float16(np.nan), result)

    def cube(self, left, right, bias):
        """bias[j] + sum over k of left[k, i] right[k, j], as fp16 [i, j]: in
        fp32, one k after the other."""
        swap = left.shape[1] > right.shape[1]
        outer, inner = (right, left) if swap else (left, right)
        result = np.zeros((outer.shape[1], inner.shape[1]), np.float32)
        if bias is not None:
            result += bias[:, None] if swap else bias[None, :]
        rows = max(1, 65536 // inner.shape[1])
        for begin in range(0, len(result), rows):
            sums = result[begin:begin + rows]
            products = np.empty_like(sums)
            for k in range(len(outer)):
                np.multiply(outer[k, begin:begin + rows, None], inner[k, None],
                            out=products)
                sums += products
        return self.half(result.T if swap else result)

    def sigmoid(self, x):
        if not self.half_sigmoid:
            return self.half(1 / (1 + np.exp(-x.astype(np.float64))))
        x = np.maximum(x, self.half(-11.089)).astype(np.float64)
        power = self.half(np.exp(-x)).astype(np.float64)
        return self.half(1 / self.half(power + 1).astype(np.float64))

    def softmax(self, x, axis):
        x = x.astype(np.float64)
        power = np.exp(self.half(x - x.max(axis, keepdims=True))
                       .astype(np.float64))
        if self.half_softmax:
            power = self.half(power).astype(np.float64)
        return self.half(power / power.sum(axis, keepdims=True))


class Real:
    """Rounds to fp32 only, and where the device rounds to fp16 makes an error
    of up to `error` times what that can be."""

    def __init__(self, error=0.0):
        self.error = np.float32(error)
        self.random = np.random.default_rng(1)
        self.roundings = 0

    def half(self, values):
        values = np.asarray(values, np.float32)
        self.roundings += 1
        if not self.error:
            return values
        noise = self.random.uniform(-1, 1, values.shape).astype(np.float32)
        return values + self.error * noise * (
            np.abs(values) * np.float32(2.0 ** -11) + np.float32(2.0 ** -25))

    def cube(self, left, right, bias):
        result = left.T @ right
        return self.half(result if bias is None else result + bias)

    def sigmoid(self, x):
        power = self.half(np.exp(-x))
        return self.half(1 / self.half(power + 1))

    def softmax(self, x, axis):
        power = np.exp(self.half(x - x.max(axis, keepdims=True)))
        return self.half(power / power.sum(axis, keepdims=True))
