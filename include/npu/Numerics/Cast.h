//===- Cast.h - The Cast operator between data types -----------*- C++ -*-===//

#ifndef NPU_NUMERICS_CAST_H
#define NPU_NUMERICS_CAST_H

#include "npu/Numerics/NumericConfig.h"
#include "npu/Numerics/StatusBits.h"
#include "npu/Support/DataType.h"
#include "npu/Support/Status.h"

#include <cstddef>

namespace npu::numerics {

/// Converts \p count elements from \p from to \p to and returns the status
/// bits raised. The arrays are aligned to their element and do not overlap.
using CastFunction = StatusBits (*)(const void *from, void *to, size_t count);

/// What the GE operator Cast does between two types: the rules of
/// docs/Numerics.md N30 to N37 (float to integer truncates, 8-bit and integer
/// narrowing wraps, anything to bool compares with 0, to fp16 and bf16 rounds
/// to nearest even). Types: fp32, fp16, bf16, double, the 8 to 64 bit integers
/// and bool; fails with one line for others.
Expected<CastFunction> getCast(DataType from, DataType to,
                               const NumericConfig &config);

} // namespace npu::numerics

#endif // NPU_NUMERICS_CAST_H
