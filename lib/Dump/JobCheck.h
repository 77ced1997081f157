//===- JobCheck.h - What can become a dump file ----------------*- C++ -*-===//

#ifndef NPU_LIB_DUMP_JOBCHECK_H
#define NPU_LIB_DUMP_JOBCHECK_H

#include "npu/Dump/DumpWriter.h"

namespace npu::dump {

/// Fails where no correct file can be made of \p job: a name that is empty or
/// no UTF-8 text, or a tensor whose data is not as long as its shape says.
Status checkJob(const DumpJob &job);

} // namespace npu::dump

#endif // NPU_LIB_DUMP_JOBCHECK_H
