"""Compares the status of fused nodes with that of their members.

  fused-status.py FUSED.json UNFUSED.json OTHER.json

The arguments are reports: of the fused graph, of the graph before fusion, and of
another run of the fused graph. The name of a fused node is those of its members.
"""

import json
import sys

fused, unfused, other = (
    {node["name"]: node["status"] for node in json.load(open(path))["nodes"]
     if node["kind"] == "computed"} for path in sys.argv[1:4])
joined = [name for name in fused if name not in unfused]
differ = 0
for name in joined:
    status, rest = 0, name
    while rest:
        member = next(m for m in sorted(unfused, key=len, reverse=True)
                      if rest.startswith(m))
        status |= unfused[member]
        rest = rest[len(member):]
    differ += status != fused[name] or other[name] != fused[name]
raised = sum(fused[name] != 0 for name in joined)
print(f"{len(joined)} fused nodes, {raised} with status bits, {differ} differ")
