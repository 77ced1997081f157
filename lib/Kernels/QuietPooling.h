//===- QuietPooling.h - Maxima of finite fp16 pixels ------------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_QUIETPOOLING_H
#define NPU_LIB_KERNELS_QUIETPOOLING_H

#include "PoolingWindow.h"

#include <cstdint>
#include <span>
#include <vector>

namespace npu::kernels {

/// Writes to \p result the largest pixel of each window: lane by lane, with -0
/// below +0. The windows span the lines [\p firstLine, \p lastLine) of
/// \p lineElements halves each and the pixels that \p columns lists; \p lanes
/// halves are a pixel. \p largest is work space.
///
/// False, and \p result is void, where a value is infinite or NaN, a window is
/// empty, or the lanes make no whole vectors.
bool poolQuietly(const uint16_t *firstLine, const uint16_t *lastLine,
                 int64_t lineElements, std::span<const WindowSpan> columns,
                 int64_t lanes, std::vector<int16_t> &largest,
                 uint16_t *result);

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_QUIETPOOLING_H
