"""The machine, the versions of the peers, and their installation."""

import datetime
import json
import os
import platform
import shutil
import subprocess
import sys

PACKAGES = ["libopenblas-dev", "libdnnl-dev", "g++", "python3-numpy", "python3-torch",
            "python3-onnx", "mlir-22-tools", "nodejs"]
ONNXRUNTIME = "onnxruntime-node@1.30.0"


def package_version(package):
    """Of an installed Debian package; None of another."""
    result = subprocess.run(["dpkg-query", "-W", "-f=${db:Status-Status} ${Version}", package],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    status, _, version = result.stdout.partition(" ")
    return version if status == "installed" else None


def install(work):
    """What is missing: Debian packages, and ONNX Runtime below `work`."""
    missing = [package for package in PACKAGES if not package_version(package)]
    if missing:
        root = [] if os.geteuid() == 0 else ["sudo"]
        command = root + ["apt-get", "install", "-y", "--no-install-recommends", *missing]
        print("+", *command, file=sys.stderr)
        subprocess.run(command, check=True, stdout=sys.stderr)
    if not os.path.isdir(os.path.join(work, "node_modules", "onnxruntime-node")):
        # Its library for x64 is in the package; the script would fetch others.
        command = ["npm", "install", "--ignore-scripts", "--prefix", work, ONNXRUNTIME]
        print("+", *command, file=sys.stderr)
        subprocess.run(command, check=True, stdout=sys.stderr)


def first_line(*command):
    if not shutil.which(command[0]):
        return None
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True)
    return result.stdout.splitlines()[0].strip() if result.stdout else None


def describe(bench):
    """A dictionary of strings and numbers."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        cpu = dict(line.split("\t")[0:1] + [line.split(": ", 1)[-1].strip()]
                   for line in file.read().split("\n\n")[0].splitlines())
    flags = set(cpu.get("flags", "").split())
    source = os.path.dirname(os.path.abspath(__file__))
    versions = {package: package_version(package) for package in PACKAGES}
    manifest = os.path.join(bench.work, "node_modules", "onnxruntime-node", "package.json")
    if os.path.exists(manifest):
        with open(manifest, encoding="utf-8") as file:
            versions["onnxruntime-node"] = json.load(file)["version"]
    versions["node"] = first_line("node", "--version")
    return {
        "cpu": f"{cpu.get('model name')}, family {cpu.get('cpu family')} "
               f"model {cpu.get('model')}",
        "processors": os.cpu_count(),
        "simd": [name for name in ("avx2", "avx512f") if name in flags],
        "memory_mib": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20,
        "kernel": platform.release(),
        "commit": first_line("git", "-C", source, "rev-parse", "--short", "HEAD"),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "versions": versions,
    }
