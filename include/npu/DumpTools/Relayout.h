//===- Relayout.h - Dumped tensors in another format ------------*- C++ -*-===//

#ifndef NPU_DUMPTOOLS_RELAYOUT_H
#define NPU_DUMPTOOLS_RELAYOUT_H

#include "npu/Dump/DumpFile.h"
#include "npu/Support/Status.h"

namespace npu::dump {

/// The layout of \p tensor with the logical tensor it stands for. A dump has
/// the original shape but not the order of its axes: that is the format of the
/// original operator where the dump names it, else \p preferred, else the first
/// of NCHW, NHWC, HWCN... whose shape in blocks is that of the tensor. NC1HWC0
/// without an original shape counts as an NCHW of all lanes.
///
/// Fails where no order of axes explains the shape.
Expected<TensorDesc> describeLayout(const DumpTensor &tensor,
                                    std::optional<Format> preferred);

/// The logical tensor of \p source laid out in \p format, \p groups being the
/// sub-format of FRACTAL_Z. Fails where the axes do not match.
Expected<TensorDesc> describeTarget(const TensorDesc &source, Format format,
                                    int64_t groups = 0);

/// How many elements of \p elementSize bytes in \p data are not zero.
uint64_t countNonZero(ByteView data, unsigned elementSize);

} // namespace npu::dump

#endif // NPU_DUMPTOOLS_RELAYOUT_H
