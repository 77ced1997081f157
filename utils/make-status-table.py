#!/usr/bin/env python3
"""Writes docs/OperatorStatus.md: what became of every node of every graph.

  utils/make-status-table.py --npu-run NPU_RUN --corpus FOLDER [-o PAGE]

Runs every graph text of FOLDER once with random values and counts, by operator
type, the nodes that its report lists. Options and data that a graph needs
beyond that are in the table RUNS and printed on the page.
"""

import argparse
import collections
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LOOP = "npu_runconfig/"
LOSS = "sparse_softmax_cross_entropy_loss/num_present/"

# By file: options; data for constants that the text lacks or has cut short, as
# (type, shape, values); and why it needs them. In options {corpus} and {inputs}
# are the folders of the graphs and of the inputs of tests.
RUNS = {
    "resnet101-int8-onnx-build.from-json.txt": {
        "options": ["--assume-quant=20,-128"],
        "why": "scale and offset of fused quantisations are in no Build text",
    },
    "resnet50-caffe-amct-build.from-json.txt": {
        "options": [
            "--assume-quant=20,-128",
            "--fusion-source={corpus}/resnet50-infer-00062-build.txt",
        ],
        "why": "the same; windows of the fused poolings, from the unfused ones of"
        " the same network",
    },
    "resnet50v1-int8-tf-build.from-json.txt": {
        "options": [
            "--assume-quant=20,-128",
            "--fusion-source={inputs}/resnet50v1-int8-tf-pooling.txt",
        ],
        "why": "the same; windows of the fused poolings, from the definition of"
        " the network",
    },
    "ncf-train-graph14-build.from-onnx.txt": {
        # Both ways of its switches.
        "options": ["--iterations=2"],
        "data": {
            LOOP + "loop_cond": ("<i8", [], 0),
            LOOP + "one": ("<i8", [], 1),
            LOOP + "zero": ("<i8", [], 0),
            LOOP + "iterations_per_loop": ("<i8", [], 1),
            LOSS + "zeros_like": ("<f4", [1048576], 0),
            LOSS + "ones_like": ("<f4", [1048576], 1),
            "dynamic_const_2": ("<i4", [1], 0),
            "dynamic_const_3": ("<f2", [1048576, 1], 0),
            "dynamic_const_4": ("<f4", [1048576, 1], 0),
        },
        "why": "four constants of the file are cut to 16 bytes, one has none; a loop"
        " of two passes",
    },
    "yolo-nms-post-build.from-json.txt": {
        "data": {
            "dynamic_const_48187_0": ("<i4", [4], [0, 2, 3, 1]),
            "dynamic_const_48187_1": ("<i4", [3], [0, 2, 1]),
            "onnx::Gather_1764_0": ("<i8", [], 4),
            "PartitionedCall_Gather_1221_const_data_2": ("<i4", [], 1),
        },
        "why": "permutations and axes are constants without data; the shapes"
        " tell them",
    },
}

WHAT = {
    "computed": "computed",
    "source": "given",
    "given": "given",
    "nothing to compute": "orders others",
    "starts streams": "orders others",
    "merges streams": "computed",
    "float status": "computed",
    "output": "output",
}


def write_npy(path, dtype, shape, values):
    """A .npy file of one value everywhere, or of a list of values."""
    count = 1
    for dim in shape:
        count *= dim
    if not isinstance(values, list):
        values = [values] * count
    code = {"<f4": "f", "<f2": "e", "<i4": "i", "<i8": "q"}[dtype]
    dims = "".join(f"{dim}, " for dim in shape)
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({dims})}}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(
        b"\x93NUMPY\x01\x00"
        + struct.pack("<H", len(header))
        + header.encode()
        + struct.pack(f"<{count}{code}", *values)
    )


def run(npu_run, graph, corpus, scratch):
    """The report of a run, and the reasons on its error output by node."""
    extra = RUNS.get(graph.name, {})
    report = scratch / (graph.name + ".json")
    command = [npu_run, graph, "--init=random:1", f"--report={report}"]
    for option in extra.get("options", []):
        command.append(
            option.format(corpus=corpus, inputs=HERE.parent / "test" / "Inputs")
        )
    for index, (name, data) in enumerate(extra.get("data", {}).items()):
        file = scratch / f"{graph.name}.{index}.npy"
        write_npy(file, *data)
        command.append(f"--bind={name}={file}")
    result = subprocess.run(command, capture_output=True, text=True)
    if not report.exists():
        sys.exit(f"error: {graph}: no report: {result.stderr.strip()}")
    reasons = {}
    for line in result.stderr.splitlines():
        match = re.match(r"error: .*?:\d+: (\w+) '([^']*)': (.*)", line)
        if match:
            reason = match[3]
            for node in (f"{match[1]} '{match[2]}': ", f"{match[1]} {match[2]}: "):
                reason = reason.removeprefix(node)
            reasons[match[2]] = reason
    return json.loads(report.read_text()), reasons


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--npu-run", required=True, metavar="NPU_RUN")
    parser.add_argument("--corpus", required=True, metavar="FOLDER", type=pathlib.Path)
    parser.add_argument(
        "-o",
        "--output",
        type=pathlib.Path,
        default=HERE.parent / "docs" / "OperatorStatus.md",
        metavar="PAGE",
    )
    arguments = parser.parse_args()

    graphs = sorted(arguments.corpus.glob("*.txt"))
    if not graphs:
        sys.exit(f"error: {arguments.corpus}: expected graph texts (*.txt)")
    by_type = collections.defaultdict(collections.Counter)
    used_in = collections.defaultdict(set)
    why_not = collections.defaultdict(set)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for number, graph in enumerate(graphs, 1):
            print(f"{number}/{len(graphs)} {graph.name}", file=sys.stderr)
            report, reasons = run(
                arguments.npu_run, graph, arguments.corpus, pathlib.Path(folder)
            )
            count = collections.Counter()
            for node in report["nodes"]:
                kind = node["type"]
                what = WHAT.get(node["kind"], "not executed")
                if what == "computed" and node["runs"] == 0:
                    what = "not executed"
                    reason = reasons.get(node["name"], "an input is not computed")
                    why_not[kind].add(f"{graph.name}: {reason}")
                by_type[kind][what] += 1
                used_in[kind].add(graph.name)
                count[what] += 1
            facts = sum(len(row["facts"]) for row in report["inferred"])
            rows.append((graph.name, count, facts))

    lines = [
        "# Operator status",
        "",
        "Generated by `utils/make-status-table.py` from the reports of `npu-run`",
        "over the corpus; do not edit. A fused node counts under the type of its",
        "first member, as in the graph.",
        "",
        "## Graphs",
        "",
        "| graph | nodes | computed | given or ordering | not executed | facts inferred |",
        "|---|---|---|---|---|---|",
    ]
    for name, count, facts in rows:
        others = count["given"] + count["orders others"] + count["output"]
        lines.append(
            f"| {name} | {count.total()} | {count['computed']} | {others} | "
            f"{count['not executed']} | {facts} |"
        )
    lines += ["", "All of them have `--init=random:1`, and some need more:", ""]
    for name, extra in RUNS.items():
        needs = [
            "`" + option.format(corpus="CORPUS", inputs="test/Inputs") + "`"
            for option in extra.get("options", [])
        ]
        needs += [f"`--bind={node}=...`" for node in extra.get("data", {})]
        lines.append(f"- {name}: {', '.join(needs)} ({extra['why']})")
    lines += [
        "",
        "## Operator types",
        "",
        "| type | graphs | nodes | computed | given or ordering | not executed |",
        "|---|---|---|---|---|---|",
    ]
    for kind in sorted(by_type):
        count = by_type[kind]
        others = count["given"] + count["orders others"] + count["output"]
        lines.append(
            f"| {kind} | {len(used_in[kind])} | {count.total()} | "
            f"{count['computed']} | {others} | {count['not executed']} |"
        )
    lines += ["", "## Not executed", ""]
    for kind in sorted(why_not):
        for reason in sorted(why_not[kind]):
            lines.append(f"- {kind}, {reason}")
    if not why_not:
        lines.append("Nothing.")
    arguments.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
