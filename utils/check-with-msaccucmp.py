#!/usr/bin/env python3
"""Converts the dump files of a run with Ascend's own tool and compares.

  check-with-msaccucmp.py DUMPDIR [--tool COMMAND]

DUMPDIR is a dump path, or a {time} folder below it, with the manifests of
finished runs. COMMAND runs msaccucmp.py with the arguments behind it; the
default is the environment variable MSACCUCMP. Every folder of dump files is
converted, and each array is compared with the bytes that the manifest points
at, bit for bit. Folders with NC1HWC0 tensors of an NCHW original are converted
with -f NCHW too and compared with a transposition done here.

Exit status: 0 all equal; 1 something differs; 77 the tool cannot run.
"""

import argparse
import collections
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import zlib

SKIPPED = 77

# Paths go to the tool in one argument, which the system limits to 128 KiB.
MAX_ARGUMENT = 100000

# What the tool makes of each type. It refuses a file that has any other.
NUMPY_TYPES = {
    "DT_FLOAT": "<f4", "DT_FLOAT16": "<f2", "DT_DOUBLE": "<f8",
    "DT_INT8": "i1", "DT_INT16": "<i2", "DT_INT32": "<i4", "DT_INT64": "<i8",
    "DT_UINT8": "u1", "DT_UINT16": "<u2", "DT_UINT32": "<u4",
    "DT_UINT64": "<u8", "DT_BOOL": "?", "DT_COMPLEX64": "<c8",
    "DT_COMPLEX128": "<c16",
}


def is_blocked_nchw(tensor):
    """Whether it is NC1HWC0 with an original that can be NCHW: no file says."""
    if tensor.get("format") != "NC1HWC0" or len(tensor["shape"]) != 5:
        return False
    n, c1, h, w, c0 = tensor["shape"]
    original = tensor["original_shape"]
    return (len(original) == 4 and original[0] == n and original[2:] == [h, w]
            and -(-original[1] // max(c0, 1)) == c1 and 0 not in original)


class Checker:
    def __init__(self, numpy, command):
        self.numpy = numpy
        self.command = command
        self.files = 0
        self.equal = 0
        self.faults = []
        self.skipped = 0
        self.has_bfloat16 = True  # the tool needs ml_dtypes for it

    def fault(self, where, what):
        self.faults.append(f"{where}: {what}")

    def convert(self, source, output, *options):
        result = subprocess.run(
            self.command + ["convert", "-d", str(source), "-out", str(output),
                            "-v", "2", *options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace")
        if result.returncode == SKIPPED:
            print(result.stdout.strip(), file=sys.stderr)
            sys.exit(SKIPPED)
        return result

    def convert_files(self, paths, output, *options):
        """Converts the files and returns what failed last, None for nothing."""
        failed = None
        while paths:
            count = length = 0
            while count < len(paths) and length < MAX_ARGUMENT:
                length += len(os.fsencode(paths[count])) + 1
                count += 1
            result = self.convert(",".join(paths[:count]), output, *options)
            if result.returncode:
                failed = result
            paths = paths[count:]
        return failed

    def payload(self, entry, tensor, content):
        start = tensor["offset"]
        return content[start:start + tensor["size"]]

    def expected(self, entry, tensor, content):
        """The tensor as the tool presents it, None where it cannot."""
        numpy = self.numpy
        data = self.payload(entry, tensor, content)
        shape = tensor["shape"] or [1]
        if 0 in shape:
            return numpy.zeros(shape, "<f8")
        if tensor["dtype"] == "DT_BF16":
            bits = numpy.frombuffer(data, "<u2").astype("<u4") << 16
            return bits.view("<f4").reshape(shape)
        return numpy.frombuffer(
            data, NUMPY_TYPES[tensor["dtype"]]).reshape(shape)

    def as_nchw(self, tensor, array):
        """NC1HWC0 to NCHW by its definition: channel c is (c // C0, c % C0)."""
        channels = tensor["original_shape"][1]
        c0 = array.shape[4]
        return self.numpy.stack(
            [array[:, c // c0, :, :, c % c0] for c in range(channels)], axis=1)

    def compare(self, where, path, expected):
        numpy = self.numpy
        try:
            actual = numpy.load(path)
        except (OSError, ValueError) as error:
            return self.fault(where, f"no array: {error}")
        if actual.shape != expected.shape or actual.dtype != expected.dtype:
            return self.fault(
                where, f"{actual.dtype}{actual.shape}, expected "
                       f"{expected.dtype}{expected.shape}")
        if actual.tobytes() != expected.tobytes():
            return self.fault(where, "the values differ")
        self.equal += 1

    def readable(self, entry):
        return all(t["dtype"] in NUMPY_TYPES
                   or (t["dtype"] == "DT_BF16" and self.has_bfloat16)
                   for t in entry["tensors"] if "dtype" in t)

    def convert_folder(self, root, folder, entries, output):
        result = self.convert(folder, output)
        failed = result if result.returncode else None
        if "bfloat16 is not supported" in result.stdout:
            # One such file ends the whole run: name the others.
            self.has_bfloat16 = False
            failed = self.convert_files(
                [str(root / e["path"]) for e in entries if self.readable(e)],
                output)
        elif not all(map(self.readable, entries)):
            return  # the tool refuses those files, and says so by its status
        if failed:
            self.fault(folder, f"exit status {failed.returncode}: "
                               + failed.stdout.strip()[-2000:])

    def check_bytes(self, path, entry, content):
        if len(content) != entry["size"]:
            self.fault(path, f"{len(content)} bytes, expected {entry['size']}")
        if f"{zlib.crc32(content):08x}" != entry["crc32"]:
            self.fault(path, "the checksum differs")

    def check_folder(self, root, folder, entries):
        with tempfile.TemporaryDirectory() as temporary:
            plain = pathlib.Path(temporary, "plain")
            nchw = pathlib.Path(temporary, "nchw")
            self.convert_folder(root, folder, entries, plain)
            # With -f the tool gives nothing of a file with other tensors.
            blocked = [str(root / e["path"]) for e in entries
                       if self.readable(e)
                       and all(map(is_blocked_nchw, e["tensors"]))]
            self.convert_files(blocked, nchw, "-f", "NCHW")
            for entry in entries:
                path = root / entry["path"]
                content = path.read_bytes()
                self.files += 1
                self.check_bytes(path, entry, content)
                if entry["op_type"] == "Opdebug":
                    if not (plain / f"{path.name}.output.0.json").exists():
                        self.fault(path, "no JSON of the overflow")
                    continue
                if not self.readable(entry):
                    self.skipped += len(entry["tensors"])
                    continue
                for tensor in entry["tensors"]:
                    self.check_tensor(path, entry, tensor, content, plain,
                                      nchw if str(path) in blocked else None)

    def check_tensor(self, path, entry, tensor, content, plain, nchw):
        io, index = tensor["io"], tensor["index"]
        where = f"{path} {io} {index}"
        if "dtype" not in tensor:
            kind = "l1buffer" if io == "buffer" else io
            made = plain / f"{path.name}.{kind}.{index}.bin"
            payload = self.payload(entry, tensor, content)
            if not made.exists() or made.read_bytes() != payload:
                self.fault(where, "the bytes differ")
            else:
                self.equal += 1
            return
        expected = self.expected(entry, tensor, content)
        self.compare(where, self.made(plain, path, io, index), expected)
        if nchw is None:
            return
        logical = self.as_nchw(tensor, expected)
        shape = "x".join(map(str, logical.shape))
        self.compare(where + " as NCHW",
                     self.made(nchw, path, io, index, shape), logical)

    def made(self, folder, path, io, index, shape=None):
        """The file the tool made; it renames those of long names."""
        suffix = f".{shape}.npy" if shape else ".npy"
        name = f"{path.name}.{io}.{index}{suffix}"
        mapping = folder / "mapping.csv"
        if not os.path.exists(folder / name) and mapping.exists():
            for row in mapping.read_text().splitlines():
                short, _, full = row.partition(",")
                if full == name:
                    return folder / short
        return folder / name


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0])
    parser.add_argument("dumpdir", type=pathlib.Path)
    parser.add_argument("--tool", default=os.environ.get("MSACCUCMP"))
    arguments = parser.parse_args()
    try:
        import numpy
    except ImportError:
        print("check-with-msaccucmp.py: no numpy", file=sys.stderr)
        return SKIPPED
    if not arguments.tool:
        print("check-with-msaccucmp.py: no tool, expected --tool or MSACCUCMP",
              file=sys.stderr)
        return SKIPPED

    command = shlex.split(arguments.tool)
    if not command or not shutil.which(command[0]):
        print(f"check-with-msaccucmp.py: no program {arguments.tool}",
              file=sys.stderr)
        return SKIPPED
    checker = Checker(numpy, command)
    manifests = sorted(arguments.dumpdir.rglob("manifest.*.json"))
    if not manifests:
        checker.fault(arguments.dumpdir, "no manifest")
    folders = collections.defaultdict(list)
    for manifest in manifests:
        for entry in json.loads(manifest.read_text())["files"]:
            folder = (manifest.parent / entry["path"]).parent
            folders[manifest.parent, folder].append(entry)
    for (root, folder), entries in sorted(folders.items()):
        checker.check_folder(root, folder, entries)

    for line in checker.faults:
        print(line, file=sys.stderr)
    if checker.skipped:
        print(f"{checker.skipped} tensors not compared: in files of types that "
              "the tool does not read here", file=sys.stderr)
    print(f"{checker.files} files, {checker.equal} tensors equal")
    return 1 if checker.faults else 0


if __name__ == "__main__":
    sys.exit(main())
