//===- Cast.h - The Cast operator between data types -----------*- C++ -*-===//

#ifndef NPU_NUMERICS_CAST_H
#define NPU_NUMERICS_CAST_H

#include "npu/Numerics/NumericConfig.h"
#include "npu/Numerics/StatusBits.h"
#include "npu/Support/DataType.h"
#include "npu/Support/Status.h"

#include <cstddef>

namespace npu::numerics {

/// Converts \p count elements and returns the status bits raised. The arrays
/// are aligned to their element and do not overlap.
using CastFunction = StatusBits (*)(const void *from, void *to, size_t count,
                                    const NumericConfig &config);

/// What the GE operator Cast does between two types: the rules of
/// docs/Numerics.md, section Cast (float to integer truncates, narrowing to 8
/// bits wraps, anything to bool compares with 0, to fp16 and bf16 rounds to
/// nearest even). Types: fp32, fp16, bf16, double, the 8 to 64 bit integers
/// and bool; fails with one line for others.
Expected<CastFunction> getCast(DataType from, DataType to);

} // namespace npu::numerics

#endif // NPU_NUMERICS_CAST_H
