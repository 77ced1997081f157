# -*- Python -*-
#
# Runs every GoogleTest binary of the build folder.

import os

import lit.formats

config.name = "npu-mlir-Unit"
config.suffixes = []
config.test_exec_root = os.path.join(config.npu_obj_root, "unittests")
config.test_source_root = config.test_exec_root
config.test_format = lit.formats.GoogleTest("", "Tests")

# libMLIR.so is not instrumented; see ../lit.cfg.py.
config.environment["ASAN_OPTIONS"] = (
    "detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0"
)
config.environment["UBSAN_OPTIONS"] = "print_stacktrace=1"
for name in ("HOME", "TMPDIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
