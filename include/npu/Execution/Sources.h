//===- Sources.h - Data that a run gets from outside -----------*- C++ -*-===//

#ifndef NPU_EXECUTION_SOURCES_H
#define NPU_EXECUTION_SOURCES_H

#include "npu/Catalog/Catalog.h"
#include "npu/Execution/BufferPool.h"
#include "npu/Support/Npy.h"
#include "npu/Support/Status.h"
#include "npu/Support/TensorDesc.h"
#include "npu/Support/ThreadPool.h"

#include "llvm/ADT/StringMap.h"

#include <optional>
#include <vector>

namespace npu {

/// Fails unless \p count, of what \p where gives ("file", "shape"), is one for
/// all \p iterations or one for each.
Status checkPerIteration(const std::string &where, size_t count,
                         const std::string &what, uint64_t iterations);

/// The bytes of \p desc from \p array, which has the element type of \p desc
/// and its shape in memory, or the shape of the logical tensor: then it is laid
/// out as \p desc says. Floats are rounded to bfloat16, which NumPy lacks.
/// Fails where nothing fits.
Expected<Buffer> makeTensor(const NpyView &array, const TensorDesc &desc,
                            BufferPool &pool);

/// The same for each of \p iterations: \p array may have a leading axis of that
/// length, one tensor an iteration. Without it there is one tensor for all.
Expected<std::vector<Buffer>> makeTensors(const NpyView &array,
                                          const TensorDesc &desc,
                                          uint64_t iterations,
                                          BufferPool &pool);

/// Pseudo-random bytes for \p desc, the value of a node with \p role, a
/// function of \p seed and \p name alone:
/// inputs uniform in [0, 1), matrices and filters uniform with the variance 2 /
/// fan-in, other constants uniform in [-0.1, 0.1), integers 0 to 9. Padding
/// lanes are zero. Fails for types without a value range (strings...).
Expected<Buffer> makeRandomTensor(const TensorDesc &desc, catalog::Role role,
                                  uint64_t seed, llvm::StringRef name,
                                  BufferPool &pool, ThreadPool &threads);

} // namespace npu

#endif // NPU_EXECUTION_SOURCES_H
