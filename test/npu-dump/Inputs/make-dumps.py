"""Writes dump files of random tensors, as a device would.

  make-dumps.py FOLDER SEED

Each file is made from the bytes of the format (docs/DumpFormat.md), without the
tools that are tested.
"""

import pathlib
import struct
import sys

import numpy

FORMATS = {"NCHW": 0, "NHWC": 1, "ND": 2, "NC1HWC0": 3, "FRACTAL_Z": 4,
           "HWCN": 16, "FRACTAL_NZ": 29, "NDC1HWC0": 32}
TYPES = {"f4": 1, "f2": 2, "i1": 3, "u1": 4, "i2": 5, "u2": 6, "i4": 7,
         "i8": 8, "u4": 9, "u8": 10, "b1": 11, "f8": 12}


def varint(value):
    out = bytearray()
    while True:
        out.append(value & 127 | (128 if value > 127 else 0))
        value >>= 7
        if not value:
            return bytes(out)


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value) if value else b""
    return varint(number << 3 | 2) + varint(len(value)) + value


def shape(dims):
    return field(1, b"".join(map(varint, dims))) if dims else b""


def tensor(array, data_type, layout, original, is_input, groups=0):
    size, original_shape, sub_format = (5, 6, 7) if is_input else (6, 7, 8)
    return (field(1, data_type) + field(2, FORMATS[layout])
            + field(3, shape(array.shape)) + field(size, array.nbytes)
            + field(original_shape, shape(original))
            + field(sub_format, groups))


def write(folder, op_type, op_name, task, tensors):
    """tensors: (array, type, format, original shape, whether an input[,
    groups])."""
    stamp = 1717171717000000 + task
    header = field(1, b"2.0") + field(2, stamp)
    outputs = [t for t in tensors if not t[4]]
    inputs = [t for t in tensors if t[4]]
    header += b"".join(field(3, tensor(*t)) for t in outputs)
    header += b"".join(field(4, tensor(*t)) for t in inputs)
    header += field(6, op_name.encode())
    name = op_name.replace("/", "_").replace(".", "_")
    path = pathlib.Path(folder) / f"{op_type}.{name}.{task}.7.{stamp}"
    path.write_bytes(struct.pack("<Q", len(header)) + header
                     + b"".join(t[0].tobytes() for t in inputs + outputs))


def main(folder, seed):
    random = numpy.random.default_rng(int(seed))
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    task = 0

    def add(name, array, layout="ND", original=None):
        nonlocal task
        task += 1
        kind = array.dtype.str[1:]
        output = (array, TYPES[kind], layout,
                  array.shape if original is None else original, False)
        values = random.standard_normal(7).astype("f4")
        write(folder, "Add", name, task,
              [output, (values, 1, "ND", values.shape, True)])

    def normal(dims, kind):
        return random.standard_normal(dims).astype(kind)

    for kind in ("f2", "f4", "f8"):
        add(f"net/{kind}", normal((3, 50, 7), kind))
    for kind in ("i1", "u1", "i2", "u2", "i4", "i8", "u4", "u8"):
        add(f"net/{kind}", random.integers(0, 100, (5, 9)).astype(kind))
    add("net/positive", numpy.abs(normal((1000,), "f4")) + 1)
    add("net/one", normal((1, 1), "f4"))
    # Lanes of padding are zero on a device.
    blocked = numpy.zeros((2, 2, 4, 5, 16), "f2")
    blocked[:, 0] = normal((2, 4, 5, 16), "f2")
    blocked[:, 1, :, :, :4] = normal((2, 4, 5, 4), "f2")
    add("net/5hd", blocked, "NC1HWC0", (2, 20, 4, 5))
    fractal = numpy.zeros((3, 2, 16, 16), "f2")
    fractal[:2] = normal((2, 2, 16, 16), "f2")
    fractal[2, :, :, :8] = normal((2, 16, 8), "f2")
    fractal[:, 1, 9:] = 0
    add("net/nz", fractal, "FRACTAL_NZ", (25, 40))
    weights = numpy.zeros((2 * 3 * 3, 1, 16, 16), "f2")
    weights[:9] = normal((9, 1, 16, 16), "f2")
    weights[9:, :, :, :4] = normal((9, 1, 16, 4), "f2")
    add("net/z", weights, "FRACTAL_Z", (16, 20, 3, 3))


if __name__ == "__main__":
    main(*sys.argv[1:])
