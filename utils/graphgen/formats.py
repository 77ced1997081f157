"""Formats and data types: their numbers, shapes in memory, layouts of arrays."""

import numpy as np

C0 = 16  # channels of a block of NC1HWC0, and the edge of a fractal
FORMATS = {
    "NCHW": 0,
    "NHWC": 1,
    "ND": 2,
    "NC1HWC0": 3,
    "FRACTAL_Z": 4,
    "FRACTAL_NZ": 29,
}
PRIVATE = ("NC1HWC0", "FRACTAL_Z", "FRACTAL_NZ")
DTYPES = {  # numbers of the runtime
    "DT_FLOAT": 0,
    "DT_FLOAT16": 1,
    "DT_INT32": 3,
    "DT_UINT8": 4,
    "DT_UINT16": 7,
}
NUMPY_TYPES = {
    "DT_FLOAT": np.float32,
    "DT_FLOAT16": np.float16,
    "DT_INT32": np.int32,
    "DT_UINT8": np.uint8,
    "DT_UINT16": np.uint16,
}


def element_size(dtype):
    return np.dtype(NUMPY_TYPES[dtype]).itemsize


def ceil_div(a, b):
    return -(-a // b)


def physical_shape(layout, shape):
    """The dimensions in memory of a tensor that is NCHW or plain. One of five
    dimensions is in NC1HWC0 already."""
    if layout == "NC1HWC0" and len(shape) == 5:
        return list(shape)
    if layout == "NC1HWC0":
        n, c, h, w = (1, shape[0], 1, 1) if len(shape) == 1 else shape
        return [n, ceil_div(c, C0), h, w, C0]
    if layout == "FRACTAL_Z":
        n, c, h, w = shape
        return [ceil_div(c, C0) * h * w, ceil_div(n, C0), C0, C0]
    if layout == "FRACTAL_NZ":
        *batch, rows, columns = shape
        return [*batch, ceil_div(columns, C0), ceil_div(rows, C0), C0, C0]
    return list(shape)


def _pad(array, *sizes):
    """Zeros behind the last len(sizes) axes, up to these sizes."""
    skipped = array.ndim - len(sizes)
    missing = [size - have for size, have in zip(sizes, array.shape[skipped:])]
    return np.pad(array, [(0, 0)] * skipped + [(0, more) for more in missing])


def lay_out(array, layout):
    """An NCHW or plain array in `layout`; padding is zero."""
    if layout == "NC1HWC0":
        if array.ndim == 1:
            array = array.reshape(1, -1, 1, 1)
        n, c, h, w = array.shape
        c1 = ceil_div(c, C0)
        blocks = _pad(array, c1 * C0, h, w).reshape(n, c1, C0, h, w)
        return blocks.transpose(0, 1, 3, 4, 2)
    if layout == "FRACTAL_Z":
        n, c, h, w = array.shape
        n1, c1 = ceil_div(n, C0), ceil_div(c, C0)
        padded = _pad(array, n1 * C0, c1 * C0, h, w)
        blocks = padded.reshape(n1, C0, c1, C0, h, w).transpose(2, 4, 5, 0, 1, 3)
        return blocks.reshape(c1 * h * w, n1, C0, C0)
    if layout == "FRACTAL_NZ":
        *batch, rows, columns = array.shape
        m1, n1 = ceil_div(rows, C0), ceil_div(columns, C0)
        blocks = _pad(array, m1 * C0, n1 * C0).reshape(*batch, m1, C0, n1, C0)
        axes = len(batch)
        order = [axes + 2, axes, axes + 1, axes + 3]
        return blocks.transpose(*range(axes), *order)
    return array
