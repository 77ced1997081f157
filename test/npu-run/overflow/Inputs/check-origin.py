"""check-origin.py REPORT NAME...: the origins in a report are exactly NAMEs."""

import json
import sys

with open(sys.argv[1]) as file:
    events = json.load(file)["events"]
origins = [e["node"] for e in events if e["kind"] == "origin"]
if origins != sys.argv[2:]:
    sys.exit(f"origins are {origins}, expected {sys.argv[2:]}")
