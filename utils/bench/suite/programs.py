"""The programs that are measured, and what they need: graphs, models, folders."""

import contextlib
import dataclasses
import functools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from . import texts

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GENERATE_GRAPH = os.path.join(os.path.dirname(BENCH), "generate-graph.py")
# Debian's modules for Python belong to this interpreter.
PYTHON = "/usr/bin/python3"
MLIR_OPT = "mlir-opt-22"
DUMP_MIB = 1024  # more than any run writes


class Failure(Exception):
    """One line for the user."""


@dataclasses.dataclass
class Process:
    seconds: float  # from start to end
    peak: int  # resident bytes
    output: str


@functools.cache
def peers_environment():
    """OpenBLAS takes a processor that is newer than itself for one without AVX: it
    gets the kernels that the processor has, unless the user chooses."""
    with open("/proc/cpuinfo", encoding="ascii") as file:
        flags = next((line.split() for line in file if line.startswith("flags")), [])
    core = "SKYLAKEX" if "avx512f" in flags else "HASWELL" if "avx2" in flags else None
    return {"OPENBLAS_CORETYPE": core} if core else {}


def run(command, environment=None):
    """Waits for a process that has to succeed."""
    command = [str(part) for part in command]
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        begin = time.perf_counter()
        child = subprocess.Popen(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL,
                                 env={**peers_environment(), **os.environ,
                                      **(environment or {})})
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if child.returncode:
            lines = err.read().strip().splitlines() or ["no message"]
            raise Failure(f"{' '.join(command)}: exit code {child.returncode}: {lines[-1]}")
        return Process(seconds, usage.ru_maxrss * 1024, out.read())


@dataclasses.dataclass
class Model:
    """Of one process that runs a model several times, without its warm-up."""

    seconds: float  # of an iteration
    process: Process
    files: int = 0  # of an iteration
    bytes: int = 0


def touch_memory(folder):
    """Uses as much memory as the dumps of a run, and gives it back. A virtual machine
    that has been idle gets its pages from the host one by one, which is no matter of
    the programs and takes as long as all they do."""
    path = os.path.join(folder, "memory")
    piece = bytes(1 << 20)
    with open(path, "wb", buffering=0) as file:
        for _ in range(DUMP_MIB):
            file.write(piece)
    os.remove(path)


class Bench:
    """Where things are. `rounds` is how often each row measures both sides."""

    def __init__(self, build, work, rounds):
        self.build, self.work, self.rounds = build, work, rounds
        os.makedirs(work, exist_ok=True)

    def program(self, name):
        for folder in ("bench", "bin"):
            path = os.path.join(self.build, folder, name)
            if os.path.exists(path):
                return path
        raise Failure(f"{self.build} has no {name}: configure it with "
                      f"-DNPU_BUILD_BENCHMARKS=ON and run ninja")

    @contextlib.contextmanager
    def new_folder(self):
        """An empty folder, in memory if there is a file system for that."""
        memory = "/dev/shm"
        parent = memory if os.access(memory, os.W_OK) else self.work
        folder = tempfile.mkdtemp(prefix="npu-bench.", dir=parent)
        try:
            if parent == memory:
                touch_memory(folder)
            yield folder
        finally:
            shutil.rmtree(folder)

    def kept(self, name, make):
        """WORK/name, which make(path) writes the first time."""
        path = os.path.join(self.work, name)
        if not os.path.exists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            stem, ending = os.path.splitext(path)
            make(f"{stem}.part{ending}")
            os.replace(f"{stem}.part{ending}", path)
        return path

    def graph(self, network, *options):
        """A graph text without the data of weights."""
        name = "-".join([network, *options]).replace("--", "")
        return self.kept(f"graphs/{name}.txt", lambda path: run(
            [PYTHON, GENERATE_GRAPH, network, path, "--weights", "none", *options]))

    def graph_before_fusion(self, weights="none"):
        """ResNet-50 whose nodes are those of other engines: each has its own output."""
        def make(path):
            with self.new_folder() as folder:
                run([PYTHON, GENERATE_GRAPH, "resnet", os.path.join(folder, "fused.txt"),
                     "--weights", weights, "--stage-before-fusion", path])
        return self.kept(f"graphs/resnet-before-fusion-weights-{weights}.txt", make)

    def onnx(self, name):
        path = os.path.join(self.work, "models", name + ".onnx")
        if not os.path.exists(path):
            run([PYTHON, os.path.join(BENCH, "peers", "make-onnx.py"),
                 os.path.dirname(path)])
        return path

    def grown_text(self, megabytes):
        return self.kept(f"graphs/grown-{megabytes}MB.txt", lambda path: texts.grow(
            self.graph("resnet"), path, size=megabytes * 1_000_000))

    def grown_module(self, nodes):
        def make(path):
            with self.new_folder() as folder:
                text = os.path.join(folder, "grown.txt")
                texts.grow(self.graph("resnet"), text, nodes=nodes)
                run([self.program("npu-translate"), "--import-ge", text, "-o", path])
        return self.kept(f"graphs/grown-{nodes}.mlir", make)

    def generic_module(self, nodes, like):
        """A module of as many operations and bytes as the file `like`."""
        return self.kept(f"graphs/generic-{nodes}.mlir", lambda path: texts.write_generic(
            path, nodes, os.path.getsize(like)))

    def speed(self):
        return json.loads(run([self.program("SpeedBench")]).output)

    def npu_run(self, graph, threads, iterations, *options):
        """Runs without dumps: the median iteration after the first two."""
        report, process = self._npu_run(graph, threads, iterations, options)
        return Model(statistics.median(report["iteration_seconds"][2:] or
                                       report["iteration_seconds"][-1:]), process)

    def npu_run_dump(self, graph, threads, iterations, *options):
        """Runs with dumps. They are written beside later iterations, so that only
        the time of all counts: after the first one, until the last file is there."""
        with self.new_folder() as folder:
            report, process = self._npu_run(
                graph, threads, iterations,
                ["--enable-dump", f"--dump-path={folder}", *options])
            files, size = count_files(folder)
        later = report["seconds"] - report["iteration_seconds"][0]
        return Model(later / (iterations - 1) if iterations > 1 else report["seconds"],
                     process, files // iterations, size // iterations)

    def _npu_run(self, graph, threads, iterations, options):
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "report.json")
            process = run([self.program("npu-run"), graph, "--init=random:1",
                           f"--threads={threads}", f"--iterations={iterations}",
                           f"--report={report}", *options])
            with open(report, encoding="utf-8") as file:
                return json.load(file), process

    def onnxruntime(self, model, threads, runs, dump=False):
        command = ["node", os.path.join(BENCH, "peers", "onnxruntime.js"), self.work,
                   self.onnx(model), threads, runs]
        with self.new_folder() as folder:
            process = run(command + ([folder] if dump else []))
        result = json.loads(process.output)
        return Model(statistics.median(result["seconds"]), process, result["outputs"],
                     result["bytes"])

    def torch(self, mode, threads, runs):
        with self.new_folder() as folder:
            process = run(
                [PYTHON, os.path.join(BENCH, "peers", "torch-resnet.py"), mode, threads, runs,
                 *([folder] if mode == "emulate" else [])],
                # Threads of two libraries that spin would take each other's time.
                {"OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads),
                 "OMP_WAIT_POLICY": "passive"})
        return Model(statistics.median(json.loads(process.output)["seconds"]), process)


def count_files(folder):
    files = size = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            files += 1
            size += os.path.getsize(os.path.join(parent, name))
    return files, size


def log(text):
    print(text, file=sys.stderr, flush=True)
