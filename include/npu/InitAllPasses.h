//===- InitAllPasses.h - Register the passes of this project ---*- C++ -*-===//

#ifndef NPU_INITALLPASSES_H
#define NPU_INITALLPASSES_H

#include "npu/Transforms/Passes.h"

namespace npu {

inline void registerAllPasses() { registerNpuTransformsPasses(); }

} // namespace npu

#endif // NPU_INITALLPASSES_H
