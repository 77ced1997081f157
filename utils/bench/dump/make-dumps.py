"""Writes dump files with one float16 output of 1 MiB in NC1HWC0 each.

  make-dumps.py FOLDER COUNT SEED
"""

import pathlib
import struct
import sys

import numpy


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def shape(*dims):
    return message(1, b"".join(map(varint, dims)))


def main(folder, count, seed):
    pathlib.Path(folder).mkdir(parents=True)
    random = numpy.random.default_rng(int(seed))
    for i in range(int(count)):
        data = random.standard_normal(1 << 19, "f4").astype("f2").tobytes()
        time = 1717171717000000 + i
        name = f"layer{i // 10}/conv{i}"
        output = (number(1, 2) + number(2, 3)
                  + message(3, shape(1, 32, 32, 32, 16))
                  + number(6, len(data)) + message(7, shape(1, 512, 32, 32)))
        header = (message(1, b"2.0") + number(2, time) + message(3, output)
                  + message(6, name.encode()))
        file = f"Conv2D.{name.replace('/', '_')}.{i + 1}.7.{time}"
        pathlib.Path(folder, file).write_bytes(
            struct.pack("<Q", len(header)) + header + data)


main(*sys.argv[1:])
