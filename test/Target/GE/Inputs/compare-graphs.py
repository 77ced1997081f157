"""Compares a graph with the same graph from ge_onnx text, both as graph text.

  compare-graphs.py TEXT FROM_ONNX

Names, types, ids, streams, edges and descriptors are the same, and numbers and
strings that both have as attributes.
"""

import sys

from graph_text import get, parse

NODE = """name type id stream_id input src_name src_index dst_name dst_index input_i
output_i workspace workspace_bytes""".split()
DESC = "dtype layout size weight_size device_type real_dim_cnt data_offset".split()


def value(message, name, default):
    values = get(message, name)
    return values if values else default


def attributes(message):
    return {get(a, "key")[0]: get(a, "value")[0] for a in get(message, "attr")}


def describe(desc):
    shape = get(desc, "shape")
    result = [value(desc, field, []) for field in DESC]
    result.append(get(shape[0], "dim") if shape else [])
    kept = attributes(desc)
    for name in ("origin_shape", "origin_format"):
        found = kept.get(name)
        if found and found[0][0] == "list":
            found = get(found[0][1], "i")
        result.append(found or [])
    return result


def read(path):
    return parse(open(path, encoding="latin-1").read())


text, onnx = map(read, sys.argv[1:])
theirs = {get(g, "name")[0]: g for g in get(onnx, "graph")}
differences = nodes = 0
for graph in get(text, "graph"):
    name = get(graph, "name")[0]
    other = {get(op, "name")[0]: op for op in get(theirs[name], "op")}
    if set(other) != {get(op, "name")[0] for op in get(graph, "op")}:
        print(f"{name}: other nodes")
        differences += 1
    for op in get(graph, "op"):
        nodes += 1
        match = other[get(op, "name")[0]]
        for field in NODE:
            if get(op, field) != get(match, field):
                print(get(op, "name")[0], field, get(op, field), get(match, field))
                differences += 1
        for side in ("input_desc", "output_desc"):
            ours = [describe(desc) for desc in get(op, side)]
            found = [describe(desc) for desc in get(match, side)]
            if ours != found:
                print(get(op, "name")[0], side, ours, found)
                differences += 1
        kept = attributes(op)
        for key, found in attributes(match).items():
            mine = kept.get(key)
            same_kind = mine and found and found[0][0] == mine[0][0]
            if same_kind and found[0][0] in "ifs" and found != mine:
                print(get(op, "name")[0], key, mine, found)
                differences += 1
print(f"{nodes} nodes, {differences} differences")
sys.exit(differences != 0)
