//===- OriginalGraphLoader.h - The names of original operators ---*- C++
//-*-===//

#ifndef NPU_LIB_TOOLS_ORIGINALGRAPHLOADER_H
#define NPU_LIB_TOOLS_ORIGINALGRAPHLOADER_H

#include "npu/DumpTools/Compare.h"

namespace npu {

/// Reads which operators of the front end the operators of a graph were made
/// of, from any form of a graph that the tools read, or from the JSON that
/// Ascend's converter makes of one. Faults inside a graph have been printed
/// when the message of the failure is empty.
Expected<dump::OriginalGraph> loadOriginalGraph(std::string path);

} // namespace npu

#endif // NPU_LIB_TOOLS_ORIGINALGRAPHLOADER_H
