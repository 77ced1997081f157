"""Dump files."""

import pathlib
import struct

import numpy as np

from evaluation.graph import InputError

DUMP_TYPES = {1: "<f4", 2: "<f2", 3: "i1", 4: "u1", 5: "<i2", 6: "<u2",
              7: "<i4", 8: "<i8", 9: "<u4", 10: "<u8", 11: "?", 12: "<f8"}
GE_TYPES = {"DT_FLOAT": "<f4", "DT_FLOAT16": "<f2", "DT_INT32": "<i4",
            "DT_INT64": "<i8", "DT_INT8": "i1", "DT_UINT8": "u1",
            "DT_BOOL": "?"}
FORMATS = {0: "NCHW", 1: "NHWC", 2: "ND", 3: "NC1HWC0", 4: "FRACTAL_Z",
           16: "HWCN", 29: "FRACTAL_NZ"}


def fields(data):
    """Numbers and values of a protobuf message."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 2:
            size = varint()
            at += size
            yield key >> 3, data[at - size:at]
        else:
            raise ValueError(f"wire type {key & 7}")


def packed(data):
    values, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append(value)
            value = shift = 0
    return values


class Dump:
    """A dump file: the arrays of its inputs and outputs as they lie there."""

    def __init__(self, path):
        self.path, self.name = path, ""
        self.inputs, self.outputs = [], []
        try:
            self.read(path.read_bytes())
        except (IndexError, KeyError, ValueError, struct.error) as error:
            raise InputError(f"{path}: not a dump file: {error}") from error

    def read(self, data):
        size, = struct.unpack_from("<Q", data)
        headers = {True: [], False: []}
        for number, value in fields(data[8:8 + size]):
            if number == 6:
                self.name = value.decode()
            elif number in (3, 4):
                headers[number == 3].append(dict(fields(value)))
        at = 8 + size
        for is_output, to in ((False, self.inputs), (True, self.outputs)):
            for header in headers[is_output]:
                count = header.get(6 if is_output else 5, 0)
                dims = dict(fields(header[3])).get(1, b"")
                origin = dict(fields(header[7 if is_output else 6])).get(1, b"")
                array = np.frombuffer(data[at:at + count],
                                      DUMP_TYPES[header.get(1, 0)])
                to.append((array.reshape(packed(dims)),
                           FORMATS.get(header.get(2, 0)), packed(origin)))
                at += count
        if at != len(data):
            raise ValueError(f"{at} bytes of tensors, {len(data)} in the file")


def read_dumps(folder):
    """Dumps of nodes by name, and those of graph inputs."""
    paths = sorted(p for p in pathlib.Path(folder).rglob("*") if p.is_file()
                   and p.suffix not in (".json", ".csv"))
    if len({p.parent for p in paths}) != 1:
        raise InputError(f"{folder}: expected the dump files of one iteration")
    dumps, data = {}, []
    for path in paths:
        dump = Dump(path)
        if path.name.startswith("Data."):
            data.append(dump)
        elif dumps.setdefault(dump.name, dump) is not dump:
            raise InputError(f"{path}: a second dump file of {dump.name}")
    return dumps, data
