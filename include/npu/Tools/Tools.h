//===- Tools.h - Entry points of the tools ---------------------*- C++ -*-===//
//
// Each tool is a library function, so that other programs can be built around
// it; its main only calls it. Each returns the exit code of the process: 0
// done, 1 wrong input or usage, 2 ran but something differs or overflowed, 3
// incomplete.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_TOOLS_TOOLS_H
#define NPU_TOOLS_TOOLS_H

namespace npu {

int npuOptMain(int argc, char **argv);
int npuTranslateMain(int argc, char **argv);
int npuRunMain(int argc, char **argv);
int npuDumpMain(int argc, char **argv);
int npuLspServerMain(int argc, char **argv);

} // namespace npu

#endif // NPU_TOOLS_TOOLS_H
