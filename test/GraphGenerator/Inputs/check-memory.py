"""Checks the offsets in a graph text: tensors that are needed at the same time,
by the order of the nodes, have memory of their own."""

import re
import sys

LASTING = ("Const", "Variable", "Data")

text = open(sys.argv[1], encoding="latin-1").read()
nodes = []
for block in re.split(r"^  op \{$", text, flags=re.M)[1:]:
    outputs = re.split(r"^    output_desc \{$", block, flags=re.M)[1:]
    nodes.append(
        {
            "name": re.search(r'^    name: "(.*)"', block, re.M)[1],
            "type": re.search(r'^    type: "(.*)"', block, re.M)[1],
            "inputs": re.findall(r'^    input: "(.*):(\d+)"', block, re.M),
            "offsets": [int(n) for n in re.findall(r"^    output_i: (\d+)", block, re.M)],
            "sizes": [
                int(re.findall(r"^      size: (\d+)", output, re.M)[-1])
                for output in outputs
            ],
        }
    )
by_name = {node["name"]: node for node in nodes}
total = int(re.search(r'"memory_size".*?i: (\d+)', text, re.S)[1])

last = {}
for number, node in enumerate(nodes):
    for name, output in node["inputs"]:
        last[name, int(output)] = number
live = []  # of (begin, end, first node, last node, name)
for number, node in enumerate(nodes):
    if node["type"].startswith(("Assign", "Apply")):  # in place
        continue
    for output, (offset, size) in enumerate(zip(node["offsets"], node["sizes"])):
        end = last.get((node["name"], output), number)
        if node["type"] in LASTING:
            end = len(nodes)
        live.append((offset, offset + size, number, end, f"{node['name']}:{output}"))
assert all(end <= total for _, end, *_ in live)
live.sort()
for place, (begin, end, first, until, name) in enumerate(live):
    for other in live[place + 1 :]:
        if other[0] >= end:
            break
        if other[2] <= until and first <= other[3]:
            sys.exit(f"{name} and {other[4]} have the same memory")
needed = sum(end - begin for begin, end, *_ in live)
print(f"{total} bytes for tensors of {needed}")
