//===- Crc32.h - The checksum of a dump file --------------------*- C++ -*-===//

#ifndef NPU_LIB_DUMP_CRC32_H
#define NPU_LIB_DUMP_CRC32_H

#include "npu/Support/File.h"

#include <cstdint>

namespace npu::dump {

/// The CRC-32 of zlib and gzip of what \p crc is that of, 0 of nothing, and
/// \p bytes behind it.
uint32_t updateCrc32(uint32_t crc, ByteView bytes);

} // namespace npu::dump

#endif // NPU_LIB_DUMP_CRC32_H
