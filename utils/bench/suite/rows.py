"""The rows: what is measured, against whom, and how good it has to be."""

import contextlib
import dataclasses
import functools
import json
import math
import os
import statistics
from typing import Callable

from .programs import MLIR_OPT, run

MIB = 1 << 20


@dataclasses.dataclass
class Result:
    ours: float  # medians, in `unit`
    peer: float | None
    unit: str
    value: float  # what limit and aim are for: ours / peer unless the row says so
    note: str = ""
    rounds: list = dataclasses.field(default_factory=list)  # [ours, peer]


@dataclasses.dataclass
class Row:
    id: str
    work: str
    peer: str
    limit: float
    aim: float
    measure: Callable  # of a Bench; gives a Result
    unit: str = ""  # of limit and aim; empty for a ratio
    higher_is_better: bool = False

    def share(self, value):
        """Of the limit: 1 is just met, less is better."""
        return self.limit / value if self.higher_is_better else value / self.limit


def in_turn(bench, ours, peer, unit="s", value=None, note=""):
    """Both sides once in each round. The one that begins changes."""
    rounds = []
    for number in range(bench.rounds):
        if number % 2:
            second = peer()
            rounds.append([ours(), second])
        else:
            rounds.append([ours(), peer()])
    mine, other = (statistics.median(side) for side in zip(*rounds))
    return Result(mine, other, unit, mine / other if value is None else value(mine), note,
                  rounds)


# T1, T2, T10: programs that take turns themselves.

def lines(bench, program, *arguments):
    output = run([bench.program(program), *arguments]).output
    return [json.loads(line) for line in output.splitlines()]


def inner_rounds(bench):
    return 2 * bench.rounds + 1


def products(bench):
    cases = lines(bench, "CubeBench", "products", 1, inner_rounds(bench))
    mean = math.exp(statistics.fmean(math.log(c["ours"] / c["peer"]) for c in cases))
    rate = lambda side: statistics.median(c["work"] / c[side] * 1e-9 for c in cases)
    return Result(rate("ours"), rate("peer"), "GFLOP/s", mean,
                  f"medians of {len(cases)} shapes; the ratio is their geometric mean",
                  [[c["ours"], c["peer"]] for c in cases])


def convolutions(bench, threads):
    cases = lines(bench, "CubeBench", "convolutions", threads, inner_rounds(bench))
    total = lambda side: sum(c["count"] * c[side] for c in cases)
    work = sum(c["count"] * c["work"] for c in cases)
    ours, peer = total("ours"), total("peer")
    return Result(ours, peer, "s", ours / peer,
                  f"{work / ours * 1e-9:.0f} and {work / peer * 1e-9:.0f} GFLOP/s",
                  [[c["ours"], c["peer"]] for c in cases])


def vector(bench, name, rate=False):
    # One process measures all of them in a second.
    case, = (c for c in lines(bench, "VectorBench", inner_rounds(bench))
             if c["name"] == name)
    ours, peer = (case["work"] / case[side] * 1e-9 for side in ("ours", "peer"))
    return Result(ours, peer, "Gelem/s", ours if rate else peer / ours)


# T3 to T11, T16, T17: whole models.

ITERATIONS = 12  # of ResNet-50 in one process


def resnet(bench, threads):
    graph = bench.graph("resnet")
    return in_turn(bench,
                   lambda: bench.npu_run(graph, threads, ITERATIONS).seconds,
                   lambda: bench.onnxruntime("resnet50-fp32-b1", threads,
                                             ITERATIONS - 2).seconds)


def resnet_dump(bench, peer, fused=False):
    """Before fusion the nodes and their outputs are those of other engines."""
    graph = bench.graph("resnet") if fused else bench.graph_before_fusion()
    last = None

    def ours():
        nonlocal last
        last = bench.npu_run_dump(graph, 2, ITERATIONS)
        return last.seconds

    result = in_turn(bench, ours, lambda: peer(bench).seconds)
    result.note = f"{last.files} files, {last.bytes / 1e6:.1f} MB an iteration"
    return result


def own_options(bench, threads, options, needs_folder=False):
    """With the options against without, the same run otherwise: with a new folder
    before it, too."""
    graph = bench.graph_before_fusion()

    def with_options():
        if not needs_folder:
            return bench.npu_run(graph, threads, 2 * ITERATIONS, *options).seconds
        with bench.new_folder() as folder:
            return bench.npu_run(graph, threads, 2 * ITERATIONS, f"--dump-path={folder}",
                                 *options).seconds

    def without():
        with bench.new_folder() if needs_folder else contextlib.nullcontext():
            return bench.npu_run(graph, threads, 2 * ITERATIONS).seconds

    return in_turn(bench, with_options, without)


def bert(bench, threads):
    graph = bench.graph("bert")
    return in_turn(bench, lambda: bench.npu_run(graph, threads, 5).seconds,
                   lambda: bench.onnxruntime("bert12-fp32", threads, 3).seconds)


def training(bench):
    graph = bench.graph("resnet-train", "--batch", "8")
    return in_turn(bench, lambda: bench.npu_run(graph, 2, 4).seconds,
                   lambda: bench.torch("train", 2, 2).seconds)


def cold(bench, weights):
    graph = bench.graph_before_fusion(weights)
    return in_turn(
        bench,
        lambda: bench.npu_run_dump(graph, 2, 1).process.seconds,
        lambda: bench.onnxruntime("resnet50-fp16-b1-all", 2, 1, dump=True).process.seconds)


def memory(bench):
    graph = bench.graph_before_fusion()
    return in_turn(
        bench,
        lambda: bench.npu_run_dump(graph, 2, 3).process.peak / MIB,
        lambda: bench.onnxruntime("resnet50-fp16-b1-all", 2, 3, dump=True).process.peak / MIB,
        "MiB", lambda mine: mine)


# T12, T13: texts.

def graph_import(bench):
    text = bench.grown_text(100)
    command = [bench.program("npu-translate"), "--import-ge", "--emit-bytecode", text, "-o",
               "/dev/null"]
    parse = lambda: min(map(float, run([bench.program("ProtobufParse"), text]).output.split()))
    peak = 0

    def ours():
        nonlocal peak
        process = run(command)
        peak = process.peak
        return process.seconds

    result = in_turn(bench, ours, parse)
    result.note = f"peak memory {peak / os.path.getsize(text):.1f} bytes for a byte of text"
    return result


def module_text(bench):
    module = bench.grown_module(100_000)
    generic = bench.generic_module(100_000, module)
    return in_turn(
        bench, lambda: run([bench.program("npu-opt"), module, "-o", "/dev/null"]).seconds,
        lambda: run([MLIR_OPT, "--allow-unregistered-dialect", generic, "-o",
                     "/dev/null"]).seconds)


def start_up(bench):
    def seconds(program):
        return statistics.median(run([program, "/dev/null", "-o", "/dev/null"]).seconds
                                 for _ in range(9))
    return in_turn(bench, lambda: seconds(bench.program("npu-opt")), lambda: seconds(MLIR_OPT))


def onnxruntime_plain(bench):
    return bench.onnxruntime("resnet50-fp32-b1", 2, ITERATIONS - 2)


def onnxruntime_half(bench):
    return bench.onnxruntime("resnet50-fp16-b1-all", 2, ITERATIONS - 2, dump=True)


def torch_emulation(bench):
    return bench.torch("emulate", 2, ITERATIONS - 1)


ORT = "ONNX Runtime fp32"
part = functools.partial
ROWS = [
    Row("T1", "17 matrix products, weights packed, 1 thread", "OpenBLAS sgemm", 1.10, 1.00,
        products),
    Row("T2", "53 convolutions of ResNet-50, 1 thread", "oneDNN fp32", 1.20, 1.10,
        part(convolutions, threads=1)),
    Row("T2", "53 convolutions of ResNet-50, 2 threads", "oneDNN fp32", 1.20, 1.10,
        part(convolutions, threads=2)),
    Row("T3", "ResNet-50, 1 thread", ORT, 1.15, 1.00, part(resnet, threads=1)),
    Row("T3", "ResNet-50, 2 threads", ORT, 1.15, 1.00, part(resnet, threads=2)),
    Row("T4", "ResNet-50, all outputs dumped", ORT + " without dump", 1.45, 1.30,
        part(resnet_dump, peer=onnxruntime_plain)),
    Row("T4", "ResNet-50 fused, outputs dumped as on the device", ORT + " without dump", 1.45, 1.30,
        part(resnet_dump, peer=onnxruntime_plain, fused=True)),
    Row("T5", "ResNet-50, all outputs dumped", "ONNX Runtime fp16, all outputs written",
        0.60, 0.50, part(resnet_dump, peer=onnxruntime_half)),
    Row("T5", "ResNet-50, all outputs dumped", "PyTorch rounding to fp16, np.save", 0.45,
        0.40, part(resnet_dump, peer=torch_emulation)),
    Row("T7", "ResNet-50, statistics of all outputs", "without", 1.10, 1.05,
        part(own_options, threads=2, options=("--enable-dump", "--dump-data=stats"),
             needs_folder=True)),
    Row("T8", "ResNet-50, --check-overflow", "without", 1.03, 1.01,
        part(own_options, threads=1, options=("--check-overflow",))),
    Row("T8", "ResNet-50, --enable-dump-debug", "without", 1.03, 1.01,
        part(own_options, threads=1, options=("--enable-dump-debug",), needs_folder=True)),
    Row("T9", "BERT-base, 12 layers, 128 words, 1 thread", ORT, 1.10, 0.95,
        part(bert, threads=1)),
    Row("T9", "BERT-base, 12 layers, 128 words, 2 threads", ORT, 1.10, 0.95,
        part(bert, threads=2)),
    *(Row("T10", f"{name} of fp16 in the second-level cache", "oneDNN fp32", 7, 9,
          part(vector, name=name, rate=True), "Gelem/s", higher_is_better=True)
      for name in ("add", "mul", "relu")),
    *(Row("T10", f"{name} of fp16", "oneDNN fp32", 1.25, 1.10, part(vector, name=name))
      for name in ("exp", "gelu", "softmax", "layer norm")),
    Row("T11", "ResNet-50 training step, batch 8, 2 threads",
        "PyTorch fp32 forward, backward, SGD", 0.90, 0.75, training),
    Row("T12", "100 MB of graph text to a verified module", "protobuf parse alone", 1.30, 1.00,
        graph_import),
    Row("T13", "npu-opt: parse, verify, print 100,000 nodes", "mlir-opt, as long a text", 1.2,
        1.0, module_text),
    Row("T13", "npu-opt: start-up", "mlir-opt", 1.2, 1.1, start_up),
    Row("T16", "cold process: ResNet-50 once, all dumped, random weights",
        "node and ONNX Runtime fp16", 0.6, 0.4, part(cold, weights="none")),
    Row("T16", "cold process: ResNet-50 once, all dumped, weights in the text",
        "node and ONNX Runtime fp16", 0.6, 0.4, part(cold, weights="all")),
    Row("T17", "peak memory, ResNet-50, all outputs dumped", "ONNX Runtime fp16", 300, 220,
        memory, "MiB"),
]
