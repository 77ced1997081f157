//===- AtomicStatus.h - Status words of atomic additions --------*- C++ -*-===//

#ifndef NPU_LIB_EXECUTION_ATOMICSTATUS_H
#define NPU_LIB_EXECUTION_ATOMICSTATUS_H

#include "npu/Dump/OverflowStatus.h"
#include "npu/Numerics/StatusBits.h"

namespace npu {

/// What the DHA unit's status word says of \p overflow, which is not None.
constexpr uint64_t encodeDhaStatus(AtomicOverflow overflow) {
  // Records have no code for None; the others are in the same order.
  return dump::encodeDhaStatus(static_cast<dump::AtomicOverflow>(
      static_cast<int>(overflow) - static_cast<int>(AtomicOverflow::Upward)));
}

static_assert(encodeDhaStatus(AtomicOverflow::Upward) ==
              dump::encodeDhaStatus(dump::AtomicOverflow::Upward));
static_assert(encodeDhaStatus(AtomicOverflow::InvalidBoth) ==
              dump::encodeDhaStatus(dump::AtomicOverflow::InvalidBoth));

} // namespace npu

#endif // NPU_LIB_EXECUTION_ATOMICSTATUS_H
