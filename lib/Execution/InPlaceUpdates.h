//===- InPlaceUpdates.h - Operators that change their inputs ----*- C++ -*-===//

#ifndef NPU_LIB_EXECUTION_INPLACEUPDATES_H
#define NPU_LIB_EXECUTION_INPLACEUPDATES_H

#include "npu/Execution/Plan.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace npu {

/// The inputs that operators of \p type change in place, with the outputs that
/// show them; those that no output shows come last. Empty for most types.
llvm::ArrayRef<InPlaceUpdate> getInPlaceUpdates(llvm::StringRef type);

} // namespace npu

#endif // NPU_LIB_EXECUTION_INPLACEUPDATES_H
