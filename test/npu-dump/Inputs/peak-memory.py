"""Runs a command and prints what it held at most, in MB, and its exit code:
peak-memory.py COMMAND..."""

import resource
import subprocess
import sys

code = subprocess.run(sys.argv[1:]).returncode
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
print(f"{peak:.0f} MB")
print("exit", code)
