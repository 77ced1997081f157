"""Runs a command while a folder is a disk of its own of a few bytes, and copies
what is on it to FOLDER.after:
on-small-disk.py FOLDER BYTES COMMAND..."""

import os
import shlex
import subprocess
import sys

folder, size = sys.argv[1:3]
script = (
    f"mount -t tmpfs -o size={size} tmpfs {shlex.quote(folder)} || exit 99\n"
    f"{shlex.join(sys.argv[3:])}\n"
    "code=$?\n"
    f"cp -a {shlex.quote(folder)} {shlex.quote(folder)}.after\n"
    "exit $code\n"
)
flags = "-m" if os.geteuid() == 0 else "-Urm"
code = subprocess.run(["unshare", flags, "sh", "-c", script]).returncode
print("exit code", code)
