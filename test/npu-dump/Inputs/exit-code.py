"""Runs a command and prints what it prints and its exit code."""

import subprocess
import sys

done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE,
                      stderr=subprocess.STDOUT, text=True)
print(done.stdout, end="")
print("exit", done.returncode)
