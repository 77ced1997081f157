# -*- Python -*-
#
# The lit suite of npu-mlir (docs/Testing.md).

import os
import subprocess

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "npu-mlir"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".pbtxt", ".test"]
config.excludes = ["Inputs", "fuzz", "unittests", "lib"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.npu_obj_root, "test")

llvm_config.use_default_substitutions()
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)

# Three checks of AddressSanitizer do not go with an uninstrumented libMLIR.so:
# containers and arenas that cross the boundary, leaks of its static objects.
llvm_config.with_environment(
    "ASAN_OPTIONS",
    "detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0",
)
llvm_config.with_environment("UBSAN_OPTIONS", "print_stacktrace=1")

npu_opt_args = []
if os.environ.get("NPU_OPT_CHECK_IR_ROUNDTRIP"):
    npu_opt_args.append("--verify-roundtrip")
    config.available_features.add("verify-roundtrip")

tool_dirs = [
    os.path.join(config.npu_obj_root, "bin"),
    os.path.join(config.npu_obj_root, "test", "bin"),
    config.llvm_tools_dir,
]
tools = [
    ToolSubst("npu-opt", extra_args=npu_opt_args),
    "npu-translate",
    "npu-run",
    "npu-dump",
    "npu-lsp-server",
    "npu-graph-diff",
    "npu-operator-list",
    "npu-shape-check",
    "mlir-opt",
]
llvm_config.add_tool_substitutions(tools, tool_dirs)

# Before lit's own %python, the interpreter of lit, which may lack numpy.
config.substitutions.insert(0, ("%python", f'"{config.python_executable}"'))
config.substitutions.append(
    ("%plugin", os.path.join(config.npu_obj_root, "lib", "libNpuPlugin.so"))
)
config.substitutions.append(("%build", config.npu_obj_root))
config.substitutions.append(
    ("%inputs", os.path.join(config.test_source_root, "Inputs"))
)
config.substitutions.append(
    ("%utils", os.path.join(config.npu_src_root, "utils"))
)

# Programs outside of the build do not have its sanitizers.
if config.npu_sanitize:
    config.available_features.add("sanitizer")

# Published graph texts, which are not part of this repository.
if os.path.isdir(config.npu_corpus_dir):
    config.available_features.add("corpus")
    config.substitutions.append(("%corpus", config.npu_corpus_dir))


def runs_msaccucmp(wrapper):
    """Whether the peer tool is there; its wrapper exits with 77 if not."""
    if not os.access(wrapper, os.X_OK):
        return False
    result = subprocess.run(
        [wrapper, "-h"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    return result.returncode != 77


def mounts_small_disks():
    """Whether a test may have a disk of its own, for full ones."""
    flags = "-m" if os.geteuid() == 0 else "-Urm"
    command = ["unshare", flags, "mount", "-t", "tmpfs", "-o", "size=1M"]
    try:
        return not subprocess.run(
            command + ["tmpfs", "/mnt"], stderr=subprocess.DEVNULL
        ).returncode
    except OSError:
        return False


if mounts_small_disks():
    config.available_features.add("small-disks")

if runs_msaccucmp(config.npu_msaccucmp):
    config.available_features.add("msaccucmp")
    config.substitutions.append(("%msaccucmp", config.npu_msaccucmp))
