#!/usr/bin/env python3
"""Evaluates a graph independently of npu-run and judges a run of it.

  evaluate-graph.py GRAPH.txt --report REPORT.json --dump DIR
                    [--golden-from-fp32]

DIR is the {time} folder of a run with --enable-dump --dump-mode=all, REPORT
that run's report. Nothing is shared with the C++ sources: the graph text, the
dump files, the layouts and the operators are read and computed here with numpy.

Of every computed node there must be one dump file; each dumped input must be
what the producer dumped, or the data in the text; each dumped output must be
what the node's definition (docs/Numerics.md, docs/Cube.md) makes of its dumped
inputs, bit for bit except where an exponential is on the way, padding included.
What the report says to have inferred of fused nodes is compared with an
inference made here.

With --golden-from-fp32 the graph is also evaluated from its inputs and weights
in fp32 without rounding to fp16 anywhere. How far the run may be away from that
is measured: a second fp32 evaluation has an error as large as fp16 can make put
in wherever the run rounds. See docs/Testing.md.

Exit status: 0 all holds; 1 wrong input; 2 the run is wrong somewhere.
"""

import argparse
import json
import re
import sys

import numpy as np

sys.dont_write_bytecode = True  # the tree of the sources stays clean

from evaluation.arithmetic import Device, Real
from evaluation.dump import GE_TYPES, read_dumps
from evaluation.graph import InputError, one, read_graph, unescape
from evaluation.layout import spread, to_logical, to_physical
from evaluation.operators import (ELEMENTWISE, OPERATORS, chain_of,
                                  convolution_windows, evaluate, read_stride)


# Units in the last place that an exponential explains. All else is exact.
TOLERANCE = {"SoftmaxV2": 1, "Sigmoid": 2, "Gelu": 1, "Tanh": 1, "LayerNorm": 1}

# How far the actual rounding errors may lead, as a multiple of where random
# ones of the largest size led.
MARGIN = 4

# Whose inputs are shown: they are results, or hide what they were made of.
SHOWN = ("NetOutput", "SoftmaxV2", "ArgMaxD")


def distance(a, b):
    """Differences in units in the last place, or in units of integers."""
    if a.dtype.kind != "f":
        return np.abs(a.astype(np.int64) - b.astype(np.int64))

    def ordered(x):
        bits = x.view(f"i{x.itemsize}").astype(np.int64)
        low = -(1 << (8 * x.itemsize - 1))
        # -0 and +0 are neighbours.
        return np.where(bits < 0, low - bits - 1, bits)
    return np.abs(ordered(np.ascontiguousarray(a))
                  - ordered(np.ascontiguousarray(b)))


class Judge:
    def __init__(self, nodes, dumps, data, report):
        self.nodes, self.dumps, self.data = nodes, dumps, data
        self.faults = []
        self.device = Device(report["soc"],
                             report["overflow_mode"] == "saturate")
        self.facts = {row["node"]: row["facts"] for row in report["inferred"]}
        self.computed = {row["name"] for row in report["nodes"]
                         if row["kind"] == "computed"}
        # With --fallback.
        self.given = {row["name"] for row in report["nodes"]
                      if row["kind"] == "given"}
        for name in sorted(self.computed | self.given):
            if name not in nodes:
                raise InputError(f"{name}: in the report, not in the graph")
        for name in sorted(self.computed):
            if nodes[name].type not in OPERATORS:
                raise InputError(
                    f"{name}: no definition of {nodes[name].type}")

    def check_files(self):
        for name in sorted(self.computed - self.dumps.keys()):
            self.faults.append(f"{name}: no dump file")
        for name in sorted(self.dumps.keys() - self.computed - self.given):
            self.faults.append(f"{name}: a dump file of what is not computed")

    def check_desc(self, where, desc, dumped):
        array, format, origin = dumped
        said = (array.dtype.str, list(array.shape), format, origin)
        meant = (np.dtype(GE_TYPES[desc.dtype]).str, desc.shape, desc.format,
                 desc.origin_shape)
        if said != meant:
            self.faults.append(f"{where}: dumped as {said}, in the graph "
                               f"{meant}")

    def check_source(self, where, source, index, array):
        """Whether an input is what its source has."""
        bytes = array.tobytes()
        producer = self.nodes[source]
        if source in self.dumps:
            if self.dumps[source].outputs[index][0].tobytes() != bytes:
                self.faults.append(f"{where} is not the output of {source}")
        elif producer.type == "Data":
            if all(d.name != source or d.outputs[0][0].tobytes() != bytes
                   for d in self.data):
                self.faults.append(f"{where}: no dump of {source} has it")
        else:
            tensor = one(producer.attrs.get("value", {}), "t", {})
            text = unescape(one(tensor, "data", ""))
            if text and text != bytes:
                self.faults.append(f"{where} is not the data of {source}")

    def check_inputs(self, node, dump):
        if len(dump.inputs) != len(node.inputs):
            self.faults.append(f"{node.name}: {len(dump.inputs)} dumped inputs "
                               f"of {len(node.inputs)}")
            return False
        for i, (((source, index), desc), dumped) in enumerate(
                zip(node.inputs, dump.inputs)):
            where = f"{node.name} input {i}"
            self.check_desc(where, desc, dumped)
            self.check_source(where, source, index, dumped[0])
        return True

    def check_node(self, node, dump):
        if not self.check_inputs(node, dump):
            return
        if len(dump.outputs) != len(node.outputs):
            self.faults.append(f"{node.name}: {len(dump.outputs)} dumped "
                               f"outputs of {len(node.outputs)}")
            return
        # Element by element the layout does not matter, and padding is
        # computed like the rest.
        chain = chain_of(node) or [node.type]
        in_place = all(type in ELEMENTWISE for type in chain)
        args = [(spread(x, d, node.outputs[0]) if in_place
                 else to_logical(x, d), d)
                for (x, _, _), (_, d) in zip(dump.inputs, node.inputs)]
        values = evaluate(self.device, node, args)
        for index, expected in enumerate(values):
            desc, dumped = node.outputs[index], dump.outputs[index]
            self.check_desc(f"{node.name} output {index}", desc, dumped)
            if not in_place:
                expected = to_physical(expected, desc)
            self.check_output(node, chain, index, expected, dumped[0])
        self.check_facts(node, chain)

    def check_output(self, node, chain, index, expected, actual):
        name = node.name if len(node.outputs) == 1 else f"{node.name}:{index}"
        if expected.shape != actual.shape or expected.dtype != actual.dtype:
            raise InputError(f"{name}: {expected.dtype}{expected.shape} "
                             f"here, {actual.dtype}{actual.shape} dumped")
        off = distance(expected, actual)
        differ, worst = np.count_nonzero(off), int(off.max(initial=0))
        print(f"{name} ({'+'.join(chain)}): {off.size} elements, {differ} "
              f"differ, at most {worst} ulp")
        allowed = max(TOLERANCE.get(type, 0) for type in chain)
        if worst > allowed:
            at = np.unravel_index(off.argmax(), off.shape)
            self.faults.append(
                f"{name}: {differ} of {off.size} elements differ, by up "
                f"to {worst} ulp (allowed {allowed}) at {list(map(int, at))}: "
                f"{actual[at]!r}, expected {expected[at]!r}")

    def check_facts(self, node, chain):
        """Compares what the report says to have inferred with the shapes."""
        descs, result = [d for _, d in node.inputs], node.outputs[0]
        facts = "\n".join(self.facts.get(node.name, []))
        if not facts:
            return

        def check(name, mine):
            lists = re.search(rf"\b{name} = \[([^]]*)\]", facts)
            said = lists and [int(i) for i in lists[1].split(",")]
            if said != mine:
                self.faults.append(f"{node.name}: the report says {name} = "
                                   f"{said}; the shapes say {mine}")

        if chain[0] == "ReadSelect":
            strides = [read_stride(node, descs[0], result, a) for a in "HW"]
            check("stride_list", [1, 1, *strides, 1])
            descs = descs[1:]
        if "Conv2D" in chain:
            windows = convolution_windows(node, descs[0], descs[1], result)
        elif "Conv2DBackpropInputD" in chain:
            windows = convolution_windows(node, result, descs[0], descs[1])
        else:
            return
        check("strides", [stride for stride, _, _ in windows])
        check("pads", [pad for _, *pads in windows for pad in pads])

    def check_nodes(self):
        for name, node in self.nodes.items():
            if name in self.computed and name in self.dumps:
                self.check_node(node, self.dumps[name])

    def operand(self, values, node, index):
        """An input of a node in its logical shape, unrounded."""
        source, desc = node.inputs[index]
        if source in values:
            return values[source].reshape(desc.origin_shape)
        array = self.dumps[node.name].inputs[index][0]  # from outside
        return to_logical(array, desc).astype(np.float32)

    def check_end_to_end(self):
        """Compares with fp32, all the way from the inputs of the graph."""
        plain, disturbed = (Real(), {}), (Real(error=1), {})
        shown = {source for n in self.nodes.values() if n.type in SHOWN
                 for source, _ in n.inputs}
        for name, node in self.nodes.items():
            if name not in self.computed or name not in self.dumps:
                continue
            for arith, values in (plain, disturbed):
                args = [(self.operand(values, node, i), desc)
                        for i, (_, desc) in enumerate(node.inputs)]
                for index, value in enumerate(evaluate(arith, node, args)):
                    values[name, index] = value
            for index, (dumped, _, _) in enumerate(self.dumps[name].outputs):
                actual = to_logical(dumped, node.outputs[index])
                if actual.dtype.kind == "f":
                    self.compare(node, index, actual, plain[1], disturbed[1],
                                 (name, index) in shown, disturbed[0].roundings)
                else:
                    self.compare_choice(node, actual, plain[1], disturbed[1])

    def compare(self, node, index, actual, plain, disturbed, show, roundings):
        golden = plain[node.name, index].astype(np.float64)
        norm = max(np.linalg.norm(golden), 1e-30)
        error = np.linalg.norm(actual - golden) / norm
        growth = (np.linalg.norm(disturbed[node.name, index] - golden) / norm
                  * 2048)
        bound = MARGIN * growth / 2048
        if show:
            print(f"{node.name} end to end: relative L2 error {error:.3g}, "
                  f"bound {bound:.3g} ({MARGIN} * 2^-11 * growth {growth:.3g}; "
                  f"{roundings} roundings before)")
        if not error <= bound:
            self.faults.append(f"{node.name}: relative L2 error {error:.3g} "
                               f"from fp32 evaluation, bound {bound:.3g}")

    def compare_choice(self, node, actual, plain, disturbed):
        """An index may differ where rounding decides; it is then taken on."""
        source, axis = node.inputs[0][0], node.number("dimension")
        golden = plain[source]
        slack = MARGIN * np.abs(disturbed[source] - golden).max()
        chosen = np.take_along_axis(golden, np.expand_dims(actual, axis), axis)
        if not (chosen >= golden.max(axis, keepdims=True) - slack).all():
            self.faults.append(f"{node.name}: what it chose is not the maximum")
        plain[node.name, 0] = disturbed[node.name, 0] = actual


def read_report(path):
    with open(path, encoding="utf-8") as file:
        try:
            report = json.load(file)
        except ValueError as error:
            raise InputError(f"{path}: not JSON: {error}") from error
    for key in ("nodes", "inferred", "soc", "overflow_mode"):
        if key not in report:
            raise InputError(f"{path}: no '{key}'; expected a report of "
                             "npu-run")
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graph")
    parser.add_argument("--report", required=True)
    parser.add_argument("--dump", required=True)
    parser.add_argument("--golden-from-fp32", action="store_true",
                        help="also compare with an evaluation in fp32")
    arguments = parser.parse_args()
    # Infinities and NaNs are results like others.
    np.seterr(over="ignore", invalid="ignore")
    try:
        report = read_report(arguments.report)
        judge = Judge(read_graph(arguments.graph),
                      *read_dumps(arguments.dump), report)
        judge.check_files()
        judge.check_nodes()
        if arguments.golden_from_fp32:
            judge.check_end_to_end()
    except (InputError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for fault in judge.faults:
        print(fault)
    print(f"{len(judge.computed)} nodes judged, {len(judge.faults)} faults")
    return 2 if judge.faults else 0


if __name__ == "__main__":
    sys.exit(main())
