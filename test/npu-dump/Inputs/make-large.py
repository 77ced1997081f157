"""Writes a sparse dump file with a float16 tensor of 2,200,000,000 elements:
zeros, but a 1 near the end.

  make-large.py FILE
"""

import struct
import sys


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def message(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


COUNT = 2_200_000_000
shape = message(1, varint(COUNT))
output = (varint(8) + varint(2) + varint(16) + varint(2) + message(3, shape)
          + varint(6 << 3) + varint(2 * COUNT) + message(7, shape))
header = message(1, b"2.0") + message(3, output) + message(6, b"big")
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", len(header)) + header)
    start = file.tell()
    file.truncate(start + 2 * COUNT)
    file.seek(start + 2 * (COUNT - 5))
    file.write(b"\x00\x3c")
