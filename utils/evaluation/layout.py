"""Layouts in memory and the logical arrays they stand for."""

import numpy as np

from evaluation.graph import InputError


def transposed(array, source, target):
    return array.transpose([source.index(letter) for letter in target])


def to_logical(array, desc):
    """From the layout in memory to the origin's, without padding."""
    shape = desc.origin_shape
    if desc.format == "NC1HWC0":
        n, c1, h, w, c0 = array.shape
        nchw = array.transpose(0, 1, 4, 2, 3).reshape(n, c1 * c0, h, w)
        if len(shape) == 1:  # a bias
            return nchw.reshape(-1)[:shape[0]]
        return transposed(nchw[:, :desc.axis("C")], "NCHW", desc.origin_format)
    if desc.format == "FRACTAL_Z":
        h, w = desc.axis("H"), desc.axis("W")
        _, n1, n0, c0 = array.shape
        c1 = array.shape[0] // (h * w)
        nchw = array.reshape(c1, h, w, n1, n0, c0).transpose(3, 4, 0, 5, 1, 2)
        nchw = nchw.reshape(n1 * n0, c1 * c0, h, w)
        return transposed(nchw[:desc.axis("N"), :desc.axis("C")], "NCHW",
                          desc.origin_format)
    if desc.format == "FRACTAL_NZ":
        *batch, k1, m1, m0, k0 = array.shape
        rows = np.moveaxis(array, -4, -2).reshape(*batch, m1 * m0, k1 * k0)
        return rows[..., :shape[-2], :shape[-1]]
    return array.reshape(shape)


def to_physical(logical, desc):
    """The inverse, with zeros for padding."""
    if desc.format == "NC1HWC0":
        n, c1, h, w, c0 = desc.shape
        out = np.zeros((n, c1 * c0, h, w), logical.dtype)
        nchw = transposed(logical, desc.origin_format, "NCHW")
        out[:, :nchw.shape[1]] = nchw
        return out.reshape(n, c1, c0, h, w).transpose(0, 1, 3, 4, 2)
    if desc.format == "FRACTAL_NZ":
        *batch, k1, m1, m0, k0 = desc.shape
        out = np.zeros((*batch, m1 * m0, k1 * k0), logical.dtype)
        out[..., :logical.shape[-2], :logical.shape[-1]] = logical
        return np.moveaxis(out.reshape(*batch, m1, m0, k1, k0), -2, -4)
    if desc.format not in ("ND", "NCHW", "NHWC", "HWCN"):
        raise InputError(f"no way to write {desc.format}")
    return logical.reshape(desc.shape)


def spread(array, desc, target):
    """An operand as it meets elements in the layout of `target`. A plain one is
    0 beyond the axes that it runs along, and is repeated along others, into
    padding too."""
    if desc.format == target.format or target.format != "FRACTAL_NZ" or (
            array.size == 1):
        return array
    *batch, k1, m1, m0, k0 = target.shape
    whole = (*batch, m1 * m0, k1 * k0)
    array = array.reshape((1,) * (len(whole) - array.ndim) + array.shape)
    missing = [(0, 0 if have == 1 else size - have)
               for have, size in zip(array.shape, whole)]
    return to_physical(np.broadcast_to(np.pad(array, missing), whole), target)
